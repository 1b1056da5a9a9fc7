import type { Database as Driver, SQLQueryBindings } from 'bun:sqlite'
import type { Snapshot, WriteQueue } from '../../src/store/engine.ts'
import { createReplay, type Execution, type Outcome } from '../../src/store/postgres/replay.ts'
import { createSqliteStore, type StoreOptions } from '../../src/store/sqlite/store.ts'
import { createStores, type Store } from '../../src/store/stores.ts'

/**
 * The stores on SQLite, used like PostgreSQL: work is called again for each result that it waits for. Finds work that
 * cannot be called twice, without a server.
 */
export function createReplayedStore(driver: Driver, options: StoreOptions = {}): Store {
  const replay = createReplay((sql) => (typeof sql === 'string' ? sql : sql.sqlite), 'SELECT ?1 AS user')
  let last: Promise<unknown> = Promise.resolve()

  function execute({ sql, params, asArrays }: Execution): Outcome {
    try {
      const statement = driver.query<unknown, SQLQueryBindings[]>(sql)
      const values = [...params]
      if (asArrays) return { rows: statement.values(...values), changes: 0 }
      if (/^\s*(?:SELECT|WITH)\b|\bRETURNING\b/.test(sql)) return { rows: statement.all(...values), changes: 0 }
      return { rows: [], changes: statement.run(...values).changes }
    } catch (error) {
      return { error }
    }
  }

  /** In sequence, since there is one connection. */
  function inTransaction<T>(work: () => T): Promise<T> {
    const done = last.then(async () => {
      driver.run('BEGIN IMMEDIATE')
      try {
        const result = await replay.run(work, async (executions) => {
          for (const execution of executions) execution.outcome = execute(execution)
        })
        driver.run('COMMIT')
        return result
      } catch (error) {
        driver.run('ROLLBACK')
        throw error
      }
    })
    last = done.catch(() => undefined)
    return done
  }

  const snapshot: Snapshot = { read: inTransaction }
  const queue: WriteQueue = {
    run: (_, work) => inTransaction(work),
    runDeferred: (_, work) => inTransaction(work),
  }
  const onSqlite = createSqliteStore(driver, options)
  return {
    ...onSqlite,
    ...createStores(replay.db, snapshot, queue, options.quotas),
    async idle() {
      await last
      await onSqlite.idle()
    },
  }
}
