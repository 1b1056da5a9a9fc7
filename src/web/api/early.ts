declare global {
  /** Requests that were sent before the script of the page had come, by address. */
  var podstepEarly: Map<string, Promise<Response>> | undefined
}

/** Milliseconds after the start of the page for which such an answer is as good as a new one. */
const FRESH = 10_000

/** Sends requests whose answers the page will need. Called by theme-start.ts, which runs long before the page does. */
export function askEarly(addresses: readonly string[]): void {
  globalThis.podstepEarly = new Map(
    addresses.map((address) => {
      const answer = fetch(address, { headers: { 'x-requested-with': 'podstep' } })
      // Whether it matters is decided when somebody wants it.
      answer.catch(() => undefined)
      return [address, answer]
    }),
  )
}

/** The answer to a request that was sent early. Each is given out once; undefined if there is none or it is old. */
export function takeEarly(address: string): Promise<Response> | undefined {
  const answer = globalThis.podstepEarly?.get(address)
  globalThis.podstepEarly?.delete(address)
  return performance.now() < FRESH ? answer : undefined
}

/** As the store asks for them. */
const HOME = ['api/2/me/podcasts', 'api/2/me/home']

/** What a page asks for first, by its path; `hasAccount` says whether somebody was signed in here. */
export function firstRequests(path: string, hasAccount: boolean): readonly string[] {
  const server = 'api/2/server'
  return path === '/' && hasAccount ? [server, ...HOME] : [server]
}
