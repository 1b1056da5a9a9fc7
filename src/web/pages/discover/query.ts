import { sanitizeUrl } from '../../../domain/feed-url.ts'

/** One letter finds everything; one character of other scripts may be a word. */
export function isSearchable(q: string): boolean {
  const text = q.trim()
  return text.length > 1 || /[^\p{ASCII}]/u.test(text)
}

/** The feed address somebody has typed instead of words; undefined if it is words. */
export function addressOf(q: string): string | undefined {
  const text = q.trim()
  return /^[a-z]+:\/\//i.test(text) || /^[\w-]+(?:\.[\w-]+)+\/\S+$/.test(text) ? sanitizeUrl(text) : undefined
}
