import { spyOn } from 'bun:test'
import { allowedPlace, hostOf, isPublicAddress, type Resolve } from '../../src/outbound/address-rules.ts'
import { FetchFailure } from '../../src/outbound/fetch-failure.ts'
import { createGuardedFetch, type Fetched, type FetchLimits } from '../../src/outbound/guarded-fetch.ts'

export const USER_AGENT = 'podstep/0.0.0 (+https://podstep.example)'
export const LIMITS: FetchLimits = { totalMs: 20_000, answerMs: 10_000, maxBytes: 100_000 }

export interface FetchCase {
  readonly headers?: Record<string, string>
  readonly limits?: Partial<FetchLimits>
  readonly mayReachPrivate?: boolean
  readonly allowed?: readonly string[]
  readonly resolve?: Resolve
}

/** The response or the failure. By default, all names resolve to 127.0.0.1, the only allowed private address. */
export async function attempt(url: string, options: FetchCase = {}): Promise<Fetched | FetchFailure> {
  const { headers = {}, limits, mayReachPrivate = true, allowed = ['127.0.0.1'] } = options
  const { resolve = namesAre('127.0.0.1') } = options
  const { fetch } = createGuardedFetch({ userAgent: USER_AGENT, resolve, allowed: allowed.map(allowedPlace) })
  try {
    return await fetch({ url, headers, limits: { ...LIMITS, ...limits }, mayReachPrivate })
  } catch (error) {
    if (error instanceof FetchFailure) return error
    throw error
  }
}

/** The response; throws a failure. */
export async function fetched(url: string, options: FetchCase = {}): Promise<Fetched> {
  const outcome = await attempt(url, options)
  if (outcome instanceof FetchFailure) throw outcome
  return outcome
}

/** The failure; throws if there is a response. */
export async function refused(url: string, options: FetchCase = {}): Promise<FetchFailure> {
  const outcome = await attempt(url, options)
  if (outcome instanceof FetchFailure) return outcome
  throw new Error(`${url} answered ${outcome.status} with ${outcome.body.byteLength} bytes`)
}

export function namesAre(...addresses: readonly string[]): Resolve {
  return async () => addresses
}

export const textOf = ({ body }: Fetched) => new TextDecoder().decode(body)

type Connect = (target: URL, init?: BunFetchRequestInit) => Promise<Response>

/** Replaces `fetch` until it is disposed; `real` is the original. */
export function connectBy(way: (real: Connect, ...request: Parameters<Connect>) => Promise<Response>): Disposable {
  const real = globalThis.fetch
  const instead: typeof fetch = Object.assign(
    (input: string | URL | Request, init?: BunFetchRequestInit) =>
      way(real, new URL(input instanceof Request ? input.url : input), init),
    { preconnect: real.preconnect },
  )
  const spy = spyOn(globalThis, 'fetch').mockImplementation(instead)
  return { [Symbol.dispose]: () => spy.mockRestore() }
}

/**
 * Directs connections to public addresses to this machine until it is disposed, except for those that are down. `reached`
 * lists connections as `address:port`.
 */
export function haveInternet(isDown: (address: string) => boolean = () => false) {
  const reached: string[] = []
  const connected = connectBy(async (real, target, init) => {
    const address = hostOf(target)
    reached.push(target.host)
    if (isDown(address)) throw Object.assign(new TypeError('down'), { code: 'ENETUNREACH' })
    if (isPublicAddress(address)) target.hostname = '127.0.0.1'
    return await real(target, init)
  })
  return { reached, [Symbol.dispose]: () => connected[Symbol.dispose]() }
}

/** Keeps responses from being garbage-collected, which would close their connections. */
export function keepAnswers(): Disposable {
  const answers: Response[] = []
  return connectBy(async (real, target, init) => {
    const answer = await real(target, init)
    answers.push(answer)
    return answer
  })
}
