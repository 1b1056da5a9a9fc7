import { indexWords, type QueryWord, type Term, wholeTitle } from '../../../domain/directory/words.ts'

/* Terms of the full-text search: one column without positions, where the first character is the field. */

export type Field = keyof typeof MARKS

const MARKS = { title: '\ue001', names: '\ue002', anywhere: '' } as const
const WHOLE_TITLE = '\ue000'

const PARTLY_WORDS_MAX = 4

export interface Searched {
  readonly title: string
  readonly author: string
  readonly tags: string
  readonly description: string
}

export interface IndexedTerms {
  readonly terms: string
  readonly words: ReadonlySet<string>
}

export function termsOf({ title, author, tags, description }: Searched): IndexedTerms {
  const inTitle = indexWords(title)
  const inNames = new Set([...inTitle, ...indexWords(author), ...indexWords(tags)])
  const words = new Set([...inNames, ...indexWords(description)])
  const marked = (field: Field, texts: ReadonlySet<string>) => [...texts].map((word) => MARKS[field] + word)
  const all = [WHOLE_TITLE + wholeTitle(title), ...marked('title', inTitle), ...marked('names', inNames), ...words]
  return { terms: all.join(' '), words }
}

export function matchTitle(title: string): string {
  return quote(WHOLE_TITLE + wholeTitle(title))
}

/** Matches podcasts with all words in a field. `isWhole`: no prefixes. */
export function matchAll(words: readonly QueryWord[], field: Field, isWhole = false): string {
  return allOf(words.map((word) => matchWord(word, field, isWhole)))
}

/** Matches podcasts with all words, at least one in the title. Returns nothing for a single word or very many. */
export function matchPartly(words: readonly QueryWord[]): string[] {
  if (words.length < 2 || words.length > PARTLY_WORDS_MAX) return []
  return [allOf([oneOf(words.map((word) => matchWord(word, 'title'))), matchAll(words, 'anywhere')])]
}

/**
 * SQL for PostgreSQL: whether a `tsvector` matches. Queries are built in the syntax of FTS5. Their terms consist of
 * letters and digits, so no escaping is needed.
 */
export const matchesTerms = (terms: string, match: string): string =>
  `${terms} @@ CAST(replace(replace(replace(replace(${match}, '"', ''''), '*', ':*'), ' AND ', ' & '), ' OR ', ' | ') AS tsquery)`

export function matchKnown(word: string): string {
  return quote(word)
}

function matchWord({ alternatives }: QueryWord, field: Field, isWhole = false): string {
  return oneOf(alternatives.map((terms) => allOf(terms.map((term) => matchTerm(term, field, isWhole)))))
}

function matchTerm({ text, isPrefix }: Term, field: Field, isWhole: boolean): string {
  const term = MARKS[field] + text
  return isPrefix && !isWhole ? `${quote(term)}*` : quote(term)
}

function quote(term: string): string {
  return `"${term}"`
}

function allOf(matches: readonly string[]): string {
  return matches.length === 1 ? (matches[0] ?? '') : `(${matches.join(' AND ')})`
}

function oneOf(matches: readonly string[]): string {
  return matches.length === 1 ? (matches[0] ?? '') : `(${matches.join(' OR ')})`
}
