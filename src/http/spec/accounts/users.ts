import { t } from 'elysia'
import { adminEndpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, done, integer, objectSchema, Password, Username } from '../shared/models.ts'

export const AdminUser = describedObject('An account as administrators see it.', {
  username: t.String(),
  email: t.String({ description: 'Empty if there is none.' }),
  active: t.Boolean({ description: 'False while an account waits for its activation, too.' }),
  state: t.Union([t.Literal('active'), t.Literal('inactive'), t.Literal('pending_activation')]),
  is_admin: t.Boolean(),
  second_factor: t.Boolean({ description: 'Whether the password needs a code beside it.' }),
  devices: integer(),
  subscriptions: integer({ description: 'Feeds, each counted once however many devices have it.' }),
  created: t.String({ description: 'UTC.' }),
  invitation: t.Union(
    [t.Null(), objectSchema({ expires: t.String({ description: 'When the link ends; empty if it is gone. UTC.' }) })],
    { description: 'Of a user who was invited and has not chosen a password yet; otherwise null.' },
  ),
})

export const ADMIN_USER_EXAMPLE = {
  username: 'ole',
  email: 'ole@pods.example',
  active: true,
  state: 'active',
  is_admin: false,
  second_factor: false,
  devices: 2,
  subscriptions: 15,
  created: '2025-03-02T10:00:00',
  invitation: null,
}

export const unknownUser = errorResponse('unknown_user', 'There is no such account.', 'unknown user: ole')

export const listUsers = adminEndpoint('listUsers', 'List all accounts', {
  response: t.Array(AdminUser, { description: 'All accounts, by user name.' }),
  example: [ADMIN_USER_EXAMPLE],
})

export const createUser = adminEndpoint('createUser', 'Create an account', {
  description: 'Works whether or not people may register themselves. The account is active at once.',
  body: objectSchema({
    username: Username,
    password: Password,
    email: t.Optional(t.Union([t.String(), t.Null()])),
  }),
  bodyExample: { username: 'ole', password: 'driftwood', email: 'ole@pods.example' },
  response: AdminUser,
  example: { ...ADMIN_USER_EXAMPLE, devices: 0, subscriptions: 0 },
  errors: ['username_taken'],
})

export const deleteUser = adminEndpoint('deleteUser', 'Delete an account', {
  description: 'With its devices, subscriptions, episode actions and everything else in it.',
  ...done,
  errors: [unknownUser, 'last_admin'],
})

export const activateUser = adminEndpoint('activateUser', 'Activate an account', {
  description:
    'One that was deactivated, or one that waits for its activation. The mailed link becomes invalid. An account that was invited becomes active with the password that its user chooses, or after you have set one.',
  response: AdminUser,
  example: ADMIN_USER_EXAMPLE,
  errors: [
    unknownUser,
    errorResponse(
      'no_password',
      'Nobody could sign in to the account: its user has not chosen a password yet.',
      'this account has no password yet: make a new invitation, or set one',
    ),
  ],
})

export const deactivateUser = adminEndpoint('deactivateUser', 'Deactivate an account', {
  description: 'Ends its sessions; none of its data is lost.',
  response: AdminUser,
  example: { ...ADMIN_USER_EXAMPLE, active: false, state: 'inactive' },
  errors: [unknownUser, 'last_admin'],
})

export const setRole = adminEndpoint('setRole', 'Set the role of a user', {
  body: objectSchema({ is_admin: t.Boolean() }),
  bodyExample: { is_admin: true },
  response: AdminUser,
  example: { ...ADMIN_USER_EXAMPLE, is_admin: true },
  errors: [unknownUser, 'last_admin'],
})

export const setPassword = adminEndpoint('setPassword', 'Set the password of an account', {
  description: 'Ends all sessions of the account, except the one that makes the request, and all its app passwords.',
  body: objectSchema({ password: Password }),
  bodyExample: { password: 'driftwood' },
  ...done,
  errors: [unknownUser],
})

export const mailReset = adminEndpoint('mailReset', 'Send a user a link to choose a new password', {
  ...done,
  errors: [
    unknownUser,
    errorResponse(
      'no_email',
      'The account has no email address, or the server cannot send mail.',
      'this account has no email address',
    ),
  ],
})

export const resetSecondFactor = adminEndpoint('resetSecondFactor', 'Turn off the second factor of a user', {
  description:
    'For somebody who has lost the authenticator app and the recovery codes. The password alone is enough again. Not for your own account.',
  response: AdminUser,
  example: ADMIN_USER_EXAMPLE,
  errors: [
    unknownUser,
    errorResponse('no_second_factor', 'The account has no second factor.', 'this account has no second factor'),
  ],
})
