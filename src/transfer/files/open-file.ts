import { DomainError } from '../../domain/shared/errors.ts'
import type { ImportSource } from '../../domain/transfer/records.ts'
import { decodeText } from '../../platform/decode-text.ts'
import type { FileInput } from '../process/protocol.ts'
import { openDatabase } from './apps/open-database.ts'
import { isOpml, openOpml } from './apps/opml.ts'
import { isTextList, openTextList } from './apps/text-list.ts'
import { isArchive, openArchive } from './archive.ts'
import { notImportable } from './kinds.ts'
import { readPieces } from './pieces.ts'

const HEAD_BYTES = 4096

/** Makes a source of a file, in the process that reads it. `now` is in Unix seconds. */
export function openFile({ kind, path, name }: FileInput, now: () => number): ImportSource {
  return {
    name,
    async *records(resumeFrom, signal) {
      yield* sourceOf(await beginningOf(path)).records(resumeFrom, signal)
    },
  }

  /** Throws `validation_failed` for a file of another kind. */
  function sourceOf(head: Uint8Array): ImportSource {
    if (kind === 'database') return openDatabase(path, name, now)
    if (kind === 'opml' && isOpml(head)) return openOpml(path, name, now)
    if (kind === 'opml' && isTextList(decodeText(head))) return openTextList(path, name)
    if (kind === 'archive' && isArchive(new TextDecoder().decode(head))) return openArchive(path, name)
    throw notImportable()
  }
}

/** First bytes of the file, decompressed. Throws `validation_failed` if it is empty. */
async function beginningOf(path: string): Promise<Uint8Array> {
  for await (const piece of readPieces(path)) return piece.subarray(0, HEAD_BYTES)
  throw new DomainError('validation_failed', 'the file is empty')
}
