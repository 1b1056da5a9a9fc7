/* Ports. A writing method is one transaction, flushed to disk. All reject with `unavailable`. Times: Unix seconds. */

export interface ByApp {
  readonly app?: string | undefined
}

export interface Written {
  readonly clock: number
  /** Whether the stream has rows of other clients with `seq >= seenUntil` (docs/protocol.md#D14b). */
  readonly missed: boolean
}
