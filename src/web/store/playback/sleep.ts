import type { Signal } from '@preact/signals'

/** When playing is to end: after so many minutes, or with the episode. */
export type SleepChoice = number | 'end'

export const SLEEP_MINUTES = [15, 30, 45, 60] as const
export const SLEEP_MINUTES_MAX = 600

export interface Sleep {
  readonly choice: SleepChoice
  /** Minutes that are left; undefined at the end of the episode. */
  readonly left: number | undefined
}

interface SleepParts {
  readonly sleep: Signal<Sleep | undefined>
  /** Does something later. Returns what calls it off. */
  readonly later: (milliseconds: number, work: () => void) => () => void
  /** Makes the sound softer: 1 is as loud as the user has it, 0 silent. */
  readonly fade: (part: number) => void
  readonly onTime: () => void
}

const MINUTE = 60_000
/** The sound fades in so many steps of a second at the end of the last minute. */
const FADE_STEPS = 20
const FADE_STEP = 1000

/** Ends playing for those who fall asleep over it. Minutes are those of the wall, whatever the speed, and pauses count. */
export function createSleepTimer({ sleep, later, fade, onTime }: SleepParts) {
  let callOff: (() => void) | undefined

  function choose(choice: SleepChoice | undefined): void {
    callOff?.()
    callOff = undefined
    fade(1)
    if (choice === undefined) sleep.value = undefined
    else if (choice === 'end') sleep.value = { choice, left: undefined }
    else wait(choice, choice)
  }

  function wait(choice: SleepChoice, left: number): void {
    sleep.value = { choice, left }
    if (left > 1) callOff = later(MINUTE, () => wait(choice, left - 1))
    else callOff = later(MINUTE - FADE_STEPS * FADE_STEP, () => fadeOut(FADE_STEPS))
  }

  function fadeOut(steps: number): void {
    if (steps === 0) {
      onTime()
      choose(undefined)
    } else {
      fade(steps / FADE_STEPS)
      callOff = later(FADE_STEP, () => fadeOut(steps - 1))
    }
  }

  return {
    choose,
    /** The episode has ended, or another one begins: only minutes go on. */
    endEpisode(): void {
      if (sleep.value?.choice === 'end') choose(undefined)
    },
  }
}
