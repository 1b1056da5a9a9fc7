import type { ImportSource } from '../../domain/transfer/records.ts'
import { isAntennaPod, openAntennaPod } from './apps/antennapod.ts'
import { isGpodder, openGpodder } from './apps/gpodder.ts'
import { isOpml, openOpml } from './apps/opml.ts'
import { isArchive, openArchive } from './archive.ts'
import { isSqlite } from './sqlite/pages.ts'
import { openSqliteFile, type SqliteFile } from './sqlite/sqlite-file.ts'

/** A kind of file that can be imported. */
export interface FileKind {
  readonly name: string
  /**
   * By the first `HEAD_BYTES` of the file at `path`, and for a database by the tables that it has. Throws
   * `validation_failed` for one that it knows and cannot read.
   */
  matches(head: Uint8Array, path: string): boolean
  /** On the thread that reads the file. `now` is in Unix seconds. */
  open(path: string, name: string, now: () => number): ImportSource
}

export const HEAD_BYTES = 4096

/** Pages of a database that may be looked at while others wait: a schema has some ten. */
const SCHEMA_VISITS_MAX = 5000

const text = new TextDecoder()

function hasTables(head: Uint8Array, path: string, isIt: (file: SqliteFile) => boolean): boolean {
  if (!isSqlite(head)) return false
  const file = openSqliteFile(path, SCHEMA_VISITS_MAX)
  try {
    return isIt(file)
  } finally {
    file.close()
  }
}

/** The first that matches counts. */
export const FILE_KINDS: readonly FileKind[] = [
  { name: 'archive', matches: (head) => isArchive(text.decode(head)), open: openArchive },
  { name: 'antennapod', matches: (head, path) => hasTables(head, path, isAntennaPod), open: openAntennaPod },
  { name: 'gpodder', matches: (head, path) => hasTables(head, path, isGpodder), open: openGpodder },
  { name: 'opml', matches: isOpml, open: openOpml },
]
