import type { Hint } from '../store/live/live.ts'

export interface ReloaderParts {
  readonly reload: (hints: readonly Hint[]) => unknown
  readonly isVisible: () => boolean
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Schedules `work`. Returns a function that cancels it. */
  readonly later: (milliseconds: number, work: () => void) => () => void
}

/** Milliseconds between a hint and the reload: initially, and at most while hints keep coming. */
const DELAY_MIN = 150
const DELAY_MAX = 2000
/** Milliseconds without a reload after which the delay is reset. */
const RESET_MS = 10_000

/**
 * Reloads data on hints: soon for a single hint, and with increasing delays while hints keep coming, such as during the
 * refresh of hundreds of feeds. Runs one reload at a time, and waits while the tab is hidden.
 */
export function createReloader({ reload, isVisible, now, later }: ReloaderParts) {
  let hints: Hint[] = []
  let delay = DELAY_MIN
  let lastEnd = Number.NEGATIVE_INFINITY
  let isRunning = false
  let cancel: (() => void) | undefined

  function schedule(): void {
    if (hints.length === 0 || isRunning || cancel || !isVisible()) return
    if (now() - lastEnd > RESET_MS) delay = DELAY_MIN
    cancel = later(delay, () => void run())
  }

  async function run(): Promise<void> {
    cancel = undefined
    isRunning = true
    const pending = hints
    hints = []
    try {
      await reload(pending)
    } finally {
      isRunning = false
      delay = Math.min(DELAY_MAX, delay * 2)
      lastEnd = now()
      schedule()
    }
  }

  return {
    note(hint: Hint): void {
      hints.push(hint)
      schedule()
    },
    /** Must be called when the tab becomes visible again. */
    wake: schedule,
    end(): void {
      hints = []
      cancel?.()
    },
  }
}
