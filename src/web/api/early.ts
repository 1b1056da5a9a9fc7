declare global {
  /** Requests sent before the page's main script had loaded, by URL. */
  var podstepEarly: Map<string, Promise<Response>> | undefined
}

/** Milliseconds after page start for which an early answer counts as fresh. */
const MAX_AGE_MS = 10_000

/** Sends requests whose answers the page will need. Called by theme-start.ts, long before the main script runs. */
export function askEarly(addresses: readonly string[]): void {
  globalThis.podstepEarly = new Map(
    addresses.map((address) => {
      const answer = fetch(address, { headers: { 'x-requested-with': 'podstep' } })
      // Avoids an unhandled rejection. `takeEarly` returns the original promise.
      answer.catch(() => undefined)
      return [address, answer]
    }),
  )
}

/** Returns the answer to an early request, once; undefined if missing or stale. */
export function takeEarly(address: string): Promise<Response> | undefined {
  const answer = globalThis.podstepEarly?.get(address)
  globalThis.podstepEarly?.delete(address)
  return performance.now() < MAX_AGE_MS ? answer : undefined
}

/** Must equal the URLs that the store requests. */
const HOME = ['api/2/me/podcasts', 'api/2/me/home']

/** Returns the first requests of a page. `hasAccount`: whether a user was signed in on the last visit. */
export function firstRequests(path: string, hasAccount: boolean): readonly string[] {
  const server = 'api/2/server'
  return path === '/' && hasAccount ? [server, ...HOME] : [server]
}
