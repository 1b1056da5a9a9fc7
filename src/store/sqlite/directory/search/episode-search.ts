import type { Database } from 'bun:sqlite'
import { isSpelled, type QueryWord } from '../../../../domain/directory/words.ts'
import { podcastOfDocument, timeOfDocument } from './episode-index.ts'
import { matchAll } from './search-terms.ts'
import { fuzzyMatches, prepareVocabulary } from './vocabulary.ts'

type Table = 'episode_titles' | 'episode_notes'

/** Matches of all users that are looked at, the newest of the server: some ten milliseconds' work. */
const LOOKED_AT = 40_000
/** Number of hits below which words may be mistyped (docs/protocol.md#D52). */
const FEW = 5
/** Shorter words are looked for in notes as they are: most notes have a word that begins so. */
const BEGINNING_MIN = 3

/** SQL: a condition on the row `id` of the search, by a JSON array in parameter 2. */
const AMONG = {
  podcasts: `${podcastOfDocument('id')} IN (SELECT value FROM json_each(?2))`,
  documents: 'id IN (SELECT value FROM json_each(?2))',
}

/** Finds numbers of episodes: matches in titles first, then in notes; the newest first. */
export function prepareEpisodeSearch(db: Database, among: keyof typeof AMONG) {
  const findIn = (table: Table) =>
    db.prepare<{ id: number }, [string, string, number]>(
      `SELECT id FROM (SELECT f.rowid AS id FROM ${table} f WHERE f.${table} MATCH ?1 ORDER BY f.rowid LIMIT ${LOOKED_AT})
        WHERE ${AMONG[among]} ORDER BY ${timeOfDocument('id')}, id LIMIT ?3`,
    )
  const find = { episode_titles: findIn('episode_titles'), episode_notes: findIn('episode_notes') }
  // Numbers of removed episodes may have been given to others that are not indexed yet.
  const episodeOf = db.prepare<{ id: number }, [string]>(
    `SELECT k.episode_id AS id FROM json_each(?1) j CROSS JOIN episode_documents k ON k.document_id = j.value
       CROSS JOIN episode_details d ON d.episode_id = k.episode_id
         AND d.podcast_id = ${podcastOfDocument('j.value')} AND d.is_listed = 1
      ORDER BY j.key`,
  )
  const known = prepareVocabulary(db, 'episode_words')

  return (typed: readonly QueryWord[], within: readonly number[], count: number): number[] => {
    if (within.length === 0) return []
    const found = new Set<number>()
    const list = JSON.stringify(within)
    function add(words: readonly QueryWord[]): void {
      for (const [table, match] of [
        ['episode_titles', matchAll(words, 'anywhere')],
        ['episode_notes', matchAll(words.map(forNotes), 'anywhere')],
      ] as const)
        if (found.size < count) for (const { id } of find[table].all(match, list, count)) found.add(id)
    }
    add(typed)
    if (found.size < FEW) {
      const meant = fuzzyMatches(typed, known)
      const isOther = meant.some(({ ways }, index) => ways.length > (typed[index]?.ways.length ?? 0))
      // In titles, whose words the vocabulary has: in notes the many readings of a word would take too long.
      if (isOther) for (const { id } of find.episode_titles.all(matchAll(meant, 'anywhere'), list, count)) found.add(id)
    }
    return episodeOf.all(JSON.stringify([...found].slice(0, count))).map(({ id }) => id)
  }
}

/** Only the last word may be a beginning: the lists of all words that begin so are long, and the others have been typed to their end. */
function forNotes({ ways }: QueryWord, index: number, all: readonly QueryWord[]): QueryWord {
  const isLast = index === all.length - 1
  return {
    ways: ways.map((terms) =>
      terms.map((term) => {
        const isWhole = isSpelled(term.text) && (!isLast || [...term.text].length < BEGINNING_MIN)
        return isWhole && term.isPrefix ? { ...term, isPrefix: false } : term
      }),
    ),
  }
}
