import type { Hint } from '../store/live/live.ts'

export interface ReloaderParts {
  readonly reload: (hints: readonly Hint[]) => unknown
  readonly isVisible: () => boolean
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
  /** Runs something later. Returns a function that cancels it. */
  readonly later: (milliseconds: number, work: () => void) => () => void
}

/** Milliseconds between a hint and the reload: at first, and at most while hints keep coming. */
const DELAY_MIN = 150
const DELAY_MAX = 2000
/** Milliseconds without a reload after which the next one is soon again. */
const QUIET = 10_000

/**
 * Reloads for hints: soon for a single one, and less and less often while they keep coming, as when three hundred feeds
 * are fetched one after the other. Never twice at the same time, and in a hidden tab not before it is seen again.
 */
export function createReloader({ reload, isVisible, now, later }: ReloaderParts) {
  let hints: Hint[] = []
  let delay = DELAY_MIN
  let lastEnd = Number.NEGATIVE_INFINITY
  let isRunning = false
  let cancel: (() => void) | undefined

  function schedule(): void {
    if (hints.length === 0 || isRunning || cancel || !isVisible()) return
    if (now() - lastEnd > QUIET) delay = DELAY_MIN
    cancel = later(delay, () => void run())
  }

  async function run(): Promise<void> {
    cancel = undefined
    isRunning = true
    const told = hints
    hints = []
    try {
      await reload(told)
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
    /** To be called when the tab is seen again. */
    wake: schedule,
    end(): void {
      hints = []
      cancel?.()
    },
  }
}
