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

const Token = t.String({ description: 'The part of the mailed link after `#token=`.' })

export const login = endpoint('Accounts', 'login', 'Sign in', {
  description:
    'With a password: starts a session. With only a cookie: checks whether it is still valid. For an account with a second factor, the header `X-Second-Factor` carries a code or recovery code in addition to the password; without it, a correct password is refused with `second_factor_required`. App passwords need no code. Signing in first is optional, since every protected operation also accepts a password. A body is ignored.',
  ...done,
  describedAccess: 'user',
  cookie: 'The session: `sessionid=…`, by default valid for 30 days after the last use.',
  errors: [
    usernameMismatch('The path and the credentials name different users.'),
    errorResponse(
      'account_pending',
      'The password is correct, but the account is not active or the code of the second factor is wrong; or the request comes from a page of another site.',
      'this account is not activated yet',
    ),
  ],
})

export const logout = endpoint('Accounts', 'logout', 'Sign out', {
  description:
    'Ends the session. Also succeeds without a session. Needs no password, and does not check one. A body is ignored.',
  ...done,
  describedAccess: 'optional',
  cookie: 'Removes the session.',
  errors: [
    'unauthorized',
    'rate_limited',
    'unavailable',
    usernameMismatch('The session belongs to a user other than the one in the path.'),
    errorResponse(
      'csrf_rejected',
      'The request comes from a page of another site.',
      'the request comes from a page of another site',
    ),
  ],
})

export const loginByProxy = endpoint('Accounts', 'loginByProxy', 'Sign in through an authenticating proxy', {
  description:
    'Starts a session for the web client, or keeps the one whose cookie the browser sends. Needs `proxy_user_header`, and a request through one of `trusted_proxies`. A body is ignored.',
  ...done,
  cookie: 'The session, as after signing in with a password.',
  errors: [
    errorResponse(
      'forbidden',
      'The proxy names no user or is not trusted, the account is not active, or the request comes from a page of another site.',
      'no trusted proxy names a user',
    ),
    errorResponse('unknown_user', 'There is no such account.', 'unknown user: ida'),
    'unavailable',
  ],
})

export const register = endpoint('Accounts', 'register', 'Create an account', {
  description:
    'The first account of a server can always be created; after that, `registration` decides. Does not sign in. The activation email is in the language of `Accept-Language`.',
  body: objectSchema({
    username: Username,
    password: Password,
    email: t.Optional(t.Union([t.String(), t.Null()], { description: 'Required only if accounts must be activated.' })),
  }),
  bodyExample: { username: 'ida', password: 'seaglass', email: 'ida@pods.example' },
  response: describedObject('The account has been created.', {
    status: t.Union([t.Literal('active'), t.Literal('pending_activation')]),
    is_admin: t.Optional(
      t.Boolean({ description: 'Only with `active`. The first account of a server is an administrator.' }),
    ),
    message: t.Optional(
      t.String({ description: 'Only with `pending_activation`: the next step, as English text for people.' }),
    ),
  }),
  example: { status: 'active', is_admin: false },
  errors: [
    errorResponse(
      'registration_closed',
      'Registration is closed; or the request is for the first account and comes from a page of another site.',
      'registration is closed',
    ),
    'username_taken',
    tooMany('Too many registrations from this address within an hour.'),
  ],
})

export const activate = endpoint('Accounts', 'activate', 'Activate a new account', {
  description: 'Takes the token from the email that registration sends if accounts must be activated.',
  body: objectSchema({ token: Token }),
  bodyExample: { token: '6f1c1e0e-8a2f-4d0b-9a37-3f6c2b7d5e11' },
  response: describedObject('The account is active.', { status: t.Literal('active') }),
  example: { status: 'active' },
  errors: [invalidLink('The link is unknown, used or older than 48 hours.')],
})

export const requestPasswordReset = endpoint('Accounts', 'requestPasswordReset', 'Request a password reset link', {
  description:
    'The response is the same for every address. If an active account has the address and the server can send email, it sends a link that is valid for 24 hours, and previous links become invalid. The email is in the language of `Accept-Language` if the web client has that language, otherwise in English.',
  body: objectSchema({ email: t.String() }),
  bodyExample: { email: 'ida@pods.example' },
  ...done,
  errors: [tooMany('Too many requests from this address within an hour.')],
})

export const confirmPasswordReset = endpoint('Accounts', 'confirmPasswordReset', 'Choose a new password', {
  description:
    'Ends all sessions and app passwords of the account. Does not sign in. The link stays valid if the password breaks the rules.',
  body: objectSchema({ token: Token, new_password: Password }),
  bodyExample: { token: '0c0d7a57-54f2-4c3e-8b4e-6a1d9be0f3a2', new_password: 'driftwood' },
  ...done,
  errors: [invalidLink('The link is unknown, used or expired, or the password breaks the rules.')],
})
