import type { Clock, Timer } from '../../src/platform/clock.ts'

export interface FakeClock extends Clock {
  /** Advances both clocks. */
  advance(seconds: number): void
  /** Sets the wall clock forward or back, without the monotonic one. */
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

interface Alarm {
  readonly at: number
  readonly then: () => void
}

/** A timer that the test advances. */
export class FakeTimer {
  #now = 0
  readonly #alarms = new Set<Alarm>()
  #onStart = Promise.withResolvers<void>()

  readonly start: Timer = (ms, then) => {
    const alarm = { at: this.#now + ms, then }
    this.#alarms.add(alarm)
    this.#onStart.resolve()
    return () => void this.#alarms.delete(alarm)
  }

  /** Number of pending alarms. */
  get waiting(): number {
    return this.#alarms.size
  }

  /** Resolves as soon as an alarm is pending. */
  async waited(): Promise<void> {
    if (this.waiting > 0) return
    this.#onStart = Promise.withResolvers()
    await this.#onStart.promise
  }

  /** Fires due alarms in order, including those that they set. */
  pass(ms: number): void {
    const end = this.#now + ms
    for (;;) {
      const [next] = [...this.#alarms].filter(({ at }) => at <= end).toSorted((one, other) => one.at - other.at)
      if (!next) break
      this.#alarms.delete(next)
      this.#now = next.at
      next.then()
    }
    this.#now = end
  }
}
