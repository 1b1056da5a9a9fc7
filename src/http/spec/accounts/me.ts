import { t } from 'elysia'
import { readOptionalJson } from '../../body.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import {
  describedList,
  describedObject,
  done,
  integer,
  objectSchema,
  optionalText,
  Password,
} from '../shared/models.ts'

/** The account of the principal (docs/protocol.md#your-account). */
export const AccountModel = describedObject('The account the credentials belong to.', {
  username: t.String(),
  email: t.String({ description: 'Empty if not set.' }),
  is_admin: t.Boolean(),
  is_active: t.Boolean(),
  has_password: t.Boolean({
    description:
      'Whether it has a password. Without one, the user signs in at a provider, and apps need app passwords.',
  }),
  has_second_factor: t.Boolean({
    description: 'Whether signing in with the password also needs a code, so that apps need app passwords.',
  }),
})

/** Details of single sign-on for the sign-in page. */
export const SsoInfo = describedObject('Configuration of single sign-on.', {
  enabled: t.Boolean(),
  provider_name: t.Union([t.String(), t.Null()], { description: 'Name of the provider, for the label of a button.' }),
  login_url: t.Union([t.String(), t.Null()], {
    description: 'Path to send the browser to, relative to the address of the server.',
  }),
})

export const SSO_EXAMPLE = { enabled: true, provider_name: 'Harbour ID', login_url: '/auth/sso/login' }

/** `username` in requests that change an account permanently: see `refuseOtherUsername`. */
const MEANT_FOR =
  'Name of the account to change. If present, it must match the credentials, so that a page loaded by another user changes nothing.'

const oldPassword = (name: string) =>
  optionalText(`${name}Optional for users who sign in at a provider and authenticate with the session cookie.`)

const wrongPassword = (which: string, field: string) =>
  errorResponse(
    'wrong_password',
    `The ${which} is wrong, the request names another account, the account is not active, or the request comes from a page of another site.`,
    `${field} is wrong`,
    field,
  )

export const getOwnAccount = endpoint('Accounts', 'getOwnAccount', 'Get your account', {
  response: AccountModel,
  example: {
    username: 'ida',
    email: 'ida@pods.example',
    is_admin: false,
    is_active: true,
    has_password: true,
    has_second_factor: false,
  },
})

export const changePassword = endpoint('Accounts', 'changePassword', 'Change your password', {
  description:
    'Ends all sessions of the account except the one that makes the request; app passwords stay valid. App passwords are not accepted.',
  body: objectSchema({
    old_password: oldPassword('The current password. '),
    new_password: Password,
    username: optionalText(MEANT_FOR),
  }),
  bodyExample: { old_password: 'seaglass', new_password: 'driftwood' },
  ...done,
  errors: [wrongPassword('old password', 'old_password')],
})

export const changeEmail = endpoint('Accounts', 'changeEmail', 'Change your email address', {
  description: 'Password reset links mailed to the old address become invalid. App passwords are not accepted.',
  body: objectSchema({
    email: t.String({ description: 'The new address; empty to remove it.' }),
    password: oldPassword(''),
    username: optionalText(MEANT_FOR),
  }),
  bodyExample: { email: 'ida@harbour.example', password: 'seaglass' },
  ...done,
  errors: [
    wrongPassword('password', 'password'),
    errorResponse(
      'email_taken',
      'The address belongs to another account.',
      'an account with this email address exists',
      'email',
    ),
  ],
})

export const deleteOwnAccount = endpoint('Accounts', 'deleteOwnAccount', 'Delete your account', {
  description: 'Deletes the account with everything in it. This cannot be undone. App passwords are not accepted.',
  body: objectSchema({
    password: optionalText('Required if the account has one.'),
    username: optionalText(`${MEANT_FOR} Required as a confirmation if the account has no password.`),
  }),
  read: readOptionalJson,
  bodyExample: { password: 'seaglass' },
  ...done,
  cookie: 'Removes the session.',
  errors: [
    wrongPassword('password', 'password'),
    errorResponse('last_admin', 'This is the last active administrator.', 'this is the last active administrator'),
  ],
})

export const listSessions = endpoint('Accounts', 'listSessions', 'List your sessions', {
  description: 'Apps that send the password with each request have sessions as well.',
  response: describedList('The sessions, most recently used first.', {
    id: integer(),
    created: t.String({ description: 'UTC.' }),
    last_used: t.String({ description: 'UTC, accurate to the hour or better.' }),
    expires: t.String({ description: 'UTC; extended by further use.' }),
    current: t.Boolean({ description: 'Whether this request uses it.' }),
    client: t.String({
      description:
        'Short name that the app or browser gives itself, or else the name of its app password; empty if there is neither.',
    }),
  }),
  example: [
    {
      id: 7,
      created: '2025-03-01T18:20:00',
      last_used: '2025-03-02T10:00:00',
      expires: '2025-03-31T18:20:00',
      current: true,
      client: 'Firefox on Android',
    },
  ],
})

export const endOtherSessions = endpoint('Accounts', 'endOtherSessions', 'End all your other sessions', {
  description:
    'Takes effect immediately. An app that sends the password with each request simply starts a new session; only changing the password, or revoking its app password, keeps it out. App passwords are not accepted.',
  ...done,
})

export const endSession = endpoint('Accounts', 'endSession', 'End one of your sessions', {
  description:
    'Takes effect immediately. Ending the session that makes the request signs you out. App passwords are not accepted.',
  ...done,
  cookie: 'Removes the session if it makes the request.',
  errors: [errorResponse('not_found', 'The account has no such session.', 'no such session')],
})

export const getSsoInfo = endpoint('Single sign-on', 'getSsoInfo', 'Get the configuration of single sign-on', {
  description: `Sending a browser to \`login_url\` signs the user in: the browser goes to the provider, returns to \`/auth/sso/callback\`, and ends with a session at \`/\`, or at the \`return_to\` given to \`login_url\`. After an error it ends at \`/login?error=…\`.

With \`link=1\`, a signed-in user links the identity to the account instead. A form that posts to \`/auth/sso/logout\` ends the session here and at the provider.`,
  response: SsoInfo,
  example: SSO_EXAMPLE,
})

export const listIdentities = endpoint('Single sign-on', 'listIdentities', 'List the linked identities', {
  response: describedList('Accounts at providers that are linked to your account.', {
    id: integer(),
    issuer: t.String({ description: 'The provider.' }),
    subject: t.String({ description: 'ID of the account at the provider.' }),
    linked: t.String({ description: 'Time of linking, UTC.' }),
  }),
  example: [{ id: 1, issuer: 'https://id.home.example', subject: '24400320', linked: '2025-03-02T10:00:00' }],
})

export const unlinkIdentity = endpoint('Single sign-on', 'unlinkIdentity', 'Remove a linked identity', {
  ...done,
  errors: [
    errorResponse('not_found', 'The account has no such identity.', 'no such identity'),
    errorResponse(
      'no_password',
      'The account has no password, so its user could no longer sign in.',
      'set a password first, so that you can still sign in',
    ),
  ],
})
