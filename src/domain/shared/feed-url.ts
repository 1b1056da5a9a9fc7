const MAX_LENGTH = 2048

/** Schemes that only mean "open this in a podcast app" (docs/protocol.md#D16.2), also seen as `feed://https://..`. */
const WRAPPED_HTTP = /^(?:feed|rss|pcast|itpc|itms|podcast):(?:\/\/)?(?=https?:\/\/)/i
const FEED_SCHEME = /^(?:feed|rss|pcast|itpc|itms|podcast):\/\//i

/** `name` or `name:port` without scheme. The dot in the name is checked separately, to stay linear. */
const BARE_HOST = /^([^\s@:]+)(?::\d+)?$/

/**
 * URLs that the parser leaves unchanged. Most uploaded URLs match and need no parsing. Excludes anything that the
 * parser might change: hosts that could be numbers or punycode, ports, userinfo, segments that start with a dot or an
 * escape (dot segments), the `'` that a query escapes, empty queries, fragments.
 */
const CLEAN =
  /^https?:\/\/(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*(?:\/(?![.%])[\w\-.~!$&'()*+,;=:@%]*)+(?:\?[\w\-.~!$&()*+,;=:@%/?]+)?$/

const BLANK = /[\s\u0085]/

function trimBlank(raw: string): string {
  let start = 0
  let end = raw.length
  while (start < end && BLANK.test(raw.charAt(start))) start++
  while (end > start && BLANK.test(raw.charAt(end - 1))) end--
  return raw.slice(start, end)
}

/** Whether the text is only white space and BOMs. Such URLs are dropped silently (docs/protocol.md#feed-urls). */
export function isBlank(raw: string): boolean {
  return trimBlank(raw) === ''
}

/**
 * Returns the stored form of an uploaded feed or media URL (docs/protocol.md#D16), or undefined if it is blank or not
 * acceptable. Idempotent, never throws, linear in the length of `raw`. The result is ASCII, http or https, at most 2048
 * characters, without userinfo.
 */
export function sanitizeUrl(raw: string): string | undefined {
  if (raw.length <= MAX_LENGTH && CLEAN.test(raw) && !raw.includes('xn--')) return raw

  const unwrapped = trimBlank(raw).replace(WRAPPED_HTTP, '').replace(FEED_SCHEME, 'http://')
  // Also checked before parsing, which bounds the work on hostile input.
  if (unwrapped.length > MAX_LENGTH) return undefined
  const absolute = withScheme(unwrapped)
  return absolute === undefined ? undefined : serialise(absolute)
}

/** Adds a scheme to `name.tld`. Other text without a scheme is not a URL (docs/protocol.md#D16.3). */
function withScheme(text: string): string | undefined {
  if (text.includes('://')) return text
  const [host = ''] = /^[^/?#]*/.exec(text) ?? []
  const name = BARE_HOST.exec(host)?.[1] ?? ''
  return name.slice(1, -1).includes('.') ? `http://${text}` : undefined
}

function serialise(absolute: string): string | undefined {
  const url = URL.parse(absolute)
  if (url === null) return undefined
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined
  if (url.hostname === '') return undefined
  if (url.username !== '') url.username = ''
  if (url.password !== '') url.password = ''
  // A bare `?` reads as an empty search; only assigning it removes the mark (and leaves a `?` in the fragment alone).
  if (url.search === '') url.search = ''
  return url.href.length > MAX_LENGTH ? undefined : url.href
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}

export type UrlRewriter = ReturnType<typeof createUrlRewriter>

export function createUrlRewriter() {
  const changed = new Map<string, string>()
  /** The last two URLs that needed no change: consecutive actions often share their podcast or episode. */
  let last: string | undefined
  let lastButOne: string | undefined

  function rewrite(raw: string): string | undefined {
    if (raw === last) return last
    if (raw === lastButOne) return lastButOne
    const cached = changed.size > 0 ? changed.get(raw) : undefined
    if (cached !== undefined) return cached === '' ? undefined : cached
    const url = sanitizeUrl(raw)
    if (url === raw) {
      lastButOne = last
      last = url
    }
    if (url !== raw && !isBlank(raw)) changed.set(raw, url ?? '')
    return url
  }

  return {
    rewrite,
    /**
     * `update_urls` (docs/protocol.md#feed-urls): one `[old, new]` per distinct old URL, in order of first appearance.
     * A rejected URL is `[old, ""]`.
     */
    updateUrls: (): [string, string][] => [...changed],
  }
}

/** A feed URL as administrators see it: only the origin of a private feed (docs/protocol.md#D56). */
export function redactUrl(url: string, isPrivate: boolean): string {
  return isPrivate ? `${URL.parse(url)?.origin ?? ''}/…` : url
}
