import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, done, objectSchema, Password, Username } from '../shared/models.ts'

const usernameMismatch = (description: string) =>
  errorResponse('username_mismatch', description, 'the path names another user')

const invalidLink = (description: string) =>
  errorResponse('invalid_token', description, 'the link is unknown, used or expired', 'token')

const tooMany = (description: string) =>
  errorResponse('rate_limited', description, 'too many attempts, try again later')

const Token = t.String({ description: 'What follows `#token=` in the mailed link.' })

export const login = endpoint('Accounts', 'login', 'Sign in', {
  description:
    'With a password: starts a session. With a cookie alone: tells whether it is still valid. For an account with a second factor the header `X-Second-Factor` holds a code beside the password, or a recovery code; without it the right password is refused as `second_factor_required`. An app password needs none. Nobody has to sign in here first, since every protected operation takes a password as well. A body is ignored.',
  ...done,
  describedAccess: 'user',
  cookie: 'The session: `sessionid=…`, 30 days from the last use unless the server is set otherwise.',
  errors: [
    usernameMismatch('The path names another user than the credentials do.'),
    errorResponse(
      'account_pending',
      'The password is right, but the account is not active or the code of the second factor is wrong; or a page of another site made the request.',
      'this account is not activated yet',
    ),
  ],
})

export const logout = endpoint('Accounts', 'logout', 'Sign out', {
  description:
    'Ends the session. Succeeds without one, too. A password is neither needed nor checked. A body is ignored.',
  ...done,
  describedAccess: 'optional',
  cookie: 'Removes the session.',
  errors: [
    'unauthorized',
    'rate_limited',
    'unavailable',
    usernameMismatch('The session belongs to another user than the path names.'),
    errorResponse(
      'csrf_rejected',
      'A page of another site made the request.',
      'the request comes from a page of another site',
    ),
  ],
})

export const loginByProxy = endpoint('Accounts', 'loginByProxy', 'Sign in as the user whom the proxy names', {
  description:
    'Starts a session for the web client, or keeps the one whose cookie the browser sends. Only where `proxy_user_header` is set and the request comes through one of `trusted_proxies`. A body is ignored.',
  ...done,
  cookie: 'The session, as after signing in with a password.',
  errors: [
    errorResponse(
      'forbidden',
      'The proxy names nobody or is none that is believed, the account is not active, or a page of another site made the request.',
      'no proxy that is believed names a user',
    ),
    errorResponse('unknown_user', 'There is no such account.', 'unknown user: ida'),
    'unavailable',
  ],
})

export const register = endpoint('Accounts', 'register', 'Create an account', {
  description:
    'The first account of a server can always be created; after that it depends on the settings. Does not sign in. An activation email is in the language of `Accept-Language`.',
  body: objectSchema({
    username: Username,
    password: Password,
    email: t.Optional(
      t.Union([t.String(), t.Null()], { description: 'Needed only where accounts must be activated.' }),
    ),
  }),
  bodyExample: { username: 'ida', password: 'seaglass', email: 'ida@pods.example' },
  response: describedObject('The account exists.', {
    status: t.Union([t.Literal('active'), t.Literal('pending_activation')]),
    is_admin: t.Optional(
      t.Boolean({ description: 'Only with `active`. The first account of a server is an administrator.' }),
    ),
    message: t.Optional(t.String({ description: 'Only with `pending_activation`: what has to happen.' })),
  }),
  example: { status: 'active', is_admin: false },
  errors: [
    errorResponse(
      'registration_closed',
      'This server takes no new accounts; or a page of another site made the request, and it is for the first account.',
      'registration is closed',
    ),
    'username_taken',
    tooMany('Too many registrations from this address within an hour.'),
  ],
})

export const activate = endpoint('Accounts', 'activate', 'Activate a new account', {
  description: 'With the token of the email that registration sends where accounts must be activated.',
  body: objectSchema({ token: Token }),
  bodyExample: { token: '6f1c1e0e-8a2f-4d0b-9a37-3f6c2b7d5e11' },
  response: describedObject('The account is active.', { status: t.Literal('active') }),
  example: { status: 'active' },
  errors: [invalidLink('The link is unknown, used or older than 48 hours.')],
})

export const requestPasswordReset = endpoint(
  'Accounts',
  'requestPasswordReset',
  'Ask for a link to choose a new password',
  {
    description:
      'The response is the same for every address. An email is sent if an active account has the address and the server can send email; its link is valid for 24 hours, and earlier ones become invalid. It is in the language of `Accept-Language`: English, German, French, Spanish or Italian.',
    body: objectSchema({ email: t.String() }),
    bodyExample: { email: 'ida@pods.example' },
    ...done,
    errors: [tooMany('Too many requests from this address within an hour.')],
  },
)

export const confirmPasswordReset = endpoint('Accounts', 'confirmPasswordReset', 'Choose a new password', {
  description:
    'Ends all sessions and app passwords of the account. Does not sign in. After a password that breaks the rules the link is still valid.',
  body: objectSchema({ token: Token, new_password: Password }),
  bodyExample: { token: '0c0d7a57-54f2-4c3e-8b4e-6a1d9be0f3a2', new_password: 'driftwood' },
  ...done,
  errors: [invalidLink('The link is unknown, used or expired, or the password breaks the rules.')],
})
