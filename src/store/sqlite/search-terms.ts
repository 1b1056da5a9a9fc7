import type { QueryWord, Term } from '../../domain/search-words.ts'

/*
 * Queries of SQLite's full-text search. Its own syntax never meets what people type: terms are letters, digits and marks (search-words.ts),
 * and stand in quotes.
 */

export type Column = 'title' | 'title author tags'

/** Every word in one of the columns, if given. `isWhole` takes no longer words for those typed. */
export function matchOf(words: readonly QueryWord[], column?: Column, isWhole = false): string {
  const all = words.map(({ ways }) => oneOf(ways.map((terms) => allOf(terms.map((term) => quote(term, isWhole))))))
  const match = allOf(all)
  return column === undefined ? match : `{${column}} : (${match})`
}

export function quoteWord(word: string): string {
  return `"${word}"`
}

function quote({ text, isPrefix }: Term, isWhole: boolean): string {
  return isPrefix && !isWhole ? `${quoteWord(text)}*` : quoteWord(text)
}

function allOf(matches: readonly string[]): string {
  return matches.length === 1 ? (matches[0] ?? '') : `(${matches.join(' AND ')})`
}

function oneOf(matches: readonly string[]): string {
  return matches.length === 1 ? (matches[0] ?? '') : `(${matches.join(' OR ')})`
}
