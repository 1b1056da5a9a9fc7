import type { Timer } from '../../src/platform/timer.ts'

interface Alarm {
  readonly at: number
  readonly then: () => void
}

/** Time passes when the test says so. */
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

  /** How many alarms are set. */
  get waiting(): number {
    return this.#alarms.size
  }

  /** Settles as soon as an alarm is set. */
  async waited(): Promise<void> {
    if (this.waiting > 0) return
    this.#onStart = Promise.withResolvers()
    await this.#onStart.promise
  }

  /** What is due goes off in its order, and may set more that is due as well. */
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
