import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { unlessUnavailable } from '../shared/errors.ts'
import { PLAUSIBLE_SINCE } from '../shared/time.ts'
import type { IndexStore } from './ports/directory.ts'
import { CLASSIFIER_VERSION } from './privacy.ts'

/** Podcasts indexed per transaction, which takes a few milliseconds. Requests run in between. */
const BATCH = 10
const EPISODES_BATCH = 25
/** URLs classified per transaction, at about 15 microseconds each. */
const CLASSIFIED_BATCH = 200

const DAY = 24 * 3600
/** Retention of orphaned podcasts (docs/protocol.md#D51). */
const ORPHANED_DAYS = 30
const ORPHANED_MAX = 2000
const WORDS_BATCH = 500

/** Keeps directory and search up to date. A podcast that may be private is treated as private until it is indexed. */
export function createIndexer(parts: {
  readonly store: IndexStore
  readonly background: Background
  readonly clock: Clock
  readonly log: Log
  /** Delay before indexing, so that changes in quick succession are indexed together. */
  readonly pause?: (() => Promise<void>) | undefined
}) {
  const { store, background, clock, log, pause } = parts
  let indexing: Promise<void> | undefined
  let isWoken = false
  let isStopped = false
  let recordedDay: number | undefined
  let lastWord = ''
  let lastEpisodeWord = ''
  let classifiedTo = 0
  let isClassified = false

  async function indexPending(): Promise<void> {
    try {
      do {
        isWoken = false
        await pause?.()
        // A partial batch is the last one. Later writes wait for the next pause, because a series of changes often
        // affects the same podcasts.
        while (!isStopped && (await store.hasPending()) && (await store.indexBatch(BATCH)) === BATCH);
        // After an upgrade, all episodes may be pending. Changed podcasts are indexed in between.
        while (!isStopped && (await store.hasPendingEpisodes())) {
          if ((await store.indexEpisodes(EPISODES_BATCH)) < EPISODES_BATCH) break
          if (await store.hasPending()) await store.indexBatch(BATCH)
        }
      } while (isWoken && !isStopped)
    } finally {
      // Cleared here and not when the promise settles, so that the next write wakes the indexer again.
      indexing = undefined
    }
  }

  function index(): Promise<void> {
    indexing ??= unlessUnavailable(indexPending())
    return indexing
  }

  async function reclassify(): Promise<void> {
    if (isClassified) return
    if ((await store.classifierVersion()) !== CLASSIFIER_VERSION) {
      for (let last: number | undefined = classifiedTo; last !== undefined; ) {
        classifiedTo = last
        last = await store.reclassify(last, CLASSIFIED_BATCH)
      }
      await store.saveClassifierVersion(CLASSIFIER_VERSION)
    }
    isClassified = true
  }

  async function recordDailyStats(): Promise<void> {
    const now = clock.seconds()
    const today = Math.floor(now / DAY)
    if (now < PLAUSIBLE_SINCE || recordedDay === today) return
    await store.recordDailyStats(today - 1)
    recordedDay = today
  }

  async function removeOrphaned(): Promise<void> {
    const madeBefore = clock.seconds() - ORPHANED_DAYS * DAY
    let removed = 0
    let count: number | undefined = 0
    while (count !== undefined) {
      removed += count
      count = await store.removeOrphaned(madeBefore, ORPHANED_MAX)
    }
    if (removed > 0) log.info('removed orphaned podcasts', { podcasts: removed })
  }

  async function maintain(): Promise<void> {
    await reclassify()
    await index()
    await recordDailyStats()
    await removeOrphaned()
    lastWord = await store.pruneVocabulary(lastWord, WORDS_BATCH)
    lastEpisodeWord = await store.pruneEpisodeVocabulary(lastEpisodeWord, WORDS_BATCH)
  }

  const run = (): Promise<void> => unlessUnavailable(maintain())

  return {
    /** Starts indexing in the background. Call this after each write; it is cheap. */
    wake(): void {
      isWoken = true
      if (indexing === undefined && !isStopped) background.run(index)
    },

    /** Reclassifies all URLs if another version classified them. Must settle before the first request. */
    recover: (): Promise<void> => unlessUnavailable(reclassify()),

    flush: index,

    run,

    jobs: [{ name: 'directory', pattern: '41 * * * *', isForStart: true, run }],

    stop(): void {
      isStopped = true
    },
  }
}
