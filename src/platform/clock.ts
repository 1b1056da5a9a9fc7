/** Where the program gets the time from; tests hand in their own. */
export interface Clock {
  /** Wall-clock time in whole seconds since the Unix epoch. May jump either way. */
  seconds(): number
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  monotonic(): number
}

export function systemClock(): Clock {
  return {
    seconds: () => Math.floor(Date.now() / 1000),
    monotonic: () => performance.now(),
  }
}
