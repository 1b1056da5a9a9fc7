/** What a statement takes and gives. Blobs are byte arrays. */
export type Value = string | number | bigint | boolean | null | Uint8Array

/** What came of a change. */
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

/** What the stores prepare their statements with. Statements are executed within work that reads or changes. */
export interface Database {
  prepare<Row, Params extends readonly Value[]>(sql: Sql): Statement<Row, Params>
  /** Executes reads that do not need each other. An engine that has to wait for them waits once. */
  together(reads: readonly (() => void)[]): void
  /** The result of `compute`, which may depend on what is in memory: it stays the same when the work is called again. */
  once<T>(compute: () => T): T
}

/**
 * Work that reads: all that it reads is of one moment. It must not change anything in memory but its own variables, and
 * give the same statements each time it is called with the same data: an engine may call it again.
 */
export interface Snapshot {
  read<T>(work: () => T): Promise<T>
}

/** Changes. What is said of work that reads is true of work that changes as well. */
export interface WriteQueue {
  /** Makes changes of `work` all or none, and settles when they are durable. Rejects with what `work` throws. */
  run<T>(work: () => T): Promise<T>
  /**
   * As `run`, for writes that no answer waits for and that can be made again. It settles when every reader sees the
   * change, which may be before it is durable. A power cut can take it away, but never a part of it, nor anything that was
   * acknowledged.
   */
  runDeferred<T>(work: () => T): Promise<T>
}
