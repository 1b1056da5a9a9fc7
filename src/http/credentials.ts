import { isUtf8 } from 'node:buffer'
import { DomainError } from '../domain/shared/errors.ts'

const COOKIE = 'sessionid'
/** A request may carry several: cookies ignore ports, and other programs also use `sessionid`. */
const TOKENS_MAX = 5
const TOKEN = /^[A-Za-z0-9_-]{43}$/

export interface BasicCredentials {
  readonly username: string
  readonly password: string
}

/**
 * Parses Basic credentials (docs/protocol.md#D22) in either base64 alphabet, padded or not, as UTF-8 or else Latin-1.
 * Returns undefined if the header is missing or has another scheme. Throws `validation_failed` if it cannot be decoded.
 */
export function parseBasic(header: string | null): BasicCredentials | undefined {
  const match = header === null ? null : /^basic(?: +(.*))?$/i.exec(header)
  if (!match) return undefined
  const encoded = match[1] ?? ''
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) throw undecodable()
  const bytes = Buffer.from(encoded, 'base64')
  const text = isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1')
  const colon = text.indexOf(':')
  if (colon < 0) throw undecodable()
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** Returns the token of a Bearer header, which is an app password (docs/protocol.md#D22). */
export function parseBearer(header: string | null): string | undefined {
  return header === null ? undefined : /^bearer +(\S.*)$/i.exec(header)?.[1]
}

export function sessionTokens(header: string | null): string[] {
  return cookieValues(header, COOKIE)
    .filter((value) => TOKEN.test(value))
    .slice(0, TOKENS_MAX)
}

export function cookieValue(header: string | null, name: string): string | undefined {
  return cookieValues(header, name)[0]
}

export function cookieNames(header: string | null, prefix: string): string[] {
  const names = (header ?? '').split(';').map((pair) => pair.split('=', 1)[0]?.trim() ?? '')
  // These names are sent back in headers.
  return names.filter((name) => name.startsWith(prefix) && /^[\w-]{1,64}$/.test(name))
}

function cookieValues(header: string | null, name: string): string[] {
  if (header === null || !header.includes(name)) return []
  const values: string[] = []
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (equals >= 0 && pair.slice(0, equals).trim() === name) values.push(pair.slice(equals + 1).trim())
  }
  return values
}

/** A Set-Cookie header (docs/protocol.md#D28). `Secure` over plain HTTP would lock out AntennaPod and gPodder. */
export function sessionCookie(token: string, options: { path: string; secure: boolean; maxAge: number }): string {
  const { path, secure, maxAge } = options
  return `${COOKIE}=${token}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure ? '; Secure' : ''}`
}

function undecodable(): DomainError {
  return new DomainError('validation_failed', 'the Authorization header cannot be decoded', { field: 'Authorization' })
}
