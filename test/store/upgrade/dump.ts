import { Database } from 'bun:sqlite'
import { DatabaseSync } from 'node:sqlite'
import { MIGRATIONS, type Migration, migrate } from '../../../src/store/sqlite/core/migrate.ts'

/* A database as text: its rows, table by table. Migrations, which never change, create the tables. */

const NOTE = '-- '

/** Dumps the database at `path`, with `notes` at the top. */
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

/** Creates a database of schema `name` at `path` from a dump. */
export function restoreDump(path: string, name: string, dump: string): void {
  const made = new Database(path, { create: true, strict: true })
  try {
    made.run('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF')
    migrate(made, { migrations: upTo(name), version: 'fixture', now: 0, beforeChange: () => undefined })
  } finally {
    made.close()
  }
  // Writing to the shadow tables of the search requires `defensive: false`.
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false, defensive: false })
  try {
    // The dump contains the counters that triggers keep.
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

/** All rows of all tables and the schema, for comparing databases. */
export function contentsOf(db: Database): Record<string, unknown> {
  const rows = tablesOf(db).map((table) => [table, db.query(`SELECT * FROM "${table}"`).values()])
  return { ...Object.fromEntries(rows), 'the schema': schemaOf(db) }
}

/** The definitions of all tables, indexes, views and triggers, sorted by name. */
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

/** Tables with rows. Virtual tables keep theirs in shadow tables; statistics are created again. */
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
