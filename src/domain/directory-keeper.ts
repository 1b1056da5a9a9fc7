import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { DirectoryUpkeep } from './directory-ports.ts'
import { isUnavailable } from './errors.ts'

export interface DirectoryKeeper {
  /**
   * Lets the directory know of what has changed, for whoever reads it next. Nobody waits for a flood of changes to its end, nor fails
   * because the disk is full.
   */
  catchUp(): Promise<void>
  /** The same to the end, and what is to be done once in a while. Called every hour or so. */
  run(): Promise<void>
}

/** A few milliseconds' work, in between which requests have their turn. */
const AT_ONCE = 25
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

  async function takeIn(most: number): Promise<void> {
    let taken = 0
    while (taken < most && (await upkeep.isBehind())) taken += await upkeep.catchUp(AT_ONCE)
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
      flight ??= untilDiskFails(takeIn(WAITED_FOR)).finally(() => {
        flight = undefined
      })
      return flight
    },

    run: () =>
      untilDiskFails(
        (async () => {
          await takeIn(Number.POSITIVE_INFINITY)
          await turnDay()
          await removeStrangers()
          word = await upkeep.forgetWords(word, WORDS_AT_ONCE)
        })(),
      ),
  }
}
