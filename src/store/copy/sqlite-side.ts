import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type AppliedRow, findPending, UnusableDatabase } from '../migrations.ts'
import { hasForeignLog } from '../sqlite/core/files/run-marker.ts'
import { MIGRATIONS, migrate } from '../sqlite/core/migrate.ts'
import { syncFile, syncFolder } from '../sqlite/core/sync-folder.ts'
import {
  BATCH_LENGTH,
  BATCH_ROWS,
  byKey,
  columnsOf,
  FILLED,
  lengthOf,
  type Row,
  requireExact,
  type Side,
  type Table,
  type Target,
  tablesOf,
} from './tables.ts'

export interface SqliteSource extends Side {
  readonly tables: readonly Table[]
  close(): void
}

/** Opens a snapshot of the database at `path`, which a server may be using. Throws `UnusableDatabase`. */
export function openSqliteSource(path: string, version: string): SqliteSource {
  if (!existsSync(path)) throw new UnusableDatabase(`there is no database ${path}`)
  if (hasForeignLog(dirname(path), path))
    throw new UnusableDatabase(`the log of ${path} belongs to another database; start the server on it once`)
  const db = new Database(path, { readonly: true })
  try {
    db.run('PRAGMA busy_timeout = 5000')
    db.run('PRAGMA trusted_schema = OFF')
    // The first read fixes the state that is copied.
    db.run('BEGIN')
    requireCurrent(db, path, version)
    return { tables: tablesOf(db), ...sideOf(db), close: () => db.close() }
  } catch (error) {
    db.close()
    throw error
  }
}

function requireCurrent(db: Database, path: string, version: string): void {
  if (!db.query(`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`).get())
    throw new UnusableDatabase(`${path} is not a database of podstep`)
  const applied = db.query<AppliedRow, []>('SELECT name, sha256, version FROM schema_migrations ORDER BY name').all()
  if (findPending(applied, { migrations: MIGRATIONS, version }).length > 0)
    throw new UnusableDatabase(`${path} is of an older version; start the server of this version on it once`)
}

function sideOf(db: Database): Side {
  return { read: (table) => readRows(db, table), lastNumbers: async () => lastNumbersIn(db) }
}

async function* readRows(db: Database, table: Table): AsyncGenerator<readonly Row[]> {
  const columns = table.columns.map(({ name, type }) =>
    type === 'BLOB' ? `'\\x' || lower(hex("${name}")) AS "${name}"` : `"${name}"`,
  )
  const statement = db.prepare<Row, []>(`SELECT ${columns.join(', ')} FROM "${table.name}"${byKey(table)}`)
  try {
    let rows: Row[] = []
    let length = 0
    for (const row of statement.iterate()) {
      for (const name in row) {
        const value = row[name]
        if (typeof value === 'number') requireExact(table.name, name, value)
      }
      rows.push(row)
      length += lengthOf(row)
      if (rows.length < BATCH_ROWS && length < BATCH_LENGTH) continue
      yield rows
      rows = []
      length = 0
    }
    if (rows.length > 0) yield rows
  } finally {
    statement.finalize()
  }
}

/** Tables whose last number SQLite remembers. */
const REMEMBERED = `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'`

function lastNumbersIn(db: Database): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>()
  const note = (name: string, last: number | undefined) =>
    numbers.set(name, Math.max(numbers.get(name) ?? 0, last ?? 0))
  for (const { name, key } of tablesOf(db))
    if (key.join() === 'id')
      note(name, db.query<{ last: number }, []>(`SELECT IFNULL(MAX(id), 0) AS last FROM "${name}"`).get()?.last)
  const remembered = db.query<{ name: string; last: number }, []>('SELECT name, seq AS last FROM sqlite_sequence').all()
  for (const { name, last } of remembered) note(name, last)
  return numbers
}

export interface SqliteFile extends Target {
  readonly tables: readonly Table[]
  /** Checks, syncs and renames the file; returns its size. */
  finish(): number
  /** Removes the file, unless it is finished. */
  discard(): void
}

/** Creates a database that is named `partial` until it is finished, and `path` afterwards. */
export function createSqliteFile(
  path: string,
  { partial, version, now }: { readonly partial: string; readonly version: string; readonly now: number },
): SqliteFile {
  // Created first, so that only the owner can read it from the first byte on.
  closeSync(openSync(partial, 'wx', 0o600))
  const discard = () => {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${partial}${end}`, { force: true })
  }
  const db = new Database(partial, { readwrite: true, create: false, strict: true })
  try {
    // The file is synced when it is complete, and discarded on failure.
    db.run('PRAGMA journal_mode = OFF')
    migrate(db, { migrations: MIGRATIONS, version, now, beforeChange: () => undefined })
    db.run(
      'PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -64000; PRAGMA temp_store = MEMORY',
    )
    // Triggers would count again what the copied counters contain.
    const triggers = db.query<{ name: string; sql: string }, []>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`,
    )
    const definitions = triggers.all()
    for (const { name } of definitions) db.run(`DROP TRIGGER "${name}"`)
    for (const name of FILLED) db.run(`DELETE FROM "${name}"`)
    const tables = tablesOf(db)
    db.run('BEGIN')
    return {
      tables,
      ...sideOf(db),
      write: async (table, rows) => writeRows(db, table, rows),
      setLastNumbers: async (numbers) => setLastNumbers(db, numbers),
      run: async (sql) => void db.run(sql),
      finish() {
        for (const { sql } of definitions) db.run(sql)
        db.run('COMMIT')
        requireSound(db, partial)
        // Unlike the stamp of any other copy (`sqlite/core/files/run-marker.ts`).
        const stamp = db.query<{ n: number }, []>('SELECT random() >> 33 AS n').get()?.n
        db.run(`PRAGMA user_version = ${stamp}`)
        db.close()
        syncFile(partial)
        const { size } = statSync(partial)
        renameSync(partial, path)
        syncFolder(dirname(path))
        return size
      },
      discard() {
        db.close()
        discard()
      },
    }
  } catch (error) {
    db.close()
    discard()
    throw error
  }
}

function writeRows(db: Database, table: Table, rows: readonly Row[]): void {
  const values = table.columns.map(({ type }, n) => (type === 'BLOB' ? `unhex(substr(?${n + 1}, 3))` : `?${n + 1}`))
  const insert = db.query(`INSERT INTO "${table.name}" (${columnsOf(table)}) VALUES (${values.join(', ')})`)
  for (const row of rows) insert.run(...table.columns.map(({ name }) => row[name] ?? null))
}

function setLastNumbers(db: Database, numbers: ReadonlyMap<string, number>): void {
  for (const { name } of db.query<{ name: string }, []>(REMEMBERED).all()) {
    db.query('DELETE FROM sqlite_sequence WHERE name = ?1').run(name)
    db.query('INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)').run(name, numbers.get(name) ?? 0)
  }
}

function requireSound(db: Database, path: string): void {
  const faults = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check(5)').all()
  const broken = db.query<{ table: string }, []>('PRAGMA foreign_key_check').all()
  const texts = [
    ...faults.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
    ...new Set(broken.map(({ table }) => `rows of "${table}" refer to rows that do not exist`)),
  ]
  if (texts.length > 0) throw new UnusableDatabase(`${path} does not pass its check: ${texts.join('; ')}`)
}
