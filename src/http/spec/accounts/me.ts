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
  email: t.String({ description: 'Empty if there is none.' }),
  is_admin: t.Boolean(),
  is_active: t.Boolean(),
  has_password: t.Boolean({
    description: 'Whether it has a password, as podcast apps need; without one its owner signs in at a provider only.',
  }),
  has_second_factor: t.Boolean({
    description: 'Whether the password needs a code beside it, so that apps need app passwords.',
  }),
})

/** Details of single sign-on for the sign-in page. */
export const SsoInfo = describedObject('Whether single sign-on is set up.', {
  enabled: t.Boolean(),
  provider_name: t.Union([t.String(), t.Null()], { description: 'For the text of a button.' }),
  login_url: t.Union([t.String(), t.Null()], {
    description: 'Where to send the browser, following the address of the server.',
  }),
})

export const SSO_EXAMPLE = { enabled: true, provider_name: 'Harbour ID', login_url: '/auth/sso/login' }

/** `username` in requests that change an account permanently: see `refuseIfMeantForOthers`. */
const MEANT_FOR =
  'Whose account is meant, so that a page that was made for somebody else changes nothing; compared with the credentials if it is there.'

const oldPassword = (name: string) =>
  optionalText(`${name}May be left out by those who sign in at a provider and authenticate with the session cookie.`)

const wrongPassword = (which: string, field: string) =>
  errorResponse(
    'wrong_password',
    `The ${which} is wrong, the request is meant for another account, the account is not active, or a page of another site made the request.`,
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
    'Ends all sessions of the account but the one that makes the request; app passwords stay. Not with an app password.',
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
  description: 'Links for a new password that were mailed to the old address become invalid. Not with an app password.',
  body: objectSchema({
    email: t.String({ description: 'The new address; empty to have none.' }),
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
  description: 'With everything in it. This cannot be undone. Not with an app password.',
  body: objectSchema({
    password: optionalText('Needed if the account has one.'),
    username: optionalText(`${MEANT_FOR} Needed if the account has no password, to confirm.`),
  }),
  read: readOptionalJson,
  bodyExample: { password: 'seaglass' },
  ...done,
  cookie: 'Removes the session.',
  errors: [
    wrongPassword('password', 'password'),
    errorResponse(
      'last_admin',
      'Nobody could administer the server any more.',
      'this is the last active administrator',
    ),
  ],
})

export const listSessions = endpoint('Accounts', 'listSessions', 'List your sessions', {
  description: 'An app that sends the password with each request has one, too.',
  response: describedList('The sessions, last used first.', {
    id: integer(),
    created: t.String({ description: 'UTC.' }),
    last_used: t.String({ description: 'UTC, to the hour or better.' }),
    expires: t.String({ description: 'UTC; later if it is used meanwhile.' }),
    current: t.Boolean({ description: 'Whether it makes this request.' }),
    client: t.String({
      description:
        'What the app or browser calls itself, in a few words, or else the name of its app password; empty without either.',
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

export const endOtherSessions = endpoint('Accounts', 'endOtherSessions', 'End all your sessions but this one', {
  description:
    'They are invalid at once. An app that sends the password with each request just starts another; only a new password, or revoking its app password, keeps it out. Not with an app password.',
  ...done,
})

export const endSession = endpoint('Accounts', 'endSession', 'End one of your sessions', {
  description:
    'It is invalid at once. Ending the session that makes the request is signing out. Not with an app password.',
  ...done,
  cookie: 'Removes the session, if it is the one that makes the request.',
  errors: [errorResponse('not_found', 'The account has no such session.', 'no such session')],
})

export const getSsoInfo = endpoint('Single sign-on', 'getSsoInfo', 'Get whether single sign-on is set up', {
  description: `Sending a browser to \`login_url\` signs it in: it goes to the provider, comes back to \`/auth/sso/callback\` and ends at \`/\`, or at the \`return_to\` given to \`login_url\`, with a session; or at \`/login?error=…\`.

With \`link=1\` a user who is signed in adds the identity to the account instead. A form that posts to \`/auth/sso/logout\` ends the session here and at the provider.`,
  response: SsoInfo,
  example: SSO_EXAMPLE,
})

export const listIdentities = endpoint('Single sign-on', 'listIdentities', 'List the linked identities', {
  response: describedList('The accounts at providers that your account is linked to.', {
    id: integer(),
    issuer: t.String({ description: 'The provider.' }),
    subject: t.String({ description: 'The account there, as the provider numbers it.' }),
    linked: t.String({ description: 'Since when; UTC.' }),
  }),
  example: [{ id: 1, issuer: 'https://id.home.example', subject: '24400320', linked: '2025-03-02T10:00:00' }],
})

export const unlinkIdentity = endpoint('Single sign-on', 'unlinkIdentity', 'Remove a linked identity', {
  ...done,
  errors: [
    errorResponse('not_found', 'The account has no such identity.', 'no such identity'),
    errorResponse(
      'no_password',
      'The account has no password, so there would be no way left to sign in.',
      'set a password first, or there is no way left to sign in',
    ),
  ],
})
