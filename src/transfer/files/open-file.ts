import type { ImportSource } from '../../domain/transfer/records.ts'
import type { FileToRead } from '../process/protocol.ts'
import { openDatabase } from './apps/open-database.ts'
import { isOpml, openOpml } from './apps/opml.ts'
import { isArchive, openArchive } from './archive.ts'
import { notImportable, readHead } from './kinds.ts'

const HEAD_BYTES = 4096

/** A file as a source, in the process that reads it. `now` is in Unix seconds. */
export function openFile({ kind, path, name }: FileToRead, now: () => number): ImportSource {
  return {
    name,
    async *records(resumeFrom, signal) {
      const head = await readHead(path, HEAD_BYTES)
      yield* sourceOf(head).records(resumeFrom, signal)
    },
  }

  /** Throws `validation_failed` for a file of another kind. */
  function sourceOf(head: Uint8Array): ImportSource {
    if (kind === 'database') return openDatabase(path, name, now)
    if (kind === 'opml' && isOpml(head)) return openOpml(path, name, now)
    if (kind === 'archive' && isArchive(new TextDecoder().decode(head))) return openArchive(path, name)
    throw notImportable()
  }
}
