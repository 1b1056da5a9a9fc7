import { isSpelled, type QueryWord } from '../../../domain/directory/words.ts'
import type { Database } from '../../engine.ts'
import { periodOf, podcastOfDocument, timeOfDocument } from './episode-index.ts'
import { matchAll, matchesTerms } from './search-terms.ts'
import { expandPrefix, fuzzyMatches, prepareVocabulary } from './vocabulary.ts'

type Table = 'episode_titles' | 'episode_notes'

/** Matches over all users that are examined, newest first, within a few milliseconds. */
const LOOKED_AT = 20_000
/** Number of hits below which prefixes match in notes, and words match fuzzily (docs/protocol.md#D115). */
const FEW = 5
/** Length of the longest prefixes in the index. For notes, it has no shorter ones either. */
const LISTED = { episode_titles: 4, episode_notes: 3 }

/** SQL: a condition on the row `id` of the search, by a JSON array in parameter 2. */
const AMONG = {
  /** Numbers of podcasts. */
  own: `${podcastOfDocument('id')} IN (SELECT CAST(value AS INTEGER) FROM json_each(?2))`,
  /** Row numbers. */
  heard: 'id IN (SELECT CAST(value AS INTEGER) FROM json_each(?2))',
}
type List = keyof typeof AMONG
const LISTS = ['own', 'heard'] as const

interface Wanted {
  readonly within: string
  /** Row number of the oldest episode in range. */
  readonly last: number
  readonly count: number
  readonly found: Set<number>
}

/** Finds the numbers of episodes: matches in titles before those in notes, newest first. */
export function prepareEpisodeSearch(db: Database) {
  const hits = (table: Table, list: List, document: string, matches: string) =>
    `SELECT id, ${timeOfDocument('id')} AS time
       FROM (SELECT ${document} AS id FROM ${table} f WHERE ${matches} AND ${document} <= ?3 ORDER BY ${document} LIMIT ${LOOKED_AT}) hits
      WHERE ${AMONG[list]}`
  const findIn = (table: Table, list: List) =>
    db.prepare<{ id: number; time: number }, [string, string, number]>({
      sqlite: hits(table, list, 'f.rowid', `f.${table} MATCH ?1`),
      postgres: `${hits(table, list, 'f.document_id', matchesTerms('f.terms', '?1'))} ORDER BY id`,
    })
  const find = {
    own: { episode_titles: findIn('episode_titles', 'own'), episode_notes: findIn('episode_notes', 'own') },
    heard: { episode_titles: findIn('episode_titles', 'heard'), episode_notes: findIn('episode_notes', 'heard') },
  }
  // Numbers of removed episodes may have been reused for others that are not indexed yet.
  const episodeOf = db.prepare<{ id: number }, [string]>(
    `SELECT k.episode_id AS id FROM json_each(?1) j CROSS JOIN episode_documents k ON k.document_id = CAST(j.value AS INTEGER)
       CROSS JOIN episode_details d ON d.episode_id = k.episode_id
         AND d.podcast_id = ${podcastOfDocument('CAST(j.value AS INTEGER)')} AND d.is_listed = 1
      ORDER BY j.key`,
  )
  const known = prepareVocabulary(db, 'episode_words')

  function newest(list: List, table: Table, query: string, { within, last, count }: Wanted): number[] {
    const matches: { id: number; time: number }[] = []
    for (const match of find[list][table].iterate(query, within, last)) {
      // Rows come by period, so that all later ones are older.
      const isLater = periodOf(match.time) !== periodOf(matches.at(-1)?.time ?? match.time)
      if (matches.length >= count && isLater) break
      matches.push(match)
    }
    return matches.sort((one, other) => one.time - other.time || one.id - other.id).map(({ id }) => id)
  }

  return (typed: readonly QueryWord[], within: Record<List, readonly number[]>, most: Record<List, number>) => {
    const wanted: Record<List, Wanted> = {
      own: { within: JSON.stringify(within.own), last: Number.MAX_SAFE_INTEGER, count: most.own, found: new Set() },
      heard: {
        within: JSON.stringify(within.heard),
        last: Math.max(...within.heard),
        count: most.heard,
        found: new Set(),
      },
    }
    const isFew = () => LISTS.every((list) => wanted[list].found.size < FEW)

    function add(table: Table, words: readonly QueryWord[]): void {
      const match = matchAll(words, 'anywhere')
      for (const list of LISTS) {
        const { found, count } = wanted[list]
        if (within[list].length > 0 && found.size < count)
          for (const id of newest(list, table, match, wanted[list])) found.add(id)
      }
    }
    const expand = (words: readonly QueryWord[], table: Table) => expandPrefix(words, known, LISTED[table])
    add('episode_titles', expand(typed, 'episode_titles'))
    add('episode_notes', forNotes(expand(typed, 'episode_notes'), LISTED.episode_notes))
    if (isFew()) add('episode_notes', forNotes(typed, Number.POSITIVE_INFINITY))
    if (isFew()) {
      const meant = fuzzyMatches(typed, known)
      const isOther = meant.some(
        ({ alternatives }, index) => alternatives.length > (typed[index]?.alternatives.length ?? 0),
      )
      if (isOther) {
        add('episode_titles', expand(meant, 'episode_titles'))
        add('episode_notes', forNotes(expand(meant, 'episode_notes'), 0))
      }
    }
    const read = ({ found, count }: Wanted) =>
      episodeOf.all(JSON.stringify([...found].slice(0, count))).map(({ id }) => id)
    return { own: read(wanted.own), heard: read(wanted.heard) }
  }
}

/**
 * In notes, only the last word may be a prefix, of three to `longest` letters: the other words are complete, nearly all
 * notes match one or two letters, and longer prefixes would take long to read.
 */
function forNotes(words: readonly QueryWord[], longest: number): QueryWord[] {
  const mayBegin = (text: string) => [...text].length >= LISTED.episode_notes && [...text].length <= longest
  return words.map(({ alternatives }, index) => ({
    alternatives: alternatives.map((terms) =>
      terms.map((term) => {
        const isLast = index === words.length - 1
        return !isSpelled(term.text) || (isLast && mayBegin(term.text)) ? term : { ...term, isPrefix: false }
      }),
    ),
  }))
}
