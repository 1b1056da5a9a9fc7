import { sanitizeUrl } from '../shared/feed-url.ts'

/** Meaning of a pasted text: addresses to try, a podcast of Apple's directory, a closed service, or search words. */
export type PastedText =
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
/** `name.tld`, or the address of a machine, with whatever path. */
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

/** A pattern would begin again at each of thousands of full stops. */
function withoutEnd(text = ''): string {
  let end = text.length
  while (END_OF_SENTENCE.has(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

function withoutScheme(text: string): PastedText {
  const secure = sanitizeUrl(`https://${text}`)
  const plain = sanitizeUrl(`http://${text}`)
  if (secure === undefined || plain === undefined) return WORDS
  const meant = fromUrl(secure)
  return meant.kind === 'addresses' && meant.urls[0] === secure ? { kind: 'addresses', urls: [secure, plain] } : meant
}

function fromUrl(text: string): PastedText {
  const url = sanitizeUrl(text)
  const parsed = url === undefined ? null : URL.parse(url)
  if (url === undefined || !parsed) return WORDS
  const apple = captured(APPLE, parsed)
  if (apple !== undefined) return { kind: 'apple', id: apple, address: url }
  if (CLOSED.test(parsed.hostname)) return { kind: 'closed', address: url }
  const within = captured(SUBSCRIBE_PAGES, parsed)
  const inner = within === undefined ? undefined : innerAddress(within || (parsed.searchParams.get('url') ?? ''))
  return inner ?? { kind: 'addresses', urls: [url] }
}

/** What the path of an address holds; `''` if it holds nothing, undefined if it is no such address. */
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
