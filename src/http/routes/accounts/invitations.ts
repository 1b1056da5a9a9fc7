import type { IssuedInvitation } from '../../../domain/accounts/invitations.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { del, post, type Route } from '../../endpoint.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/accounts/invitations.ts'
import { OK } from '../../spec/shared/models.ts'
import { actorOf, toUserJson } from './users.ts'

/** docs/protocol.md#invitations: accounts created by administrators, with a password chosen by the user. */
export function invitationRoutes({ invitations, origins }: RouteParts): Route[] {
  const toJson = ({ user, token, expiresAt }: IssuedInvitation, request: Request) => ({
    user: toUserJson(user),
    token,
    // After `#`, which browsers do not send to servers.
    link: `${origins.baseOf(request)}/activate#invitation=${token}`,
    expires: formatTimestamp(expiresAt),
  })
  return [
    post('/api/admin/invitations', 'admin', spec.inviteUser, async ({ request, principal, body }) => {
      const { username, email } = body
      return toJson(await invitations.invite({ username, email: email ?? '' }, actorOf(principal)), request)
    }),
    post('/api/admin/users/:username/invitation', 'admin', spec.renewInvitation, async (context) => {
      const { request, principal, params } = context
      return toJson(await invitations.renew(params.username, actorOf(principal)), request)
    }),
    del('/api/admin/users/:username/invitation', 'admin', spec.withdrawInvitation, async ({ principal, params }) => {
      await invitations.withdraw(params.username, actorOf(principal))
      return OK
    }),
    post('/api/2/invitation', 'anyone', spec.findInvitation, async ({ body }) => {
      const { username, expiresAt } = await invitations.find(body.token)
      return { username, expires: formatTimestamp(expiresAt) }
    }),
    post('/api/2/invitation/accept', 'anyone', spec.acceptInvitation, async ({ body: { token, password } }) => {
      const { username } = await invitations.accept(token, password)
      return { status: 'active' as const, username }
    }),
  ]
}
