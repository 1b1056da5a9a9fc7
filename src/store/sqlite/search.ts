import type { Database } from 'bun:sqlite'
import type { SearchQuery } from '../../domain/directory-ports.ts'
import type { UserId } from '../../domain/ids.ts'
import { type QueryWord, wholeTitle } from '../../domain/search-words.ts'
import { prepareMisspellings } from './misspellings.ts'
import { PODCAST_OF_DOCUMENT } from './search-index.ts'
import { matchOf, quoteWord } from './search-terms.ts'

interface Hit {
  readonly id: number
  readonly subscribers: number
  readonly title: string
}

/** Hits looked at for each way to match. A way that has more is judged by its most subscribed ones. */
const LOOKED_AT = 200
/** With fewer hits than that, words may be mistyped (protocol.md D52). */
const FEW = 5

/** The IDs of the podcasts that a query finds, best first: by field, then by how close the words come, then by subscribers, then by title. */
export function prepareSearch(
  db: Database,
): (query: SearchQuery, userId: UserId | undefined, count: number) => number[] {
  const find = (table: string) =>
    db.prepare<Hit, [string, UserId | null]>(
      `SELECT p.id, p.subscribers, IFNULL(pd.title, p.url) AS title
         FROM ${table} f CROSS JOIN podcasts p ON p.id = f.${PODCAST_OF_DOCUMENT}
         LEFT JOIN podcast_details pd ON pd.podcast_id = p.id
        WHERE f.${table} MATCH ?1
          AND ((p.is_local = 1 AND p.is_private = 0)
               OR EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = ?2 AND l.podcast_id = p.id AND l.devices > 0))
        ORDER BY f.rowid LIMIT ${LOOKED_AT}`,
    )
  const inNames = find('search_names')
  const inTexts = find('search_texts')
  const misspellings = prepareMisspellings(db)

  return ({ text, words }, userId, count) => {
    const found = new Set<number>()
    const user = userId ?? null

    function take(hits: readonly Hit[]): boolean {
      for (const { id } of hits.toSorted(bySubscribers)) found.add(id)
      return found.size >= count
    }

    /** From the best way to match to the loosest; those after the one that fills the list are not tried. */
    function fill(meant: readonly QueryWord[]): void {
      void (
        take(inNames.all(matchOf(meant, 'title', true), user)) ||
        take(inNames.all(matchOf(meant, 'title'), user)) ||
        take(inNames.all(matchOf(meant, 'title author tags'), user)) ||
        take(inTexts.all(matchOf(meant), user))
      )
    }

    take(inNames.all(quoteWord(wholeTitle(text)), user))
    fill(words)
    if (found.size < FEW) fill(misspellings(words))
    return [...found].slice(0, count)
  }
}

function bySubscribers(a: Hit, b: Hit): number {
  return b.subscribers - a.subscribers || a.title.localeCompare(b.title, 'en') || a.id - b.id
}
