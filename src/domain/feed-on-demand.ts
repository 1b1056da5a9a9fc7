import type { Lru } from '../platform/lru.ts'
import { DomainError } from './errors.ts'
import type { FeedKeeping } from './feed-keeping.ts'
import { type FeedAnswer, type FeedSource, type FeedStore, neverAsked } from './feed-ports.ts'
import { hostOf } from './feed-url.ts'
import type { HostQueue } from './host-queue.ts'
import type { UserId } from './ids.ts'
import type { RateLimit } from './rate-limit.ts'

/** Who wants to know something that anybody may ask for. */
export interface Asker {
  /** Missing for those who have not signed in. */
  readonly userId: UserId | undefined
  readonly address: string
}

export interface FeedOnDemand {
  /**
   * Fetches a feed now, because somebody looks at it, and stores what it says; the same work for all who ask at once. Throws
   * `rate_limited`, and `unavailable` when too many wait or the disk is full.
   */
  obtain(url: string, asker: Asker): Promise<FeedAnswer>
}

export interface FeedOnDemandParts {
  readonly store: FeedStore
  readonly keeping: FeedKeeping
  /** For people with an account: private addresses that the settings allow are among what it reaches. */
  readonly forUsers: FeedSource
  /** For anybody: never reaches a private address. */
  readonly forAnyone: FeedSource
  readonly queue: HostQueue
  /** Failures of late, so that nobody makes us try again and again. */
  readonly failures: Lru<FeedAnswer>
  /** Fetches that strangers cause, by address. */
  readonly strangers: RateLimit
  readonly now: () => number
}

/** Beyond them somebody floods us. */
const WAITING_MAX = 32

/** protocol.md D51: an endpoint for everybody, which must not make the server a proxy or a flood-gate. */
export function createFeedOnDemand(parts: FeedOnDemandParts): FeedOnDemand {
  const { store, keeping, forUsers, forAnyone, queue, failures, strangers, now } = parts
  const flights = new Map<string, Promise<FeedAnswer>>()

  async function ask(url: string, source: FeedSource): Promise<FeedAnswer> {
    const known = await store.find(url)
    let id = known?.id
    const answer = await keeping.obtain(known ?? neverAsked(url), source, async () => {
      // Only what turns out to be a feed is stored.
      id ??= await store.add(url, now())
      return id
    })
    if (id !== undefined) await keeping.note({ ...(known ?? neverAsked(url)), id }, answer)
    return answer
  }

  async function fly(key: string, url: string, source: FeedSource): Promise<FeedAnswer> {
    const answer = await queue.run(hostOf(url), () => ask(url, source))
    if (answer.kind === 'failed') failures.set(key, answer)
    return answer
  }

  return {
    async obtain(url, { userId, address }) {
      const isUser = userId !== undefined
      // What one may reach must not come to the other by chance.
      const key = `${isUser ? 'user' : 'anyone'} ${url}`
      const known = flights.get(key) ?? failures.get(key)
      if (known) return known
      if (flights.size >= WAITING_MAX)
        throw new DomainError('unavailable', 'too many feeds are being looked up, try again later', { retryAfter: 10 })
      if (!isUser) strangers.take(address)
      const flight = fly(key, url, isUser ? forUsers : forAnyone).finally(() => flights.delete(key))
      flights.set(key, flight)
      return flight
    },
  }
}
