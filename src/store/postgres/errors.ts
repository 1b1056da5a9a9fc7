import { DomainError } from '../../domain/shared/errors.ts'

/** Seconds after which a client should retry while the database is unavailable. */
const RETRY_AFTER = 10

/** SQLSTATE of conflicts between transactions, after which this one can be repeated. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01', '23505'])

/**
 * SQLSTATE of failures unrelated to the statement. Classes: no connection, server shutdown, no memory, disk space or
 * connections left, disk errors. Single codes: timeouts of statements and locks, a standby server.
 */
const OUTSIDE = /^(?:08|53|57P|58|25006|55P03|57014)/

/** Returns the SQLSTATE of a driver's error, such as `40001`; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'string' ? error.errno : undefined
}

/** Whether repeating the transaction may succeed. */
export function isConflict(error: unknown): boolean {
  return CONFLICTS.has(sqlState(error) ?? '')
}

/** Whether the connection is lost or could not be made. */
export function isConnectionLoss(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^ERR_POSTGRES_(?:CONNECTION|IDLE|LIFETIME)|^E[A-Z]+$/.test(code) || /^(?:08|57P)/.test(sqlState(error) ?? '')
}

export function toDomainError(error: unknown): unknown {
  if (error instanceof DomainError) return error
  // Index keys are limited to 2,700 bytes.
  if (sqlState(error) === '54000') return new DomainError('validation_failed', 'a text is too long to be stored')
  return isConnectionLoss(error) || OUTSIDE.test(sqlState(error) ?? '') ? unavailable(error) : error
}

export function unavailable(cause?: unknown): DomainError {
  const message = 'the server cannot use its database right now'
  return new DomainError('unavailable', message, { retryAfter: RETRY_AFTER, cause })
}
