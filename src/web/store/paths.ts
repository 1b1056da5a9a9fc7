/** Sub-path that the server is mounted at; '' at the root. */
export const BASE = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** Storage key of the signed-in user. Contains the sub-path, because several servers may share a host. */
export const ACCOUNT_KEY = `podstep.account${BASE}`

/** Returns the storage key for data of an account. */
export function accountKey(name: string, username: string): string {
  return `podstep.${name}${BASE}.${username}`
}

/** Returns the URL of a page of this client, for links. */
export function href(path: string, query: Readonly<Record<string, string>> = {}): string {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return BASE + path + (parameters.length > 0 ? `?${parameters.join('&')}` : '')
}

const PUBLIC_PATHS = ['/login', '/register', '/activate', '/reset-password'].map((path) => href(path))

/** Whether a page works without signing in. */
export function isPublicPath(path: string): boolean {
  return PUBLIC_PATHS.includes(path) || path.startsWith(href('/login/flow/'))
}

/** Returns the path to open after sign-in: `path` if it is a page of this client, else the first page. */
export function returnPath(path: string | undefined): string {
  const isOwn = path !== undefined && /^\/(?![/\\])/.test(path) && path.startsWith(href('/'))
  return isOwn ? path : href('/')
}
