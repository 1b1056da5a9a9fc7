import type { Background } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import type { DirectoryKeeper } from './directory-keeper.ts'
import { DomainError, invalid, isUnavailable } from './errors.ts'
import { failureOf } from './feed-failures.ts'
import type { FeedKeeping } from './feed-keeping.ts'
import type { FailingFeed, FeedAnswer, FeedSource, FeedStore, KnownFeed } from './feed-ports.ts'
import type { FeedProgress, ProgressBoard, ProgressWatcher } from './feed-progress.ts'
import { hostOf, sanitizeUrl } from './feed-url.ts'
import type { HostQueue } from './host-queue.ts'
import type { PodcastId } from './ids.ts'
import type { PodcastObject } from './podcast.ts'
import { forEachAtOnce } from './pool.ts'

export interface RefreshedPodcast {
  readonly podcast: PodcastObject
  readonly episodes: number
}

export interface FeedsStatus {
  /** Of the last refresh of all feeds. */
  readonly progress: FeedProgress
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
  /** The same for one that is known by its number. Throws `unknown_podcast` and what else `refresh` throws. */
  refreshKnown(id: PodcastId): Promise<RefreshedPodcast>
  status(): Promise<FeedsStatus>
  /** Throws `unavailable` when too many look on. */
  watch(): ProgressWatcher
  /** Tells those who look on that the server is still there. */
  pulse(): void
  /** Leaves what is being fetched to the next start, and begins nothing any more. */
  stop(): void
}

export interface FeedsParts {
  readonly store: FeedStore
  readonly source: FeedSource
  readonly keeping: FeedKeeping
  readonly keeper: DirectoryKeeper
  readonly queue: HostQueue
  readonly progress: ProgressBoard
  readonly background: Background
  readonly clock: Clock
}

/** Rows read at a time of what is due, a few milliseconds' work; the next are read when these are done, and may be others by then. */
const DUE_AT_ONCE = 1000
/**
 * Feeds that wait in the queue of hosts or are being fetched. It lets in the next one of another host than those that are busy, so these
 * must be enough that one slow host with hundreds of feeds does not keep the others waiting; each is some hundred bytes.
 */
const IN_HAND = 500
const FAILING_SHOWN = 100
/** A clock that has not been set yet: feeds would be blamed for certificates that are not valid yet. */
const EARLIEST = Date.UTC(2025, 0, 1) / 1000

export function createFeeds(parts: FeedsParts): Feeds {
  const { store, source, keeping, keeper, queue, progress, background, clock } = parts
  /** One flight per feed, whoever asks for it. */
  const flights = new Map<PodcastId, Promise<FeedAnswer>>()
  let dueRun: Promise<void> | undefined
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
      const due = (await store.due(clock.seconds(), DUE_AT_ONCE)).filter(({ id }) => !seen.has(id))
      if (due.length === 0) return
      for (const { id } of due) seen.add(id)
      await forEachAtOnce(due, IN_HAND, (feed) => fly(feed))
    }
  }

  async function runAll(ids: readonly PodcastId[]): Promise<void> {
    const total = ids.length
    let done = 0
    let failed = 0
    await forEachAtOnce(ids, IN_HAND, async (id) => {
      refuseWhenStopped()
      const feed = await store.get(id)
      const answer = feed && (await fly(feed))
      done++
      if (answer?.kind === 'failed') failed++
      progress.publish({ isRunning: true, done, failed, total })
    })
  }

  async function refreshed(feed: KnownFeed | undefined): Promise<RefreshedPodcast> {
    // Somebody is waiting for it.
    const answer = feed && (await fly(feed, true))
    if (answer?.kind === 'failed') throw failureOf(answer)
    const podcast = feed && (await store.podcast(feed.id))
    if (!podcast) throw new DomainError('unknown_podcast', 'the server knows no such podcast')
    return podcast
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
      const { isRunning, total } = progress.latest()
      if (isRunning) return { status: 'running', feeds: total }
      const ids = await store.subscribed()
      // Somebody else may have begun meanwhile.
      if (progress.latest().isRunning) return { status: 'running', feeds: ids.length }
      progress.publish({ isRunning: true, done: 0, failed: 0, total: ids.length })
      background.run(() =>
        unlessUnavailable(runAll(ids)).finally(() => progress.publish({ ...progress.latest(), isRunning: false })),
      )
      return { status: 'started', feeds: ids.length }
    },

    async refresh(given) {
      const url = sanitizeUrl(given)
      if (url === undefined) throw invalid('url', 'url must be the address of a feed')
      return refreshed(await store.find(url))
    },

    refreshKnown: async (id) => refreshed(await store.get(id)),

    async status() {
      // A feed counts as private until somebody has looked, and to administrators as well (protocol.md D56).
      await keeper.catchUp()
      const health = await store.health(FAILING_SHOWN)
      return { progress: progress.latest(), ...health }
    },

    watch() {
      refuseWhenStopped()
      const watcher = progress.watch()
      if (!watcher) throw new DomainError('unavailable', 'too many look on already, try again later')
      return watcher
    },

    pulse: () => progress.pulse(),

    stop() {
      stopping.abort()
      keeping.stop()
      progress.close()
    },
  }
}
