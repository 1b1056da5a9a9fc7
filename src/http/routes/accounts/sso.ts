import { Elysia } from 'elysia'
import { brandCss, MARK_CSS, MARK_SVG } from '../../../brand.ts'
import type { Authentication } from '../../../domain/accounts/authentication.ts'
import type { User } from '../../../domain/accounts/ports/users.ts'
import type { Sessions } from '../../../domain/accounts/sessions.ts'
import {
  localPath,
  SIGN_IN_SECONDS,
  type SignInErrorCode,
  SignInFailure,
  type SingleSignOn,
} from '../../../domain/accounts/single-sign-on.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import { html, htmlPage, trusted } from '../../../formats/html.ts'
import { sha256 } from '../../../platform/crypto.ts'
import type { Log } from '../../../platform/log.ts'
import type { AuthGuard } from '../../auth.ts'
import { cookieNames, cookieValue, sessionTokens } from '../../credentials.ts'
import type { Origins } from '../../origin.ts'
import { userAgentOf } from '../../requests.ts'
import { pageHeaders } from '../../responses/caching.ts'

const STATE_COOKIE = 'podstep_sso_'
/** Marks a browser that was just redirected to `base_url`. Short-lived, since browsers follow redirects immediately. */
const SENT_ON_COOKIE = 'podstep_sent_on'
const SENT_ON_SECONDS = 10
const HOST_MAX = 200
const SELECT_ACCOUNT = 'select_account'
const STATES_MAX = 4

/** Redirects to the provider and back (docs/protocol.md#D77). A failed sign-in ends in a redirect as well. */
export function ssoRoutes(parts: {
  readonly authentication: Authentication
  readonly sessions: Sessions
  readonly singleSignOn: SingleSignOn
  readonly authGuard: AuthGuard
  readonly origins: Origins
  readonly basePath: string
  readonly log: Log
}) {
  const { authentication, sessions, singleSignOn, authGuard, origins, basePath, log } = parts
  const cookiePath = `${basePath}/auth/sso`

  const signedIn = (request: Request) => authentication.fromCookie(sessionTokens(request.headers.get('cookie')))

  function stateCookie(request: Request, name: string, loginState: string | undefined): string {
    const maxAge = loginState === undefined ? 0 : SIGN_IN_SECONDS
    const secure = origins.isHttps(request) ? '; Secure' : ''
    return `${name}=${loginState ?? ''}; Path=${cookiePath}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`
  }

  const redirect = (path: string, cookies: readonly string[] = [], status = 302) =>
    redirectTo(`${basePath}${path}`, cookies, status)

  function failed(error: unknown, cookies: readonly string[] = []): Response {
    if (error instanceof DomainError && error.code === 'sso_disabled') throw error
    const code: SignInErrorCode = error instanceof SignInFailure ? error.code : 'sso_failed'
    if (!(error instanceof SignInFailure)) log.error('single sign-on failed', { code, error })
    // Anyone can cause any number of these.
    else if (code === 'sso_state') log.debug('single sign-on failed', { code, cause: error.message })
    else log.warn('single sign-on failed', { code, cause: error.message })
    return redirect(`/login?error=${code}`, cookies)
  }

  /** Redirects to `base_url`, to which the provider returns, but not twice in a row: a proxy may hide the real host. */
  function toBaseUrl(request: Request, parameters: URLSearchParams): Response | undefined {
    const host = origins.otherHost(request)
    if (host === undefined || cookieValue(request.headers.get('cookie'), SENT_ON_COOKIE) !== undefined) return undefined
    log.info('single sign-on was begun at another address than base_url', { host: host.slice(0, HOST_MAX) })
    const secure = origins.isHttps(request) ? '; Secure' : ''
    const cookie = `${SENT_ON_COOKIE}=1; Path=${cookiePath}; HttpOnly; SameSite=Lax; Max-Age=${SENT_ON_SECONDS}${secure}`
    return redirectTo(`${origins.baseOf(request)}/auth/sso/login?${parameters}`, [cookie], 302)
  }

  async function startSignIn(request: Request, user: User | undefined): Promise<Response> {
    // Otherwise cookies of abandoned sign-ins would accumulate in request headers.
    const old = cookieNames(request.headers.get('cookie'), STATE_COOKIE)
    const cleared = old.length < STATES_MAX ? [] : old.map((name) => stateCookie(request, name, undefined))
    try {
      const { url, id, loginState } = await singleSignOn.begin(returnToOf(request), user, selectsAccount(request))
      return redirectTo(url, [...cleared, stateCookie(request, cookieName(id), loginState)], 302)
    } catch (error) {
      return failed(error)
    }
  }

  async function startLinking(request: Request): Promise<Response> {
    const principal = await signedIn(request)
    // A linked identity gives permanent access to the account, which must not be possible with an app password.
    if (!principal || principal.appPassword) return redirect('/login')
    const response = await startSignIn(request, principal.user)
    // The session has been renewed, so the browser needs its new cookie.
    if (principal.setCookie !== undefined)
      response.headers.append('set-cookie', authGuard.cookie(request, principal.setCookie))
    return response
  }

  function askPage(request: Request, returnTo: string): Response {
    const wish = new URLSearchParams({
      return_to: returnTo,
      ...(selectsAccount(request) && { prompt: SELECT_ACCOUNT }),
    })
    const action = `${basePath}/auth/sso/link?${wish}`
    return linkPage(basePath, singleSignOn.providerName ?? '', action, origins.isHttps(request))
  }

  async function askBeforeLinking(request: Request, returnTo: string): Promise<Response> {
    const principal = await signedIn(request)
    return principal ? askPage(request, returnTo) : redirect(`/login?${new URLSearchParams({ return_to: returnTo })}`)
  }

  return new Elysia()
    .get('/auth/sso/login', ({ request }) => {
      singleSignOn.mustBeOn()
      refuseUnlessPage(request)
      const link = new URL(request.url).searchParams.get('link')
      const returnTo = localPath(returnToOf(request))
      const sentOn = toBaseUrl(
        request,
        new URLSearchParams({
          return_to: returnTo,
          ...(selectsAccount(request) && { prompt: SELECT_ACCOUNT }),
          // At `base_url`, the page that linking started from counts as foreign.
          ...(link !== null && { link: 'ask' }),
        }),
      )
      if (sentOn) return sentOn
      if (link === 'ask') return askBeforeLinking(request, returnTo)
      if (link !== '1') return startSignIn(request, undefined)
      const origin = originOfLink(request, origins)
      if (origin === 'foreign') throw new DomainError('csrf_rejected', 'the request comes from a page of another site')
      return origin === 'own' ? startLinking(request) : askPage(request, returnTo)
    })
    .post('/auth/sso/link', ({ request }) => {
      singleSignOn.mustBeOn()
      authGuard.refuseForeignOrigin(request)
      return startLinking(request)
    })
    .get('/auth/sso/callback', async ({ request }) => {
      refuseUnlessPage(request)
      const parameters = new URL(request.url).searchParams
      const header = request.headers.get('cookie')
      let spent: string[] = []
      const loginStateOf = (id: string) => {
        spent = [stateCookie(request, cookieName(id), undefined)]
        return cookieValue(header, cookieName(id))
      }
      try {
        const principal = await signedIn(request)
        const context = { signedIn: principal?.user, address: origins.clientAddress(request) }
        const { user, returnTo, linked, hasLostRole, idToken } = await singleSignOn.finish(
          parameters,
          loginStateOf,
          context,
        )
        const renewed = principal?.setCookie === undefined ? [] : [authGuard.cookie(request, principal.setCookie)]
        if (linked) return redirect(returnTo, [...renewed, ...spent])
        const { id, token } = await sessions.start(user.id, { userAgent: userAgentOf(request) })
        singleSignOn.keepIdToken(id, idToken)
        log.info('signed in by single sign-on', { user: user.username })
        const path = hasLostRole ? `${returnTo.replace(/#.*/, '')}#role-removed` : returnTo
        return redirect(path, [authGuard.cookie(request, token), ...spent])
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
      // The browser is signed out here even if the provider cannot be reached.
      const returnTo = `${origins.baseOf(request)}/login`
      const url = await singleSignOn.endSessionUrl(returnTo, principal?.sessionId).catch((error: unknown) => {
        if (!(error instanceof SignInFailure)) throw error
        log.warn('cannot end the session at the provider', { cause: error.message })
        return undefined
      })
      return url === undefined ? redirect('/login', cleared, 303) : redirectTo(url, cleared, 303)
    })
}

/** Throws `csrf_rejected` for embedded requests: a sign-in must be opened as a page. */
function refuseUnlessPage({ headers }: Request): void {
  const isPage =
    (headers.get('sec-fetch-mode') ?? 'navigate') === 'navigate' &&
    (headers.get('sec-fetch-dest') ?? 'document') === 'document'
  if (!isPage) throw new DomainError('csrf_rejected', 'a sign-in must be opened as a page')
}

/** Origin of the link that led to this request. A link on a foreign page could add an attacker's identity. */
function originOfLink({ headers }: Request, origins: Origins): 'own' | 'foreign' | 'unknown' {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return /^(same-origin|none)$/.test(site) ? 'own' : 'foreign'
  const referer = headers.get('referer')
  if (referer !== null) return origins.isOwn(referer) ? 'own' : 'foreign'
  // Only browsers follow links from other sites.
  return headers.get('user-agent')?.startsWith('Mozilla/') === true ? 'unknown' : 'own'
}

function returnToOf({ url }: Request): string | undefined {
  return new URL(url).searchParams.get('return_to') ?? undefined
}

function selectsAccount({ url }: Request): boolean {
  return new URL(url).searchParams.get('prompt') === SELECT_ACCOUNT
}

function cookieName(id: string): string {
  // Only characters that occur in our own IDs may end up in a header.
  return `${STATE_COOKIE}${id.replaceAll(/[^A-Za-z0-9_-]/g, '')}`
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

/** Omits `form-action`, which Chrome would also apply to redirects after a form. */
const CSP = [
  "default-src 'none'",
  `style-src 'sha256-${Buffer.from(sha256(STYLE)).toString('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Asks whether to continue to the provider. Has no script, so that no other page can answer it. */
function linkPage(basePath: string, provider: string, action: string, isHttps: boolean): Response {
  const body = html`<main>
<p class="brand">${trusted(MARK_SVG)}<span>podstep</span></p>
<h1>Link an identity</h1>
<p>You are about to add a sign-in with ${provider} to your account here. Anyone who can sign in there can then sign in here, too.</p>
<form method="post" action="${action}"><button type="submit">Go on to ${provider}</button></form>
<p><a href="${basePath}/account">Leave everything as it is</a></p>
</main>`
  const robots = html`<meta name="robots" content="noindex">\n`
  return new Response(htmlPage('Link an identity · podstep', STYLE, body, robots), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': CSP,
      // With `no-referrer`, the form would arrive without an origin.
      'referrer-policy': 'same-origin',
      ...pageHeaders(isHttps),
    },
  })
}
