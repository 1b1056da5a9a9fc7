import { sanitizeUrl } from '../../../domain/shared/feed-url.ts'

/** Whether a query is long enough. One Latin letter is not, but one character of another script may be a word. */
export function isSearchable(q: string): boolean {
  const text = q.trim()
  return text.length > 1 || /[^\p{ASCII}]/u.test(text)
}

/** The feed URL that the user has typed into the search box; undefined if it is a search. */
export function typedFeedUrl(q: string): string | undefined {
  const text = q.trim()
  return /^[a-z]+:\/\//i.test(text) || /^[\w-]+(?:\.[\w-]+)+\/\S+$/.test(text) ? sanitizeUrl(text) : undefined
}

/** Languages in which many podcasts are made. */
const CODES = [
  ...['ar', 'cs', 'da', 'de', 'el', 'en', 'es', 'fi', 'fr', 'he', 'hi', 'hu', 'id', 'it', 'ja', 'ko', 'nl', 'no'],
  ...['pl', 'pt', 'ro', 'ru', 'sv', 'tr', 'uk', 'zh'],
]

/** Those languages with their names in a locale, sorted by name. */
export function languageChoices(locale: string): { readonly value: string; readonly label: string }[] {
  const names = new Intl.DisplayNames(locale, { type: 'language' })
  const { compare } = new Intl.Collator(locale)
  return CODES.map((value) => ({ value, label: names.of(value) ?? value })).sort((a, b) => compare(a.label, b.label))
}
