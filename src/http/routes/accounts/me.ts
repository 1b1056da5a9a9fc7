import { Elysia, t } from 'elysia'
import type { Accounts, OwnAccount } from '../../../domain/accounts/account.ts'
import { type AuthGuard, authFirst, authPlugin, refuseIfMeantForOthers } from '../../auth.ts'
import { readJson } from '../../body.ts'
import { json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { AccountModel, toAccountJson } from '../../spec/accounts/account-json.ts'
import { ErrorModel, MEANT_FOR, Ok, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const PasswordChange = objectSchema({
  old_password: t.Optional(
    t.Union([t.String(), t.Null()], {
      description:
        'The password so far. May be left out by those who sign in at a provider and ask with the session cookie.',
    }),
  ),
  new_password: t.String({ description: '4 to 256 characters.' }),
  username: t.Optional(t.Union([t.String(), t.Null()], { description: MEANT_FOR })),
})

export interface MeRouteParts {
  readonly accounts: Accounts
  readonly ownAccount: OwnAccount
  readonly authGuard: AuthGuard
  readonly origins: Origins
}

/** docs/protocol.md#your-account. */
export function meRoutes({ accounts, ownAccount, authGuard, origins }: MeRouteParts) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get('/api/2/me', async ({ principal: { user } }) => toAccountJson(user, await ownAccount.hasPassword(user)), {
      auth: 'user',
      response: { 200: AccountModel, ...protectedErrors },
      detail: operation('Accounts', '/api/2/me', 'getOwnAccount', 'Read the own account', {
        'x-response': json({
          username: 'ida',
          email: 'ida@pods.example',
          is_admin: false,
          is_active: true,
          has_password: true,
        }),
      }),
    })
    .post(
      '/api/2/me/password',
      async ({ request, principal, body: { old_password, new_password, username } }) => {
        refuseIfMeantForOthers(principal, username)
        const address = origins.clientAddress(request)
        const context = { session: principal.sessionId, address, bySession: principal.via === 'cookie' }
        await accounts.changePassword(principal.user, { old: old_password ?? undefined, new: new_password }, context)
        return { status: 'ok' as const }
      },
      {
        auth: 'user',
        parse: [authFirst(authGuard, 'user', readJson)],
        body: PasswordChange,
        response: { 200: Ok, 413: ErrorModel, ...protectedErrors },
        detail: operation('Accounts', '/api/2/me/password', 'changePassword', 'Change the own password', {
          description: 'Ends all sessions of the account but the one that asks.',
          'x-request': json({ old_password: 'seaglass', new_password: 'driftwood' }),
          'x-response': json({ status: 'ok' }),
          'x-refusals': {
            403: {
              description:
                'The old password is wrong, the request is meant for another account, the account is not active, or a page of another site made the request.',
              error: 'wrong_password',
              message: 'old_password is wrong',
              field: 'old_password',
            },
          },
        }),
      },
    )
}
