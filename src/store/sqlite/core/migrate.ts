import type { Database } from 'bun:sqlite'
import { hash } from 'node:crypto'
import init from '../../../../migrations/0000_init.sql' with { type: 'text' }
import accounts from '../../../../migrations/0001_accounts.sql' with { type: 'text' }
import feeds from '../../../../migrations/0002_feeds.sql' with { type: 'text' }
import directory from '../../../../migrations/0003_directory.sql' with { type: 'text' }
import web from '../../../../migrations/0004_web.sql' with { type: 'text' }
import upkeep from '../../../../migrations/0005_upkeep.sql' with { type: 'text' }
import hidden from '../../../../migrations/0006_hidden.sql' with { type: 'text' }
import places from '../../../../migrations/0007_places.sql' with { type: 'text' }
import titles from '../../../../migrations/0008_titles.sql' with { type: 'text' }
import quotas from '../../../../migrations/0009_quotas.sql' with { type: 'text' }
import privacy from '../../../../migrations/0010_privacy.sql' with { type: 'text' }
import counts from '../../../../migrations/0011_counts.sql' with { type: 'text' }
import choices from '../../../../migrations/0012_choices.sql' with { type: 'text' }
import actions from '../../../../migrations/0013_actions.sql' with { type: 'text' }
import subscriptions from '../../../../migrations/0014_subscriptions.sql' with { type: 'text' }
import appPasswords from '../../../../migrations/0015_app_passwords.sql' with { type: 'text' }
import joined from '../../../../migrations/0016_joined.sql' with { type: 'text' }
import addresses from '../../../../migrations/0017_addresses.sql' with { type: 'text' }
import classic from '../../../../migrations/0018_classic.sql' with { type: 'text' }
import renames from '../../../../migrations/0019_renames.sql' with { type: 'text' }
import lateRemovals from '../../../../migrations/0020_late_removals.sql' with { type: 'text' }
import unfinishedGuids from '../../../../migrations/0021_unfinished_guids.sql' with { type: 'text' }
import inProgress from '../../../../migrations/0022_in_progress.sql' with { type: 'text' }
import outlets from '../../../../migrations/0023_outlets.sql' with { type: 'text' }
import imports from '../../../../migrations/0024_imports.sql' with { type: 'text' }
import heard from '../../../../migrations/0025_heard.sql' with { type: 'text' }
import listChanges from '../../../../migrations/0026_list_changes.sql' with { type: 'text' }
import activity from '../../../../migrations/0027_activity.sql' with { type: 'text' }
import episodeChapters from '../../../../migrations/0028_chapters.sql' with { type: 'text' }
import secondFactors from '../../../../migrations/0029_second_factors.sql' with { type: 'text' }
import restoredClock from '../../../../migrations/0030_restored_clock.sql' with { type: 'text' }
import mailLanguage from '../../../../migrations/0031_mail_language.sql' with { type: 'text' }
import hasSent from '../../../../migrations/0032_has_sent.sql' with { type: 'text' }
import formerGuids from '../../../../migrations/0033_former_guids.sql' with { type: 'text' }
import outbox from '../../../../migrations/0034_outbox.sql' with { type: 'text' }
import { convertActions } from './convert-actions.ts'

/** The database cannot be used by this version of the program; the message says why and what to do. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase'
}

/** A newer version of the program has written it. */
export class NewerDatabase extends UnusableDatabase {
  readonly #what: string

  constructor(what: string, copy?: string) {
    const backup =
      copy === undefined
        ? 'restore a backup made before it'
        : `go back to the copy made before it: podstep restore ${copy}`
    super(`${what}run that version, or ${backup}`)
    this.#what = what
  }

  /** The same, naming a copy that this version can use, if there is one. */
  withCopy(copy: string | undefined): NewerDatabase {
    return new NewerDatabase(this.#what, copy)
  }
}

interface AppliedRow {
  readonly name: string
  readonly sha256: string
  /** Of the program that has applied it, if that has noted it. */
  readonly version?: string | null
}

interface MigrateOptions {
  readonly migrations: readonly Migration[]
  /** Recorded with each migration, as is `now`. */
  readonly version: string
  /** Unix seconds. */
  readonly now: number
  /** Called once before the first migration, told whether an older version has left data; throws to stop. */
  readonly beforeChange: (holdsData: boolean) => void
  /** Told now and then how far a long migration is. */
  readonly onProgress?: ((name: string, done: number, all: number) => void) | undefined
}

/**
 * Brings the schema up to date, all pending migrations in one transaction: whatever happens meanwhile, the database is
 * either as the older version left it, which that version can still use, or up to date. Returns the names applied.
 * Throws `UnusableDatabase` for a database of a newer version or one whose applied migrations differ from ours.
 */
export function migrate(db: Database, options: MigrateOptions): string[] {
  const { migrations, version, beforeChange } = options
  const applied = readApplied(db)
  applied.forEach((row, index) => {
    const ours = migrations[index]
    if (!ours)
      throw new NewerDatabase(
        `the database was written by ${writerOf(applied)} (it has migration "${row.name}", this is version ${version}); `,
      )
    if (ours.name !== row.name || fingerprint(ours.sql) !== row.sha256)
      throw new UnusableDatabase(
        `migration "${row.name}" of the database is not the one this version knows; refusing to guess`,
      )
  })
  const pending = migrations.slice(applied.length)
  if (pending.length > 0) beforeChange(applied.length > 0)
  if (pending.length > 0) applyAll(db, pending, applied.length === 0, options)
  return pending.map((migration) => migration.name)
}

function readApplied(db: Database): AppliedRow[] {
  db.run(
    'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT',
  )
  return db.query<AppliedRow, []>('SELECT * FROM schema_migrations ORDER BY name').all()
}

function writerOf(applied: readonly AppliedRow[]): string {
  const version = applied.at(-1)?.version
  return version ? `podstep ${version}` : 'a newer version of podstep'
}

/** Once a migration has made the column for it. */
function noteVersion(db: Database, version: string, first: string): void {
  const column = db.query(`SELECT 1 FROM pragma_table_info('schema_migrations') WHERE name = 'version'`).get()
  if (column) db.query('UPDATE schema_migrations SET version = ? WHERE name >= ?').run(version, first)
}

function applyAll(
  db: Database,
  pending: readonly Migration[],
  isNew: boolean,
  { now, version, onProgress }: MigrateOptions,
): void {
  // Rebuilding a table drops and renames it, which foreign keys would answer with cascading deletes.
  db.run('PRAGMA foreign_keys = OFF')
  // In a new database there is nothing to lose: the first commit after this has the disk flush all of it.
  if (isNew) db.run('PRAGMA synchronous = NORMAL')
  try {
    db.transaction(() => {
      for (const migration of pending) {
        db.run(migration.sql)
        migration.convert?.(db, (done, all) => onProgress?.(migration.name, done, all))
        db.query('INSERT INTO schema_migrations (name, sha256, applied_at) VALUES (?, ?, ?)').run(
          migration.name,
          fingerprint(migration.sql),
          now,
        )
      }
      noteVersion(db, version, pending[0]?.name ?? '')
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

function fingerprint(sql: string): string {
  return hash('sha256', sql.replaceAll('\r\n', '\n'))
}

export interface Migration {
  readonly name: string
  readonly sql: string
  /** What SQL cannot do, after it and in the same transaction. Tells how many rows of how many are done. */
  readonly convert?: (db: Database, tell: (done: number, all: number) => void) => void
}

/** Oldest first, append-only; the text is part of the executable. A test holds this list against the folder. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0000_init', sql: init },
  { name: '0001_accounts', sql: accounts },
  { name: '0002_feeds', sql: feeds },
  { name: '0003_directory', sql: directory },
  { name: '0004_web', sql: web },
  { name: '0005_upkeep', sql: upkeep },
  { name: '0006_hidden', sql: hidden },
  { name: '0007_places', sql: places },
  { name: '0008_titles', sql: titles },
  { name: '0009_quotas', sql: quotas },
  { name: '0010_privacy', sql: privacy },
  { name: '0011_counts', sql: counts },
  { name: '0012_choices', sql: choices },
  { name: '0013_actions', sql: actions, convert: convertActions },
  { name: '0014_subscriptions', sql: subscriptions },
  { name: '0015_app_passwords', sql: appPasswords },
  { name: '0016_joined', sql: joined },
  { name: '0017_addresses', sql: addresses },
  { name: '0018_classic', sql: classic },
  { name: '0019_renames', sql: renames },
  { name: '0020_late_removals', sql: lateRemovals },
  { name: '0021_unfinished_guids', sql: unfinishedGuids },
  { name: '0022_in_progress', sql: inProgress },
  { name: '0023_outlets', sql: outlets },
  { name: '0024_imports', sql: imports },
  { name: '0025_heard', sql: heard },
  { name: '0026_list_changes', sql: listChanges },
  { name: '0027_activity', sql: activity },
  { name: '0028_chapters', sql: episodeChapters },
  { name: '0029_second_factors', sql: secondFactors },
  { name: '0030_restored_clock', sql: restoredClock },
  { name: '0031_mail_language', sql: mailLanguage },
  { name: '0032_has_sent', sql: hasSent },
  { name: '0033_former_guids', sql: formerGuids },
  { name: '0034_outbox', sql: outbox },
]
