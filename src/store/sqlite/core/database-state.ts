import { dirname, join } from 'node:path'
import type { DomainError } from '../../../domain/shared/errors.ts'
import type { CheckResponse } from './check-worker.ts'
import { driverError, isDamage, isReadFailure, toDomainError, unavailable } from './errors.ts'
import { watchFiles } from './files/database-files.ts'

export interface DatabaseStateOptions {
  readonly path: string | undefined
  readonly stamp: number
  /** Whether a read error of the disk may be the reason why SQLite reports damage. */
  readonly hadReadError: () => boolean
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number
  readonly onTrouble: (message: string, fields: Readonly<Record<string, unknown>>) => void
}

const WRITE_COUNTS_MS = 5_000
/** Milliseconds after which a read failure is forgotten. The unreadable page is not read again as a test. */
const READ_FAILURE_COUNTS_MS = 60_000

const WHAT_TO_DO = {
  moved:
    'a file of the database has been deleted, moved or replaced under the server, changes are refused: ' +
    'stop the server, put the right database in place and start it again',
  overwritten:
    'a file of the database has been overwritten or emptied under the server, changes are refused: ' +
    'stop the server and restore a backup; if it was a backup that was copied there, start the server again',
  hidden:
    'a file of the database cannot be reached, changes are refused until it can: ' +
    'check the disk and the permissions of the data folder',
}

export type DatabaseState = ReturnType<typeof createDatabaseState>

export function createDatabaseState({ path, stamp, hadReadError, monotonic, onTrouble }: DatabaseStateOptions) {
  const files = path === undefined ? undefined : watchFiles(path, stamp)
  const whatToDo = path === undefined ? {} : { database: path, backups: join(dirname(path), 'backups') }

  let isDamaged = false
  let hasLostFiles = false
  let isOverwritten = false
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

  function checkFiles(): void {
    const problem = files?.find()
    if (problem && !hasLostFiles) {
      const { kind, ...fields } = problem
      onTrouble(WHAT_TO_DO[kind], { ...whatToDo, ...fields })
    }
    hasLostFiles = problem !== undefined
    isOverwritten ||= problem?.kind === 'overwritten'
  }

  function refusal(): DomainError | undefined {
    checkFiles()
    if (isDamaged) return unavailable('the database is damaged; changes are refused until a backup has been restored')
    if (hasLostFiles)
      return unavailable('the database file has been deleted or replaced, or cannot be reached; changes are refused')
    return undefined
  }

  return {
    noteError(error: unknown): unknown {
      const isUnreadable = isReadFailure(error) || (isDamage(error) && hadReadError())
      if (isUnreadable) noteReadFailure(driverError(error))
      else if (isDamage(error)) noteDamage({ error: driverError(error) })
      return toDomainError(error)
    },
    noteWrite(error?: unknown): void {
      lastWrite = { at: monotonic(), error }
    },
    get hasFailedWrite() {
      return lastWrite?.error !== undefined
    },
    /** Records damage to the database, which lasts until the server is restarted. */
    noteDamage,
    /** Returns the reason why no change may be acknowledged, if any. Checks the files, which takes about 10 µs. */
    refusal,
    /** Whether the last check, or an earlier fault, has found such a reason. */
    get isRefusing() {
      return isDamaged || hasLostFiles
    },
    /** Whether other programs have overwritten the files, so that the log must not be checkpointed. */
    isOverwritten(): boolean {
      checkFiles()
      return isOverwritten
    },
    /** Settles if the database works, otherwise rejects with `unavailable`. Probes the disk every few seconds. */
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

/** Checks the whole database at `path` on a thread and returns the faults. */
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

/** Returns a `quickCheck` whose result concurrent calls share, since a running check cannot be interrupted. */
export function createQuickCheck(path: string, startWorker: () => Worker): () => Promise<readonly string[]> {
  let reading: Promise<readonly string[]> | undefined
  return () => {
    reading ??= quickCheck(path, startWorker).finally(() => {
      reading = undefined
    })
    return reading
  }
}
