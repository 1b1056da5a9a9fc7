import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import { DomainError, type ErrorCode, isUnavailable, refuseWhenStopped, serverStopping } from '../shared/errors.ts'
import { hostOf } from '../shared/feed-url.ts'
import type { PodcastId } from '../shared/ids.ts'
import type { FeedContents, PageLink } from './document.ts'
import {
  type FeedAnswer,
  type FeedFailureReason,
  type FeedSource,
  type FeedStore,
  type FeedToFetch,
  hasUnreadPages,
  type KnownFeed,
} from './ports.ts'
import { nextCheck, nextTry } from './schedule.ts'

const EPISODES_PER_JOB = 10
const NO_FINGERPRINTS = '{}'

const NETWORK: ReadonlySet<FeedFailureReason> = new Set(['unreachable', 'timeout'])

export type FeedUpdater = ReturnType<typeof createFeedUpdater>

export function createFeedUpdater(parts: {
  readonly store: FeedStore
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly baseSeconds: number
  readonly keepEpisodes: number
}) {
  const { store, clock, random, log, baseSeconds, keepEpisodes } = parts
  const stopping = new AbortController()

  const chance = () => (random.bytes(1)[0] ?? 0) / 255

  /** Saves in many small jobs, so that requests get their turn. A stopping server begins no further job. */
  async function save(id: PodcastId, { document, isInside, leads, episodes }: FeedContents): Promise<void> {
    const { blockedEpisodes, blockedGuids } = document
    refuseWhenStopped(stopping.signal)
    // First, so that anonymous requests never see data from the private network.
    if (isInside) await store.markInternal(id)
    refuseWhenStopped(stopping.signal)
    // Before the details, which may make a blocked podcast public.
    if (blockedEpisodes.length > 0) await store.forgetEpisodes(id, blockedEpisodes, blockedGuids)
    refuseWhenStopped(stopping.signal)
    if (leads.length > 0) await store.keepGuids(id)
    refuseWhenStopped(stopping.signal)
    await store.saveDetails(id, document)
    // The record stored last is the newest, which gives episodes without a date their order (docs/protocol.md#D80).
    for (let from = 0; from < episodes.length; from += EPISODES_PER_JOB) {
      refuseWhenStopped(stopping.signal)
      await store.saveEpisodes(id, episodes.slice(from, from + EPISODES_PER_JOB), clock.seconds())
    }
    refuseWhenStopped(stopping.signal)
    await store.prune(id, keepEpisodes)
  }

  async function ask(
    feed: FeedToFetch & Partial<KnownFeed>,
    source: FeedSource,
    getId: () => Promise<PodcastId>,
  ): Promise<FeedAnswer> {
    refuseWhenStopped(stopping.signal)
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const onStop = () => reject(serverStopping())
    stopping.signal.addEventListener('abort', onStop)
    try {
      const fingerprints = feed.id === undefined ? NO_FINGERPRINTS : await store.fingerprints(feed.id)
      const answer = source.ask(feed, clock.seconds(), { fingerprints, order: 'oldest first' }, async (contents) => {
        refuseWhenStopped(stopping.signal)
        await save(await getId(), contents)
      })
      return await Promise.race([answer, stopped])
    } finally {
      stopping.signal.removeEventListener('abort', onStop)
    }
  }

  return {
    /** Fetches the feed and stores its document. `getId` may create the podcast. Throws `unavailable`. */
    async refresh(
      feed: FeedToFetch & Partial<KnownFeed>,
      source: FeedSource,
      getId: () => Promise<PodcastId>,
    ): Promise<FeedAnswer> {
      try {
        return await ask(feed, source, getId)
      } catch (error) {
        if (isUnavailable(error)) throw error
        log.error('feed refresh failed: internal error', { host: hostOf(feed.url), error })
        const message = 'a fault of this server; its log has the details'
        return { kind: 'failed', reason: 'internal', message, retryAfter: undefined }
      }
    },

    async recordResult(feed: KnownFeed, answer: FeedAnswer): Promise<void> {
      const now = clock.seconds()
      if (answer.kind === 'failed') {
        const { reason, message, retryAfter } = answer
        const failures = feed.failures + 1
        const kind = reason === 'gone' ? 'gone' : NETWORK.has(reason) ? 'network' : 'refusal'
        const nextCheckAt = nextTry({ now, baseSeconds, failures, retryAfter, kind, chance: chance() })
        await store.fail(feed.id, { at: now, nextCheckAt, reason, message })
        log.debug('feed refresh failed', { podcast: feed.id, reason, cause: message })
        return
      }
      const { etag, lastModified, bodyHash, movedTo, ttlSeconds, isInside, leads } = answer
      const freshFor = Math.max(answer.freshFor, ttlSeconds ?? 0)
      // Takes the stored date, since the document may contain dates in the future.
      const { newestReleased } = (answer.kind === 'feed' && (await store.get(feed.id))) || feed
      // An incomplete feed is fetched again as soon as one with a new episode.
      const newest = hasUnreadPages(answer) ? now : newestReleased
      const nextCheckAt = nextCheck({ now, baseSeconds, newestReleased: newest, freshFor, chance: chance() })
      // Last, so that a feed whose episodes were half written is fetched again.
      // The document of a redirect target is no evidence from this address.
      const newFeedUrl = answer.kind !== 'feed' ? undefined : leads.length > 0 ? '' : answer.document.newFeedUrl
      const metadata = { etag, lastModified, bodyHash, movedTo, ttlSeconds, isInside, leads, newFeedUrl }
      await store.succeed(feed.id, { at: now, nextCheckAt, ...metadata })
    },

    stop: (): void => stopping.abort(),
  }
}

export function failureOf({ reason, message, links }: FeedAnswer & { kind: 'failed' }): FeedNotFetched {
  return new FeedNotFetched(reason, message, links)
}

export class FeedNotFetched extends DomainError {
  readonly reason: FeedFailureReason
  readonly links: readonly PageLink[] | undefined

  constructor(reason: FeedFailureReason, message: string, links: readonly PageLink[] | undefined) {
    super(errorCodeOf(reason), message)
    this.reason = reason
    this.links = links
  }
}

function errorCodeOf(reason: FeedFailureReason): ErrorCode {
  if (reason === 'internal') return 'internal'
  if (reason === 'forbidden') return 'feed_forbidden'
  return reason === 'not_a_feed' ? 'feed_invalid' : 'feed_unreachable'
}
