/**
 * Whether a query is long enough to search beyond the user's own podcasts. A single ASCII character is too short, but
 * one character of another script may be a word.
 */
export function isSearchable(q: string): boolean {
  const text = q.trim()
  return text.length > 1 || /[^\p{ASCII}]/u.test(text)
}

/** Languages of many podcasts. */
const CODES = [
  ...['ar', 'cs', 'da', 'de', 'el', 'en', 'es', 'fi', 'fr', 'he', 'hi', 'hu', 'id', 'it', 'ja', 'ko', 'nl', 'no'],
  ...['pl', 'pt', 'ro', 'ru', 'sv', 'tr', 'uk', 'zh'],
]

/** Returns these languages with their names in `locale`, sorted by name. */
export function languageChoices(locale: string): { readonly value: string; readonly label: string }[] {
  const names = new Intl.DisplayNames(locale, { type: 'language' })
  const { compare } = new Intl.Collator(locale)
  return CODES.map((value) => ({ value, label: names.of(value) ?? value })).sort((a, b) => compare(a.label, b.label))
}
