import type { Signal } from '@preact/signals'
import type { PodcastMemory } from './podcast-memory.ts'

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

export type SpeedMemory = ReturnType<typeof createSpeedMemory>

/** Remembers the speed of each podcast. `usual` is that of podcasts without one of their own. */
export function createSpeedMemory(usual: Signal<number>, memory: PodcastMemory<number>) {
  const of = (podcast: string) => memory.of(podcast) ?? usual.value

  return {
    /** The speed as far as it is known. */
    of,

    /** The speed as the server knows it. Rejects if it cannot be asked. */
    load: async (podcast: string): Promise<number> => (await memory.load(podcast)) ?? usual.value,

    /** The user has chosen a speed for a podcast. */
    choose: (podcast: string, speed: number): void => memory.change(podcast, speed === usual.value ? undefined : speed),

    /** From now on all podcasts without a speed of their own play like this one. */
    makeUsual(podcast: string): void {
      usual.value = of(podcast)
      memory.change(podcast, undefined)
    },

    forget: memory.forget,
  }
}
