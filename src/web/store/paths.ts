/** The sub-path the server lives under, '' at the root. */
export const BASE = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** The address of a page of ours, for links. */
export function href(path: string): string {
  return BASE + path
}

const PUBLIC_PATHS = ['/login', '/register', '/activate', '/reset-password'].map(href)

/** Whether a path leads to a page for those who are not signed in. Whatever else there is, is for those who are. */
export function isPublicPath(path: string): boolean {
  return PUBLIC_PATHS.includes(path)
}

/** Where to go after signing in: a page of ours, whatever the address says. */
export function returnPath(wanted: string | undefined): string {
  const isOurs = wanted !== undefined && /^\/(?![/\\])/.test(wanted) && wanted.startsWith(href('/'))
  return isOurs ? wanted : href('/')
}
