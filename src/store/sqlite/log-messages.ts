/* What is said between the thread that keeps the log short and the others. */

export interface LogOrder {
  /** Of the database. */
  readonly path: string
  /** `flush`: the disk is to have the log; `move`: what is in the log is to be in the database file. */
  readonly what: 'flush' | 'move'
}

/** Why it could not be done. */
export type LogReply = string | undefined
