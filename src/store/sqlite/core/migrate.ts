import type { Database } from 'bun:sqlite'
import init from '../../../../migrations/sqlite/0000_init.sql' with { type: 'text' }
import listening from '../../../../migrations/sqlite/0001_listening.sql' with { type: 'text' }
import { type AppliedRow, findPending, fingerprint } from '../../migrations.ts'

interface MigrateOptions {
  readonly migrations: readonly Migration[]
  readonly version: string
  /** Unix seconds. */
  readonly now: number
  /** Called once before the first migration. `holdsData`: the database has data of an older version. Throws to stop. */
  readonly beforeChange: (holdsData: boolean) => void
  readonly onProgress?: ((name: string, done: number, all: number) => void) | undefined
}

/** Applies pending migrations in one transaction; returns their names. Throws `UnusableDatabase`. */
export function migrate(db: Database, options: MigrateOptions): string[] {
  const { migrations, version, beforeChange } = options
  const applied = readApplied(db)
  const pending = findPending(applied, { migrations, version, unreleased: UNRELEASED })
  if (pending.length > 0) beforeChange(applied.length > 0)
  if (pending.length > 0) applyAll(db, pending, applied.length === 0, options)
  return pending.map((migration) => migration.name)
}

/** Migrations from before the first release were merged, so older databases have a different first one. */
const UNRELEASED =
  'the database was made by a version of podstep from before the first release, which cannot be upgraded; it has not ' +
  'been changed. Run "podstep export" for each user with the executable that made it, and "podstep import" with this ' +
  'one in a new data folder'

function readApplied(db: Database): AppliedRow[] {
  db.run(
    `CREATE TABLE IF NOT EXISTS schema_migrations
       (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at INTEGER NOT NULL, version TEXT NOT NULL) STRICT`,
  )
  return db.query<AppliedRow, []>('SELECT * FROM schema_migrations ORDER BY name').all()
}

function applyAll(
  db: Database,
  pending: readonly Migration[],
  isNew: boolean,
  { now, version, onProgress }: MigrateOptions,
): void {
  // Rebuilding a table drops and renames it. With foreign keys on, that would delete the rows that refer to it.
  db.run('PRAGMA foreign_keys = OFF')
  // A new database has no data to lose, and the first commit after this flushes everything.
  if (isNew) db.run('PRAGMA synchronous = NORMAL')
  try {
    db.transaction(() => {
      for (const migration of pending) {
        db.run(migration.sql)
        migration.convert?.(db, (done, all) => onProgress?.(migration.name, done, all))
        db.query('INSERT INTO schema_migrations (name, sha256, applied_at, version) VALUES (?, ?, ?, ?)').run(
          migration.name,
          fingerprint(migration.sql),
          now,
          version,
        )
      }
      const broken = db.query('PRAGMA foreign_key_check').get()
      if (broken) {
        const names = pending.map(({ name }) => `"${name}"`).join(', ')
        throw new Error(`a foreign key is broken after the migrations ${names}: ${JSON.stringify(broken)}`)
      }
    }).immediate()
  } finally {
    db.run('PRAGMA foreign_keys = ON')
    if (isNew) db.run('PRAGMA synchronous = FULL')
  }
}

export interface Migration {
  readonly name: string
  readonly sql: string
  /** Conversion that SQL cannot do, after the SQL and in the same transaction. `onProgress` gets the progress in rows. */
  readonly convert?: (db: Database, onProgress: (done: number, all: number) => void) => void
}

/** Oldest first, append-only; the text is part of the executable. A test holds this list against the folder. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0000_init', sql: init },
  { name: '0001_listening', sql: listening },
]
