import type { ImportSource, SourcedRecord } from '../../../domain/transfer/records.ts'
import { damaged } from '../sqlite/pages.ts'
import { openSqliteFile, type SqliteFile } from '../sqlite/sqlite-file.ts'

/** What of a database is still to be told. */
export interface Span {
  /** Rows up to this one have been told by an earlier run. */
  readonly after: number
  readonly total: number
  /** Unix seconds. */
  readonly now: number
}

interface AppDatabase {
  readonly path: string
  readonly name: string
  readonly now: () => number
  /** The name of the app. */
  readonly app: string
  /** Whether the file is a database of the app. */
  readonly isOwn: (file: SqliteFile) => boolean
  /** The tables that are read, with their columns. Progress is measured in rows of the last one. */
  readonly tables: readonly (readonly [name: string, columns: readonly string[]])[]
  read(file: SqliteFile, span: Span, signal: AbortSignal): Iterable<SourcedRecord>
}

/**
 * The database of an app as a source. All of it is read once before anything of it is told, so that a damaged one changes
 * nothing. Cursors are row IDs of the last table.
 */
export function appDatabase({ path, name, now, read, ...database }: AppDatabase): ImportSource {
  return {
    name,
    async *records(resumeFrom, signal) {
      const file = openSqliteFile(path)
      try {
        const total = check(file, database, signal)
        yield* read(file, { after: Number(resumeFrom ?? Number.NEGATIVE_INFINITY), total, now: now() }, signal)
      } finally {
        file.close()
      }
    },
  }
}

type Checked = Pick<AppDatabase, 'app' | 'isOwn' | 'tables'>

/** Reads everything; returns the number of rows of the last table. Throws a `DomainError`. */
function check(file: SqliteFile, { app, isOwn, tables }: Checked, signal: AbortSignal): number {
  if (!isOwn(file)) throw damaged(`this is no database of ${app}`)
  let count = 0
  for (const [name, columns] of tables) {
    count = 0
    for (const _ of file.rows(name, columns)) {
      signal.throwIfAborted()
      count++
    }
  }
  return count
}
