import { open } from 'node:fs/promises'
import { DomainError } from '../../domain/shared/errors.ts'
import { parseExactly } from '../../domain/shared/exact-json.ts'
import type { ImportRecord, ImportSource, SourcedRecord } from '../../domain/transfer/records.ts'
import type { Timer } from '../../platform/clock.ts'
import { isRecord } from '../../platform/unknown.ts'
import type { FileRequest, FileResponse, PassedRecord } from './file-worker.ts'
import { FILE_KINDS, HEAD_BYTES } from './kinds.ts'

/** Reading some records takes milliseconds; looking through a large file before that, a minute on a small computer. */
const PATIENCE_MS = 10 * 60_000

export interface FileSourceParts {
  /** Starts `file-worker.ts`. */
  readonly startWorker: () => Worker
  readonly timer: Timer
}

/** Tells what kind of file it is, by its beginning. Throws `validation_failed` for none that is known. */
export async function findFileKind(path: string): Promise<string> {
  const head = await readHead(path)
  if (head.length === 0) throw new DomainError('validation_failed', 'the file is empty')
  const kind = FILE_KINDS.find((known) => known.matches(head, path))
  if (!kind)
    throw new DomainError(
      'validation_failed',
      'this is no file that can be imported: neither an archive of a podstep account, nor the database of AntennaPod or gPodder, nor OPML',
    )
  return kind.name
}

async function readHead(path: string): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** What is in a file of this kind, read on a thread of its own that is ended if it takes too long. */
export function createFileSource(
  { startWorker, timer }: FileSourceParts,
  { kind, path, name }: Omit<FileRequest, 'resumeFrom'>,
): ImportSource {
  return {
    name,
    async *records(resumeFrom, signal): AsyncGenerator<SourcedRecord> {
      const worker = startWorker()
      try {
        let request: FileRequest | 'next' = { kind, path, name, resumeFrom }
        for (;;) {
          const { records, isLast } = await ask(worker, request, signal, timer)
          for (const { record, cursor } of records) yield { record: received(record), cursor }
          if (isLast) return
          request = 'next'
        }
      } finally {
        worker.terminate()
      }
    },
  }
}

type FileRecords = Extract<FileResponse, { readonly isLast: boolean }>

async function ask(
  worker: Worker,
  request: FileRequest | 'next',
  signal: AbortSignal,
  timer: Timer,
): Promise<FileRecords> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<FileRecords>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  const callOff = timer(PATIENCE_MS, () =>
    reject(new DomainError('validation_failed', 'the file takes too long to read')),
  )
  worker.onmessage = ({ data }: MessageEvent<FileResponse>) => {
    if ('isLast' in data) resolve(data)
    else if ('code' in data) reject(new DomainError(data.code, data.message))
    else reject(new Error(`reading the file failed: ${data.failure}`))
  }
  worker.onerror = ({ message }: ErrorEvent) => reject(new Error(`the thread that reads the file failed: ${message}`))
  worker.addEventListener('close', () => reject(new Error('the thread that reads the file has ended')))
  worker.postMessage(request)
  try {
    return await promise
  } finally {
    callOff()
    signal.removeEventListener('abort', abort)
  }
}

function received(record: PassedRecord): ImportRecord {
  if (record.kind !== 'settings') return record
  const { json, ...rest } = record
  const values = parseExactly(json)
  return { ...rest, values: isRecord(values) ? values : {} }
}
