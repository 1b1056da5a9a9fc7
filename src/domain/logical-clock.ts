/**
 * The next value of a user's logical clock (protocol.md D14): never below the second of arrival, and at least two above the last
 * one, so that the `timestamp` given out in between (`clock + 1`) separates every change from the next, wherever the wall clock jumps.
 */
export function nextClock(clock: number, unixNow: number): number {
  return Math.max(unixNow, clock + 2)
}

/** What is older was written by a clock that had not been set yet: there was no such server. */
const EARLIEST = Date.UTC(2025, 0, 1) / 1000

/** About when a change was made, by its logical time, which runs ahead of the wall clock when much happens at once; undefined if unknown. */
export function timeOf(seq: number, unixNow: number): number | undefined {
  return seq < EARLIEST ? undefined : Math.min(seq, unixNow)
}

/** The `timestamp` that answers carry: a client that sends it back as `since` gets what is newer, and nothing twice. */
export function timestampOf(clock: number): number {
  return clock + 1
}
