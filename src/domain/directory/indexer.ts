import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { unlessUnavailable } from '../shared/errors.ts'
import type { IndexStore } from './ports/directory.ts'
import { CLASSIFIER_VERSION } from './privacy.ts'

/** Podcasts in one transaction: a few milliseconds' work, in between which requests have their turn. */
const BATCH = 10
/** Episodes indexed in one transaction. */
const EPISODES_BATCH = 25
/** Addresses in one transaction, each of which takes some 15 microseconds. */
const CLASSIFIED_BATCH = 200

const DAY = 24 * 3600
/** An earlier time means that the clock has not been set yet. */
const EARLIEST = Date.UTC(2025, 0, 1) / 1000
/** Retention of orphaned podcasts (docs/protocol.md#D51). */
const ORPHANED_DAYS = 30
const ORPHANED_MAX = 2000
const WORDS_BATCH = 500

/** Keeps directory and search up to date. A podcast that may be private counts as private until it is indexed. */
export function createIndexer(parts: {
  readonly store: IndexStore
  readonly background: Background
  readonly clock: Clock
  readonly log: Log
  /** Waits for more to do, so that changes which come together are indexed together; not at all unless given. */
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
        // A batch that is not full was the last. What is written meanwhile waits for the next pause: the podcasts of a
        // stream of changes are often the same ones.
        while (!isStopped && (await store.hasPending()) && (await store.indexBatch(BATCH)) === BATCH);
        // After an upgrade these are all there are; podcasts that change meanwhile do not wait for them.
        while (!isStopped && (await store.hasPendingEpisodes())) {
          if ((await store.indexEpisodes(EPISODES_BATCH)) < EPISODES_BATCH) break
          if (await store.hasPending()) await store.indexBatch(BATCH)
        }
      } while (isWoken && !isStopped)
    } finally {
      // At once, and not when the promise settles: what is written from now on has to wake the indexer again.
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
    if (now < EARLIEST || recordedDay === today) return
    await store.recordDailyStats(today - 1)
    recordedDay = today
  }

  async function removeOrphaned(): Promise<void> {
    const madeBefore = clock.seconds() - ORPHANED_DAYS * DAY
    let removed = 0
    let some: number | undefined = 0
    while (some !== undefined) {
      removed += some
      some = await store.removeOrphaned(madeBefore, ORPHANED_MAX)
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
    /** Says that something has been written. Costs nothing: what has changed is indexed in the background. */
    wake(): void {
      isWoken = true
      if (indexing === undefined && !isStopped) background.run(index)
    },

    /** Classifies all URLs again if another version did it last. Must settle before the first request. */
    recover: (): Promise<void> => unlessUnavailable(reclassify()),

    flush: index,

    run,

    jobs: [{ name: 'directory', pattern: '41 * * * *', isForStart: true, run }],

    stop(): void {
      isStopped = true
    },
  }
}
