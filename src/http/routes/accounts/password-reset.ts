import { Elysia, t } from 'elysia'
import type { Accounts } from '../../../domain/accounts/account.ts'
import { readAnonymousJson } from '../../body.ts'
import { json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { ErrorModel, Ok } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const ResetRequest = objectSchema({ email: t.String() })
const ResetConfirmation = objectSchema({
  token: t.String({ description: 'What follows `#token=` in the mailed link.' }),
  new_password: t.String({ description: '4 to 256 characters.' }),
})

const errors = { 400: ErrorModel, 413: ErrorModel, 503: ErrorModel }

/** docs/protocol.md#password-reset. */
export function passwordResetRoutes(accounts: Accounts, origins: Origins) {
  return new Elysia()
    .post(
      '/api/2/password-reset',
      async ({ request, body: { email } }) => {
        await accounts.requestPasswordReset(email, origins.clientAddress(request))
        return ok
      },
      {
        parse: [({ request }) => readAnonymousJson(request)],
        body: ResetRequest,
        response: { 200: Ok, 429: ErrorModel, ...errors },
        detail: operation(
          'Accounts',
          '/api/2/password-reset',
          'requestPasswordReset',
          'Ask for a link to a new password',
          {
            description:
              'Answers the same for every address. A mail goes out if an active account has the address and the server can send mail; its link is good for 24 hours, and earlier ones are void.',
            'x-credentials': 'none',
            'x-request': json({ email: 'ida@pods.example' }),
            'x-response': json(ok),
            'x-refusals': {
              429: {
                description: 'Too many requests from this address within an hour.',
                error: 'rate_limited',
                message: 'too many attempts, try again later',
              },
            },
          },
        ),
      },
    )
    .post(
      '/api/2/password-reset/confirm',
      async ({ body: { token, new_password } }) => {
        await accounts.confirmPasswordReset(token, new_password)
        return ok
      },
      {
        parse: [({ request }) => readAnonymousJson(request)],
        body: ResetConfirmation,
        response: { 200: Ok, ...errors },
        detail: operation(
          'Accounts',
          '/api/2/password-reset/confirm',
          'confirmPasswordReset',
          'Choose a new password',
          {
            description:
              'Ends all sessions of the account. Does not sign in. A password that breaks the rules leaves the link good.',
            'x-credentials': 'none',
            'x-request': json({ token: '0c0d7a57-54f2-4c3e-8b4e-6a1d9be0f3a2', new_password: 'driftwood' }),
            'x-response': json(ok),
            'x-refusals': {
              400: {
                description: 'The link is unknown, used or expired, or the password breaks the rules.',
                error: 'invalid_token',
                message: 'the link is unknown, used or expired',
                field: 'token',
              },
            },
          },
        ),
      },
    )
}

const ok = { status: 'ok' as const }
