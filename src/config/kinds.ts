import { Secret } from '../platform/secret.ts'
import { cronProblem } from './cron.ts'
import { isHost } from './hosts.ts'
import { closest } from './suggest.ts'
import { type BaseUrl, readBaseUrl, readHttpUrl } from './urls.ts'

/** What reading one given value comes to: the value, or everything that is wrong with it (never quoting a secret). */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly string[] }

/** How one sort of setting is read from text (environment, flags) and from a TOML value. */
export interface Kind<T> {
  readonly name: 'text' | 'path' | 'secret' | 'integer' | 'boolean' | 'list'
  /** What is accepted, as it reads after "expected". */
  readonly accepts: string
  /** The range or the words, for the documentation, where there is such a thing. */
  readonly values?: string
  readonly fromText: (text: string) => Parsed<T>
  readonly fromToml: (value: unknown) => Parsed<T>
}

const good = <T>(value: T): Parsed<T> => ({ ok: true, value })
const bad = <T>(...problems: readonly string[]): Parsed<T> => ({ ok: false, problems })

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const ONE_LINE = /^[^\u0000-\u001f\u007f]+$/

/** Any text on one line. */
export function text(): Kind<string> {
  return textual('text', 'text on one line', (given) => (ONE_LINE.test(given) ? given : undefined))
}

/** A path in the file system; made absolute after reading. */
export function path(): Kind<string> {
  return textual('path', 'a path', (given) => (ONE_LINE.test(given) ? given : undefined))
}

/** Text that never shows again once read. */
export function secret(): Kind<Secret> {
  return textual('secret', 'text on one line', (given) => (ONE_LINE.test(given) ? new Secret(given) : undefined))
}

/** An address or DNS name, without a port. */
export function host(): Kind<string> {
  return textual('text', 'an address or host name without port', (given) => (isHost(given) ? given : undefined))
}

/** A mail address, bare or as `Name <name@host>`. */
export function mailbox(): Kind<string> {
  const pattern = /^(?:[^<>@]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/
  return textual('text', 'a mail address such as "Podcasts <podcasts@home.example>"', (given) =>
    pattern.test(given) && ONE_LINE.test(given) ? given : undefined,
  )
}

/** OpenID Connect scopes; without `openid` a provider answers with no identity at all. */
export function scopes(): Kind<string> {
  return textual('text', 'scopes separated by blanks, among them openid', (given) =>
    ONE_LINE.test(given) && given.split(' ').includes('openid') ? given : undefined,
  )
}

const HTTP_URL = 'an http or https URL without user name, query and fragment'

/** The public address of the server. */
export function baseUrl(): Kind<BaseUrl> {
  return textual('text', HTTP_URL, readBaseUrl)
}

/** The base of an API: no slash at the end. */
export function apiUrl(): Kind<string> {
  return textual('text', HTTP_URL, (given) => readHttpUrl(given)?.href.replace(/\/+$/, ''))
}

/** An OpenID Connect issuer: kept letter for letter, since tokens must name exactly this. */
export function issuerUrl(): Kind<string> {
  return textual('text', HTTP_URL, (given) => (readHttpUrl(given) === undefined ? undefined : given))
}

export function cron(): Kind<string> {
  const accepts = 'a cron pattern such as "30 4 * * *"'
  const fromText = (given: string): Parsed<string> => {
    const problem = cronProblem(given)
    return problem === undefined ? good(given.trim()) : bad(`expected ${accepts}: ${problem}`)
  }
  return { name: 'text', accepts, fromText, fromToml: (value) => fromTomlText(value, accepts, fromText) }
}

/** One word of a closed list. */
export function choice<const Word extends string>(...words: readonly [Word, ...Word[]]): Kind<Word> {
  const values = words.map((word) => `"${word}"`).join(', ')
  const accepts = `one of ${values}`
  const fromText = (given: string): Parsed<Word> => {
    const found = words.find((word) => word === given)
    if (found !== undefined) return good(found)
    const near = closest(given, words)
    return bad(`expected ${accepts}, got ${quote(given)}${near === undefined ? '' : `, did you mean "${near}"?`}`)
  }
  return { name: 'text', accepts, values, fromText, fromToml: (value) => fromTomlText(value, accepts, fromText) }
}

/** A whole number, both bounds included. */
export function integer(min: number, max: number): Kind<number> {
  const accepts = `a whole number from ${min} to ${max}`
  const inRange = (value: number, shown: string): Parsed<number> =>
    value >= min && value <= max ? good(value) : bad(`expected ${accepts}, got ${shown}`)
  const fromText = (given: string): Parsed<number> =>
    /^-?\d+$/.test(given) ? inRange(Number(given), quote(given)) : bad(`expected ${accepts}, got ${quote(given)}`)
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

export function boolean(): Kind<boolean> {
  const fromText = (given: string): Parsed<boolean> => {
    const value = BOOLEANS.get(given.toLowerCase())
    return value === undefined ? bad(`expected true, false, on, off, 1 or 0, got ${quote(given)}`) : good(value)
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

/** A list of texts that each pass `isItem`: a TOML array, or separated by commas. Empty items of the comma form are skipped. */
export function list(items: string, isItem: (item: string) => boolean): Kind<readonly string[]> {
  const accepts = `a list of ${items}`
  const check = (given: readonly unknown[]): Parsed<readonly string[]> => {
    const texts = given.filter((item) => typeof item === 'string').map((item) => item.trim().toLowerCase())
    const problems = [
      ...given
        .filter((item) => typeof item !== 'string')
        .map((item) => `expected ${accepts}, got ${typeName(item)} in it`),
      ...texts.filter((item) => !isItem(item)).map((item) => `expected ${accepts}, got ${quote(item)} in it`),
    ]
    return problems.length === 0 ? good(Object.freeze(texts)) : bad(...problems)
  }
  return {
    name: 'list',
    accepts,
    fromText: (given) => check(given.split(',').filter((item) => item.trim() !== '')),
    fromToml: (value) => (Array.isArray(value) ? check(value) : bad(`expected ${accepts}, got ${typeName(value)}`)),
  }
}

/** The kinds whose value is a text that is either right or wrong. The text is not quoted in the problem: it may hold a password. */
function textual<T>(name: 'text' | 'path' | 'secret', accepts: string, read: (text: string) => T | undefined): Kind<T> {
  const fromText = (given: string): Parsed<T> => {
    const value = read(given)
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

/** A given text for a message: cut, and left out where it looks like an address with a password in it. */
function quote(given: string): string {
  if (given.includes('@')) return 'something else'
  return JSON.stringify(given.length > 60 ? `${given.slice(0, 60)}…` : given)
}

function typeName(value: unknown): string {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'bigint') return 'a whole number'
  if (typeof value === 'number') return 'a number with a fraction'
  if (typeof value === 'boolean') return 'true or false'
  if (Array.isArray(value)) return 'a list'
  return value instanceof Date ? 'a date' : 'a table'
}
