import { Database } from 'bun:sqlite'
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { codeOf, messageOf } from '../../../platform/unknown.ts'
import { UnusableDatabase } from '../../migrations.ts'
import { isBusy, isDamage } from '../core/errors.ts'
import { exchangeDatabase, finishExchange, PREPARATION_FOLDER } from '../core/exchange.ts'
import { hasForeignLog, setLogAside } from '../core/files/run-marker.ts'
import { MIGRATIONS, type Migration } from '../core/migrate.ts'
import { openDatabase } from '../core/open.ts'
import { syncFile } from '../core/sync-folder.ts'

export class RestoreFailure extends Error {
  override readonly name = 'RestoreFailure'
}

export interface RestoreRequest {
  readonly source: string
  readonly dataDir: string
  readonly version: string
  /** Unix seconds. */
  readonly now: number
  readonly migrations?: readonly Migration[]
}

export interface PreparedRestore {
  readonly users: number
  readonly subscriptions: number
  /** Time of the last change in Unix seconds, if any. */
  readonly changedAt: number | undefined
  readonly applied: readonly string[]
  exchange(): string | undefined
  discard(): void
}

const ROOM_FACTOR = 1.2
/** Seconds that unreadable clocks may have been ahead of the time; each change advances a clock by up to two. */
const AHEAD_SECONDS = 86_400

/** Copies, checks and upgrades a backup, with clocks past all that apps have seen. Rejects with `RestoreFailure`. */
export async function prepareRestore(request: RestoreRequest): Promise<PreparedRestore> {
  const { source, dataDir, now } = request
  finishExchange(dataDir)
  const folder = join(dataDir, PREPARATION_FOLDER)
  const discard = () => rmSync(folder, { recursive: true, force: true })
  discard()
  const size = refuseUnfit(request)
  try {
    refuseWithoutRoom(dataDir, size)
    const path = copyInto(folder, source)
    refuseUnsound(path, source)
    const clocks = readClocks(dataDir, now)
    const summary = await prepare(request, folder, clocks)
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
      throw new RestoreFailure('the copy could not be made one file')
    syncFile(path)
    return {
      ...summary,
      discard,
      exchange() {
        const aside = exchangeDatabase(dataDir, path, now)
        discard()
        return aside
      },
    }
  } catch (error) {
    discard()
    throw explainError(error, source)
  }
}

function refuseUnfit({ source, dataDir }: RestoreRequest): number {
  const file = statOf(source)
  if (!file.isFile()) throw new RestoreFailure(`${source} is not a file`)
  const current = statSync(join(dataDir, 'podstep.db'), { throwIfNoEntry: false })
  if (current && current.ino === file.ino && current.dev === file.dev)
    throw new RestoreFailure(`${source} is the database itself; name a backup of it`)
  return file.size
}

function statOf(source: string): Stats {
  try {
    return statSync(source)
  } catch (error) {
    throw new RestoreFailure(
      codeOf(error) === 'ENOENT' ? `there is no file ${source}` : `cannot read ${source}: ${messageOf(error)}`,
    )
  }
}

function refuseWithoutRoom(dataDir: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dataDir)
  const [needed, free] = [bytes * ROOM_FACTOR, bavail * bsize]
  if (free < needed)
    throw new RestoreFailure(
      `not enough room in ${dataDir}: ${megabytes(needed)} are needed, ${megabytes(free)} are free`,
    )
}

/** Copies a database with its log, which holds the last changes of a database that was set aside. */
function copyInto(folder: string, source: string): string {
  mkdirSync(folder, { mode: 0o700 })
  const path = join(folder, 'podstep.db')
  for (const end of ['', '-wal', '-journal'].filter((each) => existsSync(`${source}${each}`))) {
    copyFileSync(`${source}${end}`, `${path}${end}`, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    chmodSync(`${path}${end}`, 0o600)
  }
  return path
}

function refuseUnsound(path: string, source: string): void {
  const db = new Database(path, { readwrite: true, create: false })
  try {
    const tables = db
      .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE name IN ('schema_migrations', 'users')`)
      .all()
    if (tables.length < 2) throw new RestoreFailure(`${source} is not a database of podstep`)
    const problems = db.query<{ integrity_check: string }, []>('PRAGMA integrity_check(5)').all()
    const text = problems.map((row) => row.integrity_check).join('; ')
    if (text !== 'ok') throw new RestoreFailure(`${source} is damaged: ${text}`)
  } finally {
    db.close()
  }
}

/** Logical clocks by user number; undefined if they cannot be read. */
export type Clocks = Readonly<Record<string, number>> | undefined

/** Reads the clocks of the database to be replaced. Also checkpoints its log, unless it is foreign or unreadable. */
function readClocks(dataDir: string, now: number): Clocks {
  const path = join(dataDir, 'podstep.db')
  if (!existsSync(path)) return undefined
  if (hasForeignLog(dataDir, path)) setLogAside(dataDir, path, now)
  const db = new Database(path, { readwrite: true, create: false })
  try {
    const checkpoint = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
    if (checkpoint?.busy) throw new RestoreFailure('another program is using the database; stop it first')
    return clocksIn(db)
  } catch (error) {
    if (error instanceof RestoreFailure) throw error
    if (isBusy(error)) throw new RestoreFailure('another program is using the database; stop it first')
    // Damage may be the reason for the restore. The database is kept unchanged, with its log.
    return undefined
  } finally {
    db.close()
  }
}

export function clocksIn(db: Database): NonNullable<Clocks> {
  const rows = db.query<{ id: number; clock: number }, []>('SELECT id, clock FROM users').all()
  return Object.fromEntries(rows.map(({ id, clock }) => [id, clock]))
}

type Summary = Omit<PreparedRestore, 'exchange' | 'discard'>

async function prepare(request: RestoreRequest, folder: string, clocks: Clocks): Promise<Summary> {
  const { version, now, migrations = MIGRATIONS } = request
  const { db, applied, close } = openDatabase({ dataDir: folder, version, now, migrations, isCopy: true })
  try {
    const count = (table: 'users' | 'listeners') =>
      db.query<{ n: number }, []>(`SELECT COUNT(*) AS n FROM ${table}`).get()?.n ?? 0
    const changedAt = db.query<{ at: number | null }, []>('SELECT MAX(clock) AS at FROM users').get()?.at
    advanceClocks(db, clocks, now)
    return {
      users: count('users'),
      subscriptions: count('listeners'),
      changedAt: changedAt ? Math.min(changedAt, now) : undefined,
      applied,
    }
  } finally {
    close()
  }
}

/** Moves logical clocks past every `since` given out after the backup (docs/protocol.md#D14c). */
export function advanceClocks(db: Database, clocks: Clocks, now: number): void {
  db.query<undefined, [string, number]>(
    'UPDATE users SET clock = MAX(clock, ?2, COALESCE((SELECT value FROM json_each(?1) WHERE key = users.id), 0)) + 2',
  ).run(JSON.stringify(clocks ?? {}), clocks === undefined ? now + AHEAD_SECONDS : now)
  db.run('UPDATE users SET restored_clock = clock')
}

function explainError(error: unknown, source: string): unknown {
  if (error instanceof RestoreFailure) return error
  if (error instanceof UnusableDatabase) return new RestoreFailure(`${source} cannot be restored: ${error.message}`)
  if (isDamage(error)) return new RestoreFailure(`${source} is damaged or not a database`)
  return error
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
