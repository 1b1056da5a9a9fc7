/* Ports: a writing method is one transaction, settled on disk. All reject with `unavailable`. Times are Unix seconds */

export interface ByApp {
  readonly app?: string | undefined
}

export interface Written {
  readonly clock: number
  /** Whether the stream holds rows from anybody else with `seq >= seenUntil` (docs/protocol.md#D14b). */
  readonly missed: boolean
}
