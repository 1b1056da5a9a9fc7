export interface ExpiryStore {
  /**
   * Removes at most `limit` rows of each kind: sessions, tokens and login flows that ended before `now`, accounts never activated
   * since `pendingBefore`, audit entries older than `auditBefore` but for the newest `auditKept`. Tells how many went.
   */
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
