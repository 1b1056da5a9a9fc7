import type { Database } from 'bun:sqlite'
import { isSpelled, type QueryWord, type Term, type Terms } from '../../domain/search-words.ts'

/** Shorter words are too often another one by a single letter (protocol.md D52). */
const LETTERS_MIN = 5
/** Beginnings that the words of a query are taken for, all together; more would be guessing, and take too long. */
const READINGS_MAX = 100
/** Letters of one script are neighbours among the code points. */
const SCRIPT_SIZE = 0x100
/** Greater than every letter. */
const LAST = '\u{10ffff}'

/**
 * Finds what words of a query may have been meant to be: those beginnings of known words that are one letter away, one missing, one too
 * many, one wrong or two swapped.
 *
 * Goes through the sorted words as through a tree: after each correctly typed beginning only those letters are tried that a known word
 * goes on with.
 */
export function prepareMisspellings(db: Database): (words: readonly QueryWord[]) => QueryWord[] {
  const next = db.prepare<{ word: string }, [string, string]>(
    'SELECT word FROM search_words WHERE word >= ?1 AND word < ?2 LIMIT 1',
  )

  const isBeginning = (text: string) => next.get(text, text + LAST) !== null

  /** The letters that follow `beginning` in known words, of the script of `like`. */
  function lettersAfter(beginning: string, like: number): string[] {
    const script = like - (like % SCRIPT_SIZE)
    const end = beginning + String.fromCodePoint(script + SCRIPT_SIZE)
    const letters: string[] = []
    let from = beginning + String.fromCodePoint(script)
    for (;;) {
      const found = next.get(from, end)
      const code = found?.word.codePointAt(beginning.length)
      if (code === undefined) return letters
      letters.push(String.fromCodePoint(code))
      from = beginning + String.fromCodePoint(code + 1)
    }
  }

  /** The likeliest first: letters in a wrong order, one too many, one missing, a wrong one. */
  function readings(word: string): string[] {
    const letters = [...word]
    const kinds: [string[], string[], string[], string[]] = [[], [], [], []]
    const [swapped, extra, missing, wrong] = kinds
    for (const [at, letter] of letters.entries()) {
      const before = letters.slice(0, at).join('')
      if (at > 0 && !isBeginning(before)) break
      const after = letters.slice(at + 1).join('')
      const following = letters[at + 1]
      if (following !== undefined) swapped.push(before + following + letter + letters.slice(at + 2).join(''))
      extra.push(before + after)
      for (const other of lettersAfter(before, letter.codePointAt(0) ?? 0)) {
        missing.push(before + other + letter + after)
        wrong.push(before + other + after)
      }
    }
    const known = [...new Set(kinds.flat())].filter((text) => text !== word && isBeginning(text))
    // What begins with another reading is found by that one.
    return known.filter((text) => !known.some((other) => other !== text && text.startsWith(other)))
  }

  function mayBeMistyped({ text, isPrefix }: Term): boolean {
    return isPrefix && [...text].length >= LETTERS_MIN && isSpelled(text)
  }

  /** One word of several that signs join may be mistyped. */
  function corrected(terms: Terms, most: number): Terms[] {
    return terms.flatMap((term, at) =>
      mayBeMistyped(term)
        ? readings(term.text)
            .slice(0, most)
            .map((text) => terms.with(at, { text, isPrefix: true }))
        : [],
    )
  }

  return (words) => {
    const most = Math.ceil(READINGS_MAX / Math.max(1, words.length))
    return words.map(({ ways }) => ({ ways: [...ways, ...ways.flatMap((terms) => corrected(terms, most))] }))
  }
}
