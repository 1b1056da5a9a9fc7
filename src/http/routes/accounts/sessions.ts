import { Elysia, t } from 'elysia'
import type { Authentication } from '../../../domain/accounts/authentication.ts'
import { usernameKey } from '../../../domain/accounts/identifiers.ts'
import type { Sessions } from '../../../domain/accounts/sessions.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import type { AuthGuard } from '../../auth.ts'
import { sessionTokens } from '../../credentials.ts'
import { json, operation } from '../../openapi/operation.ts'
import { ErrorModel, Ok } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const UserPath = objectSchema({ username: t.String() })
const errors = { 400: ErrorModel, 401: ErrorModel, 403: ErrorModel, 429: ErrorModel, 503: ErrorModel }

export interface SessionRouteParts {
  readonly authentication: Authentication
  readonly sessions: Sessions
  readonly authGuard: AuthGuard
}

/** docs/protocol.md#signing-in and #signing-out. Bodies are ignored. */
export function sessionRoutes({ authentication, sessions, authGuard }: SessionRouteParts) {
  return new Elysia()
    .post(
      '/api/2/auth/:username/login.json',
      async ({ request, set, params }) => {
        const credentialsOf = authGuard.credentialsOf(request)
        const { basic, tokens, address, userAgent } = credentialsOf
        if (basic) {
          refuseOtherName(basic.username, params.username)
          if (authGuard.mayStartSession(request)) {
            const from = { address: address(), userAgent }
            const { token } = await authentication.login(basic.username, basic.password, from)
            set.headers['set-cookie'] = authGuard.cookie(request, token)
            // Nobody could use the session; that the password is right is all there is to tell.
          } else await authentication.identify(credentialsOf)
          return ok
        }
        const principal = await authentication.fromCookie(tokens)
        if (!principal) throw new DomainError('unauthorized', 'sign in with HTTP Basic')
        authGuard.refuseForeignOrigin(request)
        refuseOtherName(principal.user.username, params.username)
        authGuard.sendSession(request, set, principal)
        return ok
      },
      {
        params: UserPath,
        response: { 200: Ok, ...errors },
        detail: operation('Accounts', '/api/2/auth/{username}/login.json', 'login', 'Sign in', {
          description:
            'With a password: starts a session. With a cookie alone: tells whether it is still good. Nobody has to sign in here first, since every protected operation takes a password as well. A body is ignored.',
          'x-response': json({ status: 'ok' }),
          'x-cookie': 'The session: `sessionid=…`, 30 days from the last use unless the server is set otherwise.',
          'x-refusals': {
            400: {
              description: 'The path names another user than the credentials do.',
              error: 'username_mismatch',
              message: 'the path names another user',
            },
            403: {
              description:
                'The password is right, but the account is not active; or a page of another site made the request.',
              error: 'account_pending',
              message: 'this account is not activated yet',
            },
          },
        }),
      },
    )
    .post(
      '/api/2/auth/:username/logout.json',
      async ({ request, set, params }) => {
        // Even without a session: the browser keeps its cookie from a foreign form, but would take the one that ends it.
        authGuard.refuseForeignOrigin(request)
        const principal = await authentication.fromCookie(sessionTokens(request.headers.get('cookie')))
        if (principal?.sessionId !== undefined) {
          refuseOtherName(principal.user.username, params.username)
          await sessions.end(principal.sessionId)
        }
        authGuard.clearCookie(request, set)
        return ok
      },
      {
        params: UserPath,
        response: { 200: Ok, ...errors },
        detail: operation('Accounts', '/api/2/auth/{username}/logout.json', 'logout', 'End the session', {
          description:
            'Succeeds without a session, too. A password is not needed and not looked at. A body is ignored.',
          'x-credentials': 'optional',
          'x-response': json({ status: 'ok' }),
          'x-cookie': 'Removes the session.',
          'x-refusals': {
            400: {
              description: 'The session belongs to another user than the path names.',
              error: 'username_mismatch',
              message: 'the path names another user',
            },
            403: {
              description: 'A page of another site made the request.',
              error: 'csrf_rejected',
              message: 'the request comes from a page of another site',
            },
          },
        }),
      },
    )
}

const ok = { status: 'ok' as const }

function refuseOtherName(name: string, pathName: string): void {
  if (usernameKey(name) !== usernameKey(pathName))
    throw new DomainError('username_mismatch', 'the path names another user')
}
