import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { isUnavailable } from '../shared/errors.ts'
import type { IndexStore } from './ports.ts'
import { CLASSIFIER_VERSION } from './privacy.ts'

export interface Indexer {
  /**
   * Lets the directory know of what has changed, for whoever reads it next. Nobody waits for a flood of changes to its end, nor fails
   * because the disk is full. But addresses that have been classified by other rules than today's are all classified anew first, once after such
   * an update: what is a secret now must not be seen a moment longer.
   */
  flush(): Promise<void>
  /** The same to the end, and what is to be done once in a while. Called every hour or so. */
  run(): Promise<void>
}

/** A few milliseconds' work, in between which requests have their turn: 25 took 9 to 11, and in all a seventh less. */
const AT_ONCE = 10
/** Addresses, each of which takes some 15 microseconds. */
const JUDGED_AT_ONCE = 200
/** Changes that a request waits for. */
const WAITED_FOR = 1000

const DAY = 24 * 3600
/** Before that a clock has not been set yet, and knows no days. */
const EARLIEST = Date.UTC(2025, 0, 1) / 1000
/** Podcasts that somebody looked at and nobody has stay so long (docs/protocol.md#D51). */
const STRANGER_DAYS = 30
const STRANGERS_MAX = 2000
const WORDS_AT_ONCE = 500

export function createIndexer(upkeep: IndexStore, clock: Clock, log: Log): Indexer {
  let flight: Promise<void> | undefined
  let turnedTo: number | undefined
  let word = ''
  let judging: Promise<void> | undefined
  /** The podcast up to which all have been; where it goes on after a disk has failed. */
  let judgedTo = 0
  let isJudged = false

  async function indexBatch(most: number, isWaitedFor: boolean): Promise<void> {
    let taken = 0
    while (taken < most && (await upkeep.hasPending())) taken += await upkeep.flush(AT_ONCE, isWaitedFor)
  }

  async function reclassify(): Promise<void> {
    if ((await upkeep.secretRules()) !== CLASSIFIER_VERSION) {
      for (let last: number | undefined = judgedTo; last !== undefined; ) {
        judgedTo = last
        last = await upkeep.reclassify(last, JUDGED_AT_ONCE)
      }
      await upkeep.noteSecretRules(CLASSIFIER_VERSION)
    }
    isJudged = true
  }

  async function judgeOnce(): Promise<void> {
    if (isJudged) return
    judging ??= reclassify().finally(() => {
      judging = undefined
    })
    await judging
  }

  async function takeInForSomebody(): Promise<void> {
    await judgeOnce()
    await indexBatch(WAITED_FOR, true)
  }

  async function untilDiskFails(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      // The write queue has told the log.
      if (!isUnavailable(error)) throw error
    }
  }

  async function recordDailyStats(): Promise<void> {
    const now = clock.seconds()
    const today = Math.floor(now / DAY)
    if (now < EARLIEST || turnedTo === today) return
    await upkeep.recordDailyStats(today - 1)
    turnedTo = today
  }

  async function removeOrphaned(): Promise<void> {
    const madeBefore = clock.seconds() - STRANGER_DAYS * DAY
    let removed = 0
    let some: number | undefined = 0
    while (some !== undefined) {
      removed += some
      some = await upkeep.removeOrphaned(madeBefore, STRANGERS_MAX)
    }
    if (removed > 0) log.info('removed podcasts that nobody has', { podcasts: removed })
  }

  return {
    flush() {
      flight ??= untilDiskFails(takeInForSomebody()).finally(() => {
        flight = undefined
      })
      return flight
    },

    run: () =>
      untilDiskFails(
        (async () => {
          await judgeOnce()
          await indexBatch(Number.POSITIVE_INFINITY, false)
          await recordDailyStats()
          await removeOrphaned()
          word = await upkeep.pruneVocabulary(word, WORDS_AT_ONCE)
        })(),
      ),
  }
}
