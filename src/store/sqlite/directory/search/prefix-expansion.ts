import { isSpelled, type QueryWord, type Term, type Terms } from '../../../../domain/directory/words.ts'
import type { Vocabulary } from './vocabulary.ts'

/** The search has lists of what begins with so many letters, at least (0003_directory.sql). */
const LISTED_LETTERS = 8
const WORDS_MAX = 16

/**
 * The same query with long beginnings of words replaced by the words: a long beginning has few, but to find what begins so, SQLite would
 * read all of their podcasts first, which takes long for `conversation`.
 */
export function expandPrefix(words: readonly QueryWord[], known: Vocabulary): QueryWord[] {
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
