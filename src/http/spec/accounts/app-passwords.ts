import { t } from 'elysia'
import { readTokenBody } from '../../body.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedList, describedObject, done, integer, objectSchema } from '../shared/models.ts'

/** App passwords, and the browser flow by which apps get one (docs/protocol.md#app-passwords). */

const Scope = t.Union([t.Literal('sync'), t.Literal('read'), t.Literal('feeds')], {
  description: '`sync` is good for all that apps do, `read` for reading alone, `feeds` for private feeds and lists.',
})

const APP_PASSWORD = {
  id: integer(),
  name: t.String(),
  scope: Scope,
  created: t.String({ description: 'UTC.' }),
  last_used: t.String({ description: 'UTC, to the hour or better; empty if it has never been used.' }),
  client: t.String({
    description: 'What the app that used it calls itself, in a few words; empty if it does not.',
  }),
} as const

const EXAMPLE = {
  id: 3,
  name: 'AntennaPod on my phone',
  scope: 'sync',
  created: '2025-03-01T18:20:00',
  last_used: '2025-03-02T10:00:00',
  client: 'AntennaPod',
} as const

const notFromApp = errorResponse(
  'forbidden',
  'The request comes with a password, or with a session that was begun with an app password; or a page of another site made it.',
  'this needs a session that was begun in a browser, without a password beside it',
)

const tooManyPasswords = errorResponse(
  'quota_exceeded',
  'The account has 100 app passwords.',
  'an account may have 100 app passwords; revoke some that you no longer use',
)

export const listAppPasswords = endpoint('Accounts', 'listAppPasswords', 'List your app passwords', {
  description:
    'Only for the session of a browser. Access granted to an app is listed at once, and removed if the app does not collect it within 20 minutes.',
  response: describedList('The app passwords, oldest first.', APP_PASSWORD),
  example: [EXAMPLE],
  errors: [notFromApp],
})

export const createAppPassword = endpoint('Accounts', 'createAppPassword', 'Create an app password', {
  description:
    'Only for the session of a browser. Apps send it in place of the password of the account, with Basic, or alone as a Bearer token. It cannot be used for administration, for changing the password, or for creating further ones.',
  body: objectSchema({
    name: t.String({ description: 'What it is for: 1 to 100 characters.' }),
    scope: t.Optional(Scope),
  }),
  bodyExample: { name: 'AntennaPod on my phone', scope: 'sync' },
  response: describedObject('The app password. It is told here and never again.', {
    ...APP_PASSWORD,
    password: t.String({ description: 'Six groups of four letters and digits; dashes and case do not matter.' }),
    addresses: t.Optional(
      describedObject('Of the scope `feeds`: the private feeds, ready to be given to an app. They hold the password.', {
        new: t.String({ description: 'New episodes of all podcasts, as RSS.' }),
        in_progress: t.String({ description: 'Episodes begun and not finished, as RSS.' }),
        queue: t.String({ description: 'The queue, as RSS.' }),
        tag: t.String({ description: 'New episodes of podcasts with a tag, which stands for `{tag}`, as RSS.' }),
        folder: t.String({
          description: 'New episodes of the podcasts in a folder, whose ID stands for `{folder}`, as RSS.',
        }),
        subscriptions: t.String({ description: 'All subscriptions, as OPML.' }),
      }),
    ),
  }),
  example: {
    ...EXAMPLE,
    last_used: '',
    client: '',
    password: 'k7mw-3rxd-9qfb-h2ze-5tnc-ugja',
  },
  errors: [notFromApp, tooManyPasswords],
})

export const revokeAppPassword = endpoint('Accounts', 'revokeAppPassword', 'Revoke an app password', {
  description:
    'Only for the session of a browser. It is invalid at once, and so is every session that was begun with it. An app that has not collected it yet will not get it.',
  ...done,
  errors: [notFromApp, errorResponse('not_found', 'The account has no such app password.', 'no such app password')],
})

const POLL_EXAMPLES = [
  'pQ3vQ8mTb1XcY5nWd7LpR2sHj9FgA4uKe6VtB0yNqC3',
  'wR2sHj9FgA4uKe6VtB0yNqC3pQ3vQ8mTb1XcY5nWd7L',
] as const
const PAGE_EXAMPLE = 'Zk3vQ8mTb1XcY5nWd7LpR2sHj9FgA4uKe6VtB0yNqC3'

const tooManyFlows = errorResponse(
  'rate_limited',
  'Too many apps at this address ask to be let in: 20 in 20 minutes.',
  'too many attempts, try again later',
)

/** Nextcloud serves this at two paths; each operation of the API description needs its own ID. */
const beginLogin = (id: string) =>
  endpoint('Nextcloud apps', id, 'Start the login flow', {
    description:
      'The app opens `login` in a browser and asks at `poll.endpoint` until its user has granted access there, for 20 minutes at most. A body is ignored.',
    response: describedObject('Where to send the user, and where to ask.', {
      poll: objectSchema({ token: t.String(), endpoint: t.String() }),
      login: t.String(),
    }),
    example: {
      poll: { token: POLL_EXAMPLES[0], endpoint: 'https://pods.example/index.php/login/v2/poll' },
      login: `https://pods.example/login/flow/${PAGE_EXAMPLE}`,
    },
    errors: [tooManyFlows, 'unavailable'],
  })

const pollLogin = (id: string, token: string) =>
  endpoint('Nextcloud apps', id, 'Fetch the app password', {
    description:
      'Told once. Before access is granted, and for an unknown, expired or used token, the response is 404 with the body `[]`. Asking every second is not too often. The token may also be in the query.',
    body: objectSchema({ token: t.String({ description: '`poll.token` of the beginning.' }) }),
    read: readTokenBody,
    bodyFormats: {
      'application/x-www-form-urlencoded': { example: `token=${token}` },
      'application/json': { example: { token } },
    },
    response: describedObject('Access has been granted.', {
      server: t.String({ description: 'The address of this server.' }),
      loginName: t.String(),
      appPassword: t.String({ description: 'Of the scope `sync`, as app passwords are.' }),
    }),
    example: {
      server: 'https://pods.example',
      loginName: 'ida',
      appPassword: 'Zk3vQ8mTb1XcY5nWd7LpR2sHj9FgA4uKe6VtB0yNqC3oMiS8xJzPaE1rGwD5lUfI7hO2kFQ6',
    },
    errors: [
      errorResponse('not_found', 'Access has not been granted; the body is `[]`.', 'not granted'),
      errorResponse('rate_limited', 'Too many unknown tokens from this address.', 'too many attempts, try again later'),
    ],
  })

export const beginLoginFlow = beginLogin('beginLoginFlow')
export const beginLoginFlowShort = beginLogin('beginLoginFlowShort')
export const pollLoginFlow = pollLogin('pollLoginFlow', POLL_EXAMPLES[0])
export const pollLoginFlowShort = pollLogin('pollLoginFlowShort', POLL_EXAMPLES[1])

const noSuchFlow = errorResponse(
  'not_found',
  'The token is unknown, or its 20 minutes are over.',
  'the request of the app is unknown or has expired',
)

export const getLoginFlow = endpoint('Nextcloud apps', 'getLoginFlow', 'Get the app that asks for access', {
  response: describedObject('The app that asks.', {
    client: t.String({ description: 'Its User-Agent.' }),
    granted: t.Boolean({ description: 'Whether access has been granted; the app has not collected it yet.' }),
  }),
  example: { client: 'AntennaPod/3.8.0', granted: false },
  errors: [noSuchFlow],
})

export const grantLoginFlow = endpoint('Nextcloud apps', 'grantLoginFlow', 'Grant access to an app', {
  description:
    'Only for the session of a browser, and only from a page of this server. The same address shows the page that asks the user.',
  ...done,
  errors: [notFromApp, tooManyPasswords, noSuchFlow],
})

export const getNextcloudStatus = endpoint(
  'Nextcloud apps',
  'getNextcloudStatus',
  'Get the status as a Nextcloud has it',
  {
    description: 'For apps that ask before they sign in. No other part of Nextcloud is here.',
    response: describedObject('What apps look for.', {
      installed: t.Boolean(),
      maintenance: t.Boolean(),
      needsDbUpgrade: t.Boolean(),
      version: t.String(),
      versionstring: t.String(),
      edition: t.String(),
      productname: t.String(),
    }),
    example: {
      installed: true,
      maintenance: false,
      needsDbUpgrade: false,
      version: '30.0.0.0',
      versionstring: '30.0.0',
      edition: '',
      productname: 'podcast sync',
    },
  },
)
