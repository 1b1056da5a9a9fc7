import { DomainError, ERROR_CODES, invalid } from '../domain/shared/errors.ts'
import { isOutOfFiles } from '../platform/open-files.ts'

/** Idle connections are closed within a minute. */
const RETRY_SECONDS = 30

export interface ErrorBody {
  code: number
  error: string
  message: string
  field?: string
}

export function statusOf(error: DomainError): number {
  return ERROR_CODES[error.code].status
}

export function errorBody(error: DomainError): ErrorBody {
  const body: ErrorBody = { code: statusOf(error), error: error.code, message: error.message }
  if (error.field !== undefined) body.field = error.field
  return body
}

interface SchemaFailure {
  readonly type: string
  readonly valueError?: { readonly path: string; readonly message: string } | undefined
}

/**
 * Converts any thrown value to an error that can be sent. Elysia's validation error contains the whole rejected body,
 * including passwords, so only the field and the rule are taken from it. Bugs, and responses that do not match their
 * schema, become `internal`.
 */
export function toDomainError(error: unknown, code: unknown): DomainError {
  if (error instanceof DomainError) return error
  if (code === 'PARSE' && error instanceof Error && error.cause instanceof DomainError) return error.cause
  if (code === 'NOT_FOUND') return new DomainError('not_found', 'no such resource')
  if (code === 'VALIDATION' && isSchemaFailure(error) && error.type !== 'response') {
    const place = error.valueError?.path.slice(1) ?? ''
    const field = place.split('/')[0] || error.type
    if (error.type === 'params') return undecodable(field)
    return new DomainError('validation_failed', `${place || error.type}: ${error.valueError?.message ?? 'invalid'}`, {
      field,
    })
  }
  if (isOutOfFiles(error))
    return new DomainError('unavailable', 'too many connections and files are open; try again later', {
      retryAfter: RETRY_SECONDS,
    })
  return new DomainError('internal', 'internal error', { cause: error })
}

/** Path parameters are arbitrary text, so validation fails only if percent escapes cannot be decoded. */
function undecodable(field: string): DomainError {
  // The same errors as for any other invalid number (docs/protocol.md#D19) or format.
  if (field === 'count') return new DomainError('not_found', 'no such resource')
  if (field === 'format') return new DomainError('invalid_format', 'the suffix of the path cannot be decoded')
  return invalid(field, `${field} cannot be decoded`)
}

function isSchemaFailure(error: unknown): error is SchemaFailure {
  return typeof error === 'object' && error !== null && 'type' in error && typeof error.type === 'string'
}
