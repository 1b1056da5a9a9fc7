import { Elysia, t } from 'elysia'
import type { Accounts } from '../../../domain/accounts/account.ts'
import type { ServerInfo } from '../../../domain/server/status.ts'
import type { AuthGuard } from '../../auth.ts'
import { readAnonymousJson } from '../../body.ts'
import { json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { ErrorModel } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const Registration = objectSchema({
  username: t.String({
    description: 'Up to 64 ASCII letters, digits, `_`, `.` or `-`; the first is a letter, a digit or `_`.',
  }),
  password: t.String({ description: '4 to 256 characters.' }),
  email: t.Optional(t.Union([t.String(), t.Null()], { description: 'Needed only where accounts must be activated.' })),
})

const Registered = objectSchema(
  {
    status: t.Union([t.Literal('active'), t.Literal('pending_activation')]),
    is_admin: t.Optional(
      t.Boolean({ description: 'Only with `active`. The first account of a server is an administrator.' }),
    ),
    message: t.Optional(t.String({ description: 'Only with `pending_activation`: what has to happen.' })),
  },
  { description: 'The account exists.' },
)

const Activation = objectSchema({ token: t.String({ description: 'What follows `#token=` in the mailed link.' }) })
const Activated = objectSchema({ status: t.Literal('active') }, { description: 'The account is active.' })

export interface RegistrationRouteParts {
  readonly accounts: Accounts
  readonly serverInfo: ServerInfo
  readonly authGuard: AuthGuard
  readonly origins: Origins
}

/** docs/protocol.md#registration. Does not log in (D69). */
export function registrationRoutes({ accounts, serverInfo, authGuard, origins }: RegistrationRouteParts) {
  return new Elysia()
    .post(
      '/api/2/register',
      async ({ request, body: { username, password, email } }) => {
        // Asking first keeps no page of another site from making the administrator: a registration needs no credentials.
        if (origins.isForeign(request) && (await serverInfo.isFirstRun())) authGuard.refuseForeignOrigin(request)
        const address = origins.clientAddress(request)
        const user = await accounts.register({ username, password, email: email ?? '' }, address)
        if (user.state === 'active') return { status: 'active' as const, is_admin: user.isAdmin }
        const message = accounts.mailsLinks
          ? `An activation link has been sent to ${user.email}.`
          : 'The account has been created. An administrator must activate it.'
        return { status: 'pending_activation' as const, message }
      },
      {
        parse: [({ request }) => readAnonymousJson(request)],
        body: Registration,
        response: {
          200: Registered,
          400: ErrorModel,
          403: ErrorModel,
          409: ErrorModel,
          413: ErrorModel,
          429: ErrorModel,
          503: ErrorModel,
        },
        detail: operation('Accounts', '/api/2/register', 'register', 'Create an account', {
          description: 'The first account can always be made; after that it is up to the server. Does not sign in.',
          'x-credentials': 'none',
          'x-request': json({ username: 'ida', password: 'seaglass', email: 'ida@pods.example' }),
          'x-response': json({ status: 'active', is_admin: false }),
          'x-refusals': {
            403: {
              description:
                'This server takes no new accounts; or a page of another site made the request, and it is for the first account.',
              error: 'registration_closed',
              message: 'registration is closed',
            },
            429: {
              description: 'Too many registrations from this address within an hour.',
              error: 'rate_limited',
              message: 'too many attempts, try again later',
            },
          },
        }),
      },
    )
    .post(
      '/api/2/activate',
      async ({ body: { token } }) => {
        await accounts.activate(token)
        return { status: 'active' as const }
      },
      {
        parse: [({ request }) => readAnonymousJson(request)],
        body: Activation,
        response: { 200: Activated, 400: ErrorModel, 413: ErrorModel, 503: ErrorModel },
        detail: operation('Accounts', '/api/2/activate', 'activate', 'Activate the own new account', {
          description: 'With the token of the mail that registration sends where accounts must be activated.',
          'x-credentials': 'none',
          'x-request': json({ token: '6f1c1e0e-8a2f-4d0b-9a37-3f6c2b7d5e11' }),
          'x-response': json({ status: 'active' }),
          'x-refusals': {
            400: {
              description: 'The link is unknown, used or older than 48 hours.',
              error: 'invalid_token',
              message: 'the link is unknown, used or expired',
              field: 'token',
            },
          },
        }),
      },
    )
}
