import { sanitizeUrl } from '../../../domain/shared/feed-url.ts'
import { type Answer, callWithHeaders, type OperationName, type Options } from '../../api/client.ts'

/** Whether an empty list of the external directory means that there is nothing, that there is no directory, or that it does not answer. */
export type ExternalState = 'ok' | 'off' | 'error'

export interface WithExternal<A> {
  readonly answer: A
  readonly state: ExternalState
}

/** Makes a request whose answer the external directory has part in (`X-External-Directory`). */
export async function callExternal<N extends OperationName & ('searchAll' | 'listTrending')>(
  name: N,
  options: Options<N>,
): Promise<WithExternal<Answer<N>>> {
  const { answer, headers } = await callWithHeaders(name, options)
  const state = headers.get('x-external-directory')
  return { answer, state: state === 'off' || state === 'error' ? state : 'ok' }
}

/** One letter finds everything; one character of other scripts may be a word. */
export function isSearchable(q: string): boolean {
  const text = q.trim()
  return text.length > 1 || /[^\p{ASCII}]/u.test(text)
}

/** The feed address somebody has typed instead of words; undefined if it is words. */
export function typedFeedUrl(q: string): string | undefined {
  const text = q.trim()
  return /^[a-z]+:\/\//i.test(text) || /^[\w-]+(?:\.[\w-]+)+\/\S+$/.test(text) ? sanitizeUrl(text) : undefined
}

/** In which many podcasts are made. */
const CODES = [
  ...['ar', 'cs', 'da', 'de', 'el', 'en', 'es', 'fi', 'fr', 'he', 'hi', 'hu', 'id', 'it', 'ja', 'ko', 'nl', 'no'],
  ...['pl', 'pt', 'ro', 'ru', 'sv', 'tr', 'uk', 'zh'],
]

/** Languages by the names they have in one of them, in its order. */
export function languageChoices(locale: string): { readonly code: string; readonly name: string }[] {
  const names = new Intl.DisplayNames(locale, { type: 'language' })
  const { compare } = new Intl.Collator(locale)
  return CODES.map((code) => ({ code, name: names.of(code) ?? code })).sort((a, b) => compare(a.name, b.name))
}
