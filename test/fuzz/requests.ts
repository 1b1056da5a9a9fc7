import { deflateSync, gzipSync } from 'node:zlib'
import { isRecord, operationsOf, recordAt, resolved } from '../support/openapi.ts'

/** A random number below `sides`, reproducible from the seed. */
export type Roll = (sides: number) => number

/** A random item of a list, which must not be empty. */
export function pick<T>(list: readonly T[], roll: Roll): T {
  const picked = list[roll(list.length)]
  if (picked === undefined) throw new Error('nothing to pick from')
  return picked
}

export interface FuzzRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | undefined
}

export interface Names {
  /** Users whom requests may name, including those of administrators. */
  readonly users: readonly string[]
  /** A user who must not change, so requests of administrators do not name them. */
  readonly other: string
  /** The password of `users`. */
  readonly password: string
}

const LONG = 'x'.repeat(9000)

/** Texts that break naive code: control characters, quotes, escapes, Unicode, names of object members, numbers. */
const HOSTILE_TEXTS: readonly string[] = [
  ...['', ' ', '\0', '\n', '\r\nX: y', "' OR 1=1 --", '"', '\\', '%', '%00', '../../etc/passwd', '<script>', LONG],
  ...['\ud800', '\udfff\ud800', '\u202e', 'é', 'e\u0301', 'ß', 'İ', '🎙', '\ufeff', '\u2028', 'ﷺ', '\uffff'],
  ...['__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', 'true', '[object Object]', '{}', '[]'],
  ...['-1', '0', '00', '1e9', '1.5', '0x10', '9007199254740993', '99999999999999999999', '-0', '+1', '١', 'Infinity'],
  ...['http://', 'https://a.invalid', 'https://a.invalid/\0', 'https://u:p@a.invalid/f', 'javascript:alert(1)'],
  ...['https://a.invalid/feed?token=0123456789abcdef0123456789abcdef', 'http://[::1]/', 'http://127.1/', 'file:///etc'],
  ...['2025-03-02T10:00:00', '2025-13-45T99:99:99', '0000-00-00', '+275760-09-13', '*', '"a" OR b', 'NEAR(a b)', 'a*'],
]

const HOSTILE_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e308, -1e308, 2 ** 31, 2 ** 53, 2 ** 63, [], {}, [[]], [null], { a: { b: [] } }],
  ...[
    Array.from({ length: 300 }, (_, n) => n),
    { __proto__: 1, constructor: 1 },
    Array(80).fill('https://a.invalid/f'),
  ],
]

/** Valid values, used in most requests, so that these pass the first checks. */
const GOOD: Readonly<Record<string, readonly string[]>> = {
  deviceid: ['phone', 'desk', 'new-1'],
  format: ['json', 'opml', 'txt', 'jsonp', 'xml'],
  scope: ['account', 'device', 'podcast', 'episode'],
  count: ['1', '5', '100'],
  size: ['32', '64', '300'],
  since: ['0', '1', '1735689600', '4102444800'],
  device: ['phone', 'desk'],
  url: ['https://feeds.invalid/a', 'https://feeds.invalid/b'],
  podcast: ['https://feeds.invalid/a'],
  episode: ['https://feeds.invalid/a/1.mp3'],
  q: ['sea', 'a b'],
  tag: ['news'],
  id: ['1', '2'],
  page: ['1', '2'],
  per_page: ['1', '20'],
  aggregated: ['true', 'false'],
  jsonp: ['callback'],
}

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['accept', ['*/*', 'text/html', 'application/json;q=0', 'text/html, */*;q=0.1', ',;q=', LONG.slice(0, 3000)]],
  ['accept-encoding', ['gzip', 'br;q=1, gzip;q=0', 'identity;q=0, *;q=0', ';;;']],
  ['accept-language', ['de', 'xx-YY;q=9', '*']],
  ['content-type', ['text/plain', 'multipart/form-data', 'multipart/form-data; boundary=x', 'a/b; charset=utf-7', ';']],
  ['content-encoding', ['gzip', 'deflate', 'br', 'gzip, gzip', 'identity', 'constructor']],
  ['cookie', ['sessionid=x', 'sessionid=', `sessionid=${'A'.repeat(43)}; sessionid=b`, '=;=;', 'a', LONG]],
  ['if-none-match', ['*', '"x"', 'W/"', '"'.repeat(500)]],
  ['if-modified-since', ['Thu, 01 Jan 1970 00:00:00 GMT', 'never']],
  ['origin', ['https://evil.invalid', 'null', 'http://localhost', '::']],
  ['range', ['bytes=0-', 'bytes=9-1', 'bytes=-99999999999']],
  ['referer', ['https://evil.invalid/', 'x']],
  ['sec-fetch-site', ['cross-site', 'same-origin', 'x']],
  ['user-agent', ['', 'AntennaPod/3.4.0', 'x'.repeat(5000), 'é\u00ff']],
  ['x-forwarded-for', ['1.2.3.4, ::1', 'x', ','.repeat(300)]],
  ['x-forwarded-proto', ['https', 'gopher']],
  ['x-requested-with', ['x']],
  ['x-second-factor', ['123456', '', LONG.slice(0, 500)]],
  ['host', ['localhost', 'a.invalid:99999', '[::1]']],
]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND']

/** Lists as apps upload them, for operations without JSON. */
const LISTS: readonly string[] = [
  'https://feeds.invalid/a\nhttps://feeds.invalid/b\n',
  '<?xml version="1.0"?><opml version="2.0"><body><outline text="a" xmlUrl="https://feeds.invalid/a"/></body></opml>',
  '<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z "&x;&x;">]><opml><body><outline text="&z;" xmlUrl="https://a.invalid/"/></body></opml>',
]

/** Requests to the operations of an OpenAPI document, each similar to its example with a few mistakes. */
export function createRequests(document: unknown, names: Names, roll: Roll): () => FuzzRequest {
  const operations = operationsOf(document).map(({ method, path, operation }) => ({
    method: method.toUpperCase(),
    path,
    queries: parametersOf(document, operation).filter(({ place }) => place === 'query'),
    examples: examplesOf(document, operation),
  }))
  const of = <T>(list: readonly T[]): T => pick(list, roll)
  const oneIn = (sides: number) => roll(sides) === 0

  function textFor(name: string, isAdmin: boolean): string {
    if (oneIn(5)) return of(HOSTILE_TEXTS)
    if (name === 'username') return isAdmin || !oneIn(4) ? of(names.users) : names.other
    return of(GOOD[name] ?? ['1', 'a', 'news', 'phone'])
  }

  /** Usually encoded correctly, sometimes twice or with broken escapes. */
  function encoded(text: string): string {
    if (oneIn(12)) return encodeURIComponent(encodeURIComponent(text.toWellFormed()))
    if (oneIn(12)) return `${encodeURIComponent(text.toWellFormed())}${of(['%', '%f', '%ff', '%c0%ae', '%2e%2e'])}`
    return encodeURIComponent(text.toWellFormed())
  }

  function addressOf(path: string, queries: readonly { readonly name: string }[]): string {
    const isAdmin = path.startsWith('/api/admin/')
    let address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(textFor(name, isAdmin)))
    if (oneIn(25)) address = address.replace('/', of(['//', '/./', '/../', '/%2e/', '/;a/', '/\\']))
    if (oneIn(25)) address += of(['/', '.json', '.', '%00', '/x', '?', '#a'])
    const pairs: string[] = []
    for (const { name } of queries)
      if (!oneIn(3)) pairs.push(`${name}=${encoded(GOOD[name] && !oneIn(4) ? of(GOOD[name]) : of(HOSTILE_TEXTS))}`)
    if (oneIn(8)) pairs.push(of(['a=b', '=', '&', 'since=1&since=2', '__proto__=1', 'a[]=1', '%', 'jsonp=a.b;']))
    return pairs.length === 0 ? address : `${address}?${pairs.join('&')}`
  }

  /** The value with random changes. */
  function changed(value: unknown): unknown {
    if (oneIn(12)) return oneIn(2) ? of(HOSTILE_VALUES) : of(HOSTILE_TEXTS)
    if (Array.isArray(value)) {
      const items = value.map(changed)
      if (oneIn(6)) items.push(...items.slice(0, 3))
      if (oneIn(6)) items.pop()
      return items
    }
    if (!isRecord(value)) return value
    const entries = Object.entries(value).flatMap(([key, each]) => (oneIn(12) ? [] : [[key, inPlace(key, each)]]))
    if (oneIn(10)) entries.push([of(HOSTILE_TEXTS).slice(0, 60), of(HOSTILE_VALUES)])
    return Object.fromEntries(entries)
  }

  /** Passwords and user names are usually valid, since other requests fail early. */
  function inPlace(key: string, value: unknown): unknown {
    if (/password/.test(key) && typeof value === 'string' && !oneIn(4)) return names.password
    if (key === 'username' && !oneIn(3)) return of(names.users)
    return changed(value)
  }

  function scrambled(text: string): string | Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(Buffer.from(text))
    for (let n = 1 + roll(4); n > 0 && bytes.length > 0; n--) bytes[roll(bytes.length)] = roll(256)
    return oneIn(2) ? bytes.slice(0, roll(bytes.length + 1)) : bytes
  }

  function bodyOf(examples: readonly unknown[]): FuzzRequest['body'] {
    if (oneIn(15)) return undefined
    const text = examples.length > 0 && !oneIn(10) ? JSON.stringify(changed(of(examples))) : of(LISTS)
    return oneIn(8) ? scrambled(text ?? 'null') : (text ?? 'null')
  }

  function headersFor(body: FuzzRequest['body']): { headers: Record<string, string>; body: FuzzRequest['body'] } {
    const headers: Record<string, string> = {}
    if (!oneIn(4)) headers['content-type'] = 'application/json'
    for (let n = roll(3); n > 0; n--) {
      const [name, values] = of(HEADERS)
      headers[name] = of(values)
    }
    const coding = headers['content-encoding']
    if (body === undefined || !(coding === 'gzip' || coding === 'deflate') || oneIn(3)) return { headers, body }
    const packed = (coding === 'gzip' ? gzipSync : deflateSync)(body)
    return { headers, body: new Uint8Array(oneIn(4) ? packed.subarray(0, roll(packed.length)) : packed) }
  }

  return () => {
    const { method: usual, path, queries, examples } = of(operations)
    const method = oneIn(15) ? of(METHODS) : usual
    const takesBody = method !== 'GET' && method !== 'HEAD' && (examples.length > 0 || method === 'PUT' || oneIn(6))
    const { headers, body } = headersFor(takesBody ? bodyOf(examples) : undefined)
    return { method, path: addressOf(path, queries), headers, body }
  }
}

function parametersOf(document: unknown, operation: Record<string, unknown>) {
  const { parameters = [] } = operation
  return (Array.isArray(parameters) ? parameters : []).map((each) => {
    const { name, in: place } = resolved(document, each)
    return { name: String(name), place: String(place) }
  })
}

/** Examples of the body, with hosts that do not exist. */
function examplesOf(document: unknown, { requestBody }: Record<string, unknown>): unknown[] {
  if (!isRecord(requestBody)) return []
  const content = recordAt(resolved(document, requestBody), 'content')
  return Object.values(content).flatMap((each) => {
    const { example } = recordAt(each)
    return example === undefined ? [] : [withoutHosts(example)]
  })
}

function withoutHosts(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/(https?:\/\/)[\w.-]+/g, '$1feeds.invalid'))
}
