import { Elysia, t } from 'elysia'
import type { Accounts } from '../../domain/accounts.ts'
import { authPlugin, type Gatekeeper } from '../auth.ts'
import { readJson } from '../body.ts'
import { ErrorModel, Ok, protectedErrors } from '../models.ts'
import { operation } from '../operation.ts'
import type { Origins } from '../origin.ts'
import { shape } from '../shape.ts'

const Me = shape({ username: t.String(), email: t.String(), is_admin: t.Boolean(), is_active: t.Boolean() })

const PasswordChange = shape({
  old_password: t.Optional(t.Union([t.String(), t.Null()])),
  new_password: t.String(),
})

export interface MeRouteParts {
  readonly accounts: Accounts
  readonly gatekeeper: Gatekeeper
  readonly origins: Origins
}

/** protocol.md 18.2. */
export function meRoutes({ accounts, gatekeeper, origins }: MeRouteParts) {
  return new Elysia()
    .use(authPlugin(gatekeeper))
    .get(
      '/api/2/me',
      ({ caller: { user } }) => ({
        username: user.username,
        email: user.email ?? '',
        is_admin: user.isAdmin,
        is_active: user.state === 'active',
      }),
      {
        auth: 'user',
        response: { 200: Me, ...protectedErrors },
        detail: operation('Accounts', '/api/2/me', 'Own account'),
      },
    )
    .post(
      '/api/2/me/password',
      async ({ request, caller, body: { old_password, new_password } }) => {
        const context = { keep: caller.sessionId, address: origins.clientAddress(request) }
        await accounts.changePassword(caller.user, { old: old_password ?? undefined, new: new_password }, context)
        return { status: 'ok' as const }
      },
      {
        auth: 'user',
        parse: [({ request }) => readJson(request)],
        body: PasswordChange,
        response: { 200: Ok, 400: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Accounts', '/api/2/me/password', 'Change the own password; ends all other sessions'),
      },
    )
}
