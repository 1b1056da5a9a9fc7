import { t } from 'elysia'
import { adminEndpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, done, integer, objectSchema, Password, Username } from '../shared/models.ts'

export const AdminUser = describedObject('An account as administrators see it.', {
  username: t.String(),
  email: t.String({ description: 'Empty if not set.' }),
  active: t.Boolean({ description: 'Also false while the account waits for its activation.' }),
  state: t.Union([t.Literal('active'), t.Literal('inactive'), t.Literal('pending_activation')]),
  is_admin: t.Boolean(),
  second_factor: t.Boolean({ description: 'Whether signing in with the password also needs a code.' }),
  devices: integer(),
  subscriptions: integer({ description: 'Number of feeds; a feed on several devices counts once.' }),
  created: t.String({ description: 'UTC.' }),
  invitation: t.Union(
    [
      t.Null(),
      objectSchema({ expires: t.String({ description: 'Expiry of the link, UTC; empty if the link is gone.' }) }),
    ],
    { description: 'Present for a user who was invited and has not chosen a password yet; otherwise null.' },
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
  response: t.Array(AdminUser, { description: 'All accounts, sorted by user name.' }),
  example: [ADMIN_USER_EXAMPLE],
})

export const createUser = adminEndpoint('createUser', 'Create an account', {
  description: 'Works even if registration is closed. The account is active immediately.',
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
  description: 'Deletes the account with its devices, subscriptions, episode actions and everything else in it.',
  ...done,
  errors: [unknownUser, 'last_admin'],
})

export const activateUser = adminEndpoint('activateUser', 'Activate an account', {
  description:
    'Activates an account that was deactivated or waits for its activation. The mailed link becomes invalid. An invited account needs a password first: its user chooses one, which also activates the account, or you set one.',
  response: AdminUser,
  example: ADMIN_USER_EXAMPLE,
  errors: [
    unknownUser,
    errorResponse(
      'no_password',
      'The account has no password, because its user has not chosen one yet.',
      'this account has no password yet: make a new invitation, or set one',
    ),
  ],
})

export const deactivateUser = adminEndpoint('deactivateUser', 'Deactivate an account', {
  description: 'Ends its sessions and keeps its data.',
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
  description:
    'Ends all sessions of the account, except the one that makes the request, and revokes all its app passwords.',
  body: objectSchema({ password: Password }),
  bodyExample: { password: 'driftwood' },
  ...done,
  errors: [unknownUser],
})

export const mailReset = adminEndpoint('mailReset', 'Send a user a password reset link', {
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
    'For a user who has lost both the authenticator app and the recovery codes. The password alone is enough again. Not available for your own account.',
  response: AdminUser,
  example: ADMIN_USER_EXAMPLE,
  errors: [
    unknownUser,
    errorResponse('no_second_factor', 'The account has no second factor.', 'this account has no second factor'),
  ],
})
