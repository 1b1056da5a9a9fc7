import { DomainError } from '../../domain/shared/errors.ts'

/** Seconds after which a client should try again what the database did not let us do. */
const RETRY_AFTER = 10

/** SQLSTATE of two transactions that stood in each other's way, of which this one may simply be tried again. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01', '23505'])

/**
 * Classes of SQLSTATE that say nothing about the statement: no connection, a server that stops, no memory, disk or
 * connection left, an error of its disk; and single ones: a statement or a lock that took too long, a standby.
 */
const OUTSIDE = /^(?:08|53|57P|58|25006|55P03|57014)/

/** The SQLSTATE of a driver's error, such as `40001`; undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'string' ? error.errno : undefined
}

/** Whether the same transaction may succeed when it is made again. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(sqlState(error) ?? '')
}

/** Whether the connection is of no use any more, or there never was one. */
export function isConnectionLoss(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^ERR_POSTGRES_(?:CONNECTION|IDLE|LIFETIME)|^E[A-Z]+$/.test(code) || /^(?:08|57P)/.test(sqlState(error) ?? '')
}

export function toDomainError(error: unknown): unknown {
  if (error instanceof DomainError) return error
  // A key of an index holds 2,700 bytes.
  if (sqlState(error) === '54000') return new DomainError('validation_failed', 'a text is too long to be stored')
  return isConnectionLoss(error) || OUTSIDE.test(sqlState(error) ?? '') ? unavailable(error) : error
}

export function unavailable(cause?: unknown): DomainError {
  const message = 'the server cannot use its database right now'
  return new DomainError('unavailable', message, { retryAfter: RETRY_AFTER, cause })
}
