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

/** Marks the run in the data folder and stamps the database, so that an old copy is recognised. */
export function leaveMarker(parts: {
  readonly dataDir: string
  readonly db: Database
  readonly stampInFile: number
  readonly stamp: number
}) {
  const { dataDir, db, stampInFile, stamp } = parts
  const path = join(dataDir, MARKER_FILE)
  const wasLeft = existsSync(path)
  // Both, and before the file is stamped: whenever the power goes, it has one of them.
  replace(path, `${TEXT}stamps: ${stampInFile} ${stamp}\n`)
  // The former one is also that of every copy made before this run.
  if (stampDatabase(db, stamp)) replace(path, `${TEXT}stamps: ${stamp}\n`)
  return {
    wasLeft,
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

/** Whether the file has the stamp now; not on a full disk or while another process reads the log. */
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

/** Moves a foreign log away, which SQLite would write into the database; returns its new path. */
export function setLogAside(dataDir: string, database: string, now: number): string {
  const aside = pathAside(dataDir, now)
  renameSync(`${database}-wal`, aside)
  rmSync(`${database}-shm`, { force: true })
  // From here on another log may be written, which is of the database that is here.
  replace(join(dataDir, MARKER_FILE), TEXT)
  return aside
}

/** As `setLogAside`, for a database that is open: what is not in the log cannot be moved out of it. */
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
