interface KnownRoute {
  readonly method: string
  readonly path: string
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']

/** The methods a path understands, for `Allow`; empty for a path nobody knows. `routes` have paths like `/a/:b`. */
export function allowedMethods(routes: readonly KnownRoute[], path: string): string[] {
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

/** A parameter takes the rest of its segment, as in `search.:format`, and never nothing. */
function fits(part: string, segment: string): boolean {
  const start = part.indexOf(':')
  return start === -1 ? part === segment : segment.startsWith(part.slice(0, start)) && segment.length > start
}
