import type { Signal } from '@preact/signals'
import type { PodcastMemory } from './podcast-memory.ts'

export const SPEEDS = [0.5, 0.8, 1, 1.1, 1.2, 1.25, 1.3, 1.5, 1.7, 2, 2.5, 3] as const

/** Seconds to skip per press. */
export const BACK = 15
export const FORWARD = 30

/** Returns the next slower (-1) or faster (1) speed, or the same one at either end. */
export function speedNextTo(speed: number, step: 1 | -1): number {
  const index = SPEEDS.findIndex((each) => each >= speed)
  return SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, index + step))] ?? speed
}

/** Validates a stored value, which any app may have written. Returns undefined for other values. */
export function toSpeed(value: unknown): number | undefined {
  return SPEEDS.find((speed) => speed === value)
}

export type SpeedMemory = ReturnType<typeof createSpeedMemory>

/** Stores the speed of each podcast. `usual` applies to podcasts without their own. */
export function createSpeedMemory(usual: Signal<number>, memory: PodcastMemory<number>) {
  const get = (podcast: string) => memory.get(podcast) ?? usual.value

  return {
    /** Returns the known speed. */
    get,

    /** Returns the server's speed. Rejects if the server is unreachable. */
    load: async (podcast: string): Promise<number> => (await memory.load(podcast)) ?? usual.value,

    choose: (podcast: string, speed: number): void => memory.change(podcast, speed === usual.value ? undefined : speed),

    /** Makes this podcast's speed the default. */
    makeUsual(podcast: string): void {
      usual.value = get(podcast)
      memory.change(podcast, undefined)
    },

    forget: memory.forget,
  }
}
