import { createPostgresStore } from '../../src/store/postgres/store.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import type { Store } from '../../src/store/stores.ts'
import { postgresUrl, testDatabases } from './postgres.ts'

/** Whether PODSTEP_TEST_ENGINE selects PostgreSQL instead of SQLite for tests of rules. */
const isOnPostgres = process.env['PODSTEP_TEST_ENGINE'] === 'postgres' && postgresUrl !== undefined

/**
 * Opens empty stores for a file of tests, on the engine that the tests run on. On PostgreSQL they share a database, which
 * the first connection of each waits to be emptied.
 */
export function storeOpener(): () => Store {
  if (!isOnPostgres) return () => createSqliteStore(openMemoryDatabase())
  const databases = testDatabases()
  let database: ReturnType<typeof databases.create> | undefined
  return () => {
    database ??= databases.create()
    const connections = database.then(async (created) => {
      await databases.empty(created.connections)
      return created.connections
    })
    return createPostgresStore({ lease: async () => (await connections).lease() })
  }
}
