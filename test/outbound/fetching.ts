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

/** The answer, or why there is none. All names are 127.0.0.1, and that alone of the private network is allowed, unless told otherwise. */
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

/** An answer, when there must be one. */
export async function fetched(url: string, options: FetchCase = {}): Promise<Fetched> {
  const outcome = await attempt(url, options)
  if (outcome instanceof FetchFailure) throw outcome
  return outcome
}

/** Why there is no answer, when there must be none. */
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

/** For a while, connections are made this way; `real` is the usual one. */
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
 * For a while, all public addresses are this machine. `isDown` tells which ones nobody answers at; `reached` is what was connected to, in order,
 * as `address:port`.
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

/** For a while, no connection ends because the garbage collector has come by. */
export function keepAnswers(): Disposable {
  const answers: Response[] = []
  return connectBy(async (real, target, init) => {
    const answer = await real(target, init)
    answers.push(answer)
    return answer
  })
}
