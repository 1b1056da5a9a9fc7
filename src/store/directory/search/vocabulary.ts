import { isSpelled, type QueryWord, type Term, type Terms } from '../../../domain/directory/words.ts'
import type { Database } from '../../engine.ts'

/** Shorter words too often differ from another word by a single letter (docs/protocol.md#D52). */
const LETTERS_MIN = 5
/** Limit of fuzzy matches for all words of a query. More would be guesswork and take too long. */
const READINGS_MAX = 100

/** Adds prefixes of vocabulary words that are one edit away from the words of a query. */
export function fuzzyMatches(words: readonly QueryWord[], known: Vocabulary): QueryWord[] {
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
  // A reading that begins with another one finds no further words.
  return found.filter((text) => !found.some((other) => other !== text && text.startsWith(other)))
}

const WORDS_MAX = 16

/**
 * Replaces prefixes of more than `listed` letters, which the index does not contain, with the words that have them.
 * Otherwise SQLite would read all their rows before returning the first one.
 */
export function expandPrefix(words: readonly QueryWord[], known: Vocabulary, listed: number): QueryWord[] {
  return words.map(({ ways }) => ({ ways: ways.flatMap((terms) => wordsOf(terms, known, listed)) }))
}

function wordsOf(terms: Terms, known: Vocabulary, listed: number): Terms[] {
  const [only] = terms
  if (!only || terms.length > 1 || !isLong(only, listed)) return [terms]
  const words = known.beginningWith(only.text, WORDS_MAX) ?? []
  if (words.length === 0) return [terms]
  // Not all indexed words are in the vocabulary.
  return [...new Set([only.text, ...words])].map((text) => [{ text, isPrefix: false }])
}

function isLong({ text, isPrefix }: Term, listed: number): boolean {
  return isPrefix && [...text].length > listed && isSpelled(text)
}

const SCRIPT_SIZE = 0x100
const LAST = '\u{10ffff}'

type Vocabulary = ReturnType<typeof prepareVocabulary>

/** The words of a table as a tree, for fuzzy matches. */
export function prepareVocabulary(db: Database, table: 'search_words' | 'episode_words') {
  const next = db.prepare<{ word: string }, [string, string]>(
    `SELECT word FROM ${table} WHERE word >= ?1 AND word < ?2 ORDER BY word LIMIT 1`,
  )
  const some = db.prepare<{ word: string }, [string, string, number]>(
    `SELECT word FROM ${table} WHERE word >= ?1 AND word < ?2 ORDER BY word LIMIT ?3`,
  )
  return {
    isBeginning: (text: string): boolean => next.get(text, text + LAST) !== null,

    lettersAfter(beginning: string, like: string): string[] {
      const code = like.codePointAt(0) ?? 0
      const script = code - (code % SCRIPT_SIZE)
      const end = beginning + String.fromCodePoint(script + SCRIPT_SIZE)
      const letters: string[] = []
      // No word contains NUL, which PostgreSQL would reject.
      let from = beginning + String.fromCodePoint(Math.max(1, script))
      for (;;) {
        const letter = next.get(from, end)?.word.codePointAt(beginning.length)
        if (letter === undefined) return letters
        letters.push(String.fromCodePoint(letter))
        from = beginning + String.fromCodePoint(letter + 1)
      }
    },

    /** Returns the words with this prefix; undefined if there are more than `most`. */
    beginningWith(text: string, most: number): string[] | undefined {
      const words = some.all(text, text + LAST, most + 1).map(({ word }) => word)
      return words.length > most ? undefined : words
    },
  }
}
