import type { ApiResponse, Components, Ref } from './document-types.ts'
import type { ErrorExample } from './operation.ts'

type Headers = NonNullable<ApiResponse['headers']>

const RETRY_AFTER: Headers = {
  'Retry-After': { description: 'After how many seconds trying again makes sense.', schema: { type: 'integer' } },
}

const CHALLENGE: Headers = {
  'WWW-Authenticate': {
    description: 'The challenge; left out for requests that carry an `X-Requested-With` header.',
    schema: { type: 'string' },
  },
}

interface UsualRefusal extends ErrorExample {
  /** Under which the description keeps it. */
  readonly name: string
  readonly headers?: Headers
}

const REFUSALS: Readonly<Record<string, UsualRefusal>> = {
  400: {
    name: 'BadRequest',
    description: 'Something in the request breaks a rule; nothing was changed.',
    error: 'validation_failed',
    message: 'since must be a non-negative number of seconds',
    field: 'since',
  },
  401: {
    name: 'Unauthorized',
    description: 'There are no credentials, or wrong ones.',
    error: 'unauthorized',
    message: 'sign in with HTTP Basic or a session cookie',
    headers: CHALLENGE,
  },
  403: {
    name: 'Forbidden',
    description:
      'The credentials are right, but the path names another user, the account is not active, or a page of another site made the request.',
    error: 'forbidden',
    message: 'this belongs to another user',
  },
  404: {
    name: 'UnknownDevice',
    description: 'The user has no such device.',
    error: 'unknown_device',
    message: 'unknown device',
  },
  409: {
    name: 'Taken',
    description: 'The user name or the email address belongs to another account.',
    error: 'username_taken',
    message: 'this username is taken',
    field: 'username',
  },
  413: {
    name: 'TooLarge',
    description:
      'The body is larger than 10 MiB, unpacked (64 KiB, where no credentials are needed), or holds more than 20,000 feeds or 50,000 episode actions; nothing was changed.',
    error: 'payload_too_large',
    message: 'the body is larger than 10485760 bytes',
  },
  415: {
    name: 'UnknownEncoding',
    description: 'The body is packed in a way the server cannot unpack.',
    error: 'unsupported_encoding',
    message: 'Content-Encoding must be gzip, deflate or identity',
  },
  422: {
    name: 'NoFeed',
    description: 'What is at the address is no podcast feed.',
    error: 'feed_invalid',
    message: 'the address leads to a web page, not to a feed',
  },
  429: {
    name: 'TooManyAttempts',
    description:
      'Too many wrong passwords from this address, or for this account from addresses where it has not been signed in to before.',
    error: 'rate_limited',
    message: 'too many attempts, try again later',
    headers: RETRY_AFTER,
  },
  502: {
    name: 'MailFailed',
    description: 'The mail server did not take the mail; the message says why.',
    error: 'mail_failed',
    message: 'the mail server refuses smtp_user and smtp_password: 535 Authentication failed (mail.home.example:587)',
  },
  503: {
    name: 'Unavailable',
    description: 'There is too much to do, or the database cannot be used at the moment; nothing was changed.',
    error: 'unavailable',
    message: 'the server cannot use its database right now',
    headers: RETRY_AFTER,
  },
}

/** A refusal with this status: the usual one by reference, or in the `own` words of an operation. */
export function errorResponse(status: string, own: ErrorExample | undefined): ApiResponse | Ref {
  const usual = REFUSALS[status]
  if (!usual) throw new Error(`nothing is known about answers with status ${status}`)
  if (!own) return { $ref: `#/components/responses/${usual.name}` }
  return response(status, usual, own)
}

/** What `refusal` refers to. */
export function commonErrors(): Components['responses'] {
  return Object.fromEntries(
    Object.entries(REFUSALS).map(([status, usual]): [string, ApiResponse] => [
      usual.name,
      response(status, usual, usual),
    ]),
  )
}

function response(
  status: string,
  { headers }: UsualRefusal,
  { description, error, message, field }: ErrorExample,
): ApiResponse {
  return {
    description,
    ...(headers && { headers }),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: { code: Number(status), error, message, ...(field !== undefined && { field }) },
      },
    },
  }
}
