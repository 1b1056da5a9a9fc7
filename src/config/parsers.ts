import ipaddr from 'ipaddr.js'
import { closestMatch } from 'leven'
import { cronIssue } from '../platform/cron.ts'
import { Secret } from '../platform/secret.ts'

/** Result of parsing a value: the value, or all issues found in it, which never quote a secret. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly string[] }

export interface Parser<T> {
  readonly name: 'text' | 'path' | 'secret' | 'integer' | 'boolean' | 'list'
  readonly accepts: string
  readonly values?: string
  readonly fromText: (text: string) => Parsed<T>
  readonly fromToml: (value: unknown) => Parsed<T>
}

const good = <T>(value: T): Parsed<T> => ({ ok: true, value })
const bad = <T>(...issues: readonly string[]): Parsed<T> => ({ ok: false, issues })

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const ONE_LINE = /^[^\u0000-\u001f\u007f]+$/

export function text(): Parser<string> {
  return textual('text', 'text on one line', (raw) => (ONE_LINE.test(raw) ? raw : undefined))
}

/** Headers that already have another meaning. */
const TAKEN_HEADER = /^(?:authorization|cookie|host|origin|forwarded|x-forwarded-(?:for|proto|host))$/i

export function headerName(): Parser<string> {
  return textual('text', 'the name of a header of its own, such as Remote-User', (raw) =>
    /^[A-Za-z0-9-]{1,64}$/.test(raw) && !TAKEN_HEADER.test(raw) ? raw : undefined,
  )
}

export function path(): Parser<string> {
  return textual('path', 'a path', (raw) => (ONE_LINE.test(raw) ? raw : undefined))
}

/** Maximum length of a socket path on Linux, in bytes. */
const SOCKET_PATH_MAX = 107

export function unixSocket(): Parser<string> {
  const accepts = `unix: and an absolute path of at most ${SOCKET_PATH_MAX} bytes, such as unix:/run/podstep/podstep.sock`
  return textual('text', accepts, (raw) =>
    /^unix:\/.*[^/]$/.test(raw) && ONE_LINE.test(raw) && Buffer.byteLength(raw) <= SOCKET_PATH_MAX + 'unix:'.length
      ? raw
      : undefined,
  )
}

export function fileMode(): Parser<string> {
  return textual('text', 'three octal digits such as "0660", in quotes', (raw) =>
    /^0?[0-7]{3}$/.test(raw) ? raw : undefined,
  )
}

/** Text that is never shown after it has been read. */
export function secret(): Parser<Secret> {
  return textual('secret', 'text on one line', (raw) => (ONE_LINE.test(raw) ? new Secret(raw) : undefined))
}

const DATABASE_URL = 'a URL of PostgreSQL such as postgres://podstep:password@db.home.example/podstep'
const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/** URL of a PostgreSQL database. Secret, since it may contain a password. */
export function databaseUrl(): Parser<Secret> {
  const fromText = (raw: string): Parsed<Secret> => {
    const issue = databaseUrlIssue(raw)
    return issue === undefined ? good(new Secret(raw)) : bad(issue)
  }
  return {
    name: 'secret',
    accepts: DATABASE_URL,
    fromText,
    fromToml: (value) => fromTomlText(value, DATABASE_URL, fromText),
  }
}

function databaseUrlIssue(raw: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\//.test(raw) || !ONE_LINE.test(raw))
    return `expected ${DATABASE_URL}; leave it out for SQLite in data_dir`
  const url = URL.canParse(raw) ? new URL(raw) : undefined
  if (url === undefined || url.hash !== '' || !isDecodable(raw))
    return `expected ${DATABASE_URL}; characters such as # % / ? @ in a password are written as %23 %25 %2F %3F %40`
  if (url.pathname.length <= 1) return `expected ${DATABASE_URL}; this one names no database`
  const mode = url.searchParams.get('sslmode')
  if (mode !== null && !SSL_MODES.includes(mode)) return `its sslmode is none of ${SSL_MODES.join(', ')}`
  return undefined
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

export function host(): Parser<string> {
  return textual('text', 'an address or host name without port', (raw) => (isHost(raw) ? raw : undefined))
}

export function mailbox(): Parser<string> {
  const pattern = /^(?:[^<>@]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/
  return textual('text', 'an email address such as "Podcasts <podcasts@home.example>"', (raw) =>
    pattern.test(raw) && ONE_LINE.test(raw) ? raw : undefined,
  )
}

/** OpenID Connect scopes. Without `openid`, a provider returns no identity. */
export function scopes(): Parser<string> {
  return textual('text', 'scopes separated by blanks, among them openid', (raw) =>
    ONE_LINE.test(raw) && raw.split(' ').includes('openid') ? raw : undefined,
  )
}

const HTTP_URL = 'an http or https URL without user name, query and fragment'

export function baseUrl(): Parser<BaseUrl> {
  return textual('text', HTTP_URL, readBaseUrl)
}

export function apiUrl(): Parser<string> {
  return textual('text', HTTP_URL, (raw) => readHttpUrl(raw)?.href.replace(/\/+$/, ''))
}

/** An OpenID Connect issuer, kept verbatim because tokens must name exactly this issuer. */
export function issuerUrl(): Parser<string> {
  return textual('text', HTTP_URL, (raw) =>
    // Providers often show only the full URL of the discovery document.
    readHttpUrl(raw) === undefined ? undefined : raw.replace(/\/\.well-known\/openid-configuration\/?$/, ''),
  )
}

export function cron(): Parser<string> {
  const accepts = 'a cron pattern such as "30 4 * * *"'
  const fromText = (raw: string): Parsed<string> => {
    const issue = ONE_LINE.test(raw) ? cronIssue(raw) : 'it has more than one line'
    return issue === undefined ? good(raw.trim()) : bad(`expected ${accepts}: ${cut(issue)}`)
  }
  return { name: 'text', accepts, fromText, fromToml: (value) => fromTomlText(value, accepts, fromText) }
}

export function choice<const Word extends string>(...words: readonly [Word, ...Word[]]): Parser<Word> {
  const values = words.map((word) => `"${word}"`).join(', ')
  const accepts = `one of ${values}`
  const fromText = (raw: string): Parsed<Word> => {
    const found = words.find((word) => word === raw)
    if (found !== undefined) return good(found)
    const near = closest(raw, words)
    return bad(`expected ${accepts}, got ${quote(raw)}${near === undefined ? '' : `, did you mean "${near}"?`}`)
  }
  return { name: 'text', accepts, values, fromText, fromToml: (value) => fromTomlText(value, accepts, fromText) }
}

export function integer(min: number, max: number): Parser<number> {
  const accepts = `a whole number from ${min} to ${max}`
  const inRange = (value: number, written: string): Parsed<number> =>
    value >= min && value <= max ? good(value) : bad(`expected ${accepts}, got ${written}`)
  const fromText = (raw: string): Parsed<number> =>
    /^-?\d+$/.test(raw) ? inRange(Number(raw), quote(raw)) : bad(`expected ${accepts}, got ${quote(raw)}`)
  return {
    name: 'integer',
    accepts,
    values: `${min} to ${max}`,
    fromText,
    fromToml: (value) =>
      typeof value === 'bigint'
        ? inRange(Number(value), String(value))
        : bad(`expected ${accepts}, got ${typeName(value)}${quotesHint(value, fromText)}`),
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['off', false],
  ['0', false],
])

export function boolean(): Parser<boolean> {
  const fromText = (raw: string): Parsed<boolean> => {
    const value = BOOLEANS.get(raw.toLowerCase())
    return value === undefined ? bad(`expected true, false, on, off, 1 or 0, got ${quote(raw)}`) : good(value)
  }
  return {
    name: 'boolean',
    accepts: 'true or false',
    fromText,
    fromToml: (value) =>
      typeof value === 'boolean'
        ? good(value)
        : bad(`expected true or false, got ${typeName(value)}${quotesHint(value, fromText)}`),
  }
}

/** A list of strings that each pass `isItem`, as a TOML array or separated by commas. Skips empty items. */
export function list(items: string, isItem: (item: string) => boolean): Parser<readonly string[]> {
  const accepts = `a list of ${items}`
  const check = (values: readonly unknown[]): Parsed<readonly string[]> => {
    const texts = values.filter((item) => typeof item === 'string').map((item) => item.trim().toLowerCase())
    const issues = [
      ...values
        .filter((item) => typeof item !== 'string')
        .map((item) => `expected ${accepts}, got ${typeName(item)} in it`),
      ...texts.filter((item) => !isItem(item)).map((item) => `expected ${accepts}, got ${quote(item)} in it`),
    ]
    return issues.length === 0 ? good(Object.freeze(texts)) : bad(...issues)
  }
  return {
    name: 'list',
    accepts,
    fromText: (raw) => check(raw.split(',').filter((item) => item.trim() !== '')),
    fromToml: (value) => (Array.isArray(value) ? check(value) : bad(`expected ${accepts}, got ${typeName(value)}`)),
  }
}

function textual<T>(
  name: 'text' | 'path' | 'secret',
  accepts: string,
  read: (text: string) => T | undefined,
): Parser<T> {
  const fromText = (raw: string): Parsed<T> => {
    const value = read(raw)
    return value === undefined ? bad(`expected ${accepts}`) : good(value)
  }
  return { name, accepts, fromText, fromToml: (value) => fromTomlText(value, accepts, fromText) }
}

function fromTomlText<T>(value: unknown, accepts: string, fromText: (text: string) => Parsed<T>): Parsed<T> {
  return typeof value === 'string' ? fromText(value) : bad(`expected ${accepts}, got ${typeName(value)}`)
}

function quotesHint<T>(value: unknown, fromText: (text: string) => Parsed<T>): string {
  return typeof value === 'string' && fromText(value).ok ? ': write it without quotes' : ''
}

/** Quotes a value for a message: truncated, and omitted if it could be a URL with a password. */
function quote(raw: string): string {
  if (raw.includes('@')) return 'something else'
  return JSON.stringify(cut(raw, 60))
}

function cut(text: string, max = 120): string {
  return text.length > max ? `${text.slice(0, max)}…` : text
}

function typeName(value: unknown): string {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'bigint') return 'a whole number'
  if (typeof value === 'number') return 'a number with a fraction'
  if (typeof value === 'boolean') return 'true or false'
  if (Array.isArray(value)) return 'a list'
  return value instanceof Date ? 'a date' : 'a table'
}

export interface BaseUrl {
  readonly href: string
  readonly origin: string
  readonly path: string
}

/** Parses an absolute http(s) URL without query, fragment or credentials; returns undefined for anything else. */
export function readHttpUrl(text: string): URL | undefined {
  // The URL parser is lenient ("https:host", backslashes, blanks); a setting should be exact.
  if (!/^https?:\/\/[^\s\\?#]+$/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

export function readBaseUrl(text: string): BaseUrl | undefined {
  const url = readHttpUrl(text)
  if (url === undefined) return undefined
  const path = url.pathname.replace(/\/+$/, '')
  if (path.includes('//')) return undefined
  return Object.freeze({ href: url.origin + path, origin: url.origin, path })
}

const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i

/** Accepts IP addresses in the usual notation only. Programs disagree on the meaning of `127.1` and `010.0.0.1`. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || isIpv6(text)
}

export function isNetwork(text: string): boolean {
  const [address = '', bits = ''] = text.split('/')
  return isAddress(address) && /^\d{1,3}$/.test(bits) && ipaddr.isValidCIDR(text)
}

export function isAddressOrNetwork(text: string): boolean {
  return isAddress(text) || isNetwork(text)
}

/** Accepts DNS names. The last label must not be a number, so that a mistyped IP address is not taken for a name. */
export function isHostName(text: string): boolean {
  const labels = text.split('.')
  return text.length <= 253 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? '')
}

export function isHost(text: string): boolean {
  return isAddress(text) || isHostName(text)
}

export function isPrivatePlace(text: string): boolean {
  if (isAddressOrNetwork(text) || isHostName(text)) return true
  const withPort = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)
  if (withPort === null) return false
  const [, bracketed, host = '', port] = withPort
  const isValidHost =
    bracketed === undefined ? isHostName(host) || ipaddr.IPv4.isValidFourPartDecimal(host) : isIpv6(bracketed)
  return isValidHost && Number(port) >= 1 && Number(port) <= 65535
}

/** Rejects zone IDs (`fe80::1%eth0`): they have a meaning on one machine only and never match a peer's address. */
function isIpv6(text: string): boolean {
  return text.includes(':') && !text.includes('%') && ipaddr.IPv6.isValid(text)
}

/** Returns the candidate closest to a misspelled name, or undefined if none is close enough to suggest. */
export function closest(name: string, candidates: readonly string[]): string | undefined {
  const byForm = new Map(candidates.map((candidate) => [unified(candidate), candidate]))
  const form = unified(name)
  // Two swapped letters count as two edits.
  const match = closestMatch(form, [...byForm.keys()], { maxDistance: form.length <= 8 ? 2 : 3 })
  return match === undefined ? undefined : byForm.get(match)
}

/** Converts naming styles of other programs (dataDir, data-dir, DATA_DIR) to one form: they are not typos. */
function unified(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[-. ]/g, '_')
    .toLowerCase()
}
