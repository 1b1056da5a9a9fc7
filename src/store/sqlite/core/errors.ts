import { constants, type Database } from 'bun:sqlite'
import { constants as os } from 'node:os'
import { DomainError } from '../../../domain/shared/errors.ts'

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

const DAMAGE = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB'])

const READ_FAILURES = new Set(['SQLITE_IOERR_READ', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_IOERR_DATA'])

/** Seconds after which a client should retry after a disk error. */
const RETRY_AFTER = 10

export function driverError(error: unknown): unknown {
  return error instanceof DomainError && error.cause !== undefined ? error.cause : error
}

/** The SQLite result code of a driver error, e.g. `SQLITE_IOERR_WRITE`; undefined for anything else. */
export function sqliteCode(error: unknown): string | undefined {
  const cause = driverError(error)
  if (!(cause instanceof Error) || !('code' in cause)) return undefined
  return typeof cause.code === 'string' && cause.code.startsWith('SQLITE_') ? cause.code : undefined
}

export function isBusy(error: unknown): boolean {
  return primary(sqliteCode(error)) === 'SQLITE_BUSY'
}

export function isDiskFault(error: unknown): boolean {
  return OUTSIDE_FAULTS.has(primary(sqliteCode(error)) ?? '')
}

export function isDamage(error: unknown): boolean {
  return DAMAGE.has(primary(sqliteCode(error)) ?? '')
}

export function isReadFailure(error: unknown): boolean {
  return READ_FAILURES.has(sqliteCode(error) ?? '')
}

export function toDomainError(error: unknown): unknown {
  if (error instanceof DomainError) return error
  const code = primary(sqliteCode(error))
  if (code === undefined || !(OUTSIDE_FAULTS.has(code) || DAMAGE.has(code))) return error
  return unavailable('the server cannot use its database right now', error)
}

export function unavailable(message: string, cause?: unknown): DomainError {
  return new DomainError('unavailable', message, { retryAfter: RETRY_AFTER, cause })
}

function primary(code: string | undefined): string | undefined {
  return code?.split('_', 2).join('_')
}

/** System errors that SQLite reports as SQLITE_CORRUPT although the disk has returned no data. */
const OF_THE_DISK: ReadonlySet<number> = new Set([os.errno.EIO, os.errno.ENXIO, os.errno.ERANGE])

/** Whether a read on this connection has ever failed. Damage reported later is attributed to the disk. */
export function hadReadError(db: Database): boolean {
  const errno = new Int32Array(2)
  db.fileControl(constants.SQLITE_FCNTL_LAST_ERRNO, errno)
  return OF_THE_DISK.has(errno[0] ?? 0)
}
