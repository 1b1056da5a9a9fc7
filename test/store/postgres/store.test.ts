import { beforeAll } from 'bun:test'
import type { SQL } from 'bun'
import { createPostgresStore } from '../../../src/store/postgres/store.ts'
import { describePostgres, testDatabases } from '../../support/postgres.ts'
import { describeStore } from '../contract/describe-store.ts'

describePostgres('PostgreSQL', () => {
  const databases = testDatabases()
  let sql: SQL

  beforeAll(async () => {
    ;({ sql } = await databases.create())
  })

  /** Its first connection waits until all rows are gone, which takes a fraction of the time of a new database. */
  function openEmpty() {
    const isEmpty = databases.empty(sql)
    return createPostgresStore({ reserve: () => isEmpty.then(() => sql.reserve()) })
  }

  describeStore('PostgreSQL', openEmpty)
})
