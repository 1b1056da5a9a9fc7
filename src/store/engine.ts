import type { UserId } from '../domain/shared/ids.ts'

/** A parameter, or a column of a row. Blobs are byte arrays. */
export type Value = string | number | bigint | boolean | null | Uint8Array

/** The outcome of a change. */
export interface Changes {
  /** Rows that were added, changed or removed. */
  readonly changes: number
}

/** A statement with its parameters by number: `?1`, `?2`. The caller names the shape of its rows. */
export interface Statement<Row, Params extends readonly Value[]> {
  /** The first row, or null. */
  get(...params: Params): Row | null
  all(...params: Params): Row[]
  /** The rows one after the other, where not all of them may be needed. */
  iterate(...params: Params): Iterable<Row>
  run(...params: Params): Changes
  /** The columns of all rows, without their names: for the query builder. */
  values(...params: Params): unknown[][]
}

/** SQL of a statement: one text for all engines, or one for each where they say it differently. */
export type Sql = string | { readonly sqlite: string; readonly postgres: string }

export type Results<Steps extends readonly (() => unknown)[]> = {
  -readonly [K in keyof Steps]: Steps[K] extends () => infer Result ? Result : never
}

/** A database as the stores see it. Statements are executed within work that reads or changes. */
export interface Database {
  prepare<Row, Params extends readonly Value[]>(sql: Sql): Statement<Row, Params>
  /** The results of steps that do not need each other: an engine that has to wait waits for all of them at once. */
  together<const Steps extends readonly (() => unknown)[]>(steps: Steps): Results<Steps>
  /**
   * The result of `work` for each item, one after the other. What it has done for an item is not done again when all of
   * the work is called again, so it must not change anything outside, and many items cost no more than they would alone.
   */
  each<Item, Result>(items: Iterable<Item>, work: (item: Item) => Result): Result[]
  /** Has other changes of the user wait until this work is done. For work that has not been given the user's lock. */
  hold(userId: UserId): void
  /** The result of `compute`, which may depend on what is in memory: it stays the same when the work is called again. */
  once<T>(compute: () => T): T
}

/** A result that is not a promise: work is synchronous, or a transaction would end when it is half done. */
export type Sync<T> = T extends PromiseLike<unknown> ? never : T

/**
 * Work that reads: all that it reads is of one moment. It must not change anything in memory but its own variables, and
 * give the same statements each time it is called with the same data: an engine may call it again.
 */
export interface Snapshot {
  read<T>(work: () => Sync<T>): Promise<T>
}

/**
 * What a change has to itself while it decides: the rows of a user; accounts as a whole (`accounts`), where several of
 * them are looked at; what jobs of the server change (`server`). Nothing (null) if it decides by no row but its own.
 */
export type Lock = UserId | 'accounts' | 'server' | null

/** Changes. What is said of work that reads is true of work that changes as well. */
export interface WriteQueue {
  /** Makes changes of `work` all or none, and settles when they are durable. Rejects with what `work` throws. */
  run<T>(lock: Lock, work: () => Sync<T>): Promise<T>
  /**
   * As `run`, for writes that no answer waits for and that can be made again. It settles when every reader sees the
   * change, which may be before it is durable. A power cut can take it away, but never a part of it, nor anything that was
   * acknowledged.
   */
  runDeferred<T>(lock: Lock, work: () => Sync<T>): Promise<T>
}
