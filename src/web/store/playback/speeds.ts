import type { Signal } from '@preact/signals'

export const SPEEDS = [0.5, 0.8, 1, 1.1, 1.2, 1.25, 1.3, 1.5, 1.7, 2, 2.5, 3] as const

/** Seconds that one press goes back or forward. */
export const BACK = 15
export const FORWARD = 30

/** The next slower (-1) or faster (1) speed; the same at both ends. */
export function speedNextTo(speed: number, by: 1 | -1): number {
  const index = SPEEDS.findIndex((each) => each >= speed)
  return SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index + by))] ?? speed
}

/** Checks a stored value, which any app may have written; undefined if it is none of the speeds. */
export function toSpeed(value: unknown): number | undefined {
  return SPEEDS.find((speed) => speed === value)
}

interface SpeedMemoryParts {
  /** The speed of podcasts that have none of their own. */
  readonly usual: Signal<number>
  /** Asks the server for the speed of a podcast. Rejects if it cannot be asked. */
  readonly find: (podcast: string) => Promise<number | undefined>
  /** Has the server remember the speed of a podcast, or forget it. Never rejects. */
  readonly keep: (podcast: string, speed: number | undefined) => Promise<void>
}

export type SpeedMemory = ReturnType<typeof createSpeedMemory>

/** Remembers the speed of each podcast. */
export function createSpeedMemory({ usual, find, keep }: SpeedMemoryParts) {
  /** What this tab knows; undefined of a podcast without a speed of its own. */
  const known = new Map<string, number | undefined>()
  /** Podcasts whose speed was changed and is not sent yet. */
  const due = new Set<string>()
  let sending = Promise.resolve()

  const of = (podcast: string) => known.get(podcast) ?? usual.value

  /** One after the other, so that of several changes the last one stays. */
  function change(podcast: string, speed: number | undefined): void {
    known.set(podcast, speed)
    due.add(podcast)
    sending = sending.then(() => (due.delete(podcast) ? keep(podcast, known.get(podcast)) : undefined))
  }

  return {
    /** The speed as far as it is known. */
    of,

    /** The speed as the server knows it. Rejects if it cannot be asked. */
    async load(podcast: string): Promise<number> {
      const before = known.get(podcast)
      await sending
      const found = await find(podcast)
      // What was chosen meanwhile is newer.
      if (known.get(podcast) === before) known.set(podcast, found)
      return of(podcast)
    },

    /** The user has chosen a speed for a podcast. */
    choose(podcast: string, speed: number): void {
      change(podcast, speed === usual.value ? undefined : speed)
    },

    /** From now on all podcasts without a speed of their own play like this one. */
    makeUsual(podcast: string): void {
      usual.value = of(podcast)
      change(podcast, undefined)
    },

    /** Somebody else has signed in. */
    forget(): void {
      known.clear()
      due.clear()
    },
  }
}
