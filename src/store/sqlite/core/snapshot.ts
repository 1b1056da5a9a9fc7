import type { Database } from 'bun:sqlite'
import type { Sync } from '../../engine.ts'
import { sqliteCode } from './errors.ts'

export type Snapshot = ReturnType<typeof createSnapshot>

/**
 * One read transaction for all reads of an event loop turn. On its own each read takes and drops a file lock, which
 * costs ten times as much as the read itself. The turn's end ends it, so that nobody reads anything older, and the log
 * can be checkpointed.
 */
export function createSnapshot(db: Database) {
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  let isOpen = false

  /** Never throws for what the disk does: it runs by itself at the end of a turn, where nobody could catch it. */
  function end(): void {
    if (!isOpen) return
    isOpen = false
    for (const statement of [commit, rollback]) {
      try {
        statement.run()
        return
      } catch (error) {
        // After a read that failed, COMMIT fails with the error that the reader has got already, or there is no
        // transaction any more: SQLite itself ends it on some disk errors. Nothing was written.
        if (sqliteCode(error) === undefined) throw error
      }
    }
  }

  function use(): void {
    if (isOpen) return
    begin.run()
    isOpen = true
    setImmediate(end)
  }

  return {
    use,
    end,
    async read<T>(work: () => Sync<T>): Promise<T> {
      use()
      return work()
    },
  }
}
