/*
 * What holds for all ports, the interfaces of what the domain needs from the database: one writing method is one
 * transaction and one use case; it settles when the change is on disk. All methods reject with `unavailable` when the
 * database cannot be written, and those that add devices, subscriptions or settings with `quota_exceeded`. Times are
 * whole Unix seconds.
 */

export interface ByApp {
  readonly app?: string | undefined
}

export interface Written {
  readonly clock: number
  /** Whether the stream holds rows from anybody else with `seq >= seenUntil` (docs/protocol.md#D14b). */
  readonly missed: boolean
}
