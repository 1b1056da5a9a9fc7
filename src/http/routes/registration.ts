import { Elysia, t } from 'elysia'
import type { Accounts } from '../../domain/accounts.ts'
import { readJson } from '../body.ts'
import { ErrorModel } from '../models.ts'
import { operation } from '../operation.ts'
import type { Origins } from '../origin.ts'
import { shape } from '../shape.ts'

const Registration = shape({
  username: t.String(),
  password: t.String(),
  email: t.Optional(t.Union([t.String(), t.Null()])),
})

const Registered = shape({
  status: t.Union([t.Literal('active'), t.Literal('pending_activation')]),
  is_admin: t.Optional(t.Boolean()),
  message: t.Optional(t.String()),
})

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
      detail: operation('Accounts', '/api/2/register', 'Create an account'),
    },
  )
}
