import type { Lru } from '../../platform/lru.ts'
import { PLAUSIBLE_SINCE } from '../shared/time.ts'
import type { Written } from './ports/written.ts'

export type Cursors = ReturnType<typeof createCursors>

/** Last `timestamp` per client and stream, so that no upload skips changes by others (docs/protocol.md#D14b). */
export function createCursors(memory: Lru<number>) {
  const keyOf = (client: string, stream: string) => `${client}\n${stream}`

  function rememberTimestamp(client: string, stream: string, timestamp: number): number {
    memory.set(keyOf(client, stream), timestamp)
    return timestamp
  }

  return {
    seenUntil: (client: string, stream: string): number | undefined => memory.get(keyOf(client, stream)),
    afterFetch: (client: string, stream: string, clock: number): number =>
      rememberTimestamp(client, stream, timestampOf(clock)),
    /** The `timestamp` of a response to an upload: the old one while the client has unread changes by others. */
    afterUpload: (client: string, stream: string, { clock, missed }: Written, seenUntil: number | undefined): number =>
      rememberTimestamp(client, stream, missed && seenUntil !== undefined ? seenUntil : timestampOf(clock)),
  }
}

/** Next logical time (D14): at least two above the last, so that `clock + 1` separates changes. */
export function nextClock(clock: number, unixNow: number): number {
  return Math.max(unixNow, clock + 2)
}

/** Start of a full delta after a restore: clients with an earlier `since` get everything (D14c). */
export function listedSince(since: number, restored: number): number {
  return since <= restored ? 0 : since
}

/** Approximate time of a change from its logical time, which may be ahead of the clock; undefined if unknown. */
export function timeOf(seq: number, unixNow: number): number | undefined {
  return seq < PLAUSIBLE_SINCE ? undefined : Math.min(seq, unixNow)
}

/** The `timestamp` of responses. A client that sends it back as `since` gets newer changes, and none twice. */
export function timestampOf(clock: number): number {
  return clock + 1
}
