import type { Lru } from '../../platform/lru.ts'
import { createSharedTurns, type HostQueue } from '../shared/concurrency.ts'
import { DomainError, outboundOff } from '../shared/errors.ts'
import { hostOf } from '../shared/feed-url.ts'
import type { PodcastId, UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import type { FeedUpdater } from './feed-updater.ts'
import { type FeedAnswer, type FeedSource, type FeedStore, unfetchedFeed } from './ports.ts'

export interface LookupPrincipal {
  readonly userId: UserId | undefined
  readonly address: string
}

const EACH_MAX = 32
const ALL_MAX = { accounts: 1000, anonymous: 32 }
const WITHHELD: FeedAnswer = { kind: 'failed', reason: 'denied', message: 'private', retryAfter: undefined }

export type FeedOnDemand = ReturnType<typeof createFeedOnDemand>

/** Open to anonymous requests, which must not turn the server into a proxy or flood others (docs/protocol.md#D51). */
export function createFeedOnDemand(parts: {
  readonly store: FeedStore
  readonly updater: FeedUpdater
  /** Variant for users with an account, which also reaches private addresses that the settings allow. */
  readonly authenticated: FeedSource
  /** Never reaches a private address. */
  readonly anonymous: FeedSource
  readonly queues: { readonly accounts: HostQueue; readonly anonymous: HostQueue }
  readonly failures: Lru<FeedAnswer>
  readonly anonymousFetches: RateLimit
  readonly now: () => number
  readonly isOff: boolean
}) {
  const { store, updater, authenticated, anonymous, queues, failures, anonymousFetches, now, isOff } = parts
  const lookups = createSharedTurns<string, FeedAnswer>()

  async function ask(url: string, isUser: boolean): Promise<FeedAnswer> {
    const stored = await store.find(url)
    const feed = stored ?? unfetchedFeed(url)
    let id = stored?.id
    let isOver = false
    async function getId(): Promise<PodcastId> {
      // The server is stopping, and no request waits for the feed.
      if (isOver) throw new DomainError('unavailable', 'the feed did not arrive in time')
      // Only actual feeds are stored.
      id ??= await store.add(url, now())
      return id
    }
    try {
      const answer = await updater.refresh(feed, isUser ? authenticated : anonymous, getId)
      // An address that is forbidden for anonymous requests is not a failure of the feed.
      const isWithheld = !isUser && answer.kind === 'failed' && answer.reason === 'forbidden'
      if (id !== undefined && !isWithheld) await updater.recordResult({ ...feed, id }, answer)
      return answer
    } finally {
      isOver = true
    }
  }

  async function fetchAs(key: string, url: string, isUser: boolean): Promise<FeedAnswer> {
    const answer = await ask(url, isUser)
    if (answer.kind === 'failed') failures.set(key, answer)
    return answer
  }

  function isFull(principal: LookupPrincipal): boolean {
    const kind = kindOf(principal)
    const { running, waiting } = queues[kind].counts()
    return running + waiting >= ALL_MAX[kind] || queues[kind].countOf(flowOf(principal)) >= EACH_MAX
  }

  function countLookup(principal: LookupPrincipal): void {
    if (isFull(principal))
      throw new DomainError('unavailable', 'too many feeds are being looked up, try again later', { retryAfter: 10 })
    if (principal.userId === undefined) anonymousFetches.take(principal.address)
  }

  return {
    /** Fetches a feed now. Concurrent lookups share one fetch. Throws `outbound_off`, `rate_limited`, `unavailable`. */
    async obtain(url: string, lookupPrincipal: LookupPrincipal): Promise<FeedAnswer> {
      if (isOff) throw outboundOff()
      const key = keyOf(url, lookupPrincipal)
      const lookup = lookups.find(key)
      if (!lookup) {
        const failed = failures.get(key)
        if (failed) return failed
        countLookup(lookupPrincipal)
      } else if (isFull(lookupPrincipal)) return lookup
      const turn = { queue: queues[kindOf(lookupPrincipal)], host: hostOf(url), flow: flowOf(lookupPrincipal) }
      return lookups.run(key, turn, () => fetchAs(key, url, lookupPrincipal.userId !== undefined))
    },

    /** Counts and rejects a lookup like `obtain`, but fetches nothing, so that limits do not reveal a hidden feed. */
    withhold(url: string, lookupPrincipal: LookupPrincipal): void {
      const key = keyOf(url, lookupPrincipal)
      // Users with an account get the cause of a failure, and a lookup by a subscriber must be able to fetch the feed.
      if (lookupPrincipal.userId !== undefined || lookups.find(key) || failures.get(key)) return
      countLookup(lookupPrincipal)
      failures.set(key, WITHHELD)
    },
  }
}

/** Separates users from anonymous requests, which must not get answers from private addresses. */
function keyOf(url: string, principal: LookupPrincipal): string {
  return `${kindOf(principal)} ${url}`
}

function kindOf({ userId }: LookupPrincipal): 'accounts' | 'anonymous' {
  return userId === undefined ? 'anonymous' : 'accounts'
}

function flowOf({ userId, address }: LookupPrincipal): string {
  return userId === undefined ? address : String(userId)
}
