export interface Clock {
  /** Wall-clock time in whole seconds since the Unix epoch. May jump either way. */
  seconds(): number
  /** Milliseconds of a clock that never jumps; only differences are meaningful. */
  monotonic(): number
}

export function systemClock(): Clock {
  return {
    seconds: () => Math.floor(Date.now() / 1000),
    monotonic: () => performance.now(),
  }
}

export function isoTime(): string {
  return new Date().toISOString()
}

export type Timer = (ms: number, then: () => void) => () => void

/** Does not keep the process alive. */
export const systemTimer: Timer = (ms, then) => {
  const timeout = setTimeout(then, ms).unref()
  return () => clearTimeout(timeout)
}

const waiting: (() => void)[] = []

function resumeNext(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeNext)
}

/** Resolves in a later turn of the event loop. Only one task continues per turn, so requests come first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resumeNext)
  })
}
