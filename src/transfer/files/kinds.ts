import { open } from 'node:fs/promises'
import { DomainError } from '../../domain/shared/errors.ts'
import { decodeText } from '../../platform/decode-text.ts'

/** The kind of a file, as far as its first bytes show it. */
export type FileKind = 'archive' | 'database' | 'opml'

/** Bytes that show the kind; a document may begin with a byte order mark and white space. */
const HEAD_BYTES = 512
const SQLITE = 'SQLite format 3\0'

/**
 * The kind of a file by its first bytes. Only the process that reads it looks further, so a file of a kind may still turn
 * out to be something else. Throws `validation_failed`.
 */
export async function findFileKind(path: string): Promise<FileKind> {
  const head = await readHead(path, HEAD_BYTES)
  if (head.length === 0) throw new DomainError('validation_failed', 'the file is empty')
  if (Buffer.from(head).toString('latin1').startsWith(SQLITE)) return 'database'
  const [first] = decodeText(head).trimStart()
  if (first === '{') return 'archive'
  if (first === '<') return 'opml'
  throw notImportable()
}

export async function readHead(path: string, bytes: number): Promise<Uint8Array> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** The file is none of the kinds that can be imported. */
export function notImportable(): DomainError {
  return new DomainError(
    'validation_failed',
    'this is no file that can be imported: neither an archive of a podstep account, nor the database of AntennaPod or gPodder, nor OPML',
  )
}
