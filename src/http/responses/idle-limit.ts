/**
 * The time after which a connection without a byte is closed. It is there for clients that send or fetch nothing; one that
 * has sent its whole request waits for us, and must get its answer however long a feed or a full disk makes it take.
 */
export interface IdleLimit {
  /** The connection of this request may be without a byte from now on. */
  lift(request: Request): void
  /** To be called once the request is answered: the limit belongs to the connection, which has more requests to come. */
  restore(request: Request): void
}

export const NO_IDLE_LIMIT: IdleLimit = { lift: () => undefined, restore: () => undefined }
