import { chapterSourceOf, feedSourcesOf } from '../adapters.ts'
import { isSecretUrl } from '../domain/directory/privacy.ts'
import { askChapters, createFeedChapters } from '../domain/feeds/chapters.ts'
import { createEpisodeFiles } from '../domain/feeds/episode-files.ts'
import { createFeedUpdater } from '../domain/feeds/feed-updater.ts'
import { createMoveProbe } from '../domain/feeds/move-probe.ts'
import { createFeedOnDemand } from '../domain/feeds/on-demand.ts'
import { createFeeds } from '../domain/feeds/refresh.ts'
import { createFeedHealth } from '../domain/feeds/status.ts'
import { createTranscripts } from '../domain/feeds/transcripts.ts'
import { createHostQueue } from '../domain/shared/concurrency.ts'
import type { Service } from '../domain/shared/service.ts'
import type { FetchNew } from '../domain/sync/ports/subscriptions.ts'
import { createLru } from '../platform/lru.ts'
import { single } from '../platform/metrics.ts'
import { type Base, limit, MINUTE } from './base.ts'

/** Sizes of in-memory caches: generous for a household, a few megabytes at most. */
const FAILED_LOOKUPS_MAX = 1_000
/** Bytes. */
const CHAPTERS_MAX = 8 * 1024 * 1024
const TRANSCRIPTS_MAX = 16 * 1024 * 1024

export function feedServices(base: Base) {
  const { config, store, background, clock, random, log, version, feedSource, hints } = base
  const worker = feedSourcesOf(config, version)
  const sources = feedSource
    ? { scheduled: feedSource, authenticated: feedSource, anonymous: feedSource }
    : { scheduled: worker.scheduled, authenticated: worker.authenticated, anonymous: worker.anonymous }
  const updater = createFeedUpdater({
    store: store.feeds,
    clock,
    random,
    log,
    baseSeconds: config.feedRefreshMinutes * 60,
    keepEpisodes: config.feedMaxEpisodes,
  })
  const feeds = createFeeds({
    store: store.feeds,
    source: sources.scheduled,
    updater,
    queue: createHostQueue({ atOnce: config.feedConcurrency, perHost: 2 }),
    background,
    clock,
    isOff: config.outbound === 'off',
    refreshCron: config.feedRefreshCron,
    onProgress: ({ isRunning: running, ...counts }) => hints.publishToAdmins({ topic: 'refresh', running, ...counts }),
  })
  const fetchNew: FetchNew = base.fetchesNewFeeds ? feeds.fetchNew : () => undefined
  const onDemand = createFeedOnDemand({
    store: store.feeds,
    updater,
    authenticated: sources.authenticated,
    anonymous: sources.anonymous,
    // Fewer slots per account or address than per host, so that none of them blocks others from a slow host.
    queues: {
      accounts: createHostQueue({ atOnce: 6, perHost: 3, perFlow: 2 }),
      anonymous: createHostQueue({ atOnce: 4, perHost: 2, perFlow: 1 }),
    },
    failures: createLru(FAILED_LOOKUPS_MAX, clock, 5 * MINUTE),
    anonymousFetches: limit(base, 6, MINUTE),
    now: () => clock.seconds(),
    isOff: config.outbound === 'off',
  })
  const moveProbe = createMoveProbe({
    store: store.feeds,
    // Never reaches private addresses, since a feed may contain any URL.
    source: sources.anonymous,
    queue: createHostQueue({ atOnce: 2, perHost: 1 }),
    clock,
    log,
    isSecretUrl,
    isOff: config.outbound === 'off',
  })
  /** Chapters and transcripts share a queue: both are files that a feed links to and a user waits for. */
  const files = {
    queue: createHostQueue({ atOnce: 6, perHost: 3, perFlow: 2 }),
    fetches: limit(base, 30, MINUTE),
    clock,
  }
  const chapterSource = base.chapterSource ?? chapterSourceOf(config, version)
  const feedChapters = createFeedChapters(
    chapterSource,
    createEpisodeFiles({
      ...files,
      ask: askChapters(chapterSource),
      maxBytes: CHAPTERS_MAX,
    }),
  )
  const transcripts = createTranscripts(
    createEpisodeFiles({
      ...files,
      ask: base.transcriptSource ?? worker.transcripts,
      maxBytes: TRANSCRIPTS_MAX,
    }),
  )
  const feedHealth = createFeedHealth(store.feedHealth, feeds, isSecretUrl)
  const feedWorker = {
    counters() {
      const { starts, failures } = worker.counts()
      const startsHelp = 'Starts of the feed worker, which ends when there is nothing to do.'
      const failuresHelp = 'Ends of the feed worker by a crash, or because it was stuck.'
      return [
        single('counter', 'podstep_feed_worker_starts_total', startsHelp, starts),
        single('counter', 'podstep_feed_worker_failures_total', failuresHelp, failures),
      ]
    },
    stop() {
      for (const source of Object.values(sources)) source.close()
    },
  } satisfies Service
  return {
    services: { feeds, feedHealth, feedChapters, transcripts, moveProbe, feedWorker },
    sources,
    fetchNew,
    onDemand,
  }
}
