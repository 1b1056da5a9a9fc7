import type { Database } from 'bun:sqlite'
import { beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SQL } from 'bun'
import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { describePostgres, testDatabases } from '../../support/postgres.ts'

const SCHEMA = resolve(import.meta.dir, '../../../src/store/schema')

/** Virtual tables of FTS5 on SQLite, tables with a `tsvector` on PostgreSQL. */
const FULL_TEXT = ['episode_notes', 'episode_titles', 'search_terms']
/** Indexes for similar words, which only PostgreSQL has. */
const TRIGRAMS = ['episode_words_trigrams', 'search_words_trigrams']
/** Tables whose rows are numbered by the store: MAX(id) + 1 on SQLite, blocks of a sequence on PostgreSQL. */
const NUMBERED = ['episode_actions', 'joined_episodes', 'user_episodes']

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly isNullable: boolean
  readonly fallback: string | null
}

interface ForeignKey {
  readonly table: string
  readonly columns: string
  readonly parent: string
  readonly parentColumns: string
  readonly onDelete: string
  readonly onUpdate: string
}

interface Index {
  readonly table: string
  readonly name: string
  readonly isUnique: boolean
  /** Columns or expressions in order, and the condition of a partial index. */
  readonly keys: string
  readonly where: string | null
}

const ofSqlite = openMemoryDatabase()
const listSqlite = <Row>(db: Database, sql: string) => db.query<Row, []>(sql).all()
const SQLITE_TABLES = `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`

/** Normalizes an expression: no casts, no layout. */
function plain(sql: string): string {
  return sql
    .replaceAll(/::(?:text|bigint|smallint)\b/g, '')
    .replaceAll(/[\s()`"]/g, '')
    .replaceAll(/value->'\$\.(\w+)'/g, `json_membervalue,'$1'`)
    .toLowerCase()
}

/** Splits at commas outside parentheses. */
function splitList(list: string): string[] {
  return list.split(/,(?![^(]*\))/).map((part) => part.trim())
}

/** The keys and the condition of a `CREATE INDEX`. PostgreSQL names NULLS FIRST where SQLite always orders so. */
function partsOf(definition: string): Pick<Index, 'keys' | 'where'> {
  const [, list = '', , where] = /\bON [`"\w.]+ (?:USING \w+ )?\((.*?)\)( WHERE (.*))?$/s.exec(definition) ?? []
  const keys = splitList(list).map((key) => plain(key.replace(' NULLS FIRST', '')))
  return { keys: keys.join(', '), where: where === undefined ? null : plain(where) }
}

async function flagColumns(): Promise<Set<string>> {
  const files = await Promise.all(readdirSync(SCHEMA).map((file) => import(join(SCHEMA, file)) as Promise<object>))
  const tables = files.flatMap((file): unknown[] => Object.values(file)).filter((value) => is(value, SQLiteTable))
  return new Set(
    tables
      .map(getTableConfig)
      .flatMap(({ name, columns }) =>
        columns.filter(({ dataType }) => dataType === 'boolean').map((column) => `${name}.${column.name}`),
      ),
  )
}

/** The PostgreSQL type of a column of SQLite. */
function typeFor(type: string, isFlag: boolean): string {
  const types: Record<string, string> = {
    integer: isFlag ? 'smallint' : 'bigint',
    text: 'text C',
    blob: 'bytea',
    real: 'double precision',
  }
  return types[type] ?? `a type for ${type}`
}

/** The event of a trigger, such as `AFTER UPDATE OF kind, title`. */
function eventOf(definition: string): string {
  const [, when = '', event = '', columns = ''] =
    /(AFTER|BEFORE) (INSERT|UPDATE|DELETE)(?: OF ([\w, ]+?))? ON/.exec(definition) ?? []
  return `${when} ${event} ${columns.split(', ').toSorted().join(', ')}`.trim()
}

const FALLBACKS: Record<string, string> = { false: '0', true: '1' }

describePostgres('PostgreSQL and SQLite have the same', () => {
  const databases = testDatabases()
  let sql: SQL
  beforeAll(async () => {
    ;({ sql } = await databases.create())
  })

  const without = <Row extends { readonly table: string }>(rows: readonly Row[]) =>
    rows.filter(({ table }) => !FULL_TEXT.includes(table))

  test('tables', async () => {
    const found = await sql<{ name: string }[]>`
      SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`
    const virtual = listSqlite<{ name: string }>(
      ofSqlite,
      `SELECT name FROM pragma_table_list WHERE type = 'virtual' ORDER BY name`,
    )
    expect(virtual.map(({ name }) => name)).toEqual(FULL_TEXT)
    const tables = listSqlite<{ name: string }>(ofSqlite, SQLITE_TABLES).map(({ name }) => name)
    expect(new Set(found.map(({ name }) => name))).toEqual(new Set([...tables, ...FULL_TEXT]))
  })

  test('columns, in order, with types, NULL and defaults', async () => {
    const flags = await flagColumns()
    expect(flags.size).toBeGreaterThan(10)
    const expected = listSqlite<{
      table: string
      column: string
      type: string
      required: number
      fallback: string | null
    }>(
      ofSqlite,
      `SELECT t.name AS "table", c.name AS column, lower(c.type) AS type, c."notnull" OR c.pk > 0 AS required, c.dflt_value AS fallback
         FROM (${SQLITE_TABLES}) t, pragma_table_info(t.name) c ORDER BY t.name, c.cid`,
    ).map(
      ({ table, column, type, required, fallback }): Column => ({
        table,
        column,
        type: typeFor(type, flags.has(`${table}.${column}`)),
        isNullable: required === 0,
        fallback: fallback === null ? null : (FALLBACKS[fallback] ?? fallback),
      }),
    )
    const found = await sql<Column[]>`
      SELECT c.relname AS "table", a.attname AS "column",
             format_type(a.atttypid, a.atttypmod) || COALESCE(' ' || o.collname, '') AS type,
             NOT a.attnotnull AS "isNullable", pg_get_expr(d.adbin, d.adrelid) AS fallback
        FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_collation o ON o.oid = a.attcollation
        LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY c.relname COLLATE "C", a.attnum`
    const readable = found.map((row) => ({ ...row, fallback: row.fallback?.replace(/::\w+$/, '') ?? null }))
    expect(without(readable)).toEqual(expected)
  })

  test('numbered tables', async () => {
    const expected = listSqlite<{ name: string }>(
      ofSqlite,
      `SELECT t.name FROM (${SQLITE_TABLES}) t, pragma_table_info(t.name) c
        WHERE c.name = 'id' AND c.pk = 1 AND (SELECT COUNT(*) FROM pragma_table_info(t.name) WHERE pk > 0) = 1`,
    )
    const found = await sql<{ name: string; how: string }[]>`
      SELECT table_name AS name, identity_generation || ' ' || column_name AS how FROM information_schema.columns
       WHERE table_schema = 'public' AND is_identity = 'YES'`
    expect(found.map(({ how }) => how)).toEqual(found.map(() => 'BY DEFAULT id'))
    expect(new Set([...found.map(({ name }) => name), ...NUMBERED])).toEqual(new Set(expected.map(({ name }) => name)))
    const blocks = await sql<{ name: string; start: string; step: string; size: string }[]>`
      SELECT sequencename AS name, start_value AS start, increment_by AS step, cache_size AS size FROM pg_sequences
       WHERE schemaname = 'public' AND increment_by > 1 ORDER BY 1`
    expect([...blocks]).toEqual(
      NUMBERED.map((table) => ({ name: `${table}_block`, start: '16384', step: '16384', size: '1' })),
    )
  })

  test('primary keys', async () => {
    const expected = listSqlite<{ table: string; columns: string }>(
      ofSqlite,
      `SELECT t.name AS "table", group_concat(c.name, ', ' ORDER BY c.pk) AS columns
         FROM (${SQLITE_TABLES}) t, pragma_table_info(t.name) c WHERE c.pk > 0 GROUP BY t.name ORDER BY t.name`,
    )
    const found = await sql<{ table: string; columns: string }[]>`
      SELECT c.conrelid::regclass::text AS "table",
             (SELECT string_agg(a.attname, ', ' ORDER BY k.place)
                FROM unnest(c.conkey) WITH ORDINALITY k (number, place)
                JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number) AS columns
        FROM pg_constraint c WHERE c.contype = 'p' AND c.connamespace = 'public'::regnamespace
       ORDER BY c.conrelid::regclass::text COLLATE "C"`
    expect(without([...found])).toEqual(expected)
  })

  test('foreign keys with their actions', async () => {
    const expected = listSqlite<ForeignKey>(
      ofSqlite,
      `SELECT t.name AS "table", group_concat(k."from", ', ' ORDER BY k.seq) AS columns, k."table" AS parent,
              group_concat(k."to", ', ' ORDER BY k.seq) AS parentColumns, k.on_delete AS onDelete, k.on_update AS onUpdate
         FROM (${SQLITE_TABLES}) t, pragma_foreign_key_list(t.name) k GROUP BY t.name, k.id ORDER BY 1, 2, 3`,
    )
    const found = await sql<ForeignKey[]>`
      SELECT * FROM (SELECT c.conrelid::regclass::text AS "table", c.confrelid::regclass::text AS parent,
             (SELECT string_agg(a.attname, ', ' ORDER BY k.place)
                FROM unnest(c.conkey) WITH ORDINALITY k (number, place)
                JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.number) AS columns,
             (SELECT string_agg(a.attname, ', ' ORDER BY k.place)
                FROM unnest(c.confkey) WITH ORDINALITY k (number, place)
                JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.number) AS "parentColumns",
             CASE c.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'other' END AS "onDelete",
             CASE c.confupdtype WHEN 'a' THEN 'NO ACTION' ELSE 'other' END AS "onUpdate"
        FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = 'public'::regnamespace) k
       ORDER BY "table" COLLATE "C", columns COLLATE "C", parent COLLATE "C"`
    expect(expected.length).toBeGreaterThan(30)
    expect([...found]).toEqual(expected)
  })

  test('indexes by name, with keys and conditions', async () => {
    const expected = listSqlite<{ table: string; name: string; sql: string }>(
      ofSqlite,
      `SELECT tbl_name AS "table", name, sql FROM sqlite_schema
        WHERE type = 'index' AND sql IS NOT NULL AND tbl_name NOT LIKE '%\\_%\\_data' ESCAPE '\\' ORDER BY name`,
    ).map(
      ({ table, name, sql: text }): Index => ({
        table,
        name,
        isUnique: text.startsWith('CREATE UNIQUE'),
        ...partsOf(text),
      }),
    )
    const found = await sql<{ table: string; name: string; isUnique: boolean; definition: string }[]>`
      SELECT i.indrelid::regclass::text AS "table", c.relname AS name, i.indisunique AS "isUnique",
             pg_get_indexdef(i.indexrelid) AS definition
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE c.relnamespace = 'public'::regnamespace AND NOT i.indisprimary ORDER BY c.relname COLLATE "C"`
    const indexes = found
      .filter(({ name }) => !TRIGRAMS.includes(name))
      .map(({ definition, ...index }): Index => ({ ...index, ...partsOf(definition) }))
    expect(expected.length).toBeGreaterThan(50)
    expect(expected.filter(({ keys }) => keys === '')).toEqual([])
    expect(without(indexes)).toEqual(expected)
    const others = found.filter(({ table, name }) => FULL_TEXT.includes(table) || TRIGRAMS.includes(name))
    expect(new Set(others.map(({ name }) => name))).toEqual(
      new Set([...FULL_TEXT.map((table) => `${table}_terms`), ...TRIGRAMS]),
    )
  })

  test('triggers by name, with table and event', async () => {
    const expected = listSqlite<{ table: string; name: string; sql: string }>(
      ofSqlite,
      `SELECT tbl_name AS "table", name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`,
    ).map(({ table, name, sql: text }) => ({ table, name, event: eventOf(text) }))
    const found = await sql<{ table: string; name: string; definition: string }[]>`
      SELECT tgrelid::regclass::text AS "table", tgname AS name, pg_get_triggerdef(oid) AS definition
        FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname COLLATE "C"`
    expect(found.map(({ table, name, definition }) => ({ table, name, event: eventOf(definition) }))).toEqual(expected)
    expect(found.filter(({ definition }) => !definition.includes('FOR EACH ROW'))).toEqual([])
  })
})
