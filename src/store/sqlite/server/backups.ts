import type { Database } from 'bun:sqlite'
import { existsSync, promises, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  BACKUP_TROUBLES,
  BackupFailure,
  type BackupFile,
  type BackupResult,
  type BackupStore,
  backupTime,
  isLeftover,
} from '../../../domain/server/backups.ts'
import { systemRandom } from '../../../platform/crypto.ts'
import { codeOf, messageOf } from '../../../platform/unknown.ts'
import type { BackupProgress, BackupRequest, BackupResponse } from './backup-worker.ts'

export interface BackupStoreOptions {
  readonly folder: string
  readonly startWorker: () => Worker
  readonly logBytesMax?: number
}

const LOG_BYTES_MAX = 256 * 1024 * 1024
const RESULT_FILE = 'last-backup.json'

export function createBackupStore(
  db: Database,
  { folder, startWorker, logBytesMax = LOG_BYTES_MAX }: BackupStoreOptions,
): BackupStore {
  const resultFile = join(folder, RESULT_FILE)
  let thread: BackupThread | undefined

  async function names(): Promise<string[]> {
    try {
      return await promises.readdir(folder)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return []
      throw new BackupFailure(`cannot read the folder of backups: ${messageOf(error)}`, 'folder')
    }
  }

  async function sizeOf(name: string): Promise<number> {
    try {
      return (await promises.stat(join(folder, name))).size
    } catch (error) {
      throw new BackupFailure(`cannot read the folder of backups: ${messageOf(error)}`, 'folder')
    }
  }

  return {
    async list() {
      const files: BackupFile[] = []
      for (const name of await names()) {
        const at = backupTime(name)
        if (at !== undefined) files.push({ name, at, bytes: await sizeOf(name) })
      }
      return files.toSorted((one, other) => other.at - one.at)
    },

    async make(name) {
      const request = { database: db.filename, folder, name, partialName: `${name}.partial`, logBytesMax }
      thread = startThread(startWorker(), (stop) => ({ ...request, stop }))
      try {
        return await sizeIn(thread.response)
      } finally {
        thread = undefined
      }
    },

    abort: () => thread?.abort(),
    abandon: () => thread?.abandon(),
    remove: (name) => promises.rm(join(folder, name), { force: true }),

    async removeLeftovers() {
      for (const name of (await names()).filter(isLeftover)) {
        try {
          await promises.rm(join(folder, name), { force: true })
        } catch (error) {
          throw new BackupFailure(`cannot remove the remains of an earlier backup: ${messageOf(error)}`, 'folder')
        }
      }
    },

    async readResult() {
      try {
        return resultIn(await promises.readFile(resultFile, 'utf8'))
      } catch {
        // No backup yet. If the folder is unreadable, the next backup reports it.
        return undefined
      }
    },

    async writeResult(result) {
      await promises.mkdir(folder, { recursive: true, mode: 0o700 })
      await promises.writeFile(`${resultFile}.new`, JSON.stringify(result), { mode: 0o600 })
      await promises.rename(`${resultFile}.new`, resultFile)
    },
  }
}

export interface CopyRequest {
  readonly database: string
  readonly folder: string
  readonly name: string
  readonly startWorker: () => Worker
  readonly onProgress: (progress: BackupProgress) => void
}

/** Suffix of unfinished copies, and of finished temporary ones for a pipe. */
const COPY_ENDING = /^(?:\.[0-9a-f]{8})?\.copy\.partial(?:-journal)?$/
const OUR_COPY = /^podstep-\d{8}T\d{6}Z\.db(?=\.copy$|(?:\.copy)?(?:\.[0-9a-f]{8})?\.copy\.partial(?:-journal)?$)/
const STALE_AFTER_SECONDS = 3600

export function removeStaleCopies(folder: string, name: string, now: number): void {
  for (const each of existsSync(folder) ? readdirSync(folder) : []) {
    if (!(OUR_COPY.test(each) || (each.startsWith(name) && COPY_ENDING.test(each.slice(name.length))))) continue
    const path = join(folder, each)
    if (statSync(path).mtimeMs / 1000 < now - STALE_AFTER_SECONDS) rmSync(path, { force: true })
  }
}

/**
 * Returns a unique file name, so that copies under the same name do not collide. It differs from the names of
 * unfinished backups, which a server removes.
 */
export function partialCopyName(name: string): string {
  return `${name}.${Buffer.from(systemRandom().bytes(4)).toString('hex')}.copy.partial`
}

export function copyDatabase({ startWorker, onProgress, ...request }: CopyRequest) {
  const { name } = request
  const partialName = partialCopyName(name)
  const { response, abort } = startThread(
    startWorker(),
    (stop) => ({ ...request, partialName, logBytesMax: LOG_BYTES_MAX, stop }),
    onProgress,
  )
  return { abort, size: sizeIn(response) }
}

async function sizeIn(response: Promise<BackupResponse>): Promise<number> {
  const answer = await response
  if ('failure' in answer) throw new BackupFailure(answer.failure, answer.trouble)
  return answer.bytes
}

interface BackupThread {
  readonly response: Promise<BackupResponse>
  abort(): void
  abandon(): void
}

/** Starts the thread. A stopping server waits for it unless it is abandoned. */
function startThread(
  worker: Worker,
  requestWith: (stop: Int32Array<SharedArrayBuffer>) => BackupRequest,
  onProgress: (progress: BackupProgress) => void = () => undefined,
): BackupThread {
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const { promise, resolve } = Promise.withResolvers<BackupResponse>()
  worker.onmessage = ({ data }: MessageEvent<BackupResponse | BackupProgress>) => {
    if ('pages' in data) return onProgress(data)
    resolve(data)
    worker.terminate()
  }
  worker.onerror = ({ message }: ErrorEvent) => resolve({ failure: `the thread failed: ${message}`, trouble: 'other' })
  worker.addEventListener('close', () => resolve({ failure: 'the thread has ended', trouble: 'other' }))
  worker.postMessage(requestWith(stop))
  return {
    response: promise,
    abort() {
      Atomics.store(stop, 0, 1)
      Atomics.notify(stop, 0)
    },
    abandon() {
      worker.unref()
      resolve({ failure: 'the thread did not stop in time', trouble: 'other' })
    },
  }
}

/** Returns undefined for a file that was edited or truncated by a power cut. */
function resultIn(text: string): BackupResult | undefined {
  const result: unknown = JSON.parse(text)
  return isResult(result) ? result : undefined
}

function isResult(value: unknown): value is BackupResult {
  if (typeof value !== 'object' || value === null) return false
  const { at, seconds, file, bytes, cause, trouble }: Partial<Record<string, unknown>> = { ...value }
  const isFile = typeof file === 'string' && typeof bytes === 'number'
  const isFailure =
    typeof cause === 'string' && (trouble === undefined || BACKUP_TROUBLES.some((one) => one === trouble))
  return typeof at === 'number' && typeof seconds === 'number' && (isFile || isFailure)
}
