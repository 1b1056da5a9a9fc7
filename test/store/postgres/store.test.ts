import { beforeAll } from 'bun:test'
import type { Connections } from '../../../src/store/postgres/connections.ts'
import { createPostgresStore } from '../../../src/store/postgres/store.ts'
import { describePostgres, testDatabases } from '../../support/postgres.ts'
import { describeStore } from '../contract/describe-store.ts'

describePostgres('PostgreSQL', () => {
  const databases = testDatabases()
  let connections: Connections

  beforeAll(async () => {
    ;({ connections } = await databases.create())
  })

  /** Reuses the database, since emptying it is much faster than creating one. The first connection waits for that. */
  function openEmpty() {
    const isEmpty = databases.empty(connections)
    return createPostgresStore({ lease: () => isEmpty.then(() => connections.lease()) })
  }

  describeStore('PostgreSQL', openEmpty)
})
