import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedAs, describedObject, done, integer, objectSchema } from '../shared/models.ts'

/** The webhook of a user (docs/protocol.md#webhooks). */

const Event = t.Union([t.Literal('new_episode'), t.Literal('new_device'), t.Literal('feed_failing')])
const Format = t.Union([t.Literal('json'), t.Literal('ntfy'), t.Literal('gotify')])

const WEBHOOK = {
  url: t.String({ description: 'May contain a secret, such as the token for Gotify.' }),
  format: describedAs(Format, '`json` for programs; the other two for notifications on a phone.'),
  events: t.Array(Event, { description: 'Events to send.' }),
  off_reason: t.String({
    description:
      'Why the webhook is off until it is set again: `unauthorized` (the receiver responded with 401), `gone` (410), `password_reset` (an intruder may have created it); empty while it is on.',
  }),
  waiting: integer({ description: 'Number of messages waiting to be sent.' }),
  dropped: integer({ description: 'Number of messages dropped because they could not be delivered.' }),
  last_success: t.String({ description: 'UTC; empty before the first delivery.' }),
  last_failure: t.String({ description: 'Time of the last failed attempt, UTC; empty before the first.' }),
  last_error: t.String({ description: 'Cause of that failure.' }),
  next_attempt: t.String({ description: 'UTC, while attempts fail; otherwise empty.' }),
} as const

const EXAMPLE = {
  url: 'https://ntfy.example/ida-podcasts',
  format: 'ntfy',
  events: ['new_episode', 'feed_failing'],
  off_reason: '',
  waiting: 1,
  dropped: 0,
  last_success: '2025-03-01T18:20:00',
  last_failure: '2025-03-02T10:00:00',
  last_error: 'ntfy.example answered 503',
  next_attempt: '2025-03-02T10:02:00',
} as const

const noWebhook = errorResponse('not_found', 'The account has no webhook.', 'the account has no webhook')

export const getWebhook = endpoint('Outlets', 'getWebhook', 'Get your webhook', {
  description: 'App passwords are not accepted. The secret is not included.',
  response: t.Union([objectSchema(WEBHOOK), t.Null()], {
    description: 'The webhook and the state of its deliveries; null without a webhook.',
  }),
  example: EXAMPLE,
})

export const setWebhook = endpoint('Outlets', 'setWebhook', 'Set your webhook', {
  description:
    'Creates or replaces the webhook of the account, and turns it on. Messages are sent by POST within minutes, at least once each, and retried for a day until the receiver responds with a status of 200 to 299. App passwords are not accepted.',
  body: objectSchema({
    url: t.String({
      description:
        'Destination of messages: http or https. For `ntfy`, the address of a topic; for `gotify`, that of `/message` with its token. User name and password before the host are sent as HTTP Basic.',
    }),
    format: t.Optional(describedAs(Format, 'By default `json`.')),
    events: t.Optional(t.Array(Event, { description: 'Events to send; by default, all.' })),
    secret: t.Optional(
      t.String({
        description:
          'Key for signing messages: `whsec_` and 24 to 64 bytes in Base64. If it is missing, the server creates one for a new webhook or after a password reset, and otherwise keeps the current one.',
      }),
    ),
  }),
  bodyExample: { url: 'https://ntfy.example/ida-podcasts', format: 'ntfy', events: ['new_episode', 'feed_failing'] },
  response: describedObject('The webhook.', {
    ...WEBHOOK,
    secret: t.Optional(t.String({ description: 'Present if the server has created a new one; shown only once.' })),
  }),
  example: {
    ...EXAMPLE,
    waiting: 0,
    last_success: '',
    last_failure: '',
    last_error: '',
    next_attempt: '',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  },
  errors: ['outbound_off'],
})

export const removeWebhook = endpoint('Outlets', 'removeWebhook', 'Remove your webhook', {
  description: 'Discards waiting messages. App passwords are not accepted.',
  ...done,
  errors: [noWebhook],
})

export const testWebhook = endpoint('Outlets', 'testWebhook', 'Send a test message', {
  description:
    'Sends a message immediately, in a single attempt, even if the webhook is off. App passwords are not accepted.',
  ...done,
  errors: [
    noWebhook,
    'outbound_off',
    errorResponse(
      'rate_limited',
      'Ten tests in ten minutes, or too many wrong passwords.',
      'too many attempts, try again later',
    ),
    errorResponse(
      'webhook_failed',
      'The receiver did not accept the message; the error message says why.',
      'ntfy.example answered 403',
    ),
  ],
})
