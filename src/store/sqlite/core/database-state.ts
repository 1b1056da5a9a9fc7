import { closeSync, existsSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DomainError } from '../../../domain/shared/errors.ts'
import type { CheckResponse } from './check-worker.ts'
import { driverError, isDamage, isReadFailure, toDomainError, unavailable } from './errors.ts'
import { syncFolder } from './sync-folder.ts'

export interface DatabaseStateOptions {
  /** Undefined for a database in memory. */
  readonly path: string | undefined
  /** Whether the disk, and no wrong content, may be why SQLite speaks of damage. */
  readonly hadReadError: () => boolean
  /** Milliseconds of a clock that never jumps. */
  readonly monotonic: () => number
  /** Told once of each kind of trouble, with what the operator has to do, for the log. */
  readonly onTrouble: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

/** For how long a transaction shows that the next one could be written as well. */
const WRITE_COUNTS_MS = 5_000
/** Nothing reads the page again that could not be read, so that only time tells whether the disk has recovered. */
const READ_FAILURE_COUNTS_MS = 60_000

export type DatabaseState = ReturnType<typeof createDatabaseState>

/** What is wrong with the database and its files, as far as statements, commits and checks have shown. */
export function createDatabaseState({ path, hadReadError, monotonic, onTrouble }: DatabaseStateOptions) {
  const files = path === undefined ? [] : [path, `${path}-wal`].map((file) => ({ file, opened: identityOf(file) }))
  const whatToDo = path === undefined ? {} : { database: path, backups: join(dirname(path), 'backups') }

  let isDamaged = false
  let isMoved = false
  let readFailedAt: number | undefined
  let lastWrite: { readonly at: number; readonly error: unknown } | undefined
  let probing: Promise<void> | undefined

  function noteDamage(fields: Readonly<Record<string, unknown>>): void {
    if (isDamaged) return
    isDamaged = true
    onTrouble('the database is damaged, changes are refused: stop the server and restore the latest good backup', {
      ...whatToDo,
      ...fields,
    })
  }

  function noteReadFailure(error: unknown): void {
    if (!hasReadFailure())
      onTrouble('the disk does not let the database be read: check the disk and its cable', { ...whatToDo, error })
    readFailedAt = monotonic()
  }

  function hasReadFailure(): boolean {
    return readFailedAt !== undefined && monotonic() - readFailedAt < READ_FAILURE_COUNTS_MS
  }

  /** As long as they are open, nobody else can get the numbers of their files. */
  function lookAtFiles(): void {
    const moved = files.find(({ file, opened }) => opened !== undefined && !isSameFile(opened, identityOf(file)))
    if (moved && !isMoved)
      onTrouble(
        'a file of the database has been deleted, moved or replaced under the server, changes are refused: ' +
          'stop the server, put the right database in place and start it again',
        { ...whatToDo, file: moved.file },
      )
    isMoved = moved !== undefined
  }

  function refusal(): DomainError | undefined {
    lookAtFiles()
    if (isDamaged) return unavailable('the database is damaged; changes are refused until a backup has been restored')
    if (isMoved) return unavailable('the database file has been deleted or replaced; changes are refused')
    return undefined
  }

  return {
    /** Must be told of every error of a statement; returns the error to throw instead. */
    noteError(error: unknown): unknown {
      const isUnreadable = isReadFailure(error) || (isDamage(error) && hadReadError())
      if (isUnreadable) noteReadFailure(driverError(error))
      else if (isDamage(error)) noteDamage({ error: driverError(error) })
      return toDomainError(error)
    },
    /** Must be told when a transaction has been flushed, or with the reason when one could not be written. */
    noteWrite(error?: unknown): void {
      lastWrite = { at: monotonic(), error }
    },
    /** Whether the last transaction that had something to write could not be written. */
    get hasFailedWrite() {
      return lastWrite?.error !== undefined
    },
    /** Something has been found that cannot be true in a sound database. Lasts until the server is started again. */
    noteDamage,
    /**
     * Why no change may be acknowledged, if there is a reason: it would be lost when the database is restored. Looks at
     * the files, which takes some 5 µs.
     */
    refusal,
    /** Whether the last look at the files, or anything before it, has found such a reason. */
    get isRefusing() {
      return isDamaged || isMoved
    },
    /**
     * Resolves while changes can be written and everything can be read; rejects with `unavailable` otherwise. What the
     * last transaction has shown counts for some seconds; only after that is the disk asked again, by `probe`, for all
     * who wait.
     */
    async ready(probe: () => Promise<void>): Promise<void> {
      const reason = refusal()
      if (reason) throw reason
      if (hasReadFailure()) throw unavailable('the disk could not be read within the last minute')
      if (lastWrite === undefined || monotonic() - lastWrite.at >= WRITE_COUNTS_MS) {
        probing ??= probe().finally(() => {
          probing = undefined
        })
        await probing
      } else if (lastWrite.error !== undefined) throw toDomainError(lastWrite.error)
    },
  }
}

interface Identity {
  readonly dev: bigint
  readonly ino: bigint
}

/** Big integers, because some file systems use all 64 bits. */
function identityOf(file: string): Identity | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })
}

function isSameFile(one: Identity, other: Identity | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev
}

const MARKER_FILE = 'podstep.running'
const TEXT = 'A podstep server is running here, or was not stopped in order: then the next one checks the database.\n'

export type RunMarker = ReturnType<typeof leaveMarker>

/**
 * Leaves a file in the data folder that tells the next server if this one does not stop in order. On the disk when this
 * returns.
 */
export function leaveMarker(dataDir: string) {
  const path = join(dataDir, MARKER_FILE)
  const wasLeft = existsSync(path)
  if (!wasLeft) write(path, dataDir)
  return {
    /** Whether the last server on this folder was killed, lost its power, or knew that its database was damaged. */
    wasLeft /** To be called at the end of an orderly stop. */,
    remove: (): void => rmSync(path, { force: true }),
  }
}

function write(path: string, folder: string): void {
  const file = openSync(path, 'w', 0o600)
  try {
    writeSync(file, TEXT)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncFolder(folder)
}

/**
 * Has the whole database at `path` read on a thread; resolves with the faults found, none if it is sound. Rejects when
 * it could not be read to its end. Nobody waits for the thread when the process wants to end.
 */
export async function quickCheck(path: string, startWorker: () => Worker): Promise<readonly string[]> {
  const worker = startWorker()
  try {
    const { promise, resolve, reject } = Promise.withResolvers<CheckResponse>()
    worker.onmessage = ({ data }: MessageEvent<CheckResponse>) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.addEventListener('close', () => reject(new Error('the thread has ended')))
    worker.unref()
    worker.postMessage(path)
    const reply = await promise
    if ('failure' in reply) throw new Error(reply.failure)
    return reply.faults
  } finally {
    worker.terminate()
  }
}
