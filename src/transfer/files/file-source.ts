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
      const reader = readerOf(startWorker(), signal, timer)
      try {
        let request: FileRequest | 'next' = { kind, path, name, resumeFrom }
        for (;;) {
          const answer = await reader.ask(request)
          if (answer.isLast) return
          yield { record: received(answer.record), cursor: answer.cursor }
          request = 'next'
        }
      } finally {
        reader.end()
      }
    },
  }
}

type FileAnswer = Extract<FileResponse, { readonly isLast: boolean }>

/** One question at a time. What listens to the thread is set up once: it would keep all that it has ever heard. */
function readerOf(worker: Worker, signal: AbortSignal, timer: Timer) {
  let answer: PromiseWithResolvers<FileAnswer> | undefined
  const fail = (error: unknown) => answer?.reject(error)
  const abort = () => fail(signal.reason)
  signal.addEventListener('abort', abort)
  worker.onmessage = ({ data }: MessageEvent<FileResponse>) => {
    if ('isLast' in data) answer?.resolve(data)
    else if ('code' in data) fail(new DomainError(data.code, data.message))
    else fail(new Error(`reading the file failed: ${data.failure}`))
  }
  worker.onerror = ({ message }: ErrorEvent) => fail(new Error(`the thread that reads the file failed: ${message}`))
  worker.addEventListener('close', () => fail(new Error('the thread that reads the file has ended')))

  return {
    async ask(request: FileRequest | 'next'): Promise<FileAnswer> {
      signal.throwIfAborted()
      answer = Promise.withResolvers()
      const callOff = timer(PATIENCE_MS, () =>
        fail(new DomainError('validation_failed', 'the file takes too long to read')),
      )
      worker.postMessage(request)
      try {
        return await answer.promise
      } finally {
        callOff()
        answer = undefined
      }
    },
    end(): void {
      signal.removeEventListener('abort', abort)
      worker.terminate()
    },
  }
}

function received(record: PassedRecord): ImportRecord {
  if (record.kind !== 'settings') return record
  const { json, ...rest } = record
  const values = parseExactly(json)
  return { ...rest, values: isRecord(values) ? values : {} }
}
