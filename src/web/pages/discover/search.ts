/**
 * Whether a query is long enough to look beyond the user's own podcasts. One Latin letter is not, but one character of
 * another script may be a word.
 */
export function isSearchable(q: string): boolean {
  const text = q.trim()
  return text.length > 1 || /[^\p{ASCII}]/u.test(text)
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
