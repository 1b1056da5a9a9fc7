import { Elysia, t } from 'elysia'
import type { Authentication } from '../../domain/authentication.ts'
import { DomainError } from '../../domain/errors.ts'
import { usernameKey } from '../../domain/identifiers.ts'
import type { Sessions } from '../../domain/sessions.ts'
import type { Gatekeeper } from '../auth.ts'
import { sessionTokens } from '../credentials.ts'
import { ErrorModel, Ok } from '../models.ts'
import { json, operation } from '../operation.ts'
import { shape } from '../shape.ts'

const UserPath = shape({ username: t.String() })
const errors = { 400: ErrorModel, 401: ErrorModel, 403: ErrorModel, 429: ErrorModel, 503: ErrorModel }

export interface SessionRouteParts {
  readonly authentication: Authentication
  readonly sessions: Sessions
  readonly gatekeeper: Gatekeeper
}

/** protocol.md 4.2 and 4.3. Bodies are ignored. */
export function sessionRoutes({ authentication, sessions, gatekeeper }: SessionRouteParts) {
  return new Elysia()
    .post(
      '/api/2/auth/:username/login.json',
      async ({ request, set, params }) => {
        const presented = gatekeeper.presented(request)
        const { basic, tokens, address, userAgent } = presented
        if (basic) {
          refuseOtherName(basic.username, params.username)
          if (gatekeeper.mayStartSession(request)) {
            const from = { address: address(), userAgent }
            const { token } = await authentication.login(basic.username, basic.password, from)
            set.headers['set-cookie'] = gatekeeper.cookie(request, token)
            // Nobody could use the session; that the password is right is all there is to tell.
          } else await authentication.identify(presented)
          return ok
        }
        const caller = await authentication.fromCookie(tokens)
        if (!caller) throw new DomainError('unauthorized', 'sign in with HTTP Basic')
        gatekeeper.refuseForeignOrigin(request)
        refuseOtherName(caller.user.username, params.username)
        gatekeeper.sendSession(request, set, caller)
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
        gatekeeper.refuseForeignOrigin(request)
        const caller = await authentication.fromCookie(sessionTokens(request.headers.get('cookie')))
        if (caller?.sessionId !== undefined) {
          refuseOtherName(caller.user.username, params.username)
          await sessions.end(caller.sessionId)
        }
        gatekeeper.clearCookie(request, set)
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
