import { Database } from 'bun:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS, type Migration, migrate } from '../../../src/store/sqlite/core/migrate.ts'

/*
 * A database as text: its rows, table by table. The tables themselves are not in it, because the migrations up to its
 * schema make them, and those never change.
 */

const NOTE = '-- '

/** Everything in the database at `path`; `notes` are told at the top. */
export function dumpDatabase(path: string, notes: readonly string[]): string {
  const db = new Database(path, { readonly: true })
  try {
    const inserts = tablesOf(db).flatMap((table) => {
      const row = columnsOf(db, table)
        .map((column) => `quote("${column}")`)
        .join(` || ',' || `)
      const rows = db.query<{ row: string }, []>(`SELECT ${row} AS row FROM "${table}"`).all()
      return rows.map((each) => `INSERT INTO "${table}" VALUES (${each.row});`)
    })
    return `${[...notes.map((note) => NOTE + note), ...inserts].join('\n')}\n`
  } finally {
    db.close()
  }
}

/** Makes the database of a dump at `path`, as the server of schema `name` has left it. */
export function restoreDump(path: string, name: string, dump: string): void {
  const made = new Database(path, { create: true, strict: true })
  try {
    made.run('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
    migrate(made, { migrations: upTo(name), version: 'fixture', now: 0, beforeChange: () => undefined })
  } finally {
    made.close()
  }
  // Other connections do not let anybody write into the tables behind the search.
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false, defensive: false })
  try {
    // The counts that triggers keep are rows of the dump themselves.
    const triggers = rowsOf(db, `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`)
    const statements = [
      'PRAGMA synchronous = OFF; BEGIN',
      ...triggers.map((trigger) => `DROP TRIGGER "${trigger['name']}"`),
      ...rowsOf(db, TABLES).map((table) => `DELETE FROM "${table['name']}"`),
      dump,
      ...triggers.map(({ sql }) => String(sql)),
      'COMMIT; PRAGMA wal_checkpoint(TRUNCATE)',
    ]
    for (const statement of statements) db.exec(statement)
  } finally {
    db.close()
  }
}

/** All rows of all tables and the text of the schema, to tell whether two databases are the same. */
export function contentsOf(db: Database): Record<string, unknown> {
  const rows = tablesOf(db).map((table) => [table, db.query(`SELECT * FROM "${table}"`).values()])
  return { ...Object.fromEntries(rows), 'the schema': schemaOf(db) }
}

/** The text of every table, index, view and trigger, in the order of their names. */
export function schemaOf(db: Database): unknown[][] {
  return db
    .query(
      `SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name`,
    )
    .values()
}

/** The migrations up to the schema `name`. */
export function upTo(name: string): readonly Migration[] {
  const index = MIGRATIONS.findIndex((migration) => migration.name === name)
  if (index < 0) throw new Error(`no migration is called ${name}`)
  return MIGRATIONS.slice(0, index + 1)
}

/** Those that hold rows of their own: virtual tables keep theirs in shadow tables, and statistics are made again. */
const TABLES = `SELECT name FROM pragma_table_list
  WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`

function tablesOf(db: Database): string[] {
  return db
    .query<{ name: string }, []>(TABLES)
    .all()
    .map(({ name }) => name)
}

function rowsOf(db: DatabaseSync, sql: string) {
  return db.prepare(sql).all()
}

function columnsOf(db: Database, table: string): string[] {
  return db
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?1)')
    .all(table)
    .map(({ name }) => name)
}
