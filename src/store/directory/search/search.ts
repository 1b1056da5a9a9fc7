import type { SearchQuery } from '../../../domain/directory/ports/directory.ts'
import type { QueryWord } from '../../../domain/directory/words.ts'
import type { UserId } from '../../../domain/shared/ids.ts'
import type { Database } from '../../engine.ts'
import { EVERYTHING } from '../podcast-tags.ts'
import { podcastOfDocument } from './search-index.ts'
import { matchAll, matchesTerms, matchPartly, matchTitle } from './search-terms.ts'
import { expandPrefix, fuzzyMatches, prepareVocabulary } from './vocabulary.ts'

interface Hit {
  readonly document: number
  readonly id: number
  readonly subscribers: number
  readonly sortKey: string
}

const MATCHES_MAX = 200
/** Length of the longest prefixes in `search_terms`. */
const INDEXED_PREFIX_MAX = 8
/** Matches among the first documents from which a query counts as common. */
const COMMON_MIN = 9
const SAMPLE_SIZE = 300
/** Number of hits below which words match fuzzily (docs/protocol.md#D52). */
const FUZZY_BELOW = 5

/** SQL conditions on the podcast `t`; the user is parameter 2. */
const AMONG = {
  /** Listed podcasts and the user's own. */
  visible: `(t.is_listed = 1
             OR EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = ?2 AND l.podcast_id = t.podcast_id AND l.devices > 0))`,
  own: `t.podcast_id IN (SELECT l.podcast_id FROM listeners l WHERE l.user_id = ?2 AND l.devices > 0)`,
}

export function prepareSearch(
  db: Database,
  among: keyof typeof AMONG = 'visible',
): (query: SearchQuery, userId: UserId | undefined, count: number) => number[] {
  const hits = (documents: string, document: string, matches: string) =>
    `SELECT ${document} AS document, t.podcast_id AS id, t.subscribers, t.sort_key AS sortKey
       FROM ${documents} f CROSS JOIN podcast_tags t ON t.podcast_id = ${podcastOfDocument(document)} AND t.tag_id = ${EVERYTHING}
      WHERE ${matches} AND ${AMONG[among]}
      ORDER BY ${document} LIMIT ${MATCHES_MAX}`
  const inOrder = (where = '') => `(SELECT document_id, terms FROM search_terms ${where} ORDER BY document_id OFFSET 0)`
  const sqlite = hits('search_terms', 'f.rowid', 'f.search_terms MATCH ?1')
  const find = db.prepare<Hit, [string, UserId | null]>({
    sqlite,
    postgres: hits(inOrder(`WHERE ${matchesTerms('terms', '?1')}`), 'f.document_id', 'true'),
  })
  /** Compares document after document. PostgreSQL's index would return all of many matches before the first ones. */
  const findCommon = db.prepare<Hit, [string, UserId | null]>({
    sqlite,
    postgres: hits(inOrder(), 'f.document_id', matchesTerms('f.terms', '?1')),
  })
  const sample = db.prepare<{ matches: number }, [string]>({
    sqlite: 'SELECT 0 AS matches',
    postgres: `SELECT count(*) AS matches FROM (SELECT terms FROM search_terms ORDER BY document_id LIMIT ${SAMPLE_SIZE}) f
                WHERE ${matchesTerms('f.terms', '?1')}`,
  })
  /**
   * Which of the given documents match each of several queries, by index. The plus keeps FTS5 from repeating each query for
   * every document.
   */
  const narrow = db.prepare<{ query: number; document: number }, [string, string]>({
    sqlite: `SELECT m.key AS query, f.rowid AS document FROM json_each(?1) m CROSS JOIN search_terms f
              WHERE f.search_terms MATCH m.value AND +f.rowid IN (SELECT value FROM json_each(?2))`,
    postgres: `SELECT m.key AS query, f.document_id AS document
                 FROM json_each(?2) d CROSS JOIN search_terms f ON f.document_id = CAST(d.value AS INTEGER)
                CROSS JOIN json_each(?1) m WHERE ${matchesTerms('f.terms', 'm.value')}`,
  })
  const vocabulary = prepareVocabulary(db, 'search_words')

  return ({ text, words: typed }, userId, count) => {
    const found = new Set<number>()
    const words = expandPrefix(typed, vocabulary, INDEXED_PREFIX_MAX)
    const isCommon = (match: string) => (sample.get(match)?.matches ?? 0) >= COMMON_MIN
    // Only fuzzy queries may match more documents, and they are used only if this one matches few.
    const mayBeCommon = isCommon(matchAll(words, 'anywhere'))
    const statementFor = (match: string) => (mayBeCommon && isCommon(match) ? findCommon : find)
    const lookUp = (match: string) =>
      statementFor(match)
        .all(match, userId ?? null)
        .sort(bySubscribers)

    function add(matches: readonly string[]): void {
      for (const match of matches) {
        if (found.size >= count) return
        for (const { id } of lookUp(match)) found.add(id)
      }
    }

    /** Adds podcasts with all words, first those that match the `better` queries, which find no others. */
    function addAnywhere(words: readonly QueryWord[], better: readonly string[]): void {
      if (found.size >= count) return
      const hits = lookUp(matchAll(words, 'anywhere'))
      const fresh = hits.filter(({ id }) => !found.has(id))
      if (hits.length === MATCHES_MAX) add(better)
      else if (fresh.length > 1) addNarrowed(fresh, better)
      for (const { id } of fresh) found.add(id)
    }

    function addNarrowed(hits: readonly Hit[], better: readonly string[]): void {
      const documents = JSON.stringify(hits.map(({ document }) => document))
      const matches = Map.groupBy(narrow.all(JSON.stringify(better), documents), ({ query }) => query)
      for (const [query] of better.entries()) {
        const matching = new Set(matches.get(query)?.map(({ document }) => document))
        for (const { id, document } of hits) if (matching.has(document)) found.add(id)
      }
    }

    add([matchTitle(text), matchAll(typed, 'title', true), matchAll(words, 'title')])
    addAnywhere(words, [
      matchAll(typed, 'names', true),
      matchAll(words, 'names'),
      ...matchPartly(words),
      matchAll(typed, 'anywhere', true),
    ])
    if (found.size < FUZZY_BELOW) {
      const corrected = expandPrefix(fuzzyMatches(typed, vocabulary), vocabulary, INDEXED_PREFIX_MAX)
      addAnywhere(corrected, [matchAll(corrected, 'title'), matchAll(corrected, 'names')])
    }
    return [...found].slice(0, count)
  }
}

function bySubscribers(a: Hit, b: Hit): number {
  return b.subscribers - a.subscribers || byText(a.sortKey, b.sortKey) || a.id - b.id
}

function byText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
