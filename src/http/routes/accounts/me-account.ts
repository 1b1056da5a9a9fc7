import { Elysia, t } from 'elysia'
import type { OwnAccount } from '../../../domain/accounts/account.ts'
import type { Principal } from '../../../domain/accounts/authentication.ts'
import { type AuthGuard, authFirst, authPlugin, refuseIfMeantForOthers } from '../../auth.ts'
import { readJson, readOptionalJson } from '../../body.ts'
import { type ErrorExample, json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { ErrorModel, MEANT_FOR, Ok, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const optionalText = (description: string) => t.Optional(t.Union([t.String(), t.Null()], { description }))

const EmailChange = objectSchema({
  email: t.String({ description: 'The new address; empty to have none.' }),
  password: optionalText('May be left out by those who sign in at a provider and ask with the session cookie.'),
  username: optionalText(MEANT_FOR),
})

const Farewell = objectSchema({
  password: optionalText('Needed if the account has one.'),
  username: optionalText(`${MEANT_FOR} Needed if the account has no password, to confirm.`),
})

const wrongPassword: ErrorExample = {
  description:
    'The password is wrong, the request is meant for another account, the account is not active, or a page of another site made the request.',
  error: 'wrong_password',
  message: 'password is wrong',
  field: 'password',
}

const EMAIL_PATH = '/api/2/me/email'
const PATH = '/api/2/me'

/** What somebody changes about the own account for good; what asks for a password again. */
export function meAccountRoutes(ownAccount: OwnAccount, authGuard: AuthGuard, origins: Origins) {
  const askedFrom = (request: Request, { sessionId, via }: Principal) => ({
    session: sessionId,
    bySession: via === 'cookie',
    address: origins.clientAddress(request),
  })

  return new Elysia()
    .use(authPlugin(authGuard))
    .post(
      EMAIL_PATH,
      async ({ request, principal, body: { email, password, username } }) => {
        refuseIfMeantForOthers(principal, username)
        await ownAccount.changeEmail(principal.user, email, password ?? undefined, askedFrom(request, principal))
        return { status: 'ok' as const }
      },
      {
        auth: 'user',
        parse: [authFirst(authGuard, 'user', readJson)],
        body: EmailChange,
        response: { 200: Ok, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Accounts', EMAIL_PATH, 'changeEmail', 'Change the own email address', {
          description: 'Links for a new password that were mailed to the old address are void.',
          'x-request': json({ email: 'ida@harbour.example', password: 'seaglass' }),
          'x-response': json({ status: 'ok' }),
          'x-refusals': {
            403: wrongPassword,
            409: {
              description: 'The address belongs to another account.',
              error: 'email_taken',
              message: 'an account with this email address exists',
              field: 'email',
            },
          },
        }),
      },
    )
    .delete(
      PATH,
      async ({ request, set, principal, body: { password, username } }) => {
        // Without a password the name is what confirms and a wrong one a slip.
        if (typeof password === 'string') refuseIfMeantForOthers(principal, username)
        const typed = { password: password ?? undefined, username: username ?? undefined }
        await ownAccount.remove(principal.user, typed, askedFrom(request, principal))
        authGuard.clearCookie(request, set)
        return { status: 'ok' as const }
      },
      {
        auth: 'user',
        parse: [authFirst(authGuard, 'user', readOptionalJson)],
        body: Farewell,
        response: { 200: Ok, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Accounts', PATH, 'deleteOwnAccount', 'Delete the own account', {
          description: 'With everything of it, for good.',
          'x-request': json({ password: 'seaglass' }),
          'x-response': json({ status: 'ok' }),
          'x-cookie': 'Removes the session.',
          'x-refusals': {
            403: wrongPassword,
            409: {
              description: 'Nobody could administer the server any more.',
              error: 'last_admin',
              message: 'this is the last active administrator',
            },
          },
        }),
      },
    )
}
