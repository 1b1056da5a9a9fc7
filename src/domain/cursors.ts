import type { Lru } from '../platform/lru.ts'
import { timestampOf } from './logical-clock.ts'
import type { Written } from './ports.ts'

/**
 * Remembers, per client and stream, the `timestamp` last given out, so that an upload never makes a client skip what others wrote
 * between its fetch and its upload (protocol.md D14b). In memory only: after a restart the classic rule holds until the next fetch.
 */
export interface Cursors {
  /** The `timestamp` this client was last given for this stream. */
  seenUntil(client: string, stream: string): number | undefined
  /** The `timestamp` that answers a fetch. */
  afterFetch(client: string, stream: string, clock: number): number
  /** The `timestamp` that answers an upload: the old one again while the client has not read everything from others. */
  afterUpload(client: string, stream: string, written: Written, seenUntil: number | undefined): number
}

export function createCursors(memory: Lru<number>): Cursors {
  const keyOf = (client: string, stream: string) => `${client}\n${stream}`

  function give(client: string, stream: string, timestamp: number): number {
    memory.set(keyOf(client, stream), timestamp)
    return timestamp
  }

  return {
    seenUntil: (client, stream) => memory.get(keyOf(client, stream)),
    afterFetch: (client, stream, clock) => give(client, stream, timestampOf(clock)),
    afterUpload: (client, stream, { clock, missed }, seenUntil) =>
      give(client, stream, missed && seenUntil !== undefined ? seenUntil : timestampOf(clock)),
  }
}
