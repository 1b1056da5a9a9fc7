import type { Clock } from '../../src/platform/clock.ts'

export interface FakeClock extends Clock {
  /** Lets time pass on both clocks. */
  advance(seconds: number): void
  /** Moves the wall clock alone, as when somebody sets it. */
  jump(seconds: number): void
}

/** Starts at 2025-03-02T10:00:00Z, the time of the protocol's examples. */
export function fakeClock(start = 1_740_909_600): FakeClock {
  let wall = start
  // Caches take 0 for "never".
  let elapsed = 1
  return {
    seconds: () => wall,
    monotonic: () => elapsed,
    advance(seconds) {
      wall += seconds
      elapsed += seconds * 1000
    },
    jump(seconds) {
      wall += seconds
    },
  }
}
