import { Elysia, t } from 'elysia'
import type { Authentication } from '../../domain/authentication.ts'
import { DomainError } from '../../domain/errors.ts'
import { usernameKey } from '../../domain/identifiers.ts'
import type { Sessions } from '../../domain/sessions.ts'
import type { Gatekeeper } from '../auth.ts'
import { ErrorModel, Ok } from '../models.ts'
import { operation } from '../operation.ts'
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
        const { basic, tokens, address } = gatekeeper.presented(request)
        if (basic) {
          refuseOtherName(basic.username, params.username)
          const { token } = await authentication.login(basic.username, basic.password, address())
          gatekeeper.sendCookie(request, set, token)
          return ok
        }
        const caller = await authentication.fromCookie(tokens)
        if (!caller) throw new DomainError('unauthorized', 'sign in with HTTP Basic')
        gatekeeper.refuseForeignOrigin(request)
        refuseOtherName(caller.user.username, params.username)
        if (caller.setCookie !== undefined) gatekeeper.sendCookie(request, set, caller.setCookie)
        return ok
      },
      {
        params: UserPath,
        response: { 200: Ok, ...errors },
        detail: operation('Accounts', '/api/2/auth/{username}/login.json', 'Sign in and receive the session cookie'),
      },
    )
    .post(
      '/api/2/auth/:username/logout.json',
      async ({ request, set, params }) => {
        const caller = await authentication.fromCookie(gatekeeper.presented(request).tokens)
        if (caller?.sessionId !== undefined) {
          gatekeeper.refuseForeignOrigin(request)
          refuseOtherName(caller.user.username, params.username)
          await sessions.end(caller.sessionId)
        }
        gatekeeper.clearCookie(request, set)
        return ok
      },
      {
        params: UserPath,
        response: { 200: Ok, ...errors },
        detail: operation('Accounts', '/api/2/auth/{username}/logout.json', 'End the session'),
      },
    )
}

const ok = { status: 'ok' as const }

function refuseOtherName(name: string, pathName: string): void {
  if (usernameKey(name) !== usernameKey(pathName))
    throw new DomainError('username_mismatch', 'the path names another user')
}
