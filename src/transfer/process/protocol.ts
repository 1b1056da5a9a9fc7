import type { ErrorCode } from '../../domain/shared/errors.ts'
import type { ServerRequest } from '../../domain/transfer/ports.ts'
import type { ImportRecord } from '../../domain/transfer/records.ts'
import type { FileKind } from '../files/kinds.ts'

/*
 * Messages between the server and a process that reads one import. The server names the source and then requests one
 * record at a time, so the process never runs ahead of the store.
 */

export interface FileInput {
  readonly kind: FileKind
  readonly path: string
  readonly name: string
}

export interface ServerInput {
  readonly server: ServerRequest
  readonly version: string
  readonly importAllowPrivate: readonly string[]
}

export type ReaderInput = FileInput | ServerInput

export type ImportRequest = { readonly read: ReaderInput; readonly resumeFrom: string | undefined } | 'next'

type SettingsRecord = Extract<ImportRecord, { kind: 'settings' }>

/** Settings are sent as JSON, since exact numbers cannot be cloned. */
export type SentRecord =
  | Exclude<ImportRecord, { kind: 'settings' }>
  | (Omit<SettingsRecord, 'values'> & { readonly json: string })

export type ImportResponse =
  | { readonly record: SentRecord; readonly cursor?: string | undefined; readonly isLast: false }
  | { readonly isLast: true }
  | { readonly code: ErrorCode; readonly message: string }
  | { readonly isOutOfMemory: true }
  | { readonly fault: string }
