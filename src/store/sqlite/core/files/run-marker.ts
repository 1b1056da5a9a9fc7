import type { Database } from 'bun:sqlite'
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { sqliteCode } from '../errors.ts'
import { syncFolder } from '../sync-folder.ts'
import { stampIn } from './database-files.ts'

export const MARKER_FILE = 'podstep.running'
const TEXT = 'A podstep server is running here, or was not stopped in order: then the next one checks the database.\n'
const STAMPS = /^stamps: ([-\d ]+)$/m

export type RunMarker = ReturnType<typeof leaveMarker>

/** Marks the run in the data folder and stamps the database, so that old copies are recognised. */
export function leaveMarker(parts: {
  readonly dataDir: string
  readonly db: Database
  readonly stampInFile: number
  readonly stamp: number
}) {
  const { dataDir, db, stampInFile, stamp } = parts
  const path = join(dataDir, MARKER_FILE)
  const isStale = existsSync(path)
  // Both stamps, before the file is stamped: after a power cut, it has one of them.
  replace(path, `${TEXT}stamps: ${stampInFile} ${stamp}\n`)
  // Drops the former stamp, which copies made before this run have too.
  if (stampDatabase(db, stamp)) replace(path, `${TEXT}stamps: ${stamp}\n`)
  return {
    isStale,
    remove: (): void => rmSync(path, { force: true }),
  }
}

function replace(path: string, text: string): void {
  const next = `${path}.new`
  const file = openSync(next, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(next, path)
  syncFolder(dirname(path))
}

/** Stamps the file and returns whether it succeeded; false on a full disk or while another process reads the log. */
function stampDatabase(db: Database, stamp: number): boolean {
  try {
    db.run(`PRAGMA user_version = ${stamp}`)
    const result = db.query<Checkpoint, []>('PRAGMA wal_checkpoint(PASSIVE)').get()
    return result?.busy === 0 && result.checkpointed === result.log
  } catch (error) {
    if (sqliteCode(error) === undefined) throw error
    return false
  }
}

interface Checkpoint {
  readonly busy: number
  readonly log: number
  readonly checkpointed: number
}

/** Whether the log next to the database file belongs to another database, as after copying a backup. */
export function hasForeignLog(dataDir: string, database: string): boolean {
  const marker = join(dataDir, MARKER_FILE)
  if (!((statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0 && existsSync(marker))) return false
  const stamps = STAMPS.exec(readFileSync(marker, 'utf8'))?.[1]?.split(' ')
  return stamps !== undefined && !stamps.includes(String(stampIn(database)))
}

/** Moves a foreign log away, which SQLite would otherwise apply to the database. Returns its new path. */
export function setLogAside(dataDir: string, database: string, now: number): string {
  const aside = pathAside(dataDir, now)
  renameSync(`${database}-wal`, aside)
  rmSync(`${database}-shm`, { force: true })
  // Logs written from now on belong to this database.
  replace(join(dataDir, MARKER_FILE), TEXT)
  return aside
}

/** Variant of `setLogAside` for an open database: copies the log and empties it instead of moving it. */
export function abandonLog(dataDir: string, database: string, now: number): void {
  const log = `${database}-wal`
  if (!existsSync(log)) return
  copyFileSync(log, pathAside(dataDir, now))
  truncateSync(log)
}

function pathAside(dataDir: string, now: number): string {
  const time = new Date(now * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return join(dataDir, `podstep-${time}-of-another.db-wal`)
}
