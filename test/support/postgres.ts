import { afterAll, describe, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { SQL } from 'bun'
import { Secret } from '../../src/platform/secret.ts'
import { createConnections } from '../../src/store/postgres/connect.ts'
import { type Connections, keepConnections } from '../../src/store/postgres/connections.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'

const VARIABLE = 'PODSTEP_TEST_POSTGRES'

/** URL of a server on which tests may create databases, from PODSTEP_TEST_POSTGRES. */
export const postgresUrl = process.env[VARIABLE] || undefined

/** Declares tests that need PostgreSQL; without a server, a skipped test says so. */
export function describePostgres(name: string, tests: (url: string) => void): void {
  if (postgresUrl === undefined) test.skip(`${name}: needs PostgreSQL, and ${VARIABLE} names none`, () => undefined)
  else describe(name, () => tests(postgresUrl))
}

export interface TestDatabase {
  readonly name: string
  readonly url: string
  /** Pool for this database only; closed when the database is dropped. */
  readonly sql: SQL
  /** The same pool for stores, which then occupy all its connections. */
  readonly connections: Connections
}

interface TestDatabaseOptions {
  /** Without podstep's tables. */
  readonly isEmpty?: boolean
  /** Options of `CREATE DATABASE`; used only with `isEmpty`. */
  readonly options?: string
}

/** Creates databases for the tests of a file, and drops them after the last test. */
export function testDatabases(): {
  create(options?: TestDatabaseOptions): Promise<TestDatabase>
  /** Opens further connections to a database, like those of another process. */
  connect(url: string): Connections
  /** Resets a database to the state after its creation. */
  empty(connections: Connections): Promise<void>
} {
  const pools: SQL[] = []
  const names: string[] = []
  let template: Promise<string> | undefined

  const connect = (url: string, max = 4) => {
    const pool = createConnections(new Secret(url), { max })
    pools.push(pool)
    return pool
  }

  async function createFrom(source: string, options = ''): Promise<string> {
    const name = `podstep_test_${process.pid}_${randomBytes(4).toString('hex')}`
    await asAdmin(async (admin) => {
      await admin.unsafe(`CREATE DATABASE ${name} TEMPLATE ${source} ${options}`)
    })
    names.push(name)
    return name
  }

  /** Migrates one database as a template, because copying it takes a fraction of the time. */
  async function createTemplate(): Promise<string> {
    const name = await createFrom('template0', "ENCODING 'UTF8'")
    const sql = new SQL(urlOf(name), { max: 1 })
    await migrate(sql, { version: 'test', now: 0 })
    // PostgreSQL copies a database only while it has no connections.
    await sql.end()
    return name
  }

  afterAll(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end({ timeout: 0 })))
    template = undefined
    if (names.length > 0)
      await asAdmin(async (admin) => {
        for (const name of names.splice(0)) await admin.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      })
  })

  return {
    async create({ isEmpty = false, options = "ENCODING 'UTF8'" } = {}) {
      template ??= isEmpty ? undefined : createTemplate()
      const name = isEmpty ? await createFrom('template0', options) : await createFrom((await template) ?? '')
      const url = urlOf(name)
      const sql = connect(url)
      return { name, url, sql, connections: keepConnections(sql) }
    },

    connect: (url) => keepConnections(connect(url)),

    async empty(connections) {
      const { connection, end } = await connections.lease()
      await connection.unsafe(EMPTY)
      end(false)
    },
  }
}

/** The URL of another database of the same server. */
function urlOf(database: string): string {
  const url = new URL(postgresUrl ?? '')
  url.pathname = `/${database}`
  return url.href
}

/** Key of the advisory lock: "pods" in ASCII, and 99 for tests. */
const LOCK = '1886348403, 99'

/** Creates and drops databases under a lock, because PostgreSQL may refuse to copy a database twice at once. */
async function asAdmin(work: (admin: SQL) => Promise<void>): Promise<void> {
  const admin = new SQL(postgresUrl ?? '', { max: 1 })
  try {
    await admin.unsafe(`SELECT pg_advisory_lock(${LOCK})`)
    await work(admin)
  } finally {
    await admin.end()
  }
}

/** Deletes all rows but those that the migrations insert, and restarts their numbers. Triggers and cascades are disabled. */
const EMPTY = `DO $$ DECLARE name text; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema()
    AND tablename NOT IN ('schema_migrations', 'action_hash', 'upkeep', 'tags')
  LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
  DELETE FROM tags WHERE id <> 0;
  PERFORM setval(format('%I', sequencename)::regclass, start_value, false)
    FROM pg_sequences WHERE schemaname = current_schema();
END $$`
