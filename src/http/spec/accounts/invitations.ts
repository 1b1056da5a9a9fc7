import { t } from 'elysia'
import { adminEndpoint, endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, done, objectSchema, Password, Username } from '../shared/models.ts'
import { ADMIN_USER_EXAMPLE, AdminUser, unknownUser } from './users.ts'

const TOKEN = 'd3b07384-d9a0-4c2b-8f6e-5c1f0a9e7b42'
const EXPIRES = '2025-03-09T10:00:00'

const Issued = describedObject('The invitation. Its link is shown only once.', {
  user: AdminUser,
  token: t.String(),
  link: t.String({
    description:
      'Link for the new user; works once. Begins with `base_url`, or with the address that the request was sent to.',
  }),
  expires: t.String({ description: 'Expiry of the link, after `invitation_days`; UTC.' }),
})

const issued = {
  response: Issued,
  example: {
    user: {
      ...ADMIN_USER_EXAMPLE,
      ...{ active: false, state: 'pending_activation', devices: 0, subscriptions: 0 },
      invitation: { expires: EXPIRES },
    },
    token: TOKEN,
    link: `https://pods.example/activate#invitation=${TOKEN}`,
    expires: EXPIRES,
  },
}

const notInvited = errorResponse(
  'not_invited',
  'The account was not invited, or the invitation has been accepted.',
  'this account is not waiting for an invitation to be accepted',
)

export const inviteUser = adminEndpoint('inviteUser', 'Invite a user', {
  description:
    'Creates an account without a password, and a link for the new user to choose one. Needs no email, and works even if registration is closed. Using the link activates the account.',
  body: objectSchema({
    username: Username,
    email: t.Optional(t.Union([t.String(), t.Null()])),
  }),
  bodyExample: { username: 'ole', email: 'ole@pods.example' },
  ...issued,
  errors: ['username_taken'],
})

export const renewInvitation = adminEndpoint('renewInvitation', 'Create a new link for an invited user', {
  description: 'The previous link becomes invalid.',
  ...issued,
  errors: [unknownUser, notInvited],
})

export const withdrawInvitation = adminEndpoint('withdrawInvitation', 'Withdraw an invitation', {
  description: 'Invalidates the link and removes the account. An account whose link has been used is kept.',
  ...done,
  errors: [unknownUser, notInvited],
})

const Token = t.String({ description: 'The part of the link after `#invitation=`.' })

const invalidInvitation = (description: string) =>
  errorResponse('invalid_token', description, 'the link is unknown, used or expired', 'token')

export const findInvitation = endpoint('Accounts', 'findInvitation', 'Get an invitation', {
  description: 'Does not use up the link.',
  body: objectSchema({ token: Token }),
  bodyExample: { token: TOKEN },
  response: describedObject('The invitation.', {
    username: t.String({ description: 'The name to sign in with.' }),
    expires: t.String({ description: 'UTC.' }),
  }),
  example: { username: 'ole', expires: EXPIRES },
  errors: [invalidInvitation('The link is unknown, used, withdrawn or expired.')],
})

export const acceptInvitation = endpoint('Accounts', 'acceptInvitation', 'Accept an invitation', {
  description:
    'Sets the password and activates the account. Does not sign in. The link stays valid if the password breaks the rules.',
  body: objectSchema({ token: Token, password: Password }),
  bodyExample: { token: TOKEN, password: 'driftwood' },
  response: describedObject('The account is active.', {
    status: t.Literal('active'),
    username: t.String({ description: 'The name to sign in with.' }),
  }),
  example: { status: 'active', username: 'ole' },
  errors: [invalidInvitation('The link is unknown, used, withdrawn or expired, or the password breaks the rules.')],
})
