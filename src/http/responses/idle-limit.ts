/** Idle limit of connections. Lifted while a request is answered, which may take long. */
export interface IdleLimit {
  /** The connection of this request may be without a byte from now on. */
  lift(request: Request): void
  /** To be called once the request is answered: the limit belongs to the connection, which has more requests to come. */
  restore(request: Request): void
}

export const NO_IDLE_LIMIT: IdleLimit = { lift: () => undefined, restore: () => undefined }
