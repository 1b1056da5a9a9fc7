import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { MIGRATIONS, migrate } from '../../../src/store/sqlite/core/migrate.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { tempDirs } from '../temp-dir.ts'

const ROOT = resolve(import.meta.dir, '../../..')
const FOLDER = join(ROOT, 'migrations/sqlite')
const SCHEMA = join(ROOT, 'src/store/schema')
const DRIZZLE_KIT = join(ROOT, 'node_modules/drizzle-kit/bin.cjs')

const dirs = tempDirs()

const migrated = openMemoryDatabase()

/** The output of drizzle-kit for the declared schema. */
async function drizzleKit(cwd: string, command: 'generate' | 'export', ...args: string[]): Promise<string> {
  const child = Bun.spawn({
    cmd: [process.execPath, DRIZZLE_KIT, command, '--dialect', 'sqlite', '--schema', SCHEMA, ...args],
    cwd,
    // Without an input, it fails instead of asking about a renamed column.
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env },
  })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  expect({ code: await child.exited, errors }).toEqual({ code: 0, errors: '' })
  return output
}

describe('the list of migrations', () => {
  test('has the files of the folder, in order and without a gap', () => {
    const files = readdirSync(FOLDER)
      .filter((name) => name.endsWith('.sql'))
      .toSorted()
      .map((file) => ({ name: file.replace(/\.sql$/, ''), sql: readFileSync(join(FOLDER, file), 'utf8') }))
    expect(MIGRATIONS.map(({ name, sql }) => ({ name, sql }))).toEqual(files)
    expect(MIGRATIONS.map(({ name }) => Number(name.slice(0, 4)))).toEqual(MIGRATIONS.map((_, index) => index))
  })

  test('is up to date with the declared schema', async () => {
    const cwd = dirs.make()
    cpSync(FOLDER, join(cwd, 'migrations'), { recursive: true })
    const before = readdirSync(join(cwd, 'migrations'), { recursive: true })
    // drizzle-kit always takes this path as relative.
    const output = await drizzleKit(cwd, 'generate', '--out', 'migrations')
    expect(output).toContain('No schema changes')
    expect(readdirSync(join(cwd, 'migrations'), { recursive: true }).toSorted()).toEqual(before.toSorted())
  })
})

test('a long migration reports progress', () => {
  const reports: unknown[] = []
  migrate(new Database(':memory:'), {
    migrations: [
      {
        name: '0000_long',
        sql: 'CREATE TABLE copied (id INTEGER) STRICT',
        convert: (_, report) => {
          report(1, 2)
          report(2, 2)
        },
      },
    ],
    version: '1.0.0',
    now: 0,
    beforeChange: () => undefined,
    onProgress: (...progress) => reports.push(progress),
  })
  expect(reports).toEqual([
    ['0000_long', 1, 2],
    ['0000_long', 2, 2],
  ])
})

interface Row {
  readonly name: string
}

const TABLES = `SELECT name, strict FROM pragma_table_list
  WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations' ORDER BY name`
/** Columns, foreign keys and indexes of all tables; origin `c` stands for CREATE INDEX. */
const PARTS = [
  `SELECT t.name, c.name AS column, lower(c.type) AS type, c."notnull", c.dflt_value, c.pk
     FROM (${TABLES}) t, pragma_table_info(t.name) c ORDER BY 1, 2`,
  `SELECT t.name, k."from", k."to", k."table", k.on_delete
     FROM (${TABLES}) t, pragma_foreign_key_list(t.name) k ORDER BY 1, 2, 4`,
  `SELECT t.name, i.name AS "index", i."unique", i.partial, c.seqno, c.name AS column, c.desc
     FROM (${TABLES}) t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) c
    WHERE i.origin = 'c' AND c.key = 1 ORDER BY 1, 2, 5`,
]

describe('the migrated database', () => {
  const list = (db: Database, sql: string) => db.query<Row, []>(sql).all()

  test('has the declared tables, columns, foreign keys and indexes', async () => {
    const declared = new Database(':memory:')
    declared.run(await drizzleKit(ROOT, 'export'))
    const names = (db: Database) => list(db, TABLES).map(({ name }) => name)
    expect(names(migrated)).toEqual(names(declared))
    for (const sql of PARTS) expect(list(migrated, sql)).toEqual(list(declared, sql))
  })

  test('has each declared index and foreign key under its declared name', async () => {
    const files = await Promise.all(readdirSync(SCHEMA).map((file) => import(join(SCHEMA, file)) as Promise<object>))
    const configs = files
      .flatMap((file): unknown[] => Object.values(file))
      .filter((value) => is(value, SQLiteTable))
      .map((table) => getTableConfig(table))
    const indexes = configs.flatMap((table) => table.indexes.map((index) => index.config.name))
    const found = list(
      migrated,
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND name NOT LIKE '%\\_unique' ESCAPE '\\' AND sql <> ''",
    )
    expect(found.map(({ name }) => name).toSorted()).toEqual(indexes.toSorted())
    const keys = configs.flatMap(({ name, foreignKeys }) =>
      foreignKeys.map((key) => [name, getTableConfig(key.reference().foreignTable).name].join(' to ')),
    )
    const foundKeys = list(
      migrated,
      `SELECT t.name || ' to ' || k."table" AS name FROM (${TABLES}) t, pragma_foreign_key_list(t.name) k`,
    )
    expect(foundKeys.map(({ name }) => name).toSorted()).toEqual(keys.toSorted())
  })

  test('has STRICT tables only', () => {
    const lax = `SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'`
    expect(list(migrated, lax)).toEqual([])
  })

  test('has an index for each foreign key that cascades', () => {
    // An integer primary key needs no index.
    const unindexed = `SELECT t.name, k."from" FROM (${TABLES}) t, pragma_foreign_key_list(t.name) k
      WHERE k.on_delete <> 'NO ACTION'
        AND k."from" NOT IN (SELECT c.name FROM pragma_table_info(t.name) c WHERE c.pk = 1)
        AND k."from" NOT IN (SELECT c.name FROM pragma_index_list(t.name) i, pragma_index_info(i.name) c
                              WHERE c.seqno = 0)`
    expect(list(migrated, unindexed)).toEqual([])
  })

  test('has no views, and only triggers that keep counters and outboxes or hide podcasts', () => {
    const found = list(
      migrated,
      `SELECT name FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%' ORDER BY name`,
    )
    expect(found.map(({ name }) => name)).toEqual([
      ...'episode_details_delete episode_details_insert episode_details_update episode_notes episode_titles'.split(' '),
      ...'listeners_delete listeners_insert listeners_update podcasts_delete podcasts_hidden search_terms'.split(' '),
      ...'subscriptions_delete subscriptions_insert subscriptions_update'.split(' '),
    ])
  })
})
