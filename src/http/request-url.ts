/** Normalizes slashes and suffix for routing (docs/protocol.md#D2, D3). Returns undefined for an invalid Host. */
export function normalizeUrl(url: string): string | undefined {
  const start = url.startsWith('http') ? url.indexOf('/', 8) : -1
  if (start < 0) return undefined
  // Repeated Host headers arrive joined by a comma.
  const comma = url.indexOf(',')
  if (comma !== -1 && comma < start) return undefined
  const query = url.indexOf('?', start)
  const end = query === -1 ? url.length : query
  const slashes = url.indexOf('//', start)
  const isNormal = !(
    (slashes !== -1 && slashes < end) ||
    (end - start > 1 && url[end - 1] === '/') ||
    endsInCapitals(url, end)
  )
  if (isNormal) return url
  let path = url.slice(start, end).replaceAll(/\/{2,}/g, '/')
  if (path.length > 1 && path.endsWith('/')) path = path.slice(0, -1)
  path = path.replace(/\.(json|jsonp|txt|opml|xml|rss)$/i, (suffix) => suffix.toLowerCase())
  return url.slice(0, start) + path + url.slice(end)
}

function endsInCapitals(url: string, end: number): boolean {
  for (let at = end - 5; at < end; at++) {
    const code = url.charCodeAt(at)
    if (code >= 65 && code <= 90) return true
  }
  return false
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']

/** Methods that a path supports, for `Allow`; empty for an unknown path. `routes` have paths like `/a/:b`. */
export function allowedMethods(
  routes: readonly { readonly method: string; readonly path: string }[],
  path: string,
): string[] {
  const segments = path.split('/')
  const methods = new Set(
    routes.filter((route) => matches(route.path.split('/'), segments)).map(({ method }) => method),
  )
  if (methods.has('GET')) methods.add('HEAD')
  return METHODS.filter((method) => methods.has(method))
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  return pattern.length === segments.length && pattern.every((part, index) => fits(part, segments[index] ?? ''))
}

/** A parameter matches the rest of its segment, as in `search.:format`, which must not be empty. */
function fits(part: string, segment: string): boolean {
  const start = part.indexOf(':')
  return start === -1 ? part === segment : segment.startsWith(part.slice(0, start)) && segment.length > start
}
