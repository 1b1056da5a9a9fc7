import { isSpelled, type QueryWord, type Term, type Terms } from '../../../../domain/directory/words.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Shorter words are too often another one by a single letter (docs/protocol.md#D52). */
const LETTERS_MIN = 5
/** Beginnings that the words of a query are taken for, all together; more would be guessing, and take too long. */
const READINGS_MAX = 100

/**
 * What words of a query may have been meant to be as well: those beginnings of known words that are one letter away, one missing, one too
 * many, one wrong or two swapped.
 */
export function fuzzyMatches(words: readonly QueryWord[], known: Vocabulary): QueryWord[] {
  const most = Math.ceil(READINGS_MAX / Math.max(1, words.length))
  return words.map(({ ways }) => ({ ways: [...ways, ...ways.flatMap((terms) => corrected(terms, known, most))] }))
}

/** One word of several that signs join may be mistyped. */
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

/**
 * The likeliest first: letters in a wrong order, one too many, one missing, a wrong one. After each correctly typed beginning only those
 * letters are tried that a known word goes on with.
 */
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
  // What begins with another one is found by that.
  return found.filter((text) => !found.some((other) => other !== text && text.startsWith(other)))
}
