/*
 * What holds for all ports, the interfaces of what the domain needs from the database: one writing method is one
 * transaction and one use case; it settles when the change is on disk. All methods reject with `unavailable` when the
 * database cannot be written, and those that add devices, subscriptions or settings with `quota_exceeded`. Times are
 * whole Unix seconds.
 */

/** What the app that makes a change calls itself, for the list of changes (docs/protocol.md#undo). */
export interface ByApp {
  readonly app?: string | undefined
}

export interface Written {
  /** The user's logical clock after the request; unchanged when the request changed nothing. */
  readonly clock: number
  /** Whether the stream holds rows from anybody else with `seq >= seenUntil` (docs/protocol.md#D14b). */
  readonly missed: boolean
}
