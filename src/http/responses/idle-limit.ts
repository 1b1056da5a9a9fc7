/** Idle limit of connections. Lifted while a request is being handled, which may take long. */
export interface IdleLimit {
  /** Allows the connection of this request to be idle. */
  lift(request: Request): void
  /** Must be called after the response: the limit applies to the connection, which may carry further requests. */
  restore(request: Request): void
}

export const NO_IDLE_LIMIT: IdleLimit = { lift: () => undefined, restore: () => undefined }
