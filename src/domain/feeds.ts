import type { Background } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import type { Random } from '../platform/crypto.ts'
import type { Log } from '../platform/log.ts'
import { DomainError, type ErrorWord, invalid } from './errors.ts'
import type { FailingFeed, FeedAnswer, FeedFailureReason, FeedSource, FeedStore, KnownFeed } from './feed-ports.ts'
import { sanitizeUrl } from './feed-url.ts'
import type { HostQueue } from './host-queue.ts'
import type { PodcastId } from './ids.ts'
import type { PodcastObject } from './podcast.ts'
import { nextCheck, nextTry } from './refresh-rules.ts'

export interface RefreshedPodcast {
  readonly podcast: PodcastObject
  readonly episodes: number
}

export interface FeedsStatus {
  /** Of a refresh of all feeds that is under way. */
  readonly progress: { readonly done: number; readonly total: number } | undefined
  /** Feeds that somebody is subscribed to. */
  readonly total: number
  readonly failingTotal: number
  /** The longest failing of them. */
  readonly failing: readonly FailingFeed[]
}

export interface Feeds {
  /** Refreshes what is due. Called every minute or as the setting says; does nothing while it is still about it. */
  refreshDue(): Promise<void>
  /** Begins to refresh all feeds that somebody is subscribed to; tells how many, and whether it was about it already. */
  refreshAll(): Promise<{ readonly status: 'started' | 'running'; readonly feeds: number }>
  /** Throws `validation_failed`, `unknown_podcast`, `feed_forbidden`, `feed_unreachable`, `feed_invalid`, `internal`. */
  refresh(url: string): Promise<RefreshedPodcast>
  status(): Promise<FeedsStatus>
  /** Leaves what is being fetched to the next start, and begins nothing any more. */
  stop(): void
}

export interface FeedsParts {
  readonly store: FeedStore
  readonly source: FeedSource
  readonly queue: HostQueue
  readonly background: Background
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** The interval of a lively feed. */
  readonly baseSeconds: number
  /** Newest episodes of a podcast that are kept. */
  readonly keepEpisodes: number
}

const BATCH = 100
/** Episodes written in one transaction: a millisecond or two, in between which requests have their turn. */
const EPISODES_AT_ONCE = 25
const FAILING_SHOWN = 100
/** What an outage of one's own line looks like. */
const NETWORK: ReadonlySet<FeedFailureReason> = new Set(['unreachable', 'timeout'])
/** A clock that has not been set yet: feeds would be blamed for certificates that are not valid yet. */
const EARLIEST = Date.UTC(2025, 0, 1) / 1000

export function createFeeds(parts: FeedsParts): Feeds {
  const { store, source, queue, background, clock, random, log, baseSeconds, keepEpisodes } = parts
  /** One flight per feed, whoever asks for it. */
  const flights = new Map<PodcastId, Promise<FeedAnswer>>()
  let dueRun: Promise<void> | undefined
  let progress: { done: number; readonly total: number } | undefined
  const stopping = new AbortController()

  const chance = () => (random.bytes(1)[0] ?? 0) / 255

  async function save(id: PodcastId, answer: FeedAnswer & { kind: 'feed' }): Promise<void> {
    const { episodes } = answer.document
    await store.saveDetails(id, answer.document)
    for (let from = 0; from < episodes.length; from += EPISODES_AT_ONCE)
      await store.saveEpisodes(id, episodes.slice(from, from + EPISODES_AT_ONCE))
    await store.prune(id, keepEpisodes)
  }

  async function note(feed: KnownFeed, answer: FeedAnswer): Promise<void> {
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
    const { etag, lastModified, bodyHash, movedTo, ttlSeconds } = answer
    const freshFor = Math.max(answer.freshFor, ttlSeconds ?? 0)
    const newestReleased = answer.kind === 'feed' ? answer.document.episodes[0]?.released : feed.newestReleased
    const nextCheckAt = nextCheck({ now, baseSeconds, newestReleased, freshFor, chance: chance() })
    // Last, so that a feed whose episodes were half written is fetched again.
    await store.succeed(feed.id, { at: now, nextCheckAt, etag, lastModified, bodyHash, movedTo, ttlSeconds })
  }

  /** The feed's answer. Throws `unavailable` when the server stops before there is one. */
  async function ask(feed: KnownFeed): Promise<FeedAnswer> {
    refuseWhenStopped()
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const onStop = () => reject(new DomainError('unavailable', 'the server is stopping'))
    stopping.signal.addEventListener('abort', onStop)
    try {
      return await Promise.race([source.ask(feed, clock.seconds()), stopped])
    } finally {
      stopping.signal.removeEventListener('abort', onStop)
    }
  }

  /** A fault of ours with one feed is met again as late as one of its server, and not every minute. */
  async function askAndSave(feed: KnownFeed): Promise<FeedAnswer> {
    try {
      const answer = await ask(feed)
      if (answer.kind === 'feed') await save(feed.id, answer)
      return answer
    } catch (error) {
      if (isUnavailable(error)) throw error
      log.error('cannot refresh a feed, by a fault of the server', { podcast: feed.id, error })
      const message = 'a fault of this server; its log has the details'
      return { kind: 'failed', reason: 'internal', message, retryAfter: undefined }
    }
  }

  function fly(feed: KnownFeed, isUrgent = false): Promise<FeedAnswer> {
    const underWay = flights.get(feed.id)
    if (underWay) return underWay
    const flight = queue
      .run(
        hostOf(feed.url),
        async () => {
          const answer = await askAndSave(feed)
          await note(feed, answer)
          return answer
        },
        isUrgent,
      )
      .finally(() => flights.delete(feed.id))
    flights.set(feed.id, flight)
    return flight
  }

  /** Settles when all of them are done, whatever came of some. */
  async function refreshMany(feeds: readonly KnownFeed[], onDone: () => void): Promise<void> {
    const outcomes = await Promise.allSettled(feeds.map((feed) => fly(feed).finally(onDone)))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  /** A failing disk ends a run, and is told by the write queue; the next run tries again. */
  async function unlessUnavailable(run: Promise<void>): Promise<void> {
    try {
      await run
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
  }

  function refuseWhenStopped(): void {
    if (stopping.signal.aborted) throw new DomainError('unavailable', 'the server is stopping')
  }

  async function runDue(): Promise<void> {
    const seen = new Set<PodcastId>()
    while (!stopping.signal.aborted) {
      const due = (await store.due(clock.seconds(), BATCH)).filter(({ id }) => !seen.has(id))
      if (due.length === 0) return
      for (const { id } of due) seen.add(id)
      await refreshMany(due, () => undefined)
    }
  }

  async function runAll(ids: readonly PodcastId[], counter: { done: number }): Promise<void> {
    for (let from = 0; from < ids.length && !stopping.signal.aborted; from += BATCH) {
      const feeds = await Promise.all(ids.slice(from, from + BATCH).map((id) => store.get(id)))
      await refreshMany(
        feeds.filter((feed) => feed !== undefined),
        () => void counter.done++,
      )
    }
  }

  return {
    async refreshDue() {
      if (stopping.signal.aborted || clock.seconds() < EARLIEST) return
      dueRun ??= unlessUnavailable(runDue()).finally(() => {
        dueRun = undefined
      })
      await dueRun
    },

    async refreshAll() {
      refuseWhenStopped()
      if (progress) return { status: 'running', feeds: progress.total }
      const ids = await store.subscribed()
      // Somebody else may have begun meanwhile.
      if (progress) return { status: 'running', feeds: ids.length }
      const counter = { done: 0, total: ids.length }
      progress = counter
      background.run(() =>
        unlessUnavailable(runAll(ids, counter)).finally(() => {
          progress = undefined
        }),
      )
      return { status: 'started', feeds: ids.length }
    },

    async refresh(given) {
      const url = sanitizeUrl(given)
      if (url === undefined) throw invalid('url', 'url must be the address of a feed')
      const feed = await store.find(url)
      if (!feed) throw new DomainError('unknown_podcast', 'the server knows no such podcast')
      // Somebody is waiting for it.
      const answer = await fly(feed, true)
      if (answer.kind === 'failed') throw new DomainError(wordOf(answer.reason), answer.message)
      const refreshed = await store.podcast(feed.id)
      if (!refreshed) throw new DomainError('unknown_podcast', 'the server knows no such podcast')
      return refreshed
    },

    async status() {
      const health = await store.health(FAILING_SHOWN)
      return { progress: progress && { ...progress }, ...health }
    },

    stop() {
      stopping.abort()
      source.close()
    },
  }
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.word === 'unavailable'
}

function wordOf(reason: FeedFailureReason): ErrorWord {
  if (reason === 'internal') return 'internal'
  if (reason === 'forbidden') return 'feed_forbidden'
  return reason === 'not_a_feed' ? 'feed_invalid' : 'feed_unreachable'
}
