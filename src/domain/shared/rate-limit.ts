import type { Clock } from '../../platform/clock.ts'
import type { Lru } from '../../platform/lru.ts'
import { DomainError } from './errors.ts'
import type { UserId } from './ids.ts'

interface Window {
  readonly endsAt: number
  count: number
}

export interface LimitError {
  readonly message: string
  readonly field: string
  readonly userId: UserId
}

export interface RateLimit {
  /** Counts one event; returns how many more are allowed. Throws `rate_limited` with message and field of `details`. */
  take(key: string, details?: LimitError): number
  tryTake(key: string): boolean
  giveBack(key: string): void
}

/** At most `max` events per key in `windowMs`, counted from the key's first event (docs/protocol.md#D19). */
export function createRateLimit(
  { max, windowMs }: { max: number; windowMs: number },
  windows: Lru<Window>,
  clock: Clock,
): RateLimit {
  /** Counts an event and returns 0, or returns the number of milliseconds to wait. */
  function count(key: string): number {
    const now = clock.monotonic()
    const window = windows.get(key)
    if (!window || window.endsAt <= now) windows.set(key, { endsAt: now + windowMs, count: 1 })
    else if (window.count >= max) return window.endsAt - now
    else window.count++
    return 0
  }

  return {
    take(key, details) {
      const early = count(key)
      if (early > 0) throw rateLimited(early, details)
      return max - (windows.get(key)?.count ?? 0)
    },
    tryTake: (key) => count(key) === 0,
    giveBack(key) {
      const window = windows.get(key)
      if (window && window.count > 0) window.count--
    },
  }
}

export function rateLimited(waitMs: number, details?: LimitError): DomainError {
  const { message = 'too many attempts, try again later', ...about } = details ?? {}
  return new DomainError('rate_limited', message, { ...about, retryAfter: Math.ceil(waitMs / 1000) })
}

export const noLimit: RateLimit = {
  take: () => Number.POSITIVE_INFINITY,
  tryTake: () => true,
  giveBack: () => undefined,
}
