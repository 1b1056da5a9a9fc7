import type { Database } from 'bun:sqlite'
import type { SearchQuery } from '../../../../domain/directory/ports/directory.ts'
import { isSpelled, type QueryWord, type Term, type Terms } from '../../../../domain/directory/words.ts'
import type { UserId } from '../../../../domain/shared/ids.ts'
import { EVERYTHING } from '../podcast-tags.ts'
import { PODCAST_OF_DOCUMENT } from './search-index.ts'
import { matchAll, matchPartly, matchTitle } from './search-terms.ts'

interface Hit {
  readonly id: number
  readonly subscribers: number
  readonly sortKey: string
}

const LOOKED_AT = 200
/** With fewer hits than that, words may be mistyped (docs/protocol.md#D52). */
const FEW = 5

export function prepareSearch(
  db: Database,
): (query: SearchQuery, userId: UserId | undefined, count: number) => number[] {
  const find = db.prepare<Hit, [string, UserId | null]>(
    `SELECT t.podcast_id AS id, t.subscribers, t.sort_key AS sortKey
       FROM search_terms f CROSS JOIN podcast_tags t ON t.podcast_id = f.${PODCAST_OF_DOCUMENT} AND t.tag_id = ${EVERYTHING}
      WHERE f.search_terms MATCH ?1
        AND (t.is_listed = 1
             OR EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = ?2 AND l.podcast_id = t.podcast_id AND l.devices > 0))
      ORDER BY f.rowid LIMIT ${LOOKED_AT}`,
  )
  const known = prepareVocabulary(db)

  return ({ text, words: typed }, userId, count) => {
    const found = new Set<number>()
    const look = (match: string) => find.all(match, userId ?? null).sort(bySubscribers)

    function add(matches: readonly string[], wanted = count): void {
      for (const match of matches) {
        if (found.size >= wanted) return
        for (const { id } of look(match)) found.add(id)
      }
    }

    function addAnywhere(words: readonly QueryWord[], better: readonly string[]): void {
      if (found.size >= count) return
      const hits = look(matchAll(words, 'anywhere'))
      const fresh = hits.filter(({ id }) => !found.has(id))
      // Nothing else finds more than this does, unless this has not looked at all there is.
      const all = hits.length < LOOKED_AT ? found.size + fresh.length : count
      if (fresh.length > 1) add(better, Math.min(count, all))
      for (const { id } of fresh) found.add(id)
    }

    function addNested([loosest, ...closer]: readonly string[]): void {
      if (loosest === undefined) return
      const fresh = look(loosest).filter(({ id }) => !found.has(id))
      if (fresh.length > 1) addNested(closer)
      for (const { id } of fresh) found.add(id)
    }

    const words = expandPrefix(typed, known)
    add([matchTitle(text), matchAll(typed, 'title', true), matchAll(words, 'title')])
    addAnywhere(words, [
      matchAll(typed, 'names', true),
      matchAll(words, 'names'),
      ...matchPartly(words),
      matchAll(typed, 'anywhere', true),
    ])
    if (found.size < FEW) {
      const meant = expandPrefix(fuzzyMatches(typed, known), known)
      addNested([matchAll(meant, 'anywhere'), matchAll(meant, 'names'), matchAll(meant, 'title')])
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

/** Shorter words are too often another one by a single letter (docs/protocol.md#D52). */
const LETTERS_MIN = 5
/** Beginnings that the words of a query are taken for, all together; more would be guessing, and take too long. */
const READINGS_MAX = 100

/** Beginnings of vocabulary words that are one edit away from the words of a query. */
function fuzzyMatches(words: readonly QueryWord[], known: Vocabulary): QueryWord[] {
  const most = Math.ceil(READINGS_MAX / Math.max(1, words.length))
  return words.map(({ ways }) => ({ ways: [...ways, ...ways.flatMap((terms) => corrected(terms, known, most))] }))
}

function corrected(terms: Terms, known: Vocabulary, most: number): Terms[] {
  return terms.flatMap((term, at) =>
    mayBeMistyped(term)
      ? readings(term.text, known)
          .slice(0, most)
          .map((text) => terms.with(at, { text, isPrefix: true }))
      : [],
  )
}

function mayBeMistyped({ text, isPrefix }: Term): boolean {
  return isPrefix && [...text].length >= LETTERS_MIN && isSpelled(text)
}

/** Likeliest edits first: swapped, extra, missing, wrong. Only letters of known continuations are tried. */
function readings(word: string, known: Vocabulary): string[] {
  const letters = [...word]
  const kinds: [string[], string[], string[], string[]] = [[], [], [], []]
  const [swapped, extra, missing, wrong] = kinds
  for (const [at, letter] of letters.entries()) {
    const before = letters.slice(0, at).join('')
    if (!known.isBeginning(before)) break
    const after = letters.slice(at + 1).join('')
    const following = letters[at + 1]
    if (following !== undefined) swapped.push(before + following + letter + letters.slice(at + 2).join(''))
    extra.push(before + after)
    for (const other of known.lettersAfter(before, letter)) {
      missing.push(before + other + letter + after)
      wrong.push(before + other + after)
    }
  }
  const found = [...new Set(kinds.flat())].filter((text) => text !== word && known.isBeginning(text))
  // A reading that begins with another one finds nothing more than that.
  return found.filter((text) => !found.some((other) => other !== text && text.startsWith(other)))
}

const LISTED_LETTERS = 8
const WORDS_MAX = 16

/** Replaces long beginnings by the words that have them, since SQLite would read all their podcasts. */
function expandPrefix(words: readonly QueryWord[], known: Vocabulary): QueryWord[] {
  return words.map(({ ways }) => ({ ways: ways.flatMap((terms) => wordsOf(terms, known)) }))
}

function wordsOf(terms: Terms, known: Vocabulary): Terms[] {
  const [only] = terms
  if (!only || terms.length > 1 || !isLong(only)) return [terms]
  const words = known.beginningWith(only.text, WORDS_MAX) ?? []
  return words.length === 0 ? [terms] : words.map((text) => [{ text, isPrefix: false }])
}

function isLong({ text, isPrefix }: Term): boolean {
  return isPrefix && [...text].length > LISTED_LETTERS && isSpelled(text)
}

const SCRIPT_SIZE = 0x100
const LAST = '\u{10ffff}'

type Vocabulary = ReturnType<typeof prepareVocabulary>

function prepareVocabulary(db: Database) {
  const next = db.prepare<{ word: string }, [string, string]>(
    'SELECT word FROM search_words WHERE word >= ?1 AND word < ?2 LIMIT 1',
  )
  const some = db.prepare<{ word: string }, [string, string, number]>(
    'SELECT word FROM search_words WHERE word >= ?1 AND word < ?2 LIMIT ?3',
  )
  return {
    isBeginning: (text: string): boolean => next.get(text, text + LAST) !== null,

    lettersAfter(beginning: string, like: string): string[] {
      const code = like.codePointAt(0) ?? 0
      const script = code - (code % SCRIPT_SIZE)
      const end = beginning + String.fromCodePoint(script + SCRIPT_SIZE)
      const letters: string[] = []
      let from = beginning + String.fromCodePoint(script)
      for (;;) {
        const letter = next.get(from, end)?.word.codePointAt(beginning.length)
        if (letter === undefined) return letters
        letters.push(String.fromCodePoint(letter))
        from = beginning + String.fromCodePoint(letter + 1)
      }
    },

    /** The words that begin so; undefined if they are more than `most`. */
    beginningWith(text: string, most: number): string[] | undefined {
      const words = some.all(text, text + LAST, most + 1).map(({ word }) => word)
      return words.length > most ? undefined : words
    },
  }
}
