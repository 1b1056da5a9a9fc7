import type { Database } from 'bun:sqlite'
import { hash } from 'node:crypto'
import type { Migration } from './migrations.ts'

/** The database cannot be used by this version of the program; the message says why and what to do. */
export class UnusableDatabase extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnusableDatabase'
  }
}

interface AppliedRow {
  readonly name: string
  readonly sha256: string
}

interface MigrateOptions {
  readonly migrations: readonly Migration[]
  readonly version: string
  /** Unix seconds, recorded with each migration. */
  readonly now: number
  /** Called once before the first migration, told whether an older version has left data; throws to stop. */
  readonly beforeChange: (holdsData: boolean) => void
}

/**
 * Brings the schema up to date: each migration in a transaction of its own, in order. Returns the names applied.
 * Throws `UnusableDatabase` for a database of a newer version or one whose applied migrations differ from ours.
 */
export function migrate(db: Database, { migrations, version, now, beforeChange }: MigrateOptions): string[] {
  const applied = readApplied(db)
  applied.forEach((row, index) => {
    const ours = migrations[index]
    if (!ours)
      throw new UnusableDatabase(
        `the database was written by a newer version of podstep (it has migration "${row.name}", this is version ${version}); ` +
          'run that version, or restore a backup made before it',
      )
    if (ours.name !== row.name || fingerprint(ours.sql) !== row.sha256)
      throw new UnusableDatabase(
        `migration "${row.name}" of the database is not the one this version knows; refusing to guess`,
      )
  })
  const pending = migrations.slice(applied.length)
  if (pending.length > 0) beforeChange(applied.length > 0)
  for (const migration of pending) apply(db, migration, now)
  return pending.map((migration) => migration.name)
}

function readApplied(db: Database): AppliedRow[] {
  db.run(
    'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT',
  )
  return db.query<AppliedRow, []>('SELECT name, sha256 FROM schema_migrations ORDER BY name').all()
}

function apply(db: Database, migration: Migration, now: number): void {
  // Rebuilding a table drops and renames it, which foreign keys would answer with cascading deletes.
  db.run('PRAGMA foreign_keys = OFF')
  try {
    db.transaction(() => {
      db.run(migration.sql)
      const broken = db.query('PRAGMA foreign_key_check').get()
      if (broken) throw new Error(`migration "${migration.name}" breaks a foreign key: ${JSON.stringify(broken)}`)
      db.query('INSERT INTO schema_migrations (name, sha256, applied_at) VALUES (?, ?, ?)').run(
        migration.name,
        fingerprint(migration.sql),
        now,
      )
    }).immediate()
  } finally {
    db.run('PRAGMA foreign_keys = ON')
  }
}

function fingerprint(sql: string): string {
  return hash('sha256', sql.replaceAll('\r\n', '\n'))
}
