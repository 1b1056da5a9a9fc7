import { Elysia, t } from 'elysia'
import type { Accounts } from '../../domain/accounts.ts'
import { readJson } from '../body.ts'
import { ErrorModel } from '../models.ts'
import { json, operation } from '../operation.ts'
import type { Origins } from '../origin.ts'
import { shape } from '../shape.ts'

const Registration = shape({
  username: t.String({
    description: 'Up to 64 ASCII letters, digits, `_`, `.` or `-`; the first is a letter, a digit or `_`.',
  }),
  password: t.String({ description: '4 to 256 characters.' }),
  email: t.Optional(t.Union([t.String(), t.Null()], { description: 'Needed only where accounts must be activated.' })),
})

const Registered = shape(
  {
    status: t.Union([t.Literal('active'), t.Literal('pending_activation')]),
    is_admin: t.Optional(
      t.Boolean({ description: 'Only with `active`. The first account of a server is an administrator.' }),
    ),
    message: t.Optional(t.String({ description: 'Only with `pending_activation`: what has to happen.' })),
  },
  { description: 'The account exists.' },
)

/** protocol.md 18.1. Does not log in (D69). */
export function registrationRoutes(accounts: Accounts, origins: Origins) {
  return new Elysia().post(
    '/api/2/register',
    async ({ request, body: { username, password, email } }) => {
      const address = origins.clientAddress(request)
      const user = await accounts.register({ username, password, email: email ?? '' }, address)
      if (user.state === 'active') return { status: 'active' as const, is_admin: user.isAdmin }
      return {
        status: 'pending_activation' as const,
        message: 'The account has been created. An administrator must activate it.',
      }
    },
    {
      parse: [({ request }) => readJson(request)],
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
            description: 'This server takes no new accounts.',
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
}
