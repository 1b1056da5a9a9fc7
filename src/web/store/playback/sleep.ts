import type { Signal } from '@preact/signals'

/** Minutes until playback stops, or the end of the episode. */
export type SleepChoice = number | 'end'

export const SLEEP_MINUTES = [15, 30, 45, 60] as const
export const SLEEP_MINUTES_MAX = 600

export interface Sleep {
  readonly choice: SleepChoice
  /** Remaining minutes; undefined for the end of the episode. */
  readonly minutesLeft: number | undefined
}

interface SleepParts {
  readonly sleep: Signal<Sleep | undefined>
  /** Schedules `work`. Returns a function that cancels it. */
  readonly later: (milliseconds: number, work: () => void) => () => void
  /** Scales the user's volume: 1 leaves it unchanged, 0 is silent. */
  readonly fade: (part: number) => void
  readonly onTime: () => void
}

const MINUTE = 60_000
/** Number and length of the steps in which the volume fades at the end of the last minute. */
const FADE_STEPS = 20
const FADE_STEP = 1000

/** Sleep timer. Counts wall-clock minutes, regardless of speed and pauses. */
export function createSleepTimer({ sleep, later, fade, onTime }: SleepParts) {
  let cancelTimer: (() => void) | undefined

  function choose(choice: SleepChoice | undefined): void {
    cancelTimer?.()
    cancelTimer = undefined
    fade(1)
    if (choice === undefined) sleep.value = undefined
    else if (choice === 'end') sleep.value = { choice, minutesLeft: undefined }
    else wait(choice, choice)
  }

  function wait(choice: SleepChoice, minutesLeft: number): void {
    sleep.value = { choice, minutesLeft }
    if (minutesLeft > 1) cancelTimer = later(MINUTE, () => wait(choice, minutesLeft - 1))
    else cancelTimer = later(MINUTE - FADE_STEPS * FADE_STEP, () => fadeOut(FADE_STEPS))
  }

  function fadeOut(steps: number): void {
    if (steps === 0) {
      onTime()
      choose(undefined)
    } else {
      fade(steps / FADE_STEPS)
      cancelTimer = later(FADE_STEP, () => fadeOut(steps - 1))
    }
  }

  return {
    choose,
    /** Handles the end of an episode or the start of another. A timer in minutes keeps running. */
    endEpisode(): void {
      if (sleep.value?.choice === 'end') choose(undefined)
    },
  }
}
