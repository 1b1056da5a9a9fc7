/**
 * The address Elysia should route by (docs/protocol.md#D2, D3): runs of slashes collapsed, one trailing slash cut, the suffix in lower case.
 * Returns the same string where nothing is to be done, which is nearly always; undefined for a malformed Host header.
 */
export function normalizeUrl(url: string): string | undefined {
  const start = url.startsWith('http') ? url.indexOf('/', 8) : -1
  if (start < 0) return undefined
  // Two Host headers arrive joined by a comma.
  const comma = url.indexOf(',')
  if (comma !== -1 && comma < start) return undefined
  const query = url.indexOf('?', start)
  const end = query === -1 ? url.length : query
  const slashes = url.indexOf('//', start)
  const sloppy =
    (slashes !== -1 && slashes < end) || (end - start > 1 && url[end - 1] === '/') || endsInCapitals(url, end)
  if (!sloppy) return url
  let path = url.slice(start, end).replaceAll(/\/{2,}/g, '/')
  if (path.length > 1 && path.endsWith('/')) path = path.slice(0, -1)
  path = path.replace(/\.(json|jsonp|txt|opml|xml)$/i, (suffix) => suffix.toLowerCase())
  return url.slice(0, start) + path + url.slice(end)
}

/** Whether the last five characters, the longest suffix, hold a capital letter. */
function endsInCapitals(url: string, end: number): boolean {
  for (let at = end - 5; at < end; at++) {
    const code = url.charCodeAt(at)
    if (code >= 65 && code <= 90) return true
  }
  return false
}
