import { invalid } from '../../domain/shared/errors.ts'

const LENGTH_MAX = 2048
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i
const BELOW_BASE = /\/(?:index\.php|apps|api\/2|status\.php|login)(?:\/.*)?$/

/** A server's address as typed: https by default, without a trailing slash or API path. Throws `validation_failed`. */
export function parseServerAddress(from: string): string {
  const text = from.trim()
  const url = text.length <= LENGTH_MAX ? URL.parse(SCHEME.test(text) ? text : `https://${text}`) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid('from', 'from must be the http or https address of a server, like https://pods.example')
  if (url.username !== '' || url.password !== '')
    throw invalid('from', 'from must not contain a username or password, which have their own fields')
  return `${url.origin}${url.pathname
    .replace(/\/{2,}/g, '/')
    .replace(BELOW_BASE, '')
    .replace(/\/$/, '')}`
}

/** Server address to suggest after a redirect to `target`, without the query, which may hold a secret. */
export function suggestedAddress(target: string, path: string): string {
  const url = new URL(target)
  const href = `${url.origin}${url.pathname}${url.search}`
  return href.endsWith(path) ? href.slice(0, -path.length) : url.origin
}
