import type { UserId } from '../domain/shared/ids.ts'

/** Parameter or column value. Blobs are byte arrays. */
export type Value = string | number | bigint | boolean | null | Uint8Array

export interface Changes {
  /** Number of rows added, changed or removed. */
  readonly changes: number
}

/** A statement with numbered parameters: `?1`, `?2`. The row type is declared, not checked. */
export interface Statement<Row, Params extends readonly Value[]> {
  /** Returns the first row, or null. */
  get(...params: Params): Row | null
  all(...params: Params): Row[]
  /** Returns rows one by one, for loops that may stop early. */
  iterate(...params: Params): Iterable<Row>
  run(...params: Params): Changes
  /** Returns all rows as arrays of columns, for the query builder. */
  values(...params: Params): unknown[][]
}

/** SQL of a statement: one text for all engines, or one for each if their dialects differ. */
export type Sql = string | { readonly sqlite: string; readonly postgres: string }

export type Results<Steps extends readonly (() => unknown)[]> = {
  -readonly [K in keyof Steps]: Steps[K] extends () => infer Result ? Result : never
}

/** The database of the stores. Statements run only inside the `work` of a `Snapshot` or `WriteQueue`. */
export interface Database {
  prepare<Row, Params extends readonly Value[]>(sql: Sql): Statement<Row, Params>
  /** Returns the results of independent steps. A remote engine executes them in one round trip. */
  together<const Steps extends readonly (() => unknown)[]>(steps: Steps): Results<Steps>
  /**
   * Calls `work` for each item in order and returns the results. When the surrounding work is called again, finished
   * items are skipped, so `work` must not change anything outside, and the cost stays linear.
   */
  each<Item, Result>(items: Iterable<Item>, work: (item: Item) => Result): Result[]
  /** Makes other changes of the user wait until this work is done. For work that does not hold the user's lock. */
  hold(userId: UserId): void
  /** Returns the result of `compute`, which may depend on memory, and the same result when the work is called again. */
  once<T>(compute: () => T): T
}

/** Excludes promises: work is synchronous, otherwise a transaction would end halfway through. */
export type Sync<T> = T extends PromiseLike<unknown> ? never : T

/**
 * Runs work that reads a consistent state of the database. An engine may call `work` again, so it must execute the same
 * statements each time for the same data and must not change anything in memory but its own variables.
 */
export interface Snapshot {
  read<T>(work: () => Sync<T>): Promise<T>
}

/**
 * Lock of a change: the rows of one user, all accounts (`accounts`) for decisions that involve several, or the rows
 * that jobs of the server change (`server`). Null for a change that depends only on the rows that it writes.
 */
export type Lock = UserId | 'accounts' | 'server' | null

/** Runs work that changes the database. The rules for work of a `Snapshot` apply here too. */
export interface WriteQueue {
  /** Applies the changes of `work` atomically and settles when they are durable. Rejects with what `work` throws. */
  run<T>(lock: Lock, work: () => Sync<T>): Promise<T>
  /**
   * Variant of `run` for writes that no answer waits for and that can be repeated. Settles when every reader sees the
   * change, possibly before it is durable. A power cut can lose the whole change, but never a part of it or anything
   * that was acknowledged.
   */
  runDeferred<T>(lock: Lock, work: () => Sync<T>): Promise<T>
}
