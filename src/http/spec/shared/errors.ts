import type { ErrorCode } from '../../../domain/shared/errors.ts'

/** An error response in the API description: when it is sent, and an example. The code determines the status. */
export interface ErrorResponse extends Words {
  readonly error: ErrorCode
}

interface Words {
  readonly description: string
  readonly message: string
  readonly field?: string
  /** Name in the API description, if endpoints share this response. */
  readonly name?: string
}

/** Default descriptions of error codes. */
const USUAL = {
  validation_failed: {
    name: 'BadRequest',
    description: 'The request is invalid; nothing was changed.',
    message: 'since must be a non-negative number of seconds',
    field: 'since',
  },
  unauthorized: {
    name: 'Unauthorized',
    description:
      'The credentials are missing or wrong, or are the password of an account with a second factor, which needs an app password.',
    message: 'sign in with HTTP Basic or a session cookie',
  },
  forbidden: {
    name: 'Forbidden',
    description:
      'The credentials are correct, but the path names another user, the account is not active, the app password does not allow this, or the request comes from a page of another site.',
    message: 'this belongs to another user',
  },
  admin_required: {
    description: 'The account is not an administrator, or the request comes from a page of another site.',
    message: 'only administrators may do this',
  },
  unknown_device: {
    name: 'UnknownDevice',
    description: 'The user has no such device.',
    message: 'unknown device',
  },
  username_taken: {
    name: 'Taken',
    description: 'The user name or the email address belongs to another account.',
    message: 'this username is taken',
    field: 'username',
  },
  last_admin: {
    description: 'This is the last active administrator.',
    message: 'this is the last active administrator',
  },
  quota_exceeded: {
    description: 'The account would exceed `max_subscriptions` or `max_devices`; nothing was changed.',
    message:
      'an account may have 100 devices (max_devices); nothing was changed: remove some first, or ask the administrator for more',
  },
  payload_too_large: {
    name: 'TooLarge',
    description:
      'The body is larger than 10 MiB after decompression (64 KiB where no credentials are needed), contains more than 5,000 feeds or 50,000 episode actions, or changes more than 25,000 subscriptions over all devices of a sync group; nothing was changed.',
    message: 'the body is larger than 10485760 bytes',
  },
  unsupported_encoding: {
    name: 'UnknownEncoding',
    description: 'The server does not support this compression of the body.',
    message: 'Content-Encoding must be gzip, deflate or identity',
  },
  outbound_off: {
    name: 'OutboundOff',
    description: 'The setting `outbound` forbids connections to other servers; nothing was changed.',
    message: 'this server does not connect to other servers (setting outbound)',
  },
  feed_invalid: {
    name: 'NoFeed',
    description: 'There is no podcast feed at this address.',
    message: 'the address leads to a web page, not to a feed',
  },
  rate_limited: {
    name: 'TooManyAttempts',
    description:
      'Too many wrong passwords from this address, or for this account from addresses that have never signed in to it. Or 20 wrong codes for the second factor of the account within an hour: then `field` is `code`, and recovery codes still work. Or too many long responses to the user at the same time.',
    message: 'too many attempts, try again later',
  },
  mail_failed: {
    name: 'MailFailed',
    description: 'The mail server did not accept the mail; the message says why.',
    message: 'the mail server rejects smtp_user and smtp_password: 535 Authentication failed (mail.home.example:587)',
  },
  feed_unreachable: {
    description: 'The feed could not be fetched; the message says why.',
    message: 'feeds.tidewater.example takes too long',
  },
  unavailable: {
    name: 'Unavailable',
    description: 'The server is too busy or currently cannot use its database; nothing was changed.',
    message: 'the server cannot use its database right now',
  },
} as const satisfies Partial<Record<ErrorCode, Words>>

export type UsualErrorCode = keyof typeof USUAL

export function usualError(error: UsualErrorCode): ErrorResponse {
  return { error, ...USUAL[error] }
}

export function listUsualErrors(): ErrorResponse[] {
  return Object.entries<Words>(USUAL).map(([error, words]) => ({ error: error as UsualErrorCode, ...words }))
}

/** An error with a description specific to an endpoint. */
export function errorResponse(error: ErrorCode, description: string, message: string, field?: string): ErrorResponse {
  return { error, description, message, ...(field !== undefined && { field }) }
}
