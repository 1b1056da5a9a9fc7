/**
 * The next value of a user's logical clock (protocol.md D14): never below the second of arrival, and at least two above the last
 * one, so that the `timestamp` given out in between (`clock + 1`) separates every change from the next, wherever the wall clock jumps.
 */
export function nextClock(clock: number, unixNow: number): number {
  return Math.max(unixNow, clock + 2)
}

/** The `timestamp` that answers carry: a client that sends it back as `since` gets what is newer, and nothing twice. */
export function timestampOf(clock: number): number {
  return clock + 1
}
