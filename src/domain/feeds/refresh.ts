import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Family, labelled, single } from '../../platform/metrics.ts'
import { createSharedWork, forEachLimit, type HostQueue, type WorkPriority } from '../shared/concurrency.ts'
import { DomainError, invalid, outboundOff, refuseWhenStopped, unlessUnavailable } from '../shared/errors.ts'
import { hostOf, redactUrl, sanitizeUrl } from '../shared/feed-url.ts'
import type { PodcastId, UserId } from '../shared/ids.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import { PLAUSIBLE_SINCE } from '../shared/time.ts'
import { type FeedUpdater, failureOf } from './feed-updater.ts'
import {
  type FailingFeed,
  type FeedAnswer,
  type FeedFailureReason,
  type FeedSource,
  type FeedStore,
  type KnownFeed,
  unfetchedFeed,
  withoutValidators,
} from './ports.ts'

export interface RefreshedPodcast {
  readonly podcast: PodcastObject
  readonly episodes: number
}

type FetchResult = 'feed' | 'unchanged' | FeedFailureReason

export interface FeedsStatus {
  readonly progress: FeedProgress
  readonly total: number
  readonly failingTotal: number
  readonly failing: readonly FailingFeed[]
}

/** Due feeds read at a time, which takes a few milliseconds. The next ones are read when these are done. */
const DUE_AT_ONCE = 1000
/** Feeds waiting or in flight. Large enough that one slow host with hundreds of feeds does not block the others. */
const PENDING_MAX = 500
const NEW_PENDING_MAX = 2000
const FAILING_SHOWN = 100

/** Milliseconds after the start by which a clock that was behind should have been set. */
const CLOCK_PATIENCE = 3600 * 1000

export type Feeds = ReturnType<typeof createFeeds>

export function createFeeds(parts: {
  readonly store: FeedStore
  readonly source: FeedSource
  readonly updater: FeedUpdater
  readonly queue: HostQueue
  readonly background: Background
  readonly clock: Clock
  readonly onProgress: (progress: FeedProgress) => void
  readonly isOff: boolean
  readonly refreshCron: string
}) {
  const { store, source, updater, queue, background, clock, onProgress, isOff, refreshCron } = parts
  let progress: FeedProgress = { isRunning: false, done: 0, failed: 0, total: 0 }
  const inFlight = createSharedWork<PodcastId, FeedAnswer>()
  const newOf = new Map<UserId, number>()
  let dueRun: Promise<void> | undefined
  const results = new Map<FetchResult, number>()
  const stopping = new AbortController()
  const startedAt = clock.monotonic()
  let newestAtStart: Promise<number> | undefined

  function fetchOnce(feed: KnownFeed, order: WorkPriority): Promise<FeedAnswer> {
    async function refresh(): Promise<FeedAnswer> {
      const answer = await updater.refresh(feed, source, async () => feed.id)
      await updater.recordResult(feed, answer)
      const result = answer.kind === 'failed' ? answer.reason : answer.kind
      results.set(result, (results.get(result) ?? 0) + 1)
      return answer
    }
    return inFlight.run(feed.id, () => queue.run(hostOf(feed.url), refresh, order))
  }

  async function runDue(): Promise<void> {
    if (await isClockBehind()) return
    const seen = new Set<PodcastId>()
    while (!stopping.signal.aborted) {
      // Skips feeds in flight: a long list that was just added must not hold up the feeds that are due.
      const due = (await store.listDue(clock.seconds(), DUE_AT_ONCE)).filter(
        ({ id }) => !seen.has(id) && !inFlight.has(id),
      )
      if (due.length === 0) return
      for (const { id } of due) seen.add(id)
      await forEachLimit(due, PENDING_MAX, (feed) => fetchOnce(feed, { flow: 'due' }))
    }
  }

  async function runNew(userId: UserId, urls: readonly string[]): Promise<void> {
    if (await isClockBehind()) return
    const found = (await store.neverFetched(urls, NEW_PENDING_MAX)).filter(({ id }) => !inFlight.has(id))
    const fresh = found.slice(0, Math.max(0, NEW_PENDING_MAX - (newOf.get(userId) ?? 0)))
    count(userId, fresh.length)
    await forEachLimit(fresh, fresh.length, ({ id, url }) =>
      fetchOnce({ ...unfetchedFeed(url), id }, { flow: `new of ${userId}` }).finally(() => count(userId, -1)),
    )
  }

  function count(userId: UserId, more: number): void {
    const pending = (newOf.get(userId) ?? 0) + more
    if (pending > 0) newOf.set(userId, pending)
    else newOf.delete(userId)
  }

  /** A clock that has not been set yet would make valid certificates fail. */
  function mayBegin(): boolean {
    return !isOff && !stopping.signal.aborted && clock.seconds() >= PLAUSIBLE_SINCE
  }

  /** Whether the clock is behind an earlier run: small computers start with the time of their last shutdown. */
  async function isClockBehind(): Promise<boolean> {
    newestAtStart ??= store.newestCheck()
    return clock.seconds() < (await newestAtStart) && clock.monotonic() - startedAt < CLOCK_PATIENCE
  }

  function report(next: FeedProgress): void {
    progress = next
    onProgress(next)
  }

  async function runAll(ids: readonly PodcastId[]): Promise<void> {
    const total = ids.length
    let done = 0
    let failed = 0
    await forEachLimit(ids, PENDING_MAX, async (id) => {
      refuseWhenStopped(stopping.signal)
      const feed = await store.get(id)
      if (feed && (await fetchOnce(withoutValidators(feed), { flow: 'all' })).kind === 'failed') failed++
      done++
      report({ isRunning: true, done, failed, total })
    })
  }

  async function refreshed(feed: KnownFeed | undefined): Promise<RefreshedPodcast> {
    if (feed && isOff) throw outboundOff()
    // Urgent, since a request waits for it.
    const answer = feed && (await fetchOnce(withoutValidators(feed), { isUrgent: true }))
    if (answer?.kind === 'failed') throw failureOf(answer)
    const podcast = feed && (await store.podcast(feed.id))
    if (!podcast) throw new DomainError('unknown_podcast', 'the server knows no such podcast')
    return podcast
  }

  async function refreshDue(): Promise<void> {
    if (!mayBegin()) return
    dueRun ??= unlessUnavailable(runDue()).finally(() => {
      dueRun = undefined
    })
    await dueRun
  }

  return {
    refreshDue,

    /** Fetches new feeds in the background, without waiting for `refreshDue`, which finds the rest. */
    fetchNew(userId: UserId, urls: readonly string[]): void {
      if (!mayBegin()) return
      background.run(() => runNew(userId, urls))
    },

    /** Refreshes all subscribed feeds in the background. Throws `outbound_off`. */
    async refreshAll(): Promise<{ readonly status: 'started' | 'running'; readonly feeds: number }> {
      refuseWhenStopped(stopping.signal)
      if (isOff) throw outboundOff()
      const { isRunning, total } = progress
      if (isRunning) return { status: 'running', feeds: total }
      const ids = await store.subscribed()
      // Another request may have started it meanwhile.
      if (progress.isRunning) return { status: 'running', feeds: ids.length }
      report({ isRunning: true, done: 0, failed: 0, total: ids.length })
      background.run(() => runAll(ids).finally(() => report({ ...progress, isRunning: false })))
      return { status: 'started', feeds: ids.length }
    },

    async refresh(rawUrl: string): Promise<RefreshedPodcast> {
      const url = sanitizeUrl(rawUrl)
      if (url === undefined) throw invalid('url', 'url must be the address of a feed')
      return refreshed(await store.find(url))
    },

    /** Like `refresh`, for a podcast given by ID. */
    refreshKnown: async (id: PodcastId): Promise<RefreshedPodcast> => refreshed(await store.get(id)),

    async status(): Promise<FeedsStatus> {
      const health = await store.health(FAILING_SHOWN)
      const failing = health.failing.map((feed) => ({ ...feed, url: redactUrl(feed.url, feed.isPrivate) }))
      return { progress, ...health, failing }
    },

    // Not at startup: after a power cut, many servers start at the same time.
    jobs: isOff ? [] : [{ name: 'feeds', pattern: refreshCron, run: refreshDue }],

    counters(): Family[] {
      const { running, waiting } = queue.counts()
      const help = 'Feeds that were fetched, by result: feed, unchanged, or why there was none.'
      const all = { feed: 0, unchanged: 0, ...Object.fromEntries(results) }
      return [
        labelled('counter', ['podstep_feed_fetches_total', help], 'result', all),
        single('gauge', 'podstep_feed_fetches_running', 'Feeds that are being fetched.', running),
        single('gauge', 'podstep_feed_fetches_waiting', 'Feeds that are due and wait for their turn.', waiting),
      ]
    },

    stop(): void {
      stopping.abort()
      updater.stop()
    },
  }
}

export interface FeedProgress {
  readonly isRunning: boolean
  readonly done: number
  readonly failed: number
  readonly total: number
}
