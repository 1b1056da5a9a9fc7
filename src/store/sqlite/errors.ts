import { DomainError } from '../../domain/errors.ts'

/** Primary result codes that mean "the disk or another process is in the way", not "the program is wrong". */
const OUTSIDE_FAULTS = new Set([
  'SQLITE_BUSY',
  'SQLITE_LOCKED',
  'SQLITE_NOMEM',
  'SQLITE_READONLY',
  'SQLITE_IOERR',
  'SQLITE_FULL',
  'SQLITE_CANTOPEN',
  'SQLITE_PROTOCOL',
])

/** The SQLite result code of a driver error, e.g. `SQLITE_IOERR_WRITE`; undefined for anything else. */
function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' && error.code.startsWith('SQLITE_') ? error.code : undefined
}

export function isBusy(error: unknown): boolean {
  return primary(sqliteCode(error)) === 'SQLITE_BUSY'
}

/** Turns a failing disk into a refusal that tells the client to come back; every other error stays what it is. */
export function toDomainError(error: unknown): unknown {
  const code = primary(sqliteCode(error))
  if (code === undefined || !OUTSIDE_FAULTS.has(code)) return error
  return new DomainError('unavailable', 'the server cannot write to its database right now', {
    retryAfter: 10,
    cause: error,
  })
}

function primary(code: string | undefined): string | undefined {
  return code?.split('_', 2).join('_')
}
