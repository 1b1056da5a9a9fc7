import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import { DomainError, type ErrorCode, isUnavailable } from '../shared/errors.ts'
import { hostOf } from '../shared/feed-url.ts'
import type { PodcastId } from '../shared/ids.ts'
import type { AskedFeed, FeedAnswer, FeedFailureReason, FeedSource, FeedStore, KnownFeed, OpenFeed } from './ports.ts'
import { nextCheck, nextTry } from './schedule.ts'

/** What is done with the answer of a feed, whoever wanted it. */
export interface FeedUpdater {
  /**
   * Asks, and stores what the feed says under the podcast that `idOf` tells or makes. The answer tells of a fault of ours as of one of
   * the feed's. Throws `unavailable` when the server stops, or cannot write.
   */
  obtain(feed: AskedFeed, source: FeedSource, idOf: () => Promise<PodcastId>): Promise<FeedAnswer>
  /** Writes down how it went, and when to ask again. */
  note(feed: KnownFeed, answer: FeedAnswer): Promise<void>
  /** From now on nothing is begun or stored any more. */
  stop(): void
}

export interface FeedUpdaterParts {
  readonly store: FeedStore
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** The interval of a lively feed. */
  readonly baseSeconds: number
  /** Newest episodes of a podcast that are kept. */
  readonly keepEpisodes: number
  /** Settles after a moment, in which others have their turn. */
  readonly rest: () => Promise<void>
}

/** Slices of episodes that are written without a rest: as many as all but the longest feeds have. */
const SLICES_AT_ONCE = 20

/** What an outage of one's own line looks like. */
const NETWORK: ReadonlySet<FeedFailureReason> = new Set(['unreachable', 'timeout'])

export function createFeedUpdater(parts: FeedUpdaterParts): FeedUpdater {
  const { store, clock, random, log, baseSeconds, keepEpisodes, rest } = parts
  const stopping = new AbortController()

  const chance = () => (random.bytes(1)[0] ?? 0) / 255

  function refuseWhenStopped(): void {
    if (stopping.signal.aborted) throw new DomainError('unavailable', 'the server is stopping')
  }

  /** In many small units, in between which requests have their turn. A server that stops begins none of them any more. */
  async function save(id: PodcastId, { document, isInside, episodesBut }: OpenFeed): Promise<void> {
    const { blockedEpisodes, blockedGuids } = document
    refuseWhenStopped()
    // Before there is anything to be told.
    if (isInside) await store.keepInside(id)
    refuseWhenStopped()
    // Before the podcast itself may turn from blocked to public.
    if (blockedEpisodes.length > 0) await store.forgetEpisodes(id, blockedEpisodes, blockedGuids)
    refuseWhenStopped()
    await store.saveDetails(id, document)
    refuseWhenStopped()
    // What is stored last is the newest record, by which episodes without a date are listed (docs/protocol.md#D80).
    let slices = 0
    for await (const episodes of episodesBut(await store.fingerprints(id), 'oldest first')) {
      // A thousand in a row would leave everybody else half the time.
      if (++slices > SLICES_AT_ONCE) await rest()
      refuseWhenStopped()
      await store.saveEpisodes(id, episodes, clock.seconds())
    }
    refuseWhenStopped()
    await store.prune(id, keepEpisodes)
  }

  async function ask(feed: AskedFeed, source: FeedSource, idOf: () => Promise<PodcastId>): Promise<FeedAnswer> {
    refuseWhenStopped()
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const onStop = () => reject(new DomainError('unavailable', 'the server is stopping'))
    stopping.signal.addEventListener('abort', onStop)
    try {
      const answer = source.ask(feed, clock.seconds(), async (open) => {
        refuseWhenStopped()
        await save(await idOf(), open)
      })
      return await Promise.race([answer, stopped])
    } finally {
      stopping.signal.removeEventListener('abort', onStop)
    }
  }

  return {
    async obtain(feed, source, idOf) {
      try {
        return await ask(feed, source, idOf)
      } catch (error) {
        if (isUnavailable(error)) throw error
        log.error('cannot refresh a feed, by a fault of the server', { host: hostOf(feed.url), error })
        const message = 'a fault of this server; its log has the details'
        return { kind: 'failed', reason: 'internal', message, retryAfter: undefined }
      }
    },

    async note(feed, answer) {
      const now = clock.seconds()
      if (answer.kind === 'failed') {
        const { reason, message, retryAfter } = answer
        const failures = feed.failures + 1
        const kind = reason === 'gone' ? 'gone' : NETWORK.has(reason) ? 'network' : 'refusal'
        const nextCheckAt = nextTry({ now, baseSeconds, failures, retryAfter, kind, chance: chance() })
        await store.fail(feed.id, { at: now, nextCheckAt, reason, message })
        log.debug('cannot refresh a feed', { podcast: feed.id, reason, cause: message })
        return
      }
      const { etag, lastModified, bodyHash, movedTo, ttlSeconds, isInside } = answer
      const freshFor = Math.max(answer.freshFor, ttlSeconds ?? 0)
      // As it is stored: the document itself may be dated ahead.
      const { newestReleased } = (answer.kind === 'feed' && (await store.get(feed.id))) || feed
      const nextCheckAt = nextCheck({ now, baseSeconds, newestReleased, freshFor, chance: chance() })
      // Last, so that a feed whose episodes were half written is fetched again.
      const left = { etag, lastModified, bodyHash, movedTo, ttlSeconds, isInside }
      await store.succeed(feed.id, { at: now, nextCheckAt, ...left })
    },

    stop: () => stopping.abort(),
  }
}

/** A feed that could not be had, told to somebody who asked for it (docs/protocol.md#D51 and #administration). */
export function failureOf({ reason, message }: FeedAnswer & { kind: 'failed' }): DomainError {
  return new DomainError(wordOf(reason), message)
}

function wordOf(reason: FeedFailureReason): ErrorCode {
  if (reason === 'internal') return 'internal'
  if (reason === 'forbidden') return 'feed_forbidden'
  return reason === 'not_a_feed' ? 'feed_invalid' : 'feed_unreachable'
}
