import type { PageLink } from '../feeds/document.ts'
import { FeedNotFetched } from '../feeds/feed-updater.ts'
import type { LookupPrincipal } from '../feeds/on-demand.ts'
import type { FeedFailureReason } from '../feeds/ports.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import type { ExternalDirectory } from './external.ts'
import type { Podcasts } from './podcasts.ts'
import { isSecretUrl } from './privacy.ts'

export interface Candidate {
  readonly url: string
  readonly title: string
  readonly author: string
  readonly description: string
  readonly logoUrl: string
}

export type NothingFound =
  | 'words'
  | 'page'
  | 'closed'
  | 'directory_off'
  | 'directory_unknown'
  | 'directory_error'
  | 'unknown'
  | 'outbound_off'
  | FeedFailureReason

export interface Resolved {
  readonly candidates: readonly Candidate[]
  /** Reason for an empty list of candidates; otherwise undefined. */
  readonly reason: NothingFound | undefined
  readonly address: string
}

const LINKS_TRIED_MAX = 5
/** Failures after which a URL given without a scheme is tried by http. */
const NO_CONNECTION: ReadonlySet<string> = new Set(['unreachable', 'timeout', 'tls', 'refused'])

/** Finds podcasts for a pasted feed, page or app link, or a link to Apple Podcasts (docs/protocol.md#D102). */
export function createResolver(parts: {
  readonly lookup: Podcasts
  readonly external: ExternalDirectory
  readonly requests: RateLimit
  readonly isOff: boolean
}) {
  const { lookup, external, requests, isOff } = parts
  async function tryFeed(url: string, principal: LookupPrincipal): Promise<Candidate | FeedNotFetched | 'unknown'> {
    try {
      const { title, author, description, logoUrl, url: storedUrl } = await lookup.podcast(url, principal)
      return { url: storedUrl, title: title === storedUrl ? '' : title, author, description, logoUrl }
    } catch (error) {
      if (error instanceof FeedNotFetched) return error
      if (!(error instanceof DomainError) || error.code !== 'unknown_podcast') throw error
      // Secret feeds are fetched for subscribers only, so the candidate has no details.
      return isSecretUrl(url) ? unread(url) : 'unknown'
    }
  }

  async function fromAddresses(urls: readonly [string, ...string[]], principal: LookupPrincipal): Promise<Resolved> {
    const [first, ...others] = urls
    let found = await tryFeed(first, principal)
    let address = first
    for (const url of others) {
      if (!(found instanceof FeedNotFetched) || !NO_CONNECTION.has(found.reason)) break
      const other = await tryFeed(url, principal)
      // Reports the first of two failures, unless only the second is an answer of the server.
      if (other instanceof FeedNotFetched && NO_CONNECTION.has(other.reason)) continue
      found = other
      address = url
    }
    if (found === 'unknown') return noCandidates(isOff ? 'outbound_off' : 'unknown', address)
    if (!(found instanceof FeedNotFetched)) return { candidates: [found], reason: undefined, address }
    if (!found.links) return noCandidates(found.reason, address)
    return fromPage(found.links, address, principal)
  }

  /** Keeps the feeds of a page that can be fetched, so that a broken one does not hide the others. */
  async function fromPage(links: readonly PageLink[], address: string, principal: LookupPrincipal): Promise<Resolved> {
    const tried = await Promise.all(
      links.slice(0, LINKS_TRIED_MAX).map(async (link) => ({ link, found: await tryFeed(link.url, principal) })),
    )
    const feeds = tried.flatMap(({ link, found }) => (isCandidate(found) ? [named(found, link)] : []))
    const rest = links.slice(LINKS_TRIED_MAX).map((link) => named(unread(link.url), link))
    const candidates = distinct([...(await withEpisodes(feeds, principal)), ...rest])
    if (candidates.length > 0) return { candidates, reason: undefined, address }
    const failure = tried.find(({ found }) => found instanceof FeedNotFetched)
    if (!failure || !(failure.found instanceof FeedNotFetched)) return noCandidates('page', address)
    return noCandidates(failure.found.reason, failure.link.url)
  }

  /**
   * Drops feeds without episodes, such as those of articles and comments, if another feed has episodes. Keeps
   * secret feeds, which the server may not have fetched yet.
   */
  async function withEpisodes(feeds: readonly Candidate[], principal: LookupPrincipal): Promise<readonly Candidate[]> {
    if (feeds.length < 2) return feeds
    const totals = await Promise.all(
      feeds.map(async ({ url }) =>
        isSecretUrl(url) ? undefined : (await lookup.episodes(url, { page: 0, perPage: 1 }, principal)).total,
      ),
    )
    const audible = feeds.filter((_, index) => totals[index] !== 0)
    return audible.length > 0 ? audible : feeds
  }

  async function fromApple(id: string, address: string, principal: LookupPrincipal): Promise<Resolved> {
    const { state, podcasts } = await external.byAppleId(id, principal.address)
    if (state !== 'ok') return noCandidates(state === 'off' ? 'directory_off' : 'directory_error', address)
    if (podcasts.length === 0) return noCandidates('directory_unknown', address)
    const candidates = podcasts.map(({ url, title, author, description, logoUrl }) => ({
      ...{ url, title, author, description, logoUrl },
    }))
    return { candidates, reason: undefined, address }
  }

  return {
    /** Throws `validation_failed` for blank text, `rate_limited`, and `unavailable` during too many lookups. */
    async resolve(userId: UserId, text: string, address: string): Promise<Resolved> {
      if (text.trim() === '') throw invalid('text', 'text is required')
      const principal: LookupPrincipal = { userId, address }
      const pasted = readPastedText(text)
      if (pasted.kind === 'words') return noCandidates('words', '')
      if (pasted.kind === 'closed') return noCandidates('closed', pasted.address)
      requests.take(String(userId))
      if (pasted.kind === 'apple') return fromApple(pasted.id, pasted.address, principal)
      return fromAddresses(pasted.urls, principal)
    },
  }
}

function noCandidates(reason: NothingFound, address: string): Resolved {
  return { candidates: [], reason, address }
}

function unread(url: string): Candidate {
  return { url, title: '', author: '', description: '', logoUrl: '' }
}

function isCandidate(found: Candidate | FeedNotFetched | 'unknown'): found is Candidate {
  return found !== 'unknown' && !(found instanceof FeedNotFetched)
}

function named(candidate: Candidate, { title }: PageLink): Candidate {
  return candidate.title === '' ? { ...candidate, title } : candidate
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((each) => [each.url, each])).values()]
}

/** Meaning of a pasted text: URLs to try, a podcast in Apple's directory, a closed service, or search words. */
type PastedText =
  | { readonly kind: 'addresses'; readonly urls: readonly [string, ...string[]] }
  | { readonly kind: 'apple'; readonly id: string; readonly address: string }
  | { readonly kind: 'closed'; readonly address: string }
  | { readonly kind: 'words' }

const WORDS: PastedText = { kind: 'words' }

const TEXT_MAX = 4096

const APP_SCHEME =
  /^(?:web\+)?(?:feed|rss|pcast|podcast|itpc|itms|itms-pcasts?|itms-podcasts?|antennapod-subscribe|downcast|pktc|castro|podkicker):(?:\/\/)?(?:subscribe\/(?=[^/]*\.))?/i
const HTTP = /^https?:\/\//i
const WITHIN_TEXT = /(?:https?|feed|rss|pcast|itpc|podcast):\/\/[^\s<>"«»“”]+/i
const END_OF_SENTENCE: ReadonlySet<string> = new Set(").,;:!?]}'’")
/** Host name with a dot, or IPv4 address, with optional port and path. */
const BARE = /^(?:[^\s/@:?#]+\.(?:[^\s/@:?#.\d]{2,}|\d{1,3}))(?::\d{1,5})?(?:[/?#]\S*)?$/u

const SUBSCRIBE_PAGES: readonly { readonly host: RegExp; readonly path: RegExp }[] = [
  { host: /^(?:www\.)?antennapod\.org$/, path: /^\/deeplink\/subscribe\b/ },
  { host: /^(?:www\.)?subscribeonandroid\.com$/, path: /^\/(.+)$/ },
  { host: /^(?:www\.)?podcastaddict\.com$/, path: /^\/feed\/(.+)$/ },
]

const APPLE: readonly { readonly host: RegExp; readonly path: RegExp }[] = [
  { host: /^(?:podcasts|itunes)\.apple\.com$/, path: /\/id(\d{3,12})(?:\/|$)/ },
  { host: /^(?:www\.)?overcast\.fm$/, path: /^\/itunes(\d{3,12})(?:\/|$)/ },
  { host: /^(?:www\.)?pca\.st$/, path: /^\/itunes\/(\d{3,12})(?:\/|$)/ },
  { host: /^(?:www\.)?castro\.fm$/, path: /^\/itunes\/(\d{3,12})(?:\/|$)/ },
]

const CLOSED =
  /^(?:open\.spotify\.com|(?:www\.|music\.|m\.)?youtube\.com|youtu\.be|music\.amazon\.[a-z.]{2,6}|www\.audible\.[a-z.]{2,6})$/

export function readPastedText(pasted: string): PastedText {
  const text = pasted.slice(0, TEXT_MAX).trim()
  const address = /\s/.test(text) ? withoutEnd(WITHIN_TEXT.exec(text)?.[0]) : text
  if (address === '') return WORDS
  const plain = address.replace(APP_SCHEME, '')
  const isForApps = plain !== address
  if (!HTTP.test(plain)) return isForApps || BARE.test(plain) ? withoutScheme(plain) : WORDS
  return fromUrl(plain)
}

/** Trims trailing punctuation. A regular expression would take quadratic time for thousands of full stops. */
function withoutEnd(text = ''): string {
  let end = text.length
  while (END_OF_SENTENCE.has(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

function withoutScheme(text: string): PastedText {
  const secure = sanitizeUrl(`https://${text}`)
  const plain = sanitizeUrl(`http://${text}`)
  if (secure === undefined || plain === undefined) return WORDS
  const pasted = fromUrl(secure)
  return pasted.kind === 'addresses' && pasted.urls[0] === secure
    ? { kind: 'addresses', urls: [secure, plain] }
    : pasted
}

function fromUrl(text: string): PastedText {
  const url = sanitizeUrl(text)
  const parsed = url === undefined ? null : URL.parse(url)
  if (url === undefined || !parsed) return WORDS
  const apple = captured(APPLE, parsed)
  if (apple !== undefined) return { kind: 'apple', id: apple, address: url }
  if (CLOSED.test(parsed.hostname)) return { kind: 'closed', address: url }
  const embedded = captured(SUBSCRIBE_PAGES, parsed)
  const inner = embedded === undefined ? undefined : innerAddress(embedded || (parsed.searchParams.get('url') ?? ''))
  return inner ?? { kind: 'addresses', urls: [url] }
}

/** Returns the ID or inner URL in the path of a known page, `''` if it has none, undefined for other pages. */
function captured(pages: typeof APPLE, { hostname, pathname }: URL): string | undefined {
  for (const { host, path } of pages) {
    const match = host.test(hostname) ? path.exec(pathname) : null
    if (match) return match[1] ?? ''
  }
  return undefined
}

function innerAddress(text: string): PastedText | undefined {
  const plain = unescaped(text).replace(APP_SCHEME, '')
  if (HTTP.test(plain)) {
    const url = sanitizeUrl(plain)
    return url === undefined ? undefined : { kind: 'addresses', urls: [url] }
  }
  if (!BARE.test(plain)) return undefined
  const [secure, other] = [sanitizeUrl(`https://${plain}`), sanitizeUrl(`http://${plain}`)]
  return secure === undefined || other === undefined ? undefined : { kind: 'addresses', urls: [secure, other] }
}

function unescaped(text: string): string {
  try {
    return /%[0-9a-f]{2}/i.test(text) && !HTTP.test(text) ? decodeURIComponent(text) : text
  } catch {
    return text
  }
}
