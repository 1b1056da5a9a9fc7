import { Elysia, t } from 'elysia'
import type { Administration } from '../../../domain/accounts/administration.ts'
import type { Principal } from '../../../domain/accounts/authentication.ts'
import type { Actor, UserSummary } from '../../../domain/accounts/ports.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authFirst, authPlugin } from '../../auth.ts'
import { readJson } from '../../body.ts'
import { adminErrors, json, operation, type RouteDocs } from '../../openapi/operation.ts'
import { ErrorModel, Ok, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const AdminUser = objectSchema(
  {
    username: t.String(),
    email: t.String({ description: 'Empty if there is none.' }),
    active: t.Boolean({ description: 'False while an account waits for its activation, too.' }),
    state: t.Union([t.Literal('active'), t.Literal('inactive'), t.Literal('pending_activation')]),
    is_admin: t.Boolean(),
    devices: t.Integer(),
    subscriptions: t.Integer({ description: 'Feeds, each counted once however many devices have it.' }),
    created: t.String({ description: 'UTC.' }),
  },
  { description: 'An account as administrators see it.' },
)

const NewAccount = objectSchema({
  username: t.String({
    description: 'Up to 64 ASCII letters, digits, `_`, `.` or `-`; the first is a letter, a digit or `_`.',
  }),
  password: t.String({ description: '4 to 256 characters.' }),
  email: t.Optional(t.Union([t.String(), t.Null()])),
})

const Role = objectSchema({ is_admin: t.Boolean() })
const NewPassword = objectSchema({ password: t.String({ description: '4 to 256 characters.' }) })
const UserPath = objectSchema({ username: t.String() })

const errors = { ...protectedErrors, 404: ErrorModel }
const example = {
  username: 'ole',
  email: 'ole@pods.example',
  active: true,
  state: 'active',
  is_admin: false,
  devices: 2,
  subscriptions: 15,
  created: '2025-03-02T10:00:00',
}

const unknownUser = {
  404: { description: 'There is no such account.', error: 'unknown_user', message: 'unknown user: ole' },
} as const satisfies RouteDocs['x-refusals']

const lastAdmin = {
  409: {
    description: 'This is the last active administrator.',
    error: 'last_admin',
    message: 'this is the last active administrator',
  },
} as const satisfies RouteDocs['x-refusals']

/** docs/protocol.md#administration: accounts, by administrators. Bodies of requests that need none are ignored. */
export function adminUserRoutes(administration: Administration, authGuard: AuthGuard) {
  const describe = (path: string, id: string, summary: string, remarks: RouteDocs = {}) =>
    operation('Administration', path, id, summary, {
      'x-response': json(example),
      ...remarks,
      'x-refusals': { ...adminErrors, ...unknownUser, ...remarks['x-refusals'] },
    })

  return new Elysia()
    .use(authPlugin(authGuard))
    .get('/api/admin/users', async () => (await administration.list()).map(toAdminUser), {
      auth: 'admin',
      response: {
        200: t.Array(AdminUser, { description: 'All accounts, by user name.' }),
        ...protectedErrors,
      },
      detail: describe('/api/admin/users', 'listUsers', 'List all accounts', { 'x-response': json([example]) }),
    })
    .post(
      '/api/admin/users',
      async ({ principal, body: { username, password, email } }) =>
        toAdminUser(await administration.create({ username, password, email: email ?? '' }, false, actorOf(principal))),
      {
        auth: 'admin',
        parse: [authFirst(authGuard, 'admin', readJson)],
        body: NewAccount,
        response: { 200: AdminUser, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: describe('/api/admin/users', 'createUser', 'Create an account', {
          description: 'Works whether or not people may register themselves. The account is active at once.',
          'x-request': json({ username: 'ole', password: 'driftwood', email: 'ole@pods.example' }),
          'x-response': json({ ...example, devices: 0, subscriptions: 0 }),
        }),
      },
    )
    .delete(
      '/api/admin/users/:username',
      async ({ principal, params: { username } }) => {
        await administration.remove(username, actorOf(principal))
        return ok
      },
      {
        auth: 'admin',
        params: UserPath,
        response: { 200: Ok, 409: ErrorModel, ...errors },
        detail: describe('/api/admin/users/{username}', 'deleteUser', 'Delete an account for good', {
          description: 'With devices, subscriptions, episode actions and everything else of it.',
          'x-response': json(ok),
          'x-refusals': lastAdmin,
        }),
      },
    )
    .post(
      '/api/admin/users/:username/activate',
      async ({ principal, params: { username } }) =>
        toAdminUser(await administration.setActive(username, true, actorOf(principal))),
      {
        auth: 'admin',
        params: UserPath,
        response: { 200: AdminUser, ...errors },
        detail: describe('/api/admin/users/{username}/activate', 'activateUser', 'Activate an account', {
          description: 'One that was deactivated, or one that waits for its activation. The mailed link is void then.',
        }),
      },
    )
    .post(
      '/api/admin/users/:username/deactivate',
      async ({ principal, params: { username } }) =>
        toAdminUser(await administration.setActive(username, false, actorOf(principal))),
      {
        auth: 'admin',
        params: UserPath,
        response: { 200: AdminUser, 409: ErrorModel, ...errors },
        detail: describe('/api/admin/users/{username}/deactivate', 'deactivateUser', 'Deactivate an account', {
          description: 'Ends its sessions; nothing of it is lost.',
          'x-response': json({ ...example, active: false, state: 'inactive' }),
          'x-refusals': lastAdmin,
        }),
      },
    )
    .post(
      '/api/admin/users/:username/role',
      async ({ principal, params: { username }, body: { is_admin } }) =>
        toAdminUser(await administration.setAdmin(username, is_admin, actorOf(principal))),
      {
        auth: 'admin',
        params: UserPath,
        parse: [authFirst(authGuard, 'admin', readJson)],
        body: Role,
        response: { 200: AdminUser, 409: ErrorModel, 413: ErrorModel, ...errors },
        detail: describe(
          '/api/admin/users/{username}/role',
          'setRole',
          'Make somebody an administrator, or no longer',
          {
            'x-request': json({ is_admin: true }),
            'x-response': json({ ...example, is_admin: true }),
            'x-refusals': lastAdmin,
          },
        ),
      },
    )
    .post(
      '/api/admin/users/:username/password',
      async ({ principal, params: { username }, body: { password } }) => {
        await administration.setPassword(username, password, actorOf(principal), principal.sessionId)
        return ok
      },
      {
        auth: 'admin',
        params: UserPath,
        parse: [authFirst(authGuard, 'admin', readJson)],
        body: NewPassword,
        response: { 200: Ok, 413: ErrorModel, ...errors },
        detail: describe('/api/admin/users/{username}/password', 'setPassword', 'Set the password of an account', {
          description: 'Ends all sessions of the account, but the one that asks if it is the own one.',
          'x-request': json({ password: 'driftwood' }),
          'x-response': json(ok),
        }),
      },
    )
    .post(
      '/api/admin/users/:username/reset-password',
      async ({ principal, params: { username } }) => {
        await administration.sendReset(username, actorOf(principal))
        return ok
      },
      {
        auth: 'admin',
        params: UserPath,
        response: { 200: Ok, 409: ErrorModel, ...errors },
        detail: describe(
          '/api/admin/users/{username}/reset-password',
          'mailReset',
          'Mail somebody a link to a new password',
          {
            'x-response': json(ok),
            'x-refusals': {
              409: {
                description: 'The account has no email address, or the server cannot send mail.',
                error: 'no_email',
                message: 'this account has no email address',
              },
            },
          },
        ),
      },
    )
}

const ok = { status: 'ok' as const }

/** The administrator who asks, for the audit log. */
export function actorOf({ user }: Principal): Actor {
  return { name: user.username, via: 'api' }
}

function toAdminUser({ username, email, state, isAdmin, devices, subscriptions, createdAt }: UserSummary) {
  return {
    username,
    email: email ?? '',
    active: state === 'active',
    // On its way out, which lists leave out: not active is all there is to say.
    state: state === 'deleting' ? ('inactive' as const) : state,
    is_admin: isAdmin,
    devices,
    subscriptions,
    created: formatTimestamp(createdAt),
  }
}
