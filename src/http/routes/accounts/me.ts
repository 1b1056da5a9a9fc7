import type { Principal } from '../../../domain/accounts/authentication.ts'
import type { User } from '../../../domain/accounts/ports/users.ts'
import type { SingleSignOn } from '../../../domain/accounts/single-sign-on.ts'
import type { IdentityId, SessionId } from '../../../domain/shared/ids.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { refuseOtherUsername } from '../../auth.ts'
import { del, get, post, type Route } from '../../endpoint.ts'
import { parseId } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/accounts/me.ts'
import { OK } from '../../spec/shared/models.ts'

/** docs/protocol.md#your-account. */
export function meRoutes({ accounts, ownAccount, sessions, singleSignOn, authGuard, origins }: RouteParts): Route[] {
  const originOf = (request: Request, { sessionId, via }: Principal) => ({
    session: sessionId,
    bySession: via === 'cookie',
    address: origins.clientAddress(request),
  })

  return [
    get('/api/2/me', 'user', spec.getOwnAccount, async ({ principal: { user } }) =>
      toAccountJson(user, await ownAccount.waysIn(user)),
    ),
    post('/api/2/me/password', 'owner', spec.changePassword, async ({ request, principal, body }) => {
      refuseOtherUsername(principal, body.username)
      const passwords = { old: body.old_password ?? undefined, new: body.new_password }
      await accounts.changePassword(principal.user, passwords, originOf(request, principal))
      return OK
    }),
    get('/api/2/me/sessions', 'user', spec.listSessions, async ({ principal }) => {
      const list = await sessions.list(principal.user.id)
      return list.map(({ id, createdAt, usedAt, expiresAt, client = '' }) => ({
        id,
        created: formatTimestamp(createdAt),
        last_used: formatTimestamp(usedAt),
        expires: formatTimestamp(expiresAt),
        current: id === principal.sessionId,
        client,
      }))
    }),
    del('/api/2/me/sessions', 'owner', spec.endOtherSessions, async ({ principal }) => {
      await sessions.revokeOthers(principal.user.id, principal.sessionId)
      return OK
    }),
    del('/api/2/me/sessions/:id', 'owner', spec.endSession, async ({ request, set, principal, params }) => {
      const id = parseId(params.id) as SessionId
      await sessions.revoke(principal.user.id, id)
      if (id === principal.sessionId) authGuard.clearCookie(request, set)
      return OK
    }),
    post('/api/2/me/email', 'owner', spec.changeEmail, async ({ request, principal, body }) => {
      refuseOtherUsername(principal, body.username)
      const origin = originOf(request, principal)
      await ownAccount.changeEmail(principal.user, body.email, body.password ?? undefined, origin)
      return OK
    }),
    del('/api/2/me', 'owner', spec.deleteOwnAccount, async ({ request, set, principal, body }) => {
      const { password, username } = body
      // Without a password, the name serves as confirmation, and a wrong one is only a typing error.
      if (typeof password === 'string') refuseOtherUsername(principal, username)
      const typed = { password: password ?? undefined, username: username ?? undefined }
      await ownAccount.remove(principal.user, typed, originOf(request, principal))
      authGuard.clearCookie(request, set)
      return OK
    }),
    get('/auth/sso/info', 'anyone', spec.getSsoInfo, () => ssoInfo(singleSignOn)),
    get('/api/2/me/identities', 'user', spec.listIdentities, async ({ principal: { user } }) => {
      const list = await singleSignOn.identities(user.id)
      return list.map(({ createdAt, id, issuer, subject }) => ({
        id,
        issuer,
        subject,
        linked: formatTimestamp(createdAt),
      }))
    }),
    del('/api/2/me/identities/:id', 'owner', spec.unlinkIdentity, async ({ principal: { user }, params }) => {
      await singleSignOn.unlink(user.id, parseId(params.id) as IdentityId)
      return OK
    }),
  ]
}

export function toAccountJson(
  { username, email, isAdmin, state }: User,
  { hasPassword, hasSecondFactor }: { readonly hasPassword: boolean; readonly hasSecondFactor: boolean },
) {
  return {
    username,
    email: email ?? '',
    is_admin: isAdmin,
    is_active: state === 'active',
    has_password: hasPassword,
    has_second_factor: hasSecondFactor,
  }
}

export function ssoInfo({ providerName }: Pick<SingleSignOn, 'providerName'>) {
  if (providerName === undefined) return { enabled: false, provider_name: null, login_url: null }
  return { enabled: true, provider_name: providerName, login_url: '/auth/sso/login' }
}
