import { DomainError, type ErrorCode, invalid } from '../domain/shared/errors.ts'

/** The one place where refusals become statuses (docs/protocol.md#D17). */
export const STATUS: Record<ErrorCode, number> = {
  invalid_json: 400,
  validation_failed: 400,
  invalid_format: 400,
  invalid_token: 400,
  username_mismatch: 400,
  unauthorized: 401,
  invalid_credentials: 401,
  forbidden: 403,
  feed_forbidden: 403,
  admin_required: 403,
  registration_closed: 403,
  account_pending: 403,
  account_inactive: 403,
  wrong_password: 403,
  csrf_rejected: 403,
  not_found: 404,
  sso_disabled: 404,
  unknown_podcast: 404,
  unknown_episode: 404,
  unknown_user: 404,
  unknown_device: 404,
  method_not_allowed: 405,
  username_taken: 409,
  email_taken: 409,
  last_admin: 409,
  no_email: 409,
  not_active: 409,
  smtp_unconfigured: 409,
  identity_taken: 409,
  no_password: 409,
  backups_disabled: 409,
  backup_running: 409,
  quota_exceeded: 409,
  payload_too_large: 413,
  unsupported_encoding: 415,
  feed_invalid: 422,
  rate_limited: 429,
  internal: 500,
  mail_failed: 502,
  feed_unreachable: 502,
  unavailable: 503,
  backup_failed: 503,
}

export interface ErrorBody {
  code: number
  error: string
  message: string
  field?: string
}

export function statusOf(error: DomainError): number {
  return STATUS[error.word]
}

export function errorBody(error: DomainError): ErrorBody {
  const body: ErrorBody = { code: statusOf(error), error: error.word, message: error.message }
  if (error.field !== undefined) body.field = error.field
  return body
}

/** What Elysia hands to an error hook, as far as it matters here. */
interface SchemaFailure {
  readonly type: string
  readonly valueError?: { readonly path: string; readonly message: string } | undefined
}

/**
 * Any failure as a refusal. Elysia's own answer to a failed schema holds the whole rejected body, passwords included, so only the
 * place and the rule are taken from it. `internal` for everything that is our fault, a response of the wrong objectSchema included.
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
  return new DomainError('internal', 'internal error', { cause: error })
}

/** Of a piece of a path, which is text or else missing: its percent escapes stand for none. */
function undecodable(field: string): DomainError {
  // Not a number either (docs/protocol.md#D19), nor a format.
  if (field === 'count') return new DomainError('not_found', 'no such resource')
  if (field === 'format') return new DomainError('invalid_format', 'the suffix of the path cannot be decoded')
  return invalid(field, `${field} cannot be decoded`)
}

function isSchemaFailure(error: unknown): error is SchemaFailure {
  return typeof error === 'object' && error !== null && 'type' in error && typeof error.type === 'string'
}
