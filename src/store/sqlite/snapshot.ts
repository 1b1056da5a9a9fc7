import type { Database } from 'bun:sqlite'

export interface Snapshot {
  /** To be called before a read outside of the write queue. */
  use(): void
  /** Ends the snapshot, if there is one; before a write transaction begins. */
  end(): void
}

/**
 * One read transaction for all reads of an event loop turn. On its own each read takes and drops a file lock, which costs ten times
 * as much as the read itself. The turn's end ends it, so that nobody reads anything older, and the log can be checkpointed.
 */
export function createSnapshot(db: Database): Snapshot {
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  let isOpen = false

  function end(): void {
    if (!isOpen) return
    isOpen = false
    // SQLite itself ends the transaction on some disk errors.
    if (db.inTransaction) commit.run()
  }

  return {
    use() {
      if (isOpen) return
      begin.run()
      isOpen = true
      setImmediate(end)
    },
    end,
  }
}
