import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SQL } from 'bun'
import { checkServer, MIGRATIONS, type Migration, migrate, type Server } from '../../../src/store/postgres/migrate.ts'
import { MIGRATIONS as OF_SQLITE } from '../../../src/store/sqlite/core/migrate.ts'
import { describePostgres, testDatabases } from '../../support/postgres.ts'

const FOLDER = resolve(import.meta.dir, '../../../migrations/postgres')
const OPTIONS = { version: '1.2.3', now: 1_740_909_600 }
const NAMES = MIGRATIONS.map(({ name }) => name)
const NEXT: Migration = {
  name: '9999_next',
  sql: 'CREATE TABLE more (id bigint PRIMARY KEY); INSERT INTO more VALUES (1)',
}

describe('the list of migrations', () => {
  test('has the files of the folder', () => {
    const files = readdirSync(FOLDER)
      .toSorted()
      .map((file) => ({ name: file.replace(/\.sql$/, ''), sql: readFileSync(join(FOLDER, file), 'utf8') }))
    expect(MIGRATIONS).toEqual(files)
  })

  test('has the same names as that of SQLite', () => {
    expect(NAMES).toEqual(OF_SQLITE.map(({ name }) => name))
  })
})

describe('a server is refused', () => {
  const usable: Server = {
    ...{ database: 'podcasts', role: 'podstep', schema: 'public', searchPath: 'public', release: '15.2' },
    ...{ versionNumber: 150_002, encoding: 'UTF8', isReadOnly: false, mayCreate: true },
  }
  test.each([
    ['that is too old', { release: '14.9', versionNumber: 140_009 }, /"podcasts" is PostgreSQL 14\.9.*15 or newer/],
    ['with another encoding', { encoding: 'LATIN1' }, /"podcasts" has the encoding LATIN1.*ENCODING 'UTF8'/],
    ['that is a standby', { isReadOnly: true }, /"podcasts" is read-only; connect to the primary/],
  ])('%s', (_, difference, message) => {
    expect(() => checkServer(usable)).not.toThrow()
    expect(() => checkServer({ ...usable, ...difference })).toThrow(message)
  })
})

describePostgres('migrating PostgreSQL', () => {
  const databases = testDatabases()
  const empty = () => databases.create({ isEmpty: true })

  /** Names of everything in the schema. */
  async function contentsOf(sql: SQL) {
    const relations: unknown = await sql`
      SELECT relname::text AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S', 'v', 'i') ORDER BY 1`.values()
    const functions: unknown = await sql`
      SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1`.values()
    return { relations, functions }
  }

  const applied = async (sql: SQL) =>
    (await sql<{ name: string; version: string; at: number }[]>`
      SELECT name, version, applied_at::int AS at FROM schema_migrations ORDER BY name`) as unknown[]

  test('applies each migration once', async () => {
    const { sql } = await empty()
    expect(await migrate(sql, OPTIONS)).toEqual(NAMES)
    expect(await migrate(sql, { ...OPTIONS, now: 1 })).toEqual([])
    const [first] = await applied(sql)
    expect(first).toEqual({ name: '0000_init', version: '1.2.3', at: OPTIONS.now })
    expect(await migrate(sql, { ...OPTIONS, migrations: [...MIGRATIONS, NEXT] })).toEqual([NEXT.name])
  })

  test('is done once by concurrent processes, at any default isolation level', async () => {
    const { sql, name, url } = await empty()
    await sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`)
    const pools = [1, 2, 3].map(() => new SQL(url, { max: 1 }))
    const results = await Promise.all(pools.map((pool) => migrate(pool, OPTIONS)))
    expect(results.toSorted((a, b) => a.length - b.length)).toEqual([[], [], NAMES])
    await Promise.all(pools.map((pool) => pool.end()))
  })

  test('has no time limit', async () => {
    const { sql, name, url } = await empty()
    await sql.unsafe(`ALTER DATABASE ${name} SET statement_timeout = '30s'`)
    const pool = new SQL(url, { max: 1 })
    const limited = {
      name: '0000_limited',
      sql: `DO $$ BEGIN ASSERT current_setting('statement_timeout') = '0'; END $$`,
    }
    expect(await migrate(pool, { ...OPTIONS, migrations: [limited] })).toEqual([limited.name])
    await pool.end()
  })

  test('rolls back a failed migration', async () => {
    const { sql } = await empty()
    const broken = { name: '0002_broken', sql: 'CREATE TABLE half (id bigint); SELECT 1 / 0' }
    const before = await contentsOf(sql)
    const attempt = migrate(sql, { ...OPTIONS, migrations: [...MIGRATIONS, broken] })
    expect(attempt).rejects.toThrow(/could not be upgraded and is as it was: division by zero/)
    await attempt.catch(() => undefined)
    expect(await contentsOf(sql)).toEqual(before)
    expect(await migrate(sql, OPTIONS)).toEqual(NAMES)
  })

  /** Expects a refusal without changes. */
  async function expectRefusal(sql: SQL, message: RegExp, migrations = MIGRATIONS): Promise<void> {
    const before = await contentsOf(sql)
    const error: unknown = await migrate(sql, { ...OPTIONS, migrations }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: 'UnusableDatabase', message: expect.stringMatching(message) })
    expect(await contentsOf(sql)).toEqual(before)
  }

  test('refuses a database of a newer version', async () => {
    const { sql } = await empty()
    await migrate(sql, { ...OPTIONS, version: '1.3.0', migrations: [...MIGRATIONS, NEXT] })
    await expectRefusal(
      sql,
      /written by podstep 1\.3\.0 \(it has migration "9999_next", this is version 1\.2\.3\); run that version, or restore a backup/,
    )
  })

  test('refuses a database with a changed migration', async () => {
    const { sql } = await empty()
    await migrate(sql, OPTIONS)
    const others = MIGRATIONS.map(({ name, sql: text }) => ({ name, sql: `${text} ` }))
    await expectRefusal(sql, /migration "0000_init" of the database differs from the one in this version/, others)
  })

  test.each([
    [
      'tables',
      'CREATE TABLE notes (id int); CREATE VIEW recent AS SELECT * FROM notes',
      /: notes, recent; use an empty/,
    ],
    [
      'many tables',
      'CREATE TABLE a (); CREATE TABLE b (); CREATE TABLE c (); CREATE TABLE d ()',
      /: a, b, c and 1 more;/,
    ],
    ['the same table', 'CREATE TABLE schema_migrations (version text)', /: schema_migrations; use an empty database/],
  ])('refuses a database in which another program has %s', async (_, statements, message) => {
    const { sql, name } = await empty()
    await sql.unsafe(statements).simple()
    await expectRefusal(sql, message)
    await expectRefusal(sql, new RegExp(`^database "${name}" has tables of another program in schema "public"`))
  })

  test('accepts a database in which an extension has views', async () => {
    const { sql } = await empty()
    await sql`CREATE EXTENSION pg_trgm`
    await sql`CREATE VIEW of_extension AS SELECT 1 AS one`
    await sql`ALTER EXTENSION pg_trgm ADD VIEW of_extension`
    expect(await migrate(sql, OPTIONS)).toEqual(NAMES)
  })

  test('refuses another encoding', async () => {
    const { sql } = await databases.create({ isEmpty: true, options: "ENCODING 'LATIN1' LOCALE 'C'" })
    await expectRefusal(sql, /has the encoding LATIN1/)
  })

  test('refuses a search path without a schema', async () => {
    const { sql, name, url } = await empty()
    await sql.unsafe(`ALTER DATABASE ${name} SET search_path = elsewhere`)
    const pool = new SQL(url, { max: 1 })
    await expectRefusal(pool, /has no schema to create tables in: none of the search path elsewhere exists/)
    await pool.end()
  })

  test('refuses a database whose extension is out of reach, and says what to do', async () => {
    const { sql, name, url } = await empty()
    await sql`CREATE SCHEMA elsewhere`
    await sql`CREATE EXTENSION pg_trgm SCHEMA elsewhere`
    const pool = new SQL(url, { max: 1 })
    await expectRefusal(
      pool,
      new RegExp(`^database "${name}" needs the extension pg_trgm.*have a superuser run CREATE`),
    )
    await pool.end()
  })

  test('refuses a role that may not create tables', async () => {
    const { name, url } = await empty()
    const pool = new SQL(url, { max: 1 })
    await pool`REVOKE CREATE ON SCHEMA public FROM pg_database_owner`
    // A superuser needs another role to lose the permission; other roles cannot switch to it.
    await pool`SET ROLE pg_monitor`.catch(() => undefined)
    await expectRefusal(pool, new RegExp(`^role "\\w+" may not create tables in schema "public" of database "${name}"`))
    await pool.end()
  })
})
