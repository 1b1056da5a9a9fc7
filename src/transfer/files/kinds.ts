import { DomainError } from '../../domain/shared/errors.ts'
import { decodeText } from '../../platform/decode-text.ts'
import { isTextList } from './apps/text-list.ts'
import { isPacked, readHead } from './pieces.ts'

/** Kind of a file, as far as its first bytes show; `opml` is any list of podcasts. */
export type FileKind = 'archive' | 'database' | 'opml'

/** Bytes that show the kind; a document may begin with a byte order mark and white space. */
const HEAD_BYTES = 512
const SQLITE = 'SQLite format 3\0'

/** Detects the kind of a file by its first bytes. Throws `validation_failed`. */
export async function findFileKind(path: string): Promise<FileKind> {
  const head = await readHead(path, HEAD_BYTES)
  if (head.length === 0) throw new DomainError('validation_failed', 'the file is empty')
  if (Buffer.from(head).toString('latin1').startsWith(SQLITE)) return 'database'
  if (isPacked(head)) return 'opml'
  const text = decodeText(head)
  const [first] = text.trimStart()
  if (first === '{') return 'archive'
  if (first === '<' || isTextList(text)) return 'opml'
  throw notImportable()
}

export function notImportable(): DomainError {
  return new DomainError(
    'validation_failed',
    'this file cannot be imported: it is neither an archive of a podstep account, nor the database of AntennaPod or gPodder, nor a list of podcasts (OPML, or one URL per line)',
  )
}
