import type { Principal } from '../../../domain/accounts/authentication.ts'
import type { Actor } from '../../../domain/accounts/ports/audit-log.ts'
import type { UserSummary } from '../../../domain/accounts/ports/users.ts'
import { formatTimestamp, timestampOrEmpty } from '../../../domain/shared/time.ts'
import { del, get, post, type Route } from '../../endpoint.ts'
import { languageOf } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/accounts/users.ts'
import { OK } from '../../spec/shared/models.ts'

/** docs/protocol.md#administration: management of accounts. Ignores bodies of requests that need none. */
export const userRoutes = ({ administration }: RouteParts): Route[] => [
  get('/api/admin/users', 'admin', spec.listUsers, async () => (await administration.list()).map(toUserJson)),
  post('/api/admin/users', 'admin', spec.createUser, async ({ principal, body: { username, password, email } }) =>
    toUserJson(await administration.create({ username, password, email: email ?? '' }, false, actorOf(principal))),
  ),
  del('/api/admin/users/:username', 'admin', spec.deleteUser, async ({ principal, params }) => {
    await administration.remove(params.username, actorOf(principal))
    return OK
  }),
  post('/api/admin/users/:username/activate', 'admin', spec.activateUser, async ({ principal, params }) =>
    toUserJson(await administration.setActive(params.username, true, actorOf(principal))),
  ),
  post('/api/admin/users/:username/deactivate', 'admin', spec.deactivateUser, async ({ principal, params }) =>
    toUserJson(await administration.setActive(params.username, false, actorOf(principal))),
  ),
  post('/api/admin/users/:username/role', 'admin', spec.setRole, async ({ principal, params, body }) =>
    toUserJson(await administration.setAdmin(params.username, body.is_admin, actorOf(principal))),
  ),
  post('/api/admin/users/:username/password', 'admin', spec.setPassword, async ({ principal, params, body }) => {
    await administration.setPassword(params.username, body.password, actorOf(principal), principal.sessionId)
    return OK
  }),
  post('/api/admin/users/:username/reset-password', 'admin', spec.mailReset, async ({ request, principal, params }) => {
    await administration.sendReset(params.username, languageOf(request), actorOf(principal))
    return OK
  }),
  post(
    '/api/admin/users/:username/reset-second-factor',
    'admin',
    spec.resetSecondFactor,
    async ({ principal, params }) =>
      toUserJson(await administration.resetSecondFactor(params.username, actorOf(principal))),
  ),
]

export function actorOf({ user }: Principal): Actor {
  return { name: user.username, via: 'api' }
}

export function toUserJson({
  username,
  email,
  state,
  isAdmin,
  hasSecondFactor,
  devices,
  subscriptions,
  createdAt,
  invitation,
}: UserSummary) {
  return {
    username,
    email: email ?? '',
    active: state === 'active',
    // Lists omit accounts that are being deleted; elsewhere, they count as inactive.
    state: state === 'deleting' ? ('inactive' as const) : state,
    is_admin: isAdmin,
    second_factor: hasSecondFactor,
    devices,
    subscriptions,
    created: formatTimestamp(createdAt),
    invitation: invitation ? { expires: timestampOrEmpty(invitation.expiresAt) } : null,
  }
}
