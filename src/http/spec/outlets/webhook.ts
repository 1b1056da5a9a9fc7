import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedAs, describedObject, done, integer, objectSchema } from '../shared/models.ts'

/** The webhook of a user (docs/protocol.md#webhooks). */

const Event = t.Union([t.Literal('new_episode'), t.Literal('new_device'), t.Literal('feed_failing')])
const Format = t.Union([t.Literal('json'), t.Literal('ntfy'), t.Literal('gotify')])

const WEBHOOK = {
  url: t.String({ description: 'It may hold a secret, such as the token of Gotify.' }),
  format: describedAs(Format, '`json` for programs; the other two for notifications on a phone.'),
  events: t.Array(Event, { description: 'What is told.' }),
  off_reason: t.String({
    description:
      'Why nothing is sent until it is set again: `unauthorized` (the receiver answered 401), `gone` (410), `password_reset` (somebody else may have made it); empty while it is on.',
  }),
  waiting: integer({ description: 'Messages that wait to be sent.' }),
  dropped: integer({ description: 'Messages that could not be delivered and were given up.' }),
  last_success: t.String({ description: 'UTC; empty if nothing has been delivered yet.' }),
  last_failure: t.String({ description: 'UTC, of the last attempt that failed; empty if there was none.' }),
  last_error: t.String({ description: 'Why it failed.' }),
  next_attempt: t.String({ description: 'UTC, while attempts fail; empty otherwise.' }),
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
  description: 'Not with an app password. The secret is not shown again.',
  response: t.Union([objectSchema(WEBHOOK), t.Null()], {
    description: 'The webhook, and whether messages arrive; null without one.',
  }),
  example: EXAMPLE,
})

export const setWebhook = endpoint('Outlets', 'setWebhook', 'Set your webhook', {
  description:
    'Not with an app password. Creates the one webhook of the account, or replaces it, and turns it on again. Messages are sent by POST within minutes, at least once each, and again for a day while the receiver does not answer with a status of 200 to 299.',
  body: objectSchema({
    url: t.String({
      description:
        'Where messages go: http or https. For `ntfy` the address of a topic, for `gotify` that of `/message` with its token. User name and password before the host are sent as HTTP Basic.',
    }),
    format: t.Optional(describedAs(Format, '`json` unless given.')),
    events: t.Optional(t.Array(Event, { description: 'What is told; all unless given.' })),
    secret: t.Optional(
      t.String({
        description:
          'What messages are signed with: `whsec_` and 24 to 64 bytes in base64. Unless given, one is made with a new webhook or after a password reset, and kept with one that is there otherwise.',
      }),
    ),
  }),
  bodyExample: { url: 'https://ntfy.example/ida-podcasts', format: 'ntfy', events: ['new_episode', 'feed_failing'] },
  response: describedObject('The webhook.', {
    ...WEBHOOK,
    secret: t.Optional(t.String({ description: 'If the server has made a new one: told once.' })),
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
  description: 'Not with an app password. Messages that are waiting are not sent any more.',
  ...done,
  errors: [noWebhook],
})

export const testWebhook = endpoint('Outlets', 'testWebhook', 'Send a test message', {
  description: 'Not with an app password. Sent at once, whether or not the webhook is on, and tried once.',
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
      'The receiver did not take the message; the message of the error says why.',
      'ntfy.example answered 403',
    ),
  ],
})
