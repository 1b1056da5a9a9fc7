import { isSpelled, type QueryWord, type Term, type Terms } from '../../../domain/directory/words.ts'
import type { Database } from '../../engine.ts'

/** Shorter words too often differ from another word by a single letter (docs/protocol.md#D52). */
const LETTERS_MIN = 5
/** Letters of the shortest words in the vocabulary: a mistyped word may have one letter too many. */
export const VOCABULARY_WORD_MIN = LETTERS_MIN - 1
/** Limit of fuzzy matches for all words of a query. More would be guesswork and take too long. */
const EDITS_MAX = 100

/** Adds prefixes of vocabulary words that are one edit away from the words of a query. */
export function fuzzyMatches(words: readonly QueryWord[], vocabulary: Vocabulary): QueryWord[] {
  const limit = Math.ceil(EDITS_MAX / Math.max(1, words.length))
  return words.map(({ alternatives }) => ({
    alternatives: [...alternatives, ...alternatives.flatMap((terms) => corrected(terms, vocabulary, limit))],
  }))
}

function corrected(terms: Terms, vocabulary: Vocabulary, limit: number): Terms[] {
  return terms.flatMap((term, at) =>
    mayBeMistyped(term)
      ? findEdits(term.text, vocabulary)
          .slice(0, limit)
          .map((text) => terms.with(at, { text, isPrefix: true }))
      : [],
  )
}

function mayBeMistyped({ text, isPrefix }: Term): boolean {
  return isPrefix && [...text].length >= LETTERS_MIN && isSpelled(text)
}

/** Likeliest edits first: swapped, extra, missing, wrong. Only letters of known continuations are tried. */
function findEdits(word: string, vocabulary: Vocabulary): string[] {
  const letters = [...word]
  const kinds: [string[], string[], string[], string[]] = [[], [], [], []]
  const [swapped, extra, missing, wrong] = kinds
  const continuations = vocabulary.lettersAfterEach(letters)
  for (const [at, letter] of letters.entries()) {
    const before = letters.slice(0, at).join('')
    const after = letters.slice(at + 1).join('')
    const following = letters[at + 1]
    if (following !== undefined) swapped.push(before + following + letter + letters.slice(at + 2).join(''))
    extra.push(before + after)
    for (const other of continuations[at] ?? []) {
      missing.push(before + other + letter + after)
      wrong.push(before + other + after)
    }
  }
  const found = vocabulary.beginnings([...new Set(kinds.flat())].filter((text) => text !== word))
  // An edit that begins with another one finds no further words.
  return found.filter((text) => !found.some((other) => other !== text && text.startsWith(other)))
}

const WORDS_MAX = 16

/**
 * Replaces prefixes of more than `listed` letters, which the index does not contain, with the words that have them.
 * Otherwise SQLite would read all their rows before returning the first one.
 */
export function expandPrefix(words: readonly QueryWord[], vocabulary: Vocabulary, listed: number): QueryWord[] {
  return words.map(({ alternatives }) => ({
    alternatives: alternatives.flatMap((terms) => wordsOf(terms, vocabulary, listed)),
  }))
}

function wordsOf(terms: Terms, vocabulary: Vocabulary, listed: number): Terms[] {
  const [only] = terms
  if (!only || terms.length > 1 || !isLong(only, listed)) return [terms]
  const words = vocabulary.beginningWith(only.text, WORDS_MAX) ?? []
  if (words.length === 0) return [terms]
  // Not all indexed words are in the vocabulary.
  return [...new Set([only.text, ...words])].map((text) => [{ text, isPrefix: false }])
}

function isLong({ text, isPrefix }: Term, listed: number): boolean {
  return isPrefix && [...text].length > listed && isSpelled(text)
}

const SCRIPT_SIZE = 0x100
const LAST_CHARACTER = '\u{10ffff}'

type Vocabulary = ReturnType<typeof prepareVocabulary>

/** The words of a table as a tree, for fuzzy matches. */
export function prepareVocabulary(db: Database, table: 'search_words' | 'episode_words') {
  const first = (from: string, end: string) =>
    `(SELECT w.word FROM ${table} w WHERE w.word >= ${from} AND w.word < ${end} ORDER BY w.word LIMIT 1)`
  const selectPrefixes = db.prepare<{ text: string }, [string]>(
    `SELECT j.value AS text FROM json_each(?1) j WHERE ${first('j.value', `j.value || '${LAST_CHARACTER}'`)} IS NOT NULL ORDER BY j.key`,
  )
  // One word for each letter, in steps from a word to the next one with another letter.
  const letters = db.prepare<{ at: number; letter: string }, [string]>(
    `WITH RECURSIVE bounds AS (SELECT j.key AS at, j.value ->> 0 AS start, j.value ->> 1 AS ending FROM json_each(?1) j),
       steps AS (
         SELECT at, length(start) AS n, ending, ${first('start', 'ending')} AS word FROM bounds
         UNION ALL
         SELECT at, n, ending, ${first(`substr(steps.word, 1, steps.n) || '${LAST_CHARACTER}'`, 'ending')} FROM steps WHERE word IS NOT NULL
       )
     SELECT at, substr(word, n, 1) AS letter FROM steps WHERE word IS NOT NULL ORDER BY at, word`,
  )
  const selectWords = db.prepare<{ word: string }, [string, string, number]>(
    `SELECT word FROM ${table} WHERE word >= ?1 AND word < ?2 ORDER BY word LIMIT ?3`,
  )
  return {
    /** Keeps the texts that a word begins with. */
    beginnings: (texts: readonly string[]): string[] =>
      selectPrefixes.all(JSON.stringify(texts)).map(({ text }) => text),

    /** Letters of the same script that may stand in place of each letter of a word, given the letters before it. */
    lettersAfterEach(word: readonly string[]): string[][] {
      const bounds = word.map((letter, at) => {
        const code = letter.codePointAt(0) ?? 0
        const script = code - (code % SCRIPT_SIZE)
        const before = word.slice(0, at).join('')
        // No word contains NUL, which PostgreSQL would reject.
        const start = before + String.fromCodePoint(Math.max(1, script))
        return [start, before + String.fromCodePoint(script + SCRIPT_SIZE - 1) + LAST_CHARACTER]
      })
      const found: string[][] = word.map(() => [])
      for (const { at, letter } of letters.all(JSON.stringify(bounds))) found[at]?.push(letter)
      return found
    },

    /** Returns the words with this prefix; undefined if there are more than `max`. */
    beginningWith(text: string, max: number): string[] | undefined {
      const words = selectWords.all(text, text + LAST_CHARACTER, max + 1).map(({ word }) => word)
      return words.length > max ? undefined : words
    },
  }
}
