import type { Signal } from '@preact/signals'

/** When playing is to end: after so many minutes, or with the episode. */
export const SLEEP_CHOICES = ['15', '30', '45', '60', 'end'] as const
export type SleepChoice = (typeof SLEEP_CHOICES)[number]

export interface Sleep {
  readonly choice: SleepChoice
  /** Minutes that are left; undefined at the end of the episode. */
  readonly left: number | undefined
}

interface SleepParts {
  readonly sleep: Signal<Sleep | undefined>
  /** Does something later. Returns what calls it off. */
  readonly later: (milliseconds: number, work: () => void) => () => void
  readonly onTime: () => void
}

const MINUTE = 60_000

/** Ends playing for those who fall asleep over it. Minutes are those of the wall, whatever the speed, and pauses count. */
export function createSleepTimer({ sleep, later, onTime }: SleepParts) {
  let callOff: (() => void) | undefined

  function choose(choice: SleepChoice | undefined): void {
    callOff?.()
    callOff = undefined
    if (choice === undefined) sleep.value = undefined
    else if (choice === 'end') sleep.value = { choice, left: undefined }
    else wait(choice, Number(choice))
  }

  function wait(choice: SleepChoice, left: number): void {
    sleep.value = { choice, left }
    callOff = later(MINUTE, () => {
      if (left > 1) return wait(choice, left - 1)
      choose(undefined)
      onTime()
    })
  }

  return {
    choose,
    /** The episode has ended, or another one begins: only minutes go on. */
    endEpisode(): void {
      if (sleep.value?.choice === 'end') choose(undefined)
    },
  }
}
