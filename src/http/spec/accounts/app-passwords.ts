import { t } from 'elysia'
import { readTokenBody } from '../../body.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedList, describedObject, done, integer, objectSchema } from '../shared/models.ts'

/** App passwords, and the browser flow by which apps get one (docs/protocol.md#app-passwords). */

const Scope = t.Union([t.Literal('sync'), t.Literal('read'), t.Literal('feeds')], {
  description:
    '`sync` allows everything that apps do, `read` only reading, `feeds` only private feeds and the OPML list.',
})

const APP_PASSWORD = {
  id: integer(),
  name: t.String(),
  scope: Scope,
  created: t.String({ description: 'UTC.' }),
  last_used: t.String({ description: 'UTC, accurate to the hour or better; empty if never used.' }),
  client: t.String({
    description: 'Short name that the app gives itself; empty if it gives none.',
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
  'The request uses a password or a session started with an app password, or comes from a page of another site.',
  'this needs a session started in a browser, without a password in the request',
)

const tooManyPasswords = errorResponse(
  'quota_exceeded',
  'The account has 100 app passwords.',
  'an account may have 100 app passwords; revoke some that you no longer use',
)

export const listAppPasswords = endpoint('Accounts', 'listAppPasswords', 'List your app passwords', {
  description:
    'Needs a browser session. The app password of a login flow is listed once access is granted, and removed if the app does not fetch it within 20 minutes.',
  response: describedList('The app passwords, oldest first.', APP_PASSWORD),
  example: [EXAMPLE],
  errors: [notFromApp],
})

export const createAppPassword = endpoint('Accounts', 'createAppPassword', 'Create an app password', {
  description:
    'Needs a browser session. Apps send it with HTTP Basic instead of the account password, or on its own as a Bearer token. It cannot be used for administration, for changing the password or for creating app passwords.',
  body: objectSchema({
    name: t.String({ description: 'Label of 1 to 100 characters.' }),
    scope: t.Optional(Scope),
  }),
  bodyExample: { name: 'AntennaPod on my phone', scope: 'sync' },
  response: describedObject('The app password. Its text is shown only once.', {
    ...APP_PASSWORD,
    password: t.String({ description: 'Six groups of four letters and digits. Dashes and case are ignored.' }),
    addresses: t.Optional(
      describedObject('Addresses of the private feeds, with the scope `feeds` only. They contain the password.', {
        new: t.String({ description: 'New episodes of all podcasts, as RSS.' }),
        in_progress: t.String({ description: 'Episodes in progress, as RSS.' }),
        queue: t.String({ description: 'The queue, as RSS.' }),
        tag: t.String({ description: 'New episodes of podcasts with a tag, as RSS. Replace `{tag}`.' }),
        folder: t.String({
          description: 'New episodes of the podcasts in a folder, as RSS. Replace `{folder}` with its ID.',
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
    'Needs a browser session. Takes effect immediately, and ends all sessions started with the app password. An app that has not fetched it yet will not get it.',
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
  'Too many login flows from this address: 20 in 20 minutes.',
  'too many attempts, try again later',
)

/** Nextcloud serves this at two paths; each operation of the API description needs its own ID. */
const beginLogin = (id: string) =>
  endpoint('Nextcloud apps', id, 'Start the login flow', {
    description:
      'The app opens `login` in a browser and polls `poll.endpoint` until the user has granted access there, for at most 20 minutes. A body is ignored.',
    response: describedObject('Addresses for the browser and for polling.', {
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
      'Returns the app password once. Before access is granted, and for an unknown, expired or used token, the response is 404 with the body `[]`. Clients may poll every second. The token may also be in the query.',
    body: objectSchema({ token: t.String({ description: 'The `poll.token` from the start of the flow.' }) }),
    read: readTokenBody,
    bodyFormats: {
      'application/x-www-form-urlencoded': { example: `token=${token}` },
      'application/json': { example: { token } },
    },
    response: describedObject('Access has been granted.', {
      server: t.String({ description: 'Address of this server.' }),
      loginName: t.String(),
      appPassword: t.String({ description: 'App password with the scope `sync`.' }),
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
  'The token is unknown, or its 20 minutes have passed.',
  'the request of the app is unknown or has expired',
)

export const getLoginFlow = endpoint('Nextcloud apps', 'getLoginFlow', 'Get the app that asks for access', {
  response: describedObject('The app that asks for access.', {
    client: t.String({ description: 'User-Agent of the app.' }),
    granted: t.Boolean({ description: 'Whether access has been granted, but not fetched by the app yet.' }),
  }),
  example: { client: 'AntennaPod/3.8.0', granted: false },
  errors: [noSuchFlow],
})

export const grantLoginFlow = endpoint('Nextcloud apps', 'grantLoginFlow', 'Grant access to an app', {
  description:
    'Needs a browser session, and a request from a page of this server. The page that asks the user is at the same address.',
  ...done,
  errors: [notFromApp, tooManyPasswords, noSuchFlow],
})

export const getNextcloudStatus = endpoint(
  'Nextcloud apps',
  'getNextcloudStatus',
  'Get a status in the format of Nextcloud',
  {
    description: 'For apps that check it before they sign in. Other parts of Nextcloud are not available.',
    response: describedObject('The fields that apps check.', {
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
