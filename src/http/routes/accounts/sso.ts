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
import { html, trusted } from '../../../formats/html.ts'
import { sha256 } from '../../../platform/crypto.ts'
import type { Log } from '../../../platform/log.ts'
import type { AuthGuard } from '../../auth.ts'
import { cookieNames, cookieValue, sessionTokens } from '../../credentials.ts'
import type { Origins } from '../../origin.ts'
import { brandCss, MARK_CSS, MARK_SVG } from '../../responses/brand.ts'

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

const PAGE_CSS = `*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);color:var(--ink);font:1rem/1.55 var(--font-text)}
main{width:100%;max-width:26rem;padding:2rem;background:var(--surface);border:1px solid var(--line);border-radius:14px}
.brand{display:flex;align-items:center;gap:.5rem;margin:0 0 1.5rem;font-weight:650;letter-spacing:-.01em}
.mark{width:1.75rem;height:1.75rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25;letter-spacing:-.015em;text-wrap:balance}
p{margin:0 0 1rem;color:var(--muted)}
p:last-child{margin-bottom:0}
a{color:var(--accent)}
form{margin:0 0 1rem}
button{min-height:2.75rem;padding:.65rem 1.1rem;border:0;border-radius:8px;background:var(--accent);color:var(--surface);font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}`

const STYLE = brandCss() + MARK_CSS + PAGE_CSS

/** Nothing but the page's own style. Chrome holds the redirects that follow a form against `form-action`, and where the provider is nobody knows beforehand. */
const CSP = [
  "default-src 'none'",
  `style-src 'sha256-${Buffer.from(sha256(STYLE)).toString('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Asks a signed-in user whether he wants to go on to the provider, where the browser does not tell whose page has sent him. The server's
 * own, and without a script: what it asks must not be answered by another page.
 */
function linkPage(basePath: string, provider: string, returnTo: string): Response {
  const page = html`${trusted('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Link an identity · podstep</title>
${trusted(`<style>${STYLE}</style>`)}
</head>
<body>
<main>
<p class="brand">${trusted(MARK_SVG)}<span>podstep</span></p>
<h1>Link an identity</h1>
<p>You are about to add a sign-in with ${provider} to your account here. Anyone who can sign in there can then sign in here, too.</p>
<form method="post" action="${basePath}/auth/sso/link?return_to=${encodeURIComponent(returnTo)}"><button type="submit">Go on to ${provider}</button></form>
<p><a href="${basePath}/account">Leave everything as it is</a></p>
</main>
</body>
</html>
`.html
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CSP,
      // A form sent from a page that hides its address would seem to come from nowhere.
      'referrer-policy': 'same-origin',
    },
  })
}
