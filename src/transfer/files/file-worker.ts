import { DomainError, type ErrorCode } from '../../domain/shared/errors.ts'
import type { ImportRecord, SourcedRecord } from '../../domain/transfer/records.ts'
import { systemClock } from '../../platform/clock.ts'
import { messageOf } from '../../platform/unknown.ts'
import { FILE_KINDS } from './kinds.ts'

/*
 * A thread that reads a file which is imported: it is large, and somebody may have made it to do harm. What the thread
 * and the others say to each other: first what to read, then `next` again and again.
 */

export interface FileRequest {
  readonly kind: string
  readonly path: string
  readonly name: string
  readonly resumeFrom: string | undefined
}

/** Settings as JSON, since numbers that are kept exactly do not pass from thread to thread. */
export type PassedRecord = Exclude<ImportRecord, { kind: 'settings' }> | PassedSettings
type SettingsRecord = Extract<ImportRecord, { kind: 'settings' }>
type PassedSettings = Omit<SettingsRecord, 'values'> & { readonly json: string }

export type FileResponse =
  | { readonly record: PassedRecord; readonly cursor?: string | undefined; readonly isLast: false }
  | { readonly isLast: true }
  | { readonly code: ErrorCode; readonly message: string }
  | { readonly failure: string }

declare const self: Worker

const clock = systemClock()

let records: AsyncIterator<SourcedRecord> | undefined

self.onmessage = async ({ data }: MessageEvent<FileRequest | 'next'>) => {
  try {
    if (data !== 'next') records = open(data)
    postMessage(await nextRecord())
  } catch (error) {
    const isKnown = error instanceof DomainError
    postMessage(isKnown ? { code: error.code, message: error.message } : { failure: messageOf(error) })
  }
}

function open({ kind, path, name, resumeFrom }: FileRequest): AsyncIterator<SourcedRecord> {
  const source = FILE_KINDS.find((known) => known.name === kind)?.open(path, name, clock.seconds)
  if (!source) throw new Error(`there is no kind of file "${kind}"`)
  // The thread is ended from outside.
  return source.records(resumeFrom, new AbortController().signal)[Symbol.asyncIterator]()
}

/** One, which is five hundred actions at the most: reading a message must not take the other thread long. */
async function nextRecord(): Promise<FileResponse> {
  const next = await records?.next()
  if (!next || next.done) return { isLast: true }
  const { record, cursor } = next.value
  return { record: passed(record), cursor, isLast: false }
}

function passed(record: ImportRecord): PassedRecord {
  if (record.kind !== 'settings') return record
  const { values, ...rest } = record
  return { ...rest, json: JSON.stringify(values) }
}
