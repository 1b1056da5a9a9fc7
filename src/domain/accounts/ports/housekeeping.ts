export interface ExpiryStore {
  /** Removes up to `limit` expired rows of each kind and returns their numbers. */
  purge(
    bounds: { now: number; pendingBefore: number; auditBefore: number; auditKept: number },
    limit: number,
  ): Promise<Purged>
}

export interface Purged {
  readonly sessions: number
  readonly tokens: number
  readonly loginFlows: number
  readonly pendingAccounts: number
  readonly auditEntries: number
}
