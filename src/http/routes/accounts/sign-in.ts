import { usernameKey } from '../../../domain/accounts/identifiers.ts'
import type { GrantedApp } from '../../../domain/accounts/ports/app-passwords.ts'
import type { User } from '../../../domain/accounts/ports/users.ts'
import { aboutUser, DomainError } from '../../../domain/shared/errors.ts'
import { noteSignedIn } from '../../activity.ts'
import { feedsOnly } from '../../auth.ts'
import { sessionTokens } from '../../credentials.ts'
import { post, type Route } from '../../endpoint.ts'
import { languageOf, userAgentOf } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/accounts/sign-in.ts'
import { OK } from '../../spec/shared/models.ts'

/** docs/protocol.md#signing-in, #signing-out, #registration (does not sign in, D69) and #password-reset. */
export function signInRoutes(parts: RouteParts): Route[] {
  const { accounts, authentication, sessions, serverInfo, activity, authGuard, origins } = parts
  return [
    post('/api/2/auth/:username/login.json', 'anyone', spec.login, async ({ request, set, params }) => {
      const sent = authGuard.credentialsOf(request)
      if (sent.basic || sent.bearer !== undefined) {
        let signedIn: User | undefined
        const refuse = (user: User, appPassword: GrantedApp | undefined) => {
          refuseOtherName(user.username, params.username)
          if (appPassword?.scope === 'feeds') throw aboutUser(feedsOnly(), user.id)
          signedIn = user
        }
        if (authGuard.mayStartSession(request)) {
          const session = await authentication.login(sent, refuse)
          set.headers['set-cookie'] = authGuard.cookie(request, session?.token)
        } else {
          // The client could not use a session, so this only checks the password.
          const principal = await authentication.identify(sent)
          if (principal) refuse(principal.user, principal.appPassword)
        }
        if (signedIn) noteSignedIn(activity, request, signedIn.id)
        return OK
      }
      const principal = await authentication.fromCookie(sent.tokens)
      if (!principal) throw new DomainError('unauthorized', 'sign in with HTTP Basic')
      authGuard.refuseForeignCookie(request)
      refuseOtherName(principal.user.username, params.username)
      authGuard.sendSession(request, set, principal)
      return OK
    }),
    post('/api/2/auth/:username/logout.json', 'anyone', spec.logout, async ({ request, set, params }) => {
      // Even without a session: browsers withhold the cookie from a foreign form, but would accept one that clears it.
      authGuard.refuseForeignCookie(request)
      const principal = await authentication.fromCookie(sessionTokens(request.headers.get('cookie')))
      if (principal?.sessionId !== undefined) {
        refuseOtherName(principal.user.username, params.username)
        await sessions.end(principal.sessionId)
      }
      authGuard.clearCookie(request, set)
      return OK
    }),
    post('/auth/proxy/login', 'anyone', spec.loginByProxy, async ({ request, set }) => {
      authGuard.refuseForeignOrigin(request)
      const username = origins.proxyUser(request)
      if (username === undefined) throw new DomainError('forbidden', 'no trusted proxy names a user')
      const tokens = sessionTokens(request.headers.get('cookie'))
      const token = await authentication.loginByProxy(username, tokens, userAgentOf(request))
      set.headers['set-cookie'] = authGuard.cookie(request, token)
      return OK
    }),
    post('/api/2/register', 'anyone', spec.register, async ({ request, body: { username, password, email } }) => {
      // Registration needs no credentials, so only this check keeps other sites from creating the administrator.
      if (origins.isForeign(request) && (await serverInfo.isFirstRun())) authGuard.refuseForeignOrigin(request)
      const address = origins.clientAddress(request)
      const user = await accounts.register({ username, password, email: email ?? '' }, address, languageOf(request))
      if (user.state === 'active') return { status: 'active' as const, is_admin: user.isAdmin }
      const message = accounts.mailsLinks
        ? `An activation link has been sent to ${user.email}.`
        : 'The account has been created. An administrator must activate it.'
      return { status: 'pending_activation' as const, message }
    }),
    post('/api/2/activate', 'anyone', spec.activate, async ({ body }) => {
      await accounts.activate(body.token)
      return { status: 'active' as const }
    }),
    post('/api/2/password-reset', 'anyone', spec.requestPasswordReset, async ({ request, body }) => {
      await accounts.requestPasswordReset(body.email, origins.clientAddress(request), languageOf(request))
      return OK
    }),
    post('/api/2/password-reset/confirm', 'anyone', spec.confirmPasswordReset, async ({ body }) => {
      await accounts.confirmPasswordReset(body.token, body.new_password)
      return OK
    }),
  ]
}

function refuseOtherName(name: string, pathName: string): void {
  if (usernameKey(name) !== usernameKey(pathName))
    throw new DomainError('username_mismatch', 'the path names another user')
}
