import type { Lru } from '../../platform/lru.ts'
import type { Written } from './ports/written.ts'

export type Cursors = ReturnType<typeof createCursors>

/**
 * Remembers, per client and stream, the `timestamp` last given out, so that an upload never makes a client skip what
 * others wrote between its fetch and its upload (docs/protocol.md#D14b). In memory only: after a restart the classic
 * rule holds until the next fetch.
 */
export function createCursors(memory: Lru<number>) {
  const keyOf = (client: string, stream: string) => `${client}\n${stream}`

  function give(client: string, stream: string, timestamp: number): number {
    memory.set(keyOf(client, stream), timestamp)
    return timestamp
  }

  return {
    seenUntil: (client: string, stream: string): number | undefined => memory.get(keyOf(client, stream)),
    afterFetch: (client: string, stream: string, clock: number): number => give(client, stream, timestampOf(clock)),
    /** The `timestamp` that answers an upload: the old one again while the client has not read all from others. */
    afterUpload: (client: string, stream: string, { clock, missed }: Written, seenUntil: number | undefined): number =>
      give(client, stream, missed && seenUntil !== undefined ? seenUntil : timestampOf(clock)),
  }
}

/**
 * The next value of a user's logical clock (docs/protocol.md#D14): never below the second of arrival, and at least two
 * above the last one, so that the `timestamp` given out in between (`clock + 1`) separates every change from the next,
 * wherever the wall clock jumps.
 */
export function nextClock(clock: number, unixNow: number): number {
  return Math.max(unixNow, clock + 2)
}

/**
 * From where on a delta lists what is subscribed, after a restore of a backup has set the clock to `restored`: a client
 * with an earlier `since` may lack anything that was removed since the backup, so it gets all (docs/protocol.md#D14c).
 */
export function listedSince(since: number, restored: number): number {
  return since <= restored ? 0 : since
}

/** What is older was written by a clock that had not been set yet: there was no such server. */
const EARLIEST = Date.UTC(2025, 0, 1) / 1000

/** About when a change was made, by its logical time, which may run ahead of the wall clock; undefined if unknown. */
export function timeOf(seq: number, unixNow: number): number | undefined {
  return seq < EARLIEST ? undefined : Math.min(seq, unixNow)
}

/** The `timestamp` that answers carry: a client that sends it back as `since` gets what is newer, and nothing twice. */
export function timestampOf(clock: number): number {
  return clock + 1
}
