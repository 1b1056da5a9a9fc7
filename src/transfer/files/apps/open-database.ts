import { DomainError } from '../../../domain/shared/errors.ts'
import type { ImportSource, SourcedRecord } from '../../../domain/transfer/records.ts'
import { notImportable } from '../kinds.ts'
import { ANTENNAPOD } from './antennapod.ts'
import { openAppDatabase, toDomainError } from './app-database.ts'
import { GPODDER } from './gpodder.ts'

const APPS = [ANTENNAPOD, GPODDER]

const ROWS_MAX = 2_000_000

/** Makes a source of an app's database. Checks all pages first, so that a damaged one changes nothing. */
export function openDatabase(path: string, name: string, now: () => number): ImportSource {
  return {
    name,
    async *records(resumeFrom, signal) {
      try {
        yield* recordsOf(path, resumeFrom, now(), signal)
      } catch (error) {
        throw toDomainError(error)
      }
    },
  }
}

function* recordsOf(
  path: string,
  cursor: string | undefined,
  now: number,
  signal: AbortSignal,
): Generator<SourcedRecord> {
  const database = openAppDatabase(path)
  try {
    const app = APPS.find(({ tables }) =>
      Object.entries(tables).every(([table, columns]) => database.has(table, columns)),
    )
    if (!app) throw notImportable()
    yield { record: { kind: 'source', source: app.source } }
    for (const table of [...Object.keys(app.tables), ...app.optional]) if (database.has(table)) database.check(table)
    signal.throwIfAborted()
    const total = database.count(app.history)
    if (total > ROWS_MAX)
      throw new DomainError('validation_failed', `the table ${app.history} has more than ${ROWS_MAX} rows`)
    yield* app.read(database, { after: cursor === undefined ? undefined : Number(cursor), total, now }, signal)
  } finally {
    database.close()
  }
}
