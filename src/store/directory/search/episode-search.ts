import { isSpelled, type QueryWord } from '../../../domain/directory/words.ts'
import type { Database } from '../../engine.ts'
import { periodOf, podcastOfDocument, timeOfDocument } from './episode-index.ts'
import { matchAll, matchesTerms } from './search-terms.ts'
import { expandPrefix, fuzzyMatches, prepareVocabulary } from './vocabulary.ts'

type Table = 'episode_titles' | 'episode_notes'

/** Matches over all users that are examined, newest first, within a few milliseconds. */
const MATCHES_MAX = 20_000
/** Number of hits below which prefixes match in notes, and words match fuzzily (docs/protocol.md#D115). */
const FUZZY_BELOW = 5
/** Length of the longest prefixes in the index. For notes, it has no shorter ones either. */
const INDEXED_PREFIX_MAX = { episode_titles: 4, episode_notes: 3 }

/** SQL: a condition on the row `id` of the search, by a JSON array in parameter 2. */
const AMONG = {
  /** Numbers of podcasts. */
  own: `${podcastOfDocument('id')} IN (SELECT CAST(value AS INTEGER) FROM json_each(?2))`,
  /** Row numbers. */
  history: 'id IN (SELECT CAST(value AS INTEGER) FROM json_each(?2))',
}
type List = keyof typeof AMONG
const LISTS = ['own', 'history'] as const

interface ListSearch {
  readonly among: string
  /** Row number of the oldest episode in range. */
  readonly last: number
  readonly count: number
  readonly found: Set<number>
}

/** Finds the numbers of episodes: matches in titles before those in notes, newest first. */
export function prepareEpisodeSearch(db: Database) {
  const hits = (table: Table, list: List, document: string, matches: string) =>
    `SELECT id, ${timeOfDocument('id')} AS time
       FROM (SELECT ${document} AS id FROM ${table} f WHERE ${matches} AND ${document} <= ?3 ORDER BY ${document} LIMIT ${MATCHES_MAX}) hits
      WHERE ${AMONG[list]}`
  const findIn = (table: Table, list: List) =>
    db.prepare<{ id: number; time: number }, [string, string, number]>({
      sqlite: hits(table, list, 'f.rowid', `f.${table} MATCH ?1`),
      postgres: `${hits(table, list, 'f.document_id', matchesTerms('f.terms', '?1'))} ORDER BY id`,
    })
  const find = {
    own: { episode_titles: findIn('episode_titles', 'own'), episode_notes: findIn('episode_notes', 'own') },
    history: { episode_titles: findIn('episode_titles', 'history'), episode_notes: findIn('episode_notes', 'history') },
  }
  // Numbers of removed episodes may have been reused for others that are not indexed yet.
  const episodeOf = db.prepare<{ id: number }, [string]>(
    `SELECT k.episode_id AS id FROM json_each(?1) j CROSS JOIN episode_documents k ON k.document_id = CAST(j.value AS INTEGER)
       CROSS JOIN episode_details d ON d.episode_id = k.episode_id
         AND d.podcast_id = ${podcastOfDocument('CAST(j.value AS INTEGER)')} AND d.is_listed = 1
      ORDER BY j.key`,
  )
  const vocabulary = prepareVocabulary(db, 'episode_words')

  function newest(list: List, table: Table, query: string, { among, last, count }: ListSearch): number[] {
    const matches: { id: number; time: number }[] = []
    for (const match of find[list][table].iterate(query, among, last)) {
      // Rows come by period, so that all later ones are older.
      const isLater = periodOf(match.time) !== periodOf(matches.at(-1)?.time ?? match.time)
      if (matches.length >= count && isLater) break
      matches.push(match)
    }
    return matches.sort((one, other) => one.time - other.time || one.id - other.id).map(({ id }) => id)
  }

  return (typed: readonly QueryWord[], among: Record<List, readonly number[]>, limits: Record<List, number>) => {
    const searches: Record<List, ListSearch> = {
      own: { among: JSON.stringify(among.own), last: Number.MAX_SAFE_INTEGER, count: limits.own, found: new Set() },
      history: {
        among: JSON.stringify(among.history),
        last: Math.max(...among.history),
        count: limits.history,
        found: new Set(),
      },
    }
    const isFew = () => LISTS.every((list) => searches[list].found.size < FUZZY_BELOW)

    function add(table: Table, words: readonly QueryWord[]): void {
      const match = matchAll(words, 'anywhere')
      for (const list of LISTS) {
        const { found, count } = searches[list]
        if (among[list].length > 0 && found.size < count)
          for (const id of newest(list, table, match, searches[list])) found.add(id)
      }
    }
    const expand = (words: readonly QueryWord[], table: Table) =>
      expandPrefix(words, vocabulary, INDEXED_PREFIX_MAX[table])
    add('episode_titles', expand(typed, 'episode_titles'))
    add('episode_notes', forNotes(expand(typed, 'episode_notes'), INDEXED_PREFIX_MAX.episode_notes))
    if (isFew()) add('episode_notes', forNotes(typed, Number.POSITIVE_INFINITY))
    if (isFew()) {
      const corrected = fuzzyMatches(typed, vocabulary)
      const isOther = corrected.some(
        ({ alternatives }, index) => alternatives.length > (typed[index]?.alternatives.length ?? 0),
      )
      if (isOther) {
        add('episode_titles', expand(corrected, 'episode_titles'))
        add('episode_notes', forNotes(expand(corrected, 'episode_notes'), 0))
      }
    }
    const read = ({ found, count }: ListSearch) =>
      episodeOf.all(JSON.stringify([...found].slice(0, count))).map(({ id }) => id)
    return { own: read(searches.own), history: read(searches.history) }
  }
}

/**
 * In notes, only the last word may be a prefix, of three to `longest` letters: the other words are complete, nearly all
 * notes match one or two letters, and longer prefixes would take long to read.
 */
function forNotes(words: readonly QueryWord[], longest: number): QueryWord[] {
  const mayBegin = (text: string) => [...text].length >= INDEXED_PREFIX_MAX.episode_notes && [...text].length <= longest
  return words.map(({ alternatives }, index) => ({
    alternatives: alternatives.map((terms) =>
      terms.map((term) => {
        const isLast = index === words.length - 1
        return !isSpelled(term.text) || (isLast && mayBegin(term.text)) ? term : { ...term, isPrefix: false }
      }),
    ),
  }))
}
