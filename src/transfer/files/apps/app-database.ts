import type { ImportSource, SourcedRecord } from '../../../domain/transfer/records.ts'
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
  /** Reads everything, so that a damaged file changes nothing; tells the number of rows. Throws a `DomainError`. */
  check(file: SqliteFile, signal: AbortSignal): number
  read(file: SqliteFile, span: Span, signal: AbortSignal): Iterable<SourcedRecord>
}

/** The database of an app as a source. Cursors are row IDs. */
export function appDatabase({ path, name, now, check, read }: AppDatabase): ImportSource {
  return {
    name,
    async *records(resumeFrom, signal) {
      const file = openSqliteFile(path)
      try {
        const total = check(file, signal)
        yield* read(file, { after: Number(resumeFrom ?? Number.NEGATIVE_INFINITY), total, now: now() }, signal)
      } finally {
        file.close()
      }
    },
  }
}
