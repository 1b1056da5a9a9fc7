import { Elysia } from 'elysia'
import type { Authentication } from '../../domain/authentication.ts'
import { DomainError } from '../../domain/errors.ts'
import { SignInFailure, type SignInWord } from '../../domain/identity-provider.ts'
import type { Sessions } from '../../domain/sessions.ts'
import { SIGN_IN_SECONDS, type SingleSignOn } from '../../domain/single-sign-on.ts'
import type { Log } from '../../platform/log.ts'
import type { Gatekeeper } from '../auth.ts'
import { cookieValue, sessionTokens } from '../credentials.ts'
import type { Origins } from '../origin.ts'

export interface SsoRouteParts {
  readonly authentication: Authentication
  readonly sessions: Sessions
  readonly singleSignOn: SingleSignOn
  readonly gatekeeper: Gatekeeper
  readonly origins: Origins
  readonly basePath: string
  readonly log: Log
}

/** The way of a browser through the provider and back (protocol.md D77). Everything but a server without provider ends in a redirect. */
export function ssoRoutes(parts: SsoRouteParts) {
  const { authentication, sessions, singleSignOn, gatekeeper, origins, basePath, log } = parts
  const cookiePath = `${basePath}/auth/sso`

  const signedIn = (request: Request) => authentication.fromCookie(sessionTokens(request.headers.get('cookie')))

  function ticketCookie(request: Request, id: string, ticket: string, maxAge: number): string {
    const secure = origins.isHttps(request) ? '; Secure' : ''
    return `${cookieName(id)}=${ticket}; Path=${cookiePath}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`
  }

  /** Addresses without host: nobody can make one of them lead elsewhere. */
  const redirect = (path: string, cookies: readonly string[] = [], status = 302) =>
    redirectTo(`${basePath}${path}`, cookies, status)

  function failed(error: unknown, cookies: readonly string[] = []): Response {
    if (error instanceof DomainError && error.word === 'sso_disabled') throw error
    const word: SignInWord = error instanceof SignInFailure ? error.word : 'sso_failed'
    if (error instanceof SignInFailure) log.warn('single sign-on failed', { word, cause: error.message })
    else log.error('single sign-on failed', { word, error })
    return redirect(`/login?error=${word}`, cookies)
  }

  /** A page of another site could have the browser link an identity that its maker holds, and walk in with it afterwards. */
  function refuseForeignLink({ headers }: Request): void {
    const site = headers.get('sec-fetch-site')
    const referer = headers.get('referer')
    const isForeign = site === null ? referer !== null && !origins.isOwn(referer) : !/^(same-origin|none)$/.test(site)
    if (isForeign) throw new DomainError('csrf_rejected', 'the request comes from a page of another site')
  }

  return new Elysia()
    .get('/auth/sso/login', async ({ request }) => {
      const query = new URL(request.url).searchParams
      const isLink = query.get('link') === '1'
      if (isLink) refuseForeignLink(request)
      const caller = isLink ? await signedIn(request) : undefined
      if (isLink && !caller && singleSignOn.providerName !== undefined) return redirect('/login')
      try {
        const { url, id, ticket } = await singleSignOn.begin(query.get('return_to') ?? undefined, caller?.user)
        return redirectTo(url, [ticketCookie(request, id, ticket, SIGN_IN_SECONDS)], 302)
      } catch (error) {
        return failed(error)
      }
    })
    .get('/auth/sso/callback', async ({ request }) => {
      const parameters = new URL(request.url).searchParams
      const header = request.headers.get('cookie')
      let spent: string[] = []
      const ticketOf = (id: string) => {
        spent = [ticketCookie(request, id, '', 0)]
        return cookieValue(header, cookieName(id))
      }
      try {
        const caller = await signedIn(request)
        const { user, returnTo, linked } = await singleSignOn.finish(parameters, ticketOf, caller?.user)
        if (linked) return redirect(returnTo, spent)
        const { token } = await sessions.start(user.id)
        log.info('signed in by single sign-on', { user: user.username })
        return redirect(returnTo, [gatekeeper.cookie(request, token), ...spent])
      } catch (error) {
        return failed(error, spent)
      }
    })
    .post('/auth/sso/logout', async ({ request }) => {
      const caller = await signedIn(request)
      if (caller?.sessionId !== undefined) {
        gatekeeper.refuseForeignOrigin(request)
        await sessions.end(caller.sessionId)
      }
      const cleared = [gatekeeper.cookie(request, undefined)]
      // Without its provider the browser is signed out of here all the same.
      const url = await singleSignOn.endSessionUrl(`${origins.baseOf(request)}/login`).catch((error: unknown) => {
        if (!(error instanceof SignInFailure)) throw error
        log.warn('cannot end the session at the provider', { cause: error.message })
        return undefined
      })
      return url === undefined ? redirect('/login', cleared, 303) : redirectTo(url, cleared, 303)
    })
}

function cookieName(id: string): string {
  // What is no part of a state of ours must not get into a header.
  return `podstep_sso_${id.replaceAll(/[^A-Za-z0-9_-]/g, '')}`
}

function redirectTo(location: string, cookies: readonly string[], status: number): Response {
  const headers = new Headers({ location })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status, headers })
}
