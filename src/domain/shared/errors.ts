/** The closed list of machine words an error answer may carry (docs/protocol.md#D17). Ours are `unavailable` (overload, failing
 * disk), `not_active`, `identity_taken`, `no_password`, `mail_failed` and those of backups. */
export type ErrorCode =
  | 'invalid_json'
  | 'validation_failed'
  | 'invalid_format'
  | 'invalid_token'
  | 'username_mismatch'
  | 'unauthorized'
  | 'invalid_credentials'
  | 'forbidden'
  | 'feed_forbidden'
  | 'admin_required'
  | 'registration_closed'
  | 'account_pending'
  | 'account_inactive'
  | 'wrong_password'
  | 'csrf_rejected'
  | 'not_found'
  | 'sso_disabled'
  | 'unknown_podcast'
  | 'unknown_episode'
  | 'unknown_user'
  | 'unknown_device'
  | 'method_not_allowed'
  | 'username_taken'
  | 'email_taken'
  | 'last_admin'
  | 'no_email'
  | 'not_active'
  | 'smtp_unconfigured'
  | 'identity_taken'
  | 'no_password'
  | 'backups_disabled'
  | 'backup_running'
  | 'quota_exceeded'
  | 'payload_too_large'
  | 'unsupported_encoding'
  | 'feed_invalid'
  | 'rate_limited'
  | 'internal'
  | 'mail_failed'
  | 'feed_unreachable'
  | 'unavailable'
  | 'backup_failed'

interface ErrorDetails {
  /** The one field to blame, if there is one. */
  readonly field?: string
  /** Whole seconds after which trying again makes sense. */
  readonly retryAfter?: number
  /** For the log only; never shown to the principal. */
  readonly cause?: unknown
}

/** A refused request: expected, safe to show to the principal, never logged as a fault. Anything else thrown is a bug. */
export class DomainError extends Error {
  readonly word: ErrorCode
  readonly field: string | undefined
  readonly retryAfter: number | undefined

  constructor(word: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'DomainError'
    this.word = word
    this.field = details.field
    this.retryAfter = details.retryAfter
  }
}

/** There is no account of this name. The name is a stranger's: only the beginning is shown, without what could draw on a terminal. */
export function unknownUser(name: string): DomainError {
  return new DomainError('unknown_user', `unknown user: ${name.slice(0, 64).replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, '')}`)
}

/** A one-time token that is good for nothing, for whatever reason. */
export function invalidToken(): DomainError {
  return new DomainError('invalid_token', 'the link is unknown, used or expired', { field: 'token' })
}

/** What the write queue says while the disk is full, and whoever is about to stop. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.word === 'unavailable'
}

/** Shorthand for the commonest refusal: one field breaks a rule. */
export function invalid(field: string, message: string): DomainError {
  return new DomainError('validation_failed', message, { field })
}
