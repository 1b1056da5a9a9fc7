import type { ImportSource } from '../../domain/transfer/records.ts'
import { isArchive, openArchive } from './archive.ts'

/** A kind of file that can be imported. */
export interface FileKind {
  readonly name: string
  /** By the first `HEAD_BYTES` of the file. Throws `validation_failed` for one that it knows and cannot read. */
  matches(head: Uint8Array): boolean
  /** On the thread that reads the file. */
  open(path: string, name: string): ImportSource
}

export const HEAD_BYTES = 4096

const text = new TextDecoder()

/** The first that matches counts. */
export const FILE_KINDS: readonly FileKind[] = [
  { name: 'archive', matches: (head) => isArchive(text.decode(head)), open: openArchive },
]
