import type { Database } from 'bun:sqlite'
import type { Sync } from '../../engine.ts'
import { sqliteCode } from './errors.ts'

export type Snapshot = ReturnType<typeof createSnapshot>

/**
 * One read transaction for all reads of an event loop turn. Otherwise each read would acquire and release a file lock,
 * which costs ten times as much as the read. It ends with the turn, so that reads are current and the log can be
 * checkpointed.
 */
export function createSnapshot(db: Database) {
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  let isOpen = false

  /** Ends the transaction. Does not throw disk errors, since at the end of a turn no code could catch them. */
  function end(): void {
    if (!isOpen) return
    isOpen = false
    for (const statement of [commit, rollback]) {
      try {
        statement.run()
        return
      } catch (error) {
        // After a failed read, COMMIT fails with the error that the reader already has, or because SQLite has ended the
        // transaction, as it does on some disk errors. Nothing was written.
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
