import type { Database } from 'bun:sqlite'
import { isSpelled, type QueryWord, type Terms } from '../../domain/search-words.ts'

/** Shorter words are too often another one by a single letter (protocol.md D52). */
const LETTERS_MIN = 5
/** Ways to mean a word that are looked for; more would be guessing. */
const READINGS_MAX = 12
/** Letters of one script are neighbours among the code points. */
const SCRIPT_SIZE = 0x80

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

  function readings(word: string): string[] {
    const letters = [...word]
    const found = new Set<string>()
    const consider = (text: string) => {
      if (text !== word && !found.has(text) && isBeginning(text)) found.add(text)
    }
    for (const [at, letter] of letters.entries()) {
      const before = letters.slice(0, at).join('')
      if (at > 0 && !isBeginning(before)) break
      const after = letters.slice(at + 1).join('')
      const following = letters[at + 1]
      if (following !== undefined) consider(before + following + letter + letters.slice(at + 2).join(''))
      consider(before + after)
      for (const other of lettersAfter(before, letter.codePointAt(0) ?? 0)) {
        consider(before + other + after)
        consider(before + other + letter + after)
      }
      if (found.size >= READINGS_MAX) break
    }
    return [...found].slice(0, READINGS_MAX)
  }

  function correct(terms: Terms): Terms[] {
    const [only] = terms
    if (!only?.isPrefix || terms.length > 1 || [...only.text].length < LETTERS_MIN || !isSpelled(only.text)) return []
    return readings(only.text).map((text) => [{ text, isPrefix: true }])
  }

  return (words) => words.map(({ ways }) => ({ ways: [...ways, ...ways.flatMap(correct)] }))
}

/** Greater than every letter. */
const LAST = '\u{10ffff}'
