import type { UserId } from './ids.ts'

interface ErrorCodeEntry {
  readonly status: number
  readonly meaning?: string
}

/**
 * The closed list of codes that an error response may carry (docs/protocol.md#D17). A new code needs an entry here and
 * a text in each locale of the web client. `unavailable`, `not_active`, `identity_taken`, `no_password`, `mail_failed`,
 * and those of second factors and backups are additions of this server.
 */
const CODES = {
  invalid_json: { status: 400, meaning: 'A required body is empty, or the body is not JSON.' },
  validation_failed: { status: 400, meaning: 'A value is invalid; `field` and `message` say which one and why.' },
  invalid_format: { status: 400, meaning: 'The suffix of the path is not a supported format.' },
  invalid_token: { status: 400, meaning: 'The link is unknown, used or expired.' },
  username_mismatch: {
    status: 400,
    meaning: 'Signing in or out: the path and the credentials name different users.',
  },
  unauthorized: { status: 401, meaning: 'The credentials are missing, or the session has ended.' },
  invalid_credentials: { status: 401, meaning: 'The user name or the password is wrong.' },
  second_factor_required: {
    status: 401,
    meaning: 'The password is correct, but the account has a second factor: apps need an app password.',
  },
  forbidden: {
    status: 403,
    meaning: 'The path or the body names another user, or the app password does not allow this.',
  },
  feed_forbidden: {
    status: 403,
    meaning: 'The feed is at an address in a private network, to which the server may not connect.',
  },
  admin_required: { status: 403, meaning: 'Only administrators may do this.' },
  registration_closed: { status: 403, meaning: 'Registration is closed.' },
  account_pending: { status: 403, meaning: 'The account waits for its activation.' },
  account_inactive: { status: 403, meaning: 'The account has been deactivated.' },
  wrong_password: { status: 403, meaning: 'The password to confirm a change is wrong.' },
  wrong_code: { status: 403, meaning: 'The code of the second factor is wrong, too old or already used.' },
  csrf_rejected: {
    status: 403,
    meaning:
      'The request comes from a page of another site: with a cookie, without a preflight request, or for the first account.',
  },
  not_found: { status: 404, meaning: 'There is nothing at this address.' },
  sso_disabled: { status: 404, meaning: 'Single sign-on is not set up.' },
  unknown_podcast: { status: 404, meaning: 'The server does not know this podcast, or it is private to other users.' },
  unknown_episode: { status: 404, meaning: 'The podcast has no such episode.' },
  unknown_user: { status: 404, meaning: 'There is no such account, or it has been deleted.' },
  unknown_device: { status: 404, meaning: 'The user has no such device.' },
  method_not_allowed: {
    status: 405,
    meaning: 'The address does not support the method; `Allow` lists the supported ones.',
  },
  username_taken: { status: 409, meaning: 'An account with this name already exists.' },
  email_taken: { status: 409, meaning: 'An account with this email address already exists.' },
  list_exists: { status: 409, meaning: 'The user already has a podcast list with this name.' },
  last_admin: { status: 409, meaning: 'This is the last active administrator.' },
  no_email: { status: 409, meaning: 'The account has no email address.' },
  not_active: { status: 409, meaning: 'The account is not active, so the server cannot send a link for it.' },
  not_invited: { status: 409, meaning: 'The account was not invited, or the invitation has been accepted.' },
  smtp_unconfigured: {
    status: 409,
    meaning: 'The mail server or the public address for links is not configured.',
  },
  identity_taken: { status: 409 },
  no_password: { status: 409, meaning: 'The account has no password, and its user could not sign in without one.' },
  no_second_factor: { status: 409, meaning: 'The account has no second factor.' },
  second_factor_exists: { status: 409, meaning: 'The account already has a second factor.' },
  second_factor_setup: {
    status: 409,
    meaning: 'The setup of a second factor was not started in this session, or has expired.',
  },
  backups_disabled: { status: 409, meaning: 'Backups are turned off by the setting `backup_keep`.' },
  backup_running: { status: 409, meaning: 'A backup is already running.' },
  outbound_off: {
    status: 409,
    meaning: 'The setting `outbound` forbids connections to other servers; nothing was changed.',
  },
  import_running: {
    status: 409,
    meaning: 'An import into the account is already running; wait for it, or cancel it.',
  },
  quota_exceeded: {
    status: 409,
    meaning:
      'The account would exceed a limit, such as that on devices, subscriptions, settings or app passwords; nothing was changed.',
  },
  payload_too_large: {
    status: 413,
    meaning:
      'The body is too large after decompression (more than 10 MiB, or 64 KiB where no credentials are needed), contains too much (more than 5,000 feeds or 50,000 episode actions, or feeds for so many devices that more than 25,000 subscriptions would change), or settings would become too large.',
  },
  unsupported_encoding: { status: 415, meaning: '`Content-Encoding` is none of `gzip`, `deflate` and `identity`.' },
  feed_invalid: { status: 422, meaning: 'There is no podcast feed at this address.' },
  rate_limited: { status: 429, meaning: 'Too many attempts; `Retry-After` says when to try again.' },
  internal: {
    status: 500,
    meaning: 'Internal error. The message contains a reference; the log of the server has the details under it.',
  },
  mail_failed: { status: 502, meaning: 'The mail server did not accept the email; the message says why.' },
  webhook_failed: { status: 502, meaning: 'The webhook was not delivered; the message says why.' },
  feed_unreachable: { status: 502, meaning: 'The feed could not be fetched; the message says why.' },
  unavailable: {
    status: 503,
    meaning: 'The server is too busy, cannot use its database, or is stopping; nothing was changed. Try again later.',
  },
  backup_failed: {
    status: 503,
    meaning: 'The backup failed, or the backup folder cannot be read; the message says why.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>

export type ErrorCode = keyof typeof CODES

export function listErrorCodes(): { readonly code: string; readonly status: number; readonly meaning: string }[] {
  return Object.entries<ErrorCodeEntry>(CODES).flatMap(([code, { status, meaning }]) =>
    meaning === undefined ? [] : [{ code, status, meaning }],
  )
}

export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorCodeEntry>> = CODES

interface ErrorDetails {
  readonly field?: string
  /** Whole seconds before another attempt makes sense. */
  readonly retryAfter?: number
  readonly cause?: unknown
  /** User whose password was checked. Only for that user's activity, never part of a response. */
  readonly userId?: UserId | undefined
}

/** A rejected request: expected, safe to show to the client, never logged. Other errors are bugs. */
export class DomainError extends Error {
  readonly code: ErrorCode
  readonly field: string | undefined
  readonly retryAfter: number | undefined
  readonly userId: UserId | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'DomainError'
    this.code = code
    this.field = details.field
    this.retryAfter = details.retryAfter
    this.userId = details.userId
  }
}

export function aboutUser(error: unknown, userId: UserId | undefined): unknown {
  if (!(error instanceof DomainError) || userId === undefined) return error
  const { code, message, field, retryAfter, cause } = error
  return new DomainError(code, message, {
    ...(field !== undefined && { field }),
    ...(retryAfter !== undefined && { retryAfter }),
    cause,
    userId,
  })
}

/** Shows only the beginning of the name, without control characters, since it may be arbitrary input. */
export function unknownUser(name: string): DomainError {
  return new DomainError('unknown_user', `unknown user: ${name.slice(0, 64).replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, '')}`)
}

export function invalidToken(): DomainError {
  return new DomainError('invalid_token', 'the link is unknown, used or expired', { field: 'token' })
}

export function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'unavailable'
}

export function serverStopping(): DomainError {
  return new DomainError('unavailable', 'the server is stopping')
}

/** Thrown by anything that needs the network while `outbound = "off"`. */
export function outboundOff(): DomainError {
  return new DomainError('outbound_off', 'this server does not connect to other servers (setting outbound)')
}

/** Throws `unavailable` once `stopping` is aborted, so that a stopping server starts no new work. */
export function refuseWhenStopped(stopping: AbortSignal): void {
  if (stopping.aborted) throw serverStopping()
}

/** Ignores `unavailable`, for work that the next run repeats. The write queue has already logged the cause. */
export async function unlessUnavailable(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!isUnavailable(error)) throw error
  }
}

export function invalid(field: string, message: string): DomainError {
  return new DomainError('validation_failed', message, { field })
}
