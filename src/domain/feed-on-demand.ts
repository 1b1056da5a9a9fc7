import type { Lru } from '../platform/lru.ts'
import { DomainError } from './errors.ts'
import type { FeedKeeping } from './feed-keeping.ts'
import { type FeedAnswer, type FeedSource, type FeedStore, neverAsked } from './feed-ports.ts'
import { hostOf } from './feed-url.ts'
import type { HostQueue } from './host-queue.ts'
import type { PodcastId, UserId } from './ids.ts'
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

  async function ask(url: string, isUser: boolean): Promise<FeedAnswer> {
    const known = await store.find(url)
    const feed = known ?? neverAsked(url)
    let id = known?.id
    let isOver = false
    async function idOf(): Promise<PodcastId> {
      // The server stops, and nobody waits for what comes now.
      if (isOver) throw new DomainError('unavailable', 'the feed comes too late')
      // Only what turns out to be a feed is stored.
      id ??= await store.add(url, now())
      return id
    }
    try {
      const answer = await keeping.obtain(feed, isUser ? forUsers : forAnyone, idOf)
      // What strangers may not reach is no fault of the feed.
      const isWithheld = !isUser && answer.kind === 'failed' && answer.reason === 'forbidden'
      if (id !== undefined && !isWithheld) await keeping.note({ ...feed, id }, answer)
      return answer
    } finally {
      isOver = true
    }
  }

  async function fly(key: string, url: string, isUser: boolean): Promise<FeedAnswer> {
    const answer = await queue.run(hostOf(url), () => ask(url, isUser))
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
      const flight = fly(key, url, isUser).finally(() => flights.delete(key))
      flights.set(key, flight)
      return flight
    },
  }
}
