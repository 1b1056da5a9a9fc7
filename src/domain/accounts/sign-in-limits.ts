import type { Clock } from '../../platform/clock.ts'
import { createLru, type Lru } from '../../platform/lru.ts'
import { createRateLimit, rateLimited } from '../shared/rate-limit.ts'

/** Attempt to sign in. It counts as a failure until it succeeds or is cancelled, which limits parallel guesses. */
export interface Guess {
  /** Recent failures from this address, including this one; 0 if the address is familiar. */
  readonly failures: number
  /** Counts the attempt for the account across all addresses. Call this before hashing. Throws `rate_limited`. */
  count(): void
  succeed(): void
  /** Reports a wrong password. Throws `rate_limited` if `begin` would have refused an unknown name at this address. */
  fail(): void
  cancel(): void
}

export interface SignInLimits {
  isFamiliar(name: string, address: string): boolean
  setFamiliar(name: string, address: string): void
  /** Throws `rate_limited`. Failed sign-ins do not delay confirmations by signed-in users, which are counted apart. */
  begin(name: string, address: string, isSignedIn?: boolean): Guess
}

const SECOND = 1000
const MINUTE = 60 * SECOND

const PAIR = { max: 10, windowMs: 5 * MINUTE }
/** Failures per address, for all names: 30, then 2 per minute. */
const ADDRESS_MAX = 30
const ADDRESS_MS = 30 * SECOND
/** Failures per account from unfamiliar addresses before a wait: 50, then 50 per hour. */
const ACCOUNT_MAX = 50
const ACCOUNT_MS = 72 * SECOND
/** Longest wait, also for an owner at a new address. Waits start at 2 seconds and double with each failure. */
const WAIT_MAX_MS = 5 * MINUTE
/** Upper bound of the count. Without it, the wait would outlast an attack by hours. */
const ACCOUNT_TOP = ACCOUNT_MAX + 10
/** Time for which a waiting address keeps its place. Apps often retry only at their next sync. */
const TICKET_MS = 24 * 60 * MINUTE

const KEYS_MAX = 20_000
const FAMILIAR_MAX = 5000

/** Limits guesses without locking users out (docs/protocol.md#sign-in-limits). Familiar addresses count separately. */
export function createSignInLimits(clock: Clock, keysMax = KEYS_MAX): SignInLimits {
  const pairs = createRateLimit(PAIR, createLru(keysMax, clock, PAIR.windowMs), clock)
  const addresses = createLeakyCount(ADDRESS_MS, createLru(keysMax, clock), clock)
  const accounts = createLeakyCount(ACCOUNT_MS, createLru(keysMax, clock), clock)
  const tickets: Lru<number> = createLru(keysMax, clock, TICKET_MS)
  const familiar: Lru<true> = createLru(Math.min(FAMILIAR_MAX, keysMax), clock)

  /** Returns the milliseconds until the address may fail again, 0 or less if it may now. */
  const waitAt = (address: string) => (addresses.level(address) - ADDRESS_MAX + 1) * ADDRESS_MS

  function waitFor(account: string): number {
    const beyond = accounts.level(account) - ACCOUNT_MAX
    return beyond < 0 ? 0 : Math.min(2 * SECOND * 2 ** beyond, WAIT_MAX_MS)
  }

  return {
    isFamiliar: (name, address) => familiar.get(pairOf(name, address)) === true,
    setFamiliar: (name, address) => familiar.set(pairOf(name, address), true),

    begin(name, address, isSignedIn = false) {
      const pair = pairOf(name, address)
      const isHome = familiar.get(pair) === true
      const account = `${isSignedIn ? 'confirms' : 'signs in'} ${bounded(name)}`
      const ticket = `${address} ${account}`
      let since: number | undefined
      let isCounted = false

      const waitMs = isHome ? 0 : waitAt(address)
      if (waitMs > 0) throw rateLimited(waitMs)
      pairs.take(pair)
      if (!isHome) addresses.add(address, 1)

      function giveBack(): void {
        pairs.giveBack(pair)
        if (!isHome) addresses.add(address, -1)
        if (isCounted) accounts.add(account, -1)
      }

      return {
        failures: isHome ? 0 : addresses.level(address),
        count() {
          if (isHome) return
          const now = clock.monotonic()
          since = tickets.get(ticket)
          const wait = waitFor(account)
          if (wait > 0) {
            if (since === undefined) tickets.set(ticket, now)
            const remaining = (since ?? now) + wait - now
            if (remaining > 0) throw rateLimited(remaining)
            // The address has used its turn and has to wait for the next one.
            tickets.set(ticket, now)
          }
          accounts.add(account, 1, ACCOUNT_TOP)
          isCounted = true
        },
        succeed() {
          giveBack()
          familiar.set(pair, true)
          tickets.delete(ticket)
        },
        fail() {
          const waitMs = isHome ? waitAt(address) : 0
          if (waitMs > 0) throw rateLimited(waitMs)
        },
        cancel() {
          giveBack()
          if (since !== undefined) tickets.set(ticket, since)
        },
      }
    },
  }
}

const notCounted: Guess = {
  failures: 0,
  count: () => undefined,
  succeed: () => undefined,
  fail: () => undefined,
  cancel: () => undefined,
}

export const noSignInLimits: SignInLimits = {
  isFamiliar: () => true,
  setFamiliar: () => undefined,
  begin: () => notCounted,
}

/** Length of the longest valid name. Longer input is cut, because it would fill the memory of the limits. */
const NAME_MAX = 64

const bounded = (name: string) => name.slice(0, NAME_MAX)
const pairOf = (name: string, address: string) => `${address} ${bounded(name)}`

interface Level {
  readonly value: number
  readonly at: number
}

function createLeakyCount(everyMs: number, levels: Lru<Level>, clock: Clock) {
  function level(key: string): number {
    const stored = levels.get(key)
    return stored ? Math.max(0, stored.value - (clock.monotonic() - stored.at) / everyMs) : 0
  }

  return {
    level,
    add(key: string, events: number, top = Number.POSITIVE_INFINITY): void {
      levels.set(key, { value: Math.max(0, Math.min(level(key) + events, top)), at: clock.monotonic() })
    },
  }
}
