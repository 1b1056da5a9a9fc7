import { Elysia } from 'elysia'
import type { Authentication } from '../../../domain/accounts/authentication.ts'
import type { User } from '../../../domain/accounts/ports.ts'
import type { Sessions } from '../../../domain/accounts/sessions.ts'
import {
  localPath,
  SIGN_IN_SECONDS,
  type SignInErrorCode,
  SignInFailure,
  type SingleSignOn,
} from '../../../domain/accounts/single-sign-on.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import type { Log } from '../../../platform/log.ts'
import type { AuthGuard } from '../../auth.ts'
import { cookieNames, cookieValue, sessionTokens } from '../../credentials.ts'
import type { Origins } from '../../origin.ts'
import { linkPage } from '../../responses/link-page.ts'

const TICKET_COOKIE = 'podstep_sso_'
/** Sign-ins under way in one browser. */
const TICKETS_MAX = 4

export interface SsoRouteParts {
  readonly authentication: Authentication
  readonly sessions: Sessions
  readonly singleSignOn: SingleSignOn
  readonly authGuard: AuthGuard
  readonly origins: Origins
  readonly basePath: string
  readonly log: Log
}

/** The way of a browser through the provider and back (docs/protocol.md#D77). Everything but a server without provider ends in a redirect. */
export function ssoRoutes(parts: SsoRouteParts) {
  const { authentication, sessions, singleSignOn, authGuard, origins, basePath, log } = parts
  const cookiePath = `${basePath}/auth/sso`

  const signedIn = (request: Request) => authentication.fromCookie(sessionTokens(request.headers.get('cookie')))

  function ticketCookie(request: Request, name: string, loginState: string | undefined): string {
    const maxAge = loginState === undefined ? 0 : SIGN_IN_SECONDS
    const secure = origins.isHttps(request) ? '; Secure' : ''
    return `${name}=${loginState ?? ''}; Path=${cookiePath}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`
  }

  /** Addresses without host: nobody can make one of them lead elsewhere. */
  const redirect = (path: string, cookies: readonly string[] = [], status = 302) =>
    redirectTo(`${basePath}${path}`, cookies, status)

  function failed(error: unknown, cookies: readonly string[] = []): Response {
    if (error instanceof DomainError && error.code === 'sso_disabled') throw error
    const word: SignInErrorCode = error instanceof SignInFailure ? error.word : 'sso_failed'
    if (!(error instanceof SignInFailure)) log.error('single sign-on failed', { word, error })
    // Anybody can bring about as many of these as he likes.
    else if (word === 'sso_state') log.debug('single sign-on failed', { word, cause: error.message })
    else log.warn('single sign-on failed', { word, cause: error.message })
    return redirect(`/login?error=${word}`, cookies)
  }

  async function depart(request: Request, user: User | undefined): Promise<Response> {
    // Sign-ins nobody came back from would fill up the headers of requests.
    const old = cookieNames(request.headers.get('cookie'), TICKET_COOKIE)
    const cleared = old.length < TICKETS_MAX ? [] : old.map((name) => ticketCookie(request, name, undefined))
    try {
      const { url, id, loginState } = await singleSignOn.begin(returnToOf(request), user)
      return redirectTo(url, [...cleared, ticketCookie(request, cookieName(id), loginState)], 302)
    } catch (error) {
      return failed(error)
    }
  }

  /** Whoever is signed in goes to the provider to bring an identity back. */
  async function departToLink(request: Request): Promise<Response> {
    const principal = await signedIn(request)
    if (!principal) return redirect('/login')
    const response = await depart(request, principal.user)
    // A session whose end was put off: the browser's copy of it, too.
    if (principal.setCookie !== undefined)
      response.headers.append('set-cookie', authGuard.cookie(request, principal.setCookie))
    return response
  }

  return new Elysia()
    .get('/auth/sso/login', ({ request }) => {
      singleSignOn.mustBeOn()
      if (new URL(request.url).searchParams.get('link') !== '1') return depart(request, undefined)
      const origin = originOfLink(request, origins)
      if (origin === 'foreign') throw new DomainError('csrf_rejected', 'the request comes from a page of another site')
      return origin === 'own'
        ? departToLink(request)
        : linkPage(basePath, singleSignOn.providerName ?? '', localPath(returnToOf(request)))
    })
    .post('/auth/sso/link', ({ request }) => {
      singleSignOn.mustBeOn()
      authGuard.refuseForeignOrigin(request)
      return departToLink(request)
    })
    .get('/auth/sso/callback', async ({ request }) => {
      const parameters = new URL(request.url).searchParams
      const header = request.headers.get('cookie')
      let spent: string[] = []
      const ticketOf = (id: string) => {
        spent = [ticketCookie(request, cookieName(id), undefined)]
        return cookieValue(header, cookieName(id))
      }
      try {
        const principal = await signedIn(request)
        const context = { signedIn: principal?.user, address: origins.clientAddress(request) }
        const { user, returnTo, linked } = await singleSignOn.finish(parameters, ticketOf, context)
        const renewed = principal?.setCookie === undefined ? [] : [authGuard.cookie(request, principal.setCookie)]
        if (linked) return redirect(returnTo, [...renewed, ...spent])
        const { token } = await sessions.start(user.id, { userAgent: request.headers.get('user-agent') ?? '' })
        log.info('signed in by single sign-on', { user: user.username })
        return redirect(returnTo, [authGuard.cookie(request, token), ...spent])
      } catch (error) {
        return failed(error, spent)
      }
    })
    .post('/auth/sso/logout', async ({ request }) => {
      singleSignOn.mustBeOn()
      authGuard.refuseForeignOrigin(request)
      const principal = await signedIn(request)
      if (principal?.sessionId !== undefined) await sessions.end(principal.sessionId)
      const cleared = [authGuard.cookie(request, undefined)]
      // Without its provider the browser is signed out of here all the same.
      const url = await singleSignOn.endSessionUrl(`${origins.baseOf(request)}/login`).catch((error: unknown) => {
        if (!(error instanceof SignInFailure)) throw error
        log.warn('cannot end the session at the provider', { cause: error.message })
        return undefined
      })
      return url === undefined ? redirect('/login', cleared, 303) : redirectTo(url, cleared, 303)
    })
}

/**
 * Whose page leads to linking. A page of another site could have the browser link an identity that its maker holds, and he could walk in
 * with it afterwards. Over plain http browsers say nothing when the page asks them to; then the user is asked.
 */
function originOfLink({ headers }: Request, origins: Origins): 'own' | 'foreign' | 'unknown' {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return /^(same-origin|none)$/.test(site) ? 'own' : 'foreign'
  const referer = headers.get('referer')
  if (referer !== null) return origins.isOwn(referer) ? 'own' : 'foreign'
  // What is no browser follows no foreign page.
  return headers.get('user-agent')?.startsWith('Mozilla/') === true ? 'unknown' : 'own'
}

function returnToOf({ url }: Request): string | undefined {
  return new URL(url).searchParams.get('return_to') ?? undefined
}

function cookieName(id: string): string {
  // What is no part of a state of ours must not get into a header.
  return `${TICKET_COOKIE}${id.replaceAll(/[^A-Za-z0-9_-]/g, '')}`
}

function redirectTo(location: string, cookies: readonly string[], status: number): Response {
  const headers = new Headers({ location })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status, headers })
}
