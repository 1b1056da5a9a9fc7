import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { DirectoryUpkeep } from './directory-ports.ts'
import { isUnavailable } from './errors.ts'
import { SECRET_RULES } from './secret-url.ts'

export interface DirectoryKeeper {
  /**
   * Lets the directory know of what has changed, for whoever reads it next. Nobody waits for a flood of changes to its end, nor fails
   * because the disk is full. But addresses that have been judged by other rules than today's are all judged anew first, once after such
   * an update: what is a secret now must not be seen a moment longer.
   */
  catchUp(): Promise<void>
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
/** Podcasts that somebody looked at and nobody has stay so long (protocol.md D51). */
const STRANGER_DAYS = 30
const STRANGERS_MAX = 2000
const WORDS_AT_ONCE = 500

export function createDirectoryKeeper(upkeep: DirectoryUpkeep, clock: Clock, log: Log): DirectoryKeeper {
  let flight: Promise<void> | undefined
  let turnedTo: number | undefined
  let word = ''
  let judging: Promise<void> | undefined
  /** The podcast up to which all have been; where it goes on after a disk has failed. */
  let judgedTo = 0
  let isJudged = false

  async function takeIn(most: number, isWaitedFor: boolean): Promise<void> {
    let taken = 0
    while (taken < most && (await upkeep.isBehind())) taken += await upkeep.catchUp(AT_ONCE, isWaitedFor)
  }

  async function judgeAnew(): Promise<void> {
    if ((await upkeep.secretRules()) !== SECRET_RULES) {
      for (let last: number | undefined = judgedTo; last !== undefined; ) {
        judgedTo = last
        last = await upkeep.judgeAnew(last, JUDGED_AT_ONCE)
      }
      await upkeep.noteSecretRules(SECRET_RULES)
    }
    isJudged = true
  }

  async function judgeOnce(): Promise<void> {
    if (isJudged) return
    judging ??= judgeAnew().finally(() => {
      judging = undefined
    })
    await judging
  }

  async function takeInForSomebody(): Promise<void> {
    await judgeOnce()
    await takeIn(WAITED_FOR, true)
  }

  async function untilDiskFails(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      // The write queue has told the log.
      if (!isUnavailable(error)) throw error
    }
  }

  async function turnDay(): Promise<void> {
    const now = clock.seconds()
    const today = Math.floor(now / DAY)
    if (now < EARLIEST || turnedTo === today) return
    await upkeep.turnDay(today - 1)
    turnedTo = today
  }

  async function removeStrangers(): Promise<void> {
    const madeBefore = clock.seconds() - STRANGER_DAYS * DAY
    let removed = 0
    let some: number | undefined = 0
    while (some !== undefined) {
      removed += some
      some = await upkeep.removeStrangers(madeBefore, STRANGERS_MAX)
    }
    if (removed > 0) log.info('removed podcasts that nobody has', { podcasts: removed })
  }

  return {
    catchUp() {
      flight ??= untilDiskFails(takeInForSomebody()).finally(() => {
        flight = undefined
      })
      return flight
    },

    run: () =>
      untilDiskFails(
        (async () => {
          await judgeOnce()
          await takeIn(Number.POSITIVE_INFINITY, false)
          await turnDay()
          await removeStrangers()
          word = await upkeep.forgetWords(word, WORDS_AT_ONCE)
        })(),
      ),
  }
}
