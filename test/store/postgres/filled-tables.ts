import { Database } from 'bun:sqlite'
import type { SQL } from 'bun'
import { restoreFixture } from '../upgrade/fixtures.ts'

/* Databases with rows in every table. */

/** Tables that are not copied: the engine's migrations, and those of the indexer. */
const NOT_COPIED = [
  ...['schema_migrations', 'search_documents', 'search_words', 'episode_documents', 'episode_words'],
  ...['directory_changes', 'episode_changes'],
]
/** Flags have one digit on PostgreSQL. */
const FLAG = /^(?:is|has|was|tells|works)_|^(?:subscribed|advertisement)$/

/** Limits of the integers that both engines represent exactly. */
const NUMBERS = [0, 1, -1, 2 ** 53 - 1, -(2 ** 53 - 1)]

interface Column {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly pk: number
}

/** Restores the fixture, and adds a row per text to each table. Every other row has NULL where allowed. */
export function fillTables(dataDir: string, texts: readonly string[]): void {
  const { path } = restoreFixture(dataDir)
  const db = new Database(path)
  try {
    db.run('PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN')
    const triggers = db.query<{ name: string; sql: string }, []>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`,
    )
    const definitions = triggers.all()
    for (const { name } of definitions) db.run(`DROP TRIGGER "${name}"`)
    for (const table of tablesIn(db)) for (const [n, text] of texts.entries()) addRow(db, table, n, text)
    for (const { sql } of definitions) db.run(sql)
    db.run('COMMIT')
    const broken = db.query('PRAGMA foreign_key_check').all()
    if (broken.length > 0) throw new Error(`rows refer to nothing: ${JSON.stringify(broken)}`)
  } finally {
    db.close()
  }
}

function addRow(db: Database, table: string, n: number, text: string): void {
  const columns = db.query<Column, [string]>('SELECT name, type, "notnull", pk FROM pragma_table_info(?1)').all(table)
  const parents = db.query<{ column: string; parent: string; key: string }, [string]>(
    'SELECT "from" AS column, "table" AS parent, "to" AS key FROM pragma_foreign_key_list(?1)',
  )
  const parentOf = new Map(parents.all(table).map((each) => [each.column, each]))
  const values = columns.map(({ name, type, notnull, pk }) => {
    const parent = parentOf.get(name)
    if (parent) {
      const ids = db.query(`SELECT "${parent.key}" FROM "${parent.parent}" ORDER BY 1`).values().flat()
      return Number(ids[n % ids.length])
    }
    // Above the first blocks of numbers that PostgreSQL assigns.
    if (name === 'id') return 40_000 + n
    if (!notnull && pk === 0 && n % 2 === 1) return null
    if (type === 'BLOB') return new Uint8Array([n, 0, 255, n])
    if (type === 'TEXT') return `${n} ${text}`
    if (FLAG.test(name)) return n % 2
    return pk > 0 ? 1000 + n : (NUMBERS[n % NUMBERS.length] ?? 0)
  })
  const places = values.map((_, index) => `?${index + 1}`)
  db.query(`INSERT OR IGNORE INTO "${table}" VALUES (${places.join(', ')})`).run(...values)
}

function tablesIn(db: Database): string[] {
  return db
    .query<{ name: string }, []>(
      `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all()
    .map(({ name }) => name)
    .filter((name) => !NOT_COPIED.includes(name))
}

/** Rows as text, by table. */
export type Contents = Readonly<Record<string, readonly string[]>>

export function contentsOfSqlite(path: string): Contents {
  const db = new Database(path, { readonly: true })
  try {
    return Object.fromEntries(
      tablesIn(db).map((table) => [table, lines(db.query<object, []>(`SELECT * FROM "${table}"`).all())]),
    )
  } finally {
    db.close()
  }
}

export async function contentsOfPostgres(sql: SQL): Promise<Contents> {
  const tables = await sql.unsafe<{ name: string }[]>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('search_terms', 'episode_titles', 'episode_notes')`,
  )
  const contents: Record<string, readonly string[]> = {}
  for (const { name } of tables)
    if (!NOT_COPIED.includes(name)) contents[name] = lines(await sql.unsafe<object[]>(`SELECT * FROM "${name}"`))
  return contents
}

/** PostgreSQL returns 64-bit integers as text. */
function lines(rows: readonly object[]): string[] {
  return rows
    .map((row) =>
      Object.entries(row)
        .map(
          ([name, value]) =>
            `${name}=${value instanceof Uint8Array ? `x${Buffer.from(value).toString('hex')}` : String(value)}`,
        )
        .toSorted()
        .join('|'),
    )
    .toSorted()
}
