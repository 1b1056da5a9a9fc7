import { Database } from 'bun:sqlite'
import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { platform, setPriority } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { BackupTrouble } from '../../../domain/server/backups.ts'
import { syncFolder } from '../core/sync-folder.ts'

/* Messages to and from the backup thread. */

export interface BackupRequest {
  readonly database: string
  readonly folder: string
  readonly name: string
  readonly partialName: string
  /** Limit for the write-ahead log, which cannot start over while a copy is made. */
  readonly logBytesMax: number
  readonly stop: Int32Array<SharedArrayBuffer>
}

export type BackupResponse = { readonly bytes: number } | { readonly failure: string; readonly trouble: BackupTrouble }

export interface BackupProgress {
  readonly pages: number
  readonly allPages: number
}

/** Runs on a thread. Copies one read transaction in steps; `VACUUM INTO` cannot be paced or interrupted. */

declare const self: Worker

const STEP_PAGES = 256
/** Pause after each step, so that requests get the processor and the disk. */
const PAUSE_MS = 10
/** Growth of the log after which pauses are skipped, since it cannot start over before the copy is complete. */
const HURRY_BYTES = 16 * 1024 * 1024
const ROOM_FACTOR = 1.2

class Obstacle extends Error {
  readonly trouble: BackupTrouble

  constructor(trouble: BackupTrouble, message: string) {
    super(message)
    this.trouble = trouble
  }
}

lowerPriority()

self.onmessage = async ({ data }: MessageEvent<BackupRequest>) => {
  postMessage(await makeBackup(data))
}

/** Sets the lowest priority. Only on Linux, where it applies to the thread and not to the whole process. */
function lowerPriority(): void {
  if (platform() !== 'linux') return
  try {
    setPriority(19)
  } catch {
    // Not permitted here; the pauses have to suffice.
  }
}

async function makeBackup(request: BackupRequest): Promise<BackupResponse> {
  const { folder, partialName } = request
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const partial = join(folder, partialName)
    const file = openSync(partial, 'wx', 0o600)
    try {
      return { bytes: await fill(request, partial, file) }
    } catch (error) {
      for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(`${partial}${suffix}`, { force: true })
      throw error
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return toFailure(error, folder)
  }
}

async function fill(request: BackupRequest, partial: string, file: number): Promise<number> {
  const { folder, name } = request
  const migrations = await copy(request, partial, file)
  postMessage({ pages: 1, allPages: 1 } satisfies BackupProgress)
  finish(partial, migrations)
  fsyncSync(file)
  refuseIfStopped(request)
  const { size } = fstatSync(file)
  renameSync(partial, join(folder, name))
  syncFolder(folder)
  return size
}

async function copy(request: BackupRequest, partial: string, file: number): Promise<number> {
  const { database, folder, logBytesMax, stop } = request
  const source = new DatabaseSync(database, { readOnly: true })
  try {
    source.exec('BEGIN')
    // The first read fixes the state that is copied. Without it, every change would restart the copy.
    const migrations = numberIn(source, 'SELECT COUNT(*) AS n FROM schema_migrations')
    refuseWithoutRoom(
      folder,
      numberIn(source, 'SELECT c.page_count * s.page_size AS n FROM pragma_page_count c, pragma_page_size s'),
    )
    const before = logSize(database)
    await backup(source, partial, {
      rate: STEP_PAGES,
      progress({ totalPages, remainingPages }) {
        refuseIfStopped(request)
        postMessage({ pages: totalPages - remainingPages, allPages: totalPages } satisfies BackupProgress)
        const grown = logSize(database) - before
        if (grown > logBytesMax)
          throw new Obstacle(
            'busy',
            `too much was written meanwhile: ${megabytes(grown)}, for which the disk must have room`,
          )
        // Otherwise the disk would have to write everything at the end, and commits would wait.
        fdatasyncSync(file)
        if (grown < HURRY_BYTES) Atomics.wait(stop, 0, 0, PAUSE_MS)
      },
    })
    return migrations
  } finally {
    source.close()
  }
}

function finish(partial: string, migrations: number): void {
  const db = new Database(partial, { readwrite: true, create: false })
  try {
    db.run('PRAGMA journal_mode = DELETE')
    // Unlike the stamp of the database in this or any other run (`core/files/run-marker.ts`).
    const stamp = db.query<{ n: number }, []>('SELECT random() >> 33 AS n').get()?.n
    db.run(`PRAGMA user_version = ${stamp}`)
    const problems = db
      .query<{ integrity_check: string }, []>('PRAGMA integrity_check(5)')
      .all()
      .map((row) => row.integrity_check)
    if (problems.join() !== 'ok')
      throw new Obstacle('unsound', `the copy does not pass its check: ${problems.join('; ')}`)
    const copied = db.query<{ n: number }, []>('SELECT COUNT(*) AS n FROM schema_migrations').get()?.n
    if (copied !== migrations) throw new Obstacle('unsound', 'the copy does not pass its check: migrations are missing')
  } finally {
    db.close()
  }
}

function refuseIfStopped({ stop }: BackupRequest): void {
  if (Atomics.load(stop, 0) !== 0) throw new Obstacle('other', 'the server is stopping')
}

function refuseWithoutRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder)
  const [needed, free] = [bytes * ROOM_FACTOR, bavail * bsize]
  if (free < needed)
    throw new Obstacle(
      'no_room',
      `not enough room in ${folder}: ${megabytes(needed)} are needed, ${megabytes(free)} are free`,
    )
}

function logSize(database: string): number {
  return statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0
}

function numberIn(db: DatabaseSync, sql: string): number {
  return Number(db.prepare(sql).get()?.['n'])
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

const SQLITE_FULL = 13

function toFailure(error: unknown, folder: string): Extract<BackupResponse, { failure: string }> {
  if (!(error instanceof Error)) return { failure: String(error), trouble: 'other' }
  if (error instanceof Obstacle) return { failure: error.message, trouble: error.trouble }
  const code = 'code' in error ? error.code : undefined
  const isFull = code === 'ENOSPC' || code === 'SQLITE_FULL' || ('errcode' in error && error.errcode === SQLITE_FULL)
  return isFull
    ? { failure: `the disk of ${folder} is full`, trouble: 'no_room' }
    : { failure: `cannot make a copy in ${folder}: ${error.message}`, trouble: 'folder' }
}
