import { Database } from 'bun:sqlite'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../../platform/unknown.ts'
import { NewerDatabase, UnusableDatabase } from '../../migrations.ts'
import { isBusy, isDamage, isDiskFault } from './errors.ts'
import { finishExchange } from './exchange.ts'
import { stampIn } from './files/database-files.ts'
import { abandonLog, hasForeignLog, setLogAside } from './files/run-marker.ts'
import { MIGRATIONS, type Migration, migrate } from './migrate.ts'
import { syncFile, syncFolder } from './sync-folder.ts'

const DATABASE_FILE = 'podstep.db'
const LOCK_FILE = 'podstep.lock'
const BUSY_TIMEOUT = 'PRAGMA busy_timeout = 5000'

export interface OpenDatabase {
  readonly db: Database
  readonly path: string
  readonly applied: readonly string[]
  readonly backup: string | undefined
  readonly foreignLog: string | undefined
  readonly stampInFile: number
  /** Sets the log aside after the file has been replaced. The connection must not be closed afterwards. */
  abandonLog(now: number): void
  close(): void
}

export interface OpenOptions {
  readonly dataDir: string
  readonly version: string
  /** Unix seconds. */
  readonly now: number
  readonly migrations?: readonly Migration[]
  /** Skip the copy before a migration, since this database is a copy itself. */
  readonly isCopy?: boolean
  /** Refuse a database that is not up to date instead of migrating it: another process is using it. */
  readonly asItIs?: boolean
  readonly onProgress?: ((name: string, done: number, all: number) => void) | undefined
}

/** Opens the database in `dataDir`. Creates it, or copies and migrates it, if needed. Throws `UnusableDatabase`. */
export function openDatabase({
  dataDir,
  version,
  now,
  migrations = MIGRATIONS,
  asItIs = false,
  isCopy = false,
  onProgress,
}: OpenOptions): OpenDatabase {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (!asItIs) finishExchange(dataDir)
  const path = join(dataDir, DATABASE_FILE)
  const isForeign = hasForeignLog(dataDir, path)
  if (asItIs && (isForeign || (existsSync(`${path}-wal`) && !existsSync(`${path}-shm`))))
    throw new UnusableDatabase(
      'database files were replaced or deleted while the server was using them; restart the server first',
    )
  const foreignLog = isForeign ? setLogAside(dataDir, path, now) : undefined
  const stampInFile = stampIn(path) ?? 0
  const db = new Database(path, { create: true, strict: true })
  let backup: string | undefined
  let isBeingUpgraded = false
  try {
    chmodSync(path, 0o600)
    setPragmas(db)
    const applied = migrate(db, {
      migrations,
      version,
      now,
      onProgress,
      beforeChange: (holdsData) => {
        if (asItIs)
          throw new UnusableDatabase(
            holdsData
              ? 'the database has an older version and a server is using it; restart the server first'
              : 'a server is creating its database here; try again in a moment',
          )
        isBeingUpgraded = holdsData
        if (holdsData && !isCopy) backup = copyBeforeMigration(db, dataDir, now)
      },
    })
    // Otherwise the long log of a migration would start the checkpoint thread right away, which takes 4 MiB.
    if (applied.length > 0 && !asItIs) db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    // While a server is writing, maintenance would have to wait. The server does it when it stops.
    const close = () => (asItIs ? db.close() : closeDatabase(db))
    return {
      db,
      path,
      applied,
      backup,
      foreignLog,
      stampInFile,
      abandonLog: (at) => abandonLog(dataDir, path, at),
      close,
    }
  } catch (error) {
    db.close()
    // The database is unchanged, and one copy per attempt would fill the disk.
    if (backup !== undefined) rmSync(backup)
    if (error instanceof NewerDatabase) throw error.withCopy(findCopyFor(migrations, dataDir))
    throw explain(error, path, isBeingUpgraded)
  }
}

export function openMemoryDatabase(contents?: Buffer): Database {
  emptyTables ??= migrated(new Database(':memory:', { strict: true })).serialize()
  return migrated(Database.deserialize(contents ?? emptyTables, { strict: true }))
}

/** Cached, since migrating takes ten times as long as loading the result. */
let emptyTables: Buffer | undefined

function migrated(db: Database): Database {
  setPragmas(db)
  migrate(db, { migrations: MIGRATIONS, version: 'test', now: 0, beforeChange: () => undefined })
  return db
}

/** References to locks, which garbage collection would otherwise release. */
const locks = new Set<Database>()

/** Locks the data folder against a second server until the process ends. Throws `UnusableDatabase`. */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, LOCK_FILE)
  const lock = new Database(path, { create: true })
  locks.add(lock)
  try {
    // SQLite creates the journal with the same mode. A killed server of an earlier version may have left one that
    // differs.
    for (const file of [path, `${path}-journal`].filter((file) => existsSync(file))) chmodSync(file, 0o600)
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    locks.delete(lock)
    lock.close()
    if (isBusy(error)) throw new UnusableDatabase(`another podstep server is already running on ${dataDir}`)
    throw error
  }
  return () => {
    locks.delete(lock)
    lock.close()
  }
}

function setPragmas(db: Database): void {
  // First, so that the pragmas below wait for a command-line process that is writing.
  db.run(BUSY_TIMEOUT)
  db.run('PRAGMA journal_mode = WAL')
  // Acknowledged changes must survive a power cut. The write queue spreads the cost of an fsync over many changes.
  db.run('PRAGMA synchronous = FULL')
  db.run('PRAGMA foreign_keys = ON')
  // In KiB. The operating system caches the file too, and doubling this value made nothing faster.
  db.run('PRAGMA cache_size = -4000')
  db.run('PRAGMA temp_store = MEMORY')
  db.run('PRAGMA journal_size_limit = 16777216')
  // Overwrites deleted accounts in the file.
  db.run('PRAGMA secure_delete = FAST')
  db.run('PRAGMA trusted_schema = OFF')
}

function closeDatabase(db: Database): void {
  // The write queue uses a shorter timeout, but here no requests are waiting.
  db.run(BUSY_TIMEOUT)
  db.run('PRAGMA optimize')
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

function explain(error: unknown, path: string, isBeingUpgraded: boolean): unknown {
  if (isDamage(error))
    return new UnusableDatabase(
      `${path} is damaged or not a database; restore a backup from the backups folder beside it`,
    )
  if (isBeingUpgraded && isDiskFault(error))
    return new UnusableDatabase(
      `${path} could not be upgraded and is as it was: ${messageOf(error)}. ` +
        `An upgrade needs room for a copy of the database and for a log as large as all that it changes: ${megabytes(2 * statSync(path).size)} or more`,
    )
  return error
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`
}

const SUFFIX = '-before-migration.db'

function copyBeforeMigration(db: Database, dataDir: string, now: number): string {
  const folder = join(dataDir, 'backups')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stamp = new Date(now * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const target = join(folder, `podstep-${stamp}${SUFFIX}`)
  const unfinished = `${target}.partial`
  rmSync(unfinished, { force: true })
  try {
    db.query('VACUUM INTO ?').run(unfinished)
    chmodSync(unfinished, 0o600)
    syncFile(unfinished)
    renameSync(unfinished, target)
  } catch (error) {
    // The copy itself may have filled the disk.
    rmSync(unfinished, { force: true })
    throw error
  }
  syncFolder(folder)
  return target
}

/** Returns the newest copy made before a migration that this version can open, if any. */
function findCopyFor(migrations: readonly Migration[], dataDir: string): string | undefined {
  const folder = join(dataDir, 'backups')
  if (!existsSync(folder)) return undefined
  return readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .toSorted((one, other) => other.localeCompare(one))
    .map((name) => join(folder, name))
    .find((path) => isOf(migrations, path))
}

function isOf(migrations: readonly Migration[], path: string): boolean {
  let db: Database | undefined
  try {
    db = new Database(path, { readonly: true })
    const applied = db.query<{ name: string }, []>('SELECT name FROM schema_migrations ORDER BY name').all()
    return applied.length > 0 && applied.every(({ name }, index) => migrations[index]?.name === name)
  } catch {
    // The error message must not recommend an unreadable file.
    return false
  } finally {
    db?.close()
  }
}
