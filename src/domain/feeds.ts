import type { Background } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import { DomainError, invalid, isUnavailable } from './errors.ts'
import { failureOf } from './feed-failures.ts'
import type { FeedKeeping } from './feed-keeping.ts'
import type { FailingFeed, FeedAnswer, FeedSource, FeedStore, KnownFeed } from './feed-ports.ts'
import { hostOf, sanitizeUrl } from './feed-url.ts'
import type { HostQueue } from './host-queue.ts'
import type { PodcastId } from './ids.ts'
import type { PodcastObject } from './podcast.ts'

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
  readonly keeping: FeedKeeping
  readonly queue: HostQueue
  readonly background: Background
  readonly clock: Clock
}

const BATCH = 100
const FAILING_SHOWN = 100
/** A clock that has not been set yet: feeds would be blamed for certificates that are not valid yet. */
const EARLIEST = Date.UTC(2025, 0, 1) / 1000

export function createFeeds(parts: FeedsParts): Feeds {
  const { store, source, keeping, queue, background, clock } = parts
  /** One flight per feed, whoever asks for it. */
  const flights = new Map<PodcastId, Promise<FeedAnswer>>()
  let dueRun: Promise<void> | undefined
  let progress: { done: number; readonly total: number } | undefined
  const stopping = new AbortController()

  function fly(feed: KnownFeed, isUrgent = false): Promise<FeedAnswer> {
    const underWay = flights.get(feed.id)
    if (underWay) return underWay
    const flight = queue
      .run(
        hostOf(feed.url),
        async () => {
          const answer = await keeping.obtain(feed, source, async () => feed.id)
          await keeping.note(feed, answer)
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
      if (answer.kind === 'failed') throw failureOf(answer)
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
      keeping.stop()
    },
  }
}
