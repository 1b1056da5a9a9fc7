import type { Authentication, Principal, SentCredentials } from '../domain/accounts/authentication.ts'
import { usernameKey } from '../domain/accounts/identifiers.ts'
import { DomainError } from '../domain/shared/errors.ts'
import { splitSuffix } from '../formats/negotiate.ts'
import type { PathParams } from './body.ts'
import type { BodyRoom } from './body-room.ts'
import { parseBasic, parseBearer, sessionCookie, sessionTokens } from './credentials.ts'
import type { Origins } from './origin.ts'
import { userAgentOf } from './requests.ts'

interface ResponseHeaders {
  headers: Record<string, string | number>
}

/**
 * Any account, only the one the path names, or only administrators. `owner` is a user who has not come with an app
 * password, and `browser` one who has come with a session alone, not with any password.
 */
export type AuthKind = 'user' | 'self' | 'admin' | 'owner' | 'browser'

export interface AuthGuard {
  readonly room: BodyRoom
  /** The credentials of a request. Throws `validation_failed` (undecodable). */
  credentialsOf(request: Request): SentCredentials
  /**
   * The principal, who must be the user whom the path names if the route is theirs alone; found once per request.
   * Throws `unauthorized`, `invalid_credentials`, `csrf_rejected`, `forbidden`, `admin_required` and what a password
   * check throws.
   */
  authorize(request: Request, kind: AuthKind, params: PathParams): Promise<Principal>
  principalOf(request: Request): Principal | undefined
  /**
   * The principal of a request whose response goes on, as they are now; undefined if they are not authorized any more.
   * Never throws a `DomainError`.
   */
  authorizeAgain(request: Request, kind: AuthKind): Promise<Principal | undefined>
  /** Throws `csrf_rejected` for a change by a page of another origin, also by the web view of an app. */
  refuseForeignOrigin(request: Request): void
  /** `refuseForeignOrigin` for a cookie: also accepts apps that keep cookies themselves (docs/protocol.md#D112). */
  refuseForeignCookie(request: Request): void
  /**
   * Throws `csrf_rejected` for a change that a page of another origin made without the browser asking us first. Such a
   * request may carry a password that the browser remembers. What the browser asks about carries only what the page
   * knows.
   */
  refuseForeignForm(request: Request): void
  /** The principal of a request that needs no credentials; undefined without right ones. Throws no `DomainError`. */
  authenticateOptional(request: Request): Promise<Principal | undefined>
  cookie(request: Request, token: string | undefined): string
  /**
   * Whether a password in this request may start a session in the client that sends it. It may not in a browser that
   * was made to send it by a link or a page of another origin: the browser would be signed in as another user.
   */
  mayStartSession(request: Request): boolean
  /** Sends the session of the principal if the client is to have it (docs/protocol.md#D24). */
  sendSession(request: Request, set: ResponseHeaders, principal: Principal): void
  clearCookie(request: Request, set: ResponseHeaders): void
}

export function createAuthGuard(parts: {
  readonly authentication: Authentication
  readonly room: BodyRoom
  readonly origins: Origins
  readonly cookiePath: string
  readonly sessionSeconds: number
  readonly onAuthenticated?: (request: Request, userId: number) => void
}): AuthGuard {
  const { authentication, room, origins, cookiePath, sessionSeconds, onAuthenticated } = parts

  function credentialsOf(request: Request): SentCredentials {
    const { headers } = request
    const authorization = headers.get('authorization')
    return {
      basic: parseBasic(authorization),
      bearer: parseBearer(authorization),
      code: headers.get('x-second-factor') ?? undefined,
      tokens: sessionTokens(headers.get('cookie')),
      address: () => origins.clientAddress(request),
      userAgent: userAgentOf(request),
    }
  }

  const authorized = new WeakMap<Request, Promise<Principal>>()
  /** Not of polls, for which this would be a noticeable part of the work: their handlers get it in the context. */
  const principals = new WeakMap<Request, Principal>()

  async function authorize(request: Request, kind: AuthKind, params: PathParams, isUse?: boolean): Promise<Principal> {
    const principal = await authentication.identify(credentialsOf(request), isUse)
    if (!principal) throw new DomainError('unauthorized', 'sign in with HTTP Basic or a session cookie')
    onAuthenticated?.(request, principal.user.id)
    if (request.method !== 'GET') principals.set(request, principal)
    try {
      refuseUnlessAllowed(request, kind, params, principal)
    } catch (error) {
      principals.set(request, principal)
      throw error
    }
    return request.method === 'GET' && isLed(request) ? { ...principal, leavesNoTrace: true } : principal
  }

  function refuseUnlessAllowed(request: Request, kind: AuthKind, params: PathParams, principal: Principal): void {
    if (isOtherPerson(request, principal))
      throw new DomainError('unauthorized', 'the proxy names another user than the session does')
    if (principal.via === 'cookie') refuseForeignCookie(request)
    if (kind === 'self') refuseOthers(principal, pathUser(params))
    if (kind === 'admin' && !principal.user.isAdmin)
      throw new DomainError('admin_required', 'only administrators may do this')
    refuseBeyondScope(request, kind, principal)
  }

  async function authenticateOptional(request: Request): Promise<Principal | undefined> {
    const { headers } = request
    if (!headers.has('authorization') && !headers.has('cookie')) return undefined
    try {
      const principal = await authentication.identify(credentialsOf(request))
      if (principal) {
        if (isOtherPerson(request, principal)) return undefined
        onAuthenticated?.(request, principal.user.id)
        refuseBeyondScope(request, 'user', principal)
      }
      return principal
    } catch (error) {
      if (error instanceof DomainError) return undefined
      throw error
    }
  }

  async function authorizeAgain(request: Request, kind: AuthKind): Promise<Principal | undefined> {
    try {
      return await authorize(request, kind, {}, false)
    } catch (error) {
      if (error instanceof DomainError) return undefined
      throw error
    }
  }

  /** A browser keeps its cookie when somebody else has signed in at the proxy. */
  function isOtherPerson(request: Request, { via, user }: Principal): boolean {
    const named = via === 'cookie' ? origins.proxyUser(request) : undefined
    return named !== undefined && usernameKey(named) !== usernameKey(user.username)
  }

  function refuseForeignOrigin(request: Request): void {
    if (request.method !== 'GET' && origins.isForeign(request))
      throw new DomainError('csrf_rejected', 'the request comes from a page of another site')
  }

  function refuseForeignCookie(request: Request): void {
    // An app that keeps cookies itself sends them on purpose; a browser engine adds them to every request of a page.
    if (origins.webViewOf(request)?.isByEngine !== false) refuseForeignOrigin(request)
  }

  const isOtherSite = (request: Request) => origins.isForeign(request) && !origins.webViewOf(request)

  function refuseForeignForm(request: Request): void {
    if (isOtherSite(request) && !isPreflighted(request))
      throw new DomainError(
        'csrf_rejected',
        'a page of another site must send a Content-Type that browsers ask about first: application/json',
      )
  }

  /**
   * Whether the browser may have sent the request because of a link, a page of another site, or a picture or an episode
   * whose address others have chosen. Scripts of our own pages and apps do not count.
   */
  function isLed(request: Request): boolean {
    // Browsers mark what they show as a page; over plain http they do not tell whose link has led there.
    return request.headers.has('upgrade-insecure-requests') || isForElement(request.headers) || isOtherSite(request)
  }

  function cookie(request: Request, token: string | undefined): string {
    const maxAge = token === undefined ? 0 : sessionSeconds
    return sessionCookie(token ?? '', { path: cookiePath, secure: origins.isHttps(request), maxAge })
  }

  return {
    room,
    credentialsOf,
    principalOf: (request) => principals.get(request),
    authenticateOptional,
    authorizeAgain,
    refuseForeignOrigin,
    refuseForeignCookie,
    refuseForeignForm,
    mayStartSession: (request) => !isLed(request),
    cookie,
    sendSession(request, set, { via, setCookie }) {
      if (setCookie !== undefined && (via === 'cookie' || !isLed(request)))
        set.headers['set-cookie'] = cookie(request, setCookie)
    },
    clearCookie(request, set) {
      set.headers['set-cookie'] = cookie(request, undefined)
    },
    authorize(request, kind, params) {
      const known = authorized.get(request)
      if (known) return known
      const principal = authorize(request, kind, params)
      // Only routes that read a body ask twice: before it and at their turn.
      if (request.method !== 'GET') authorized.set(request, principal)
      return principal
    },
  }
}

/** Whether a browser requests a page, a picture, a sound or the like. Requests of scripts have the destination `empty`. */
function isForElement(headers: Headers): boolean {
  return (headers.get('sec-fetch-dest') ?? 'empty') !== 'empty'
}

/** Throws for what an app password, or a session begun with one, is not good for (docs/protocol.md#D65). */
function refuseBeyondScope({ method }: Request, kind: AuthKind, { appPassword, via }: Principal): void {
  if (kind === 'browser' && via !== 'cookie')
    throw new DomainError('forbidden', 'this needs a session that was begun in a browser, without a password beside it')
  if (!appPassword) return
  if (kind === 'admin') throw new DomainError('admin_required', 'an app password is not good for administration')
  if (kind === 'owner' || kind === 'browser')
    throw new DomainError('forbidden', 'an app password is not good for this; sign in to your account')
  // HEAD arrives as GET.
  if (appPassword.scope === 'read' && method !== 'GET')
    throw new DomainError('forbidden', 'this app password is good for reading only')
  if (appPassword.scope === 'feeds') throw feedsOnly()
}

export function feedsOnly(): DomainError {
  return new DomainError('forbidden', 'this app password is good for private feeds and lists only')
}

function pathUser(params: PathParams): string {
  const username = params['username'] ?? ''
  return Object.keys(params).length === 1 ? splitSuffix(username).name : username
}

/** For a body that names its user, so that a page made for another user changes no account. Throws `forbidden`. */
export function refuseIfMeantForOthers(principal: Principal, username: string | null | undefined): void {
  if (username !== undefined && username !== null) refuseOthers(principal, username)
}

function refuseOthers(principal: Principal, username: string): void {
  if (usernameKey(username) !== usernameKey(principal.user.username))
    throw new DomainError('forbidden', 'this belongs to another user')
}

/** Content types that a form can have, and that scripts may therefore send without a preflight (Fetch, 2.2.2). */
const FORM_TYPES: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
  // A body without a type.
  '',
])

/**
 * Whether a browser that sends this change for a page of another origin has asked the server first, by OPTIONS. Then it
 * does not send credentials that it remembers, since our response (docs/protocol.md#D1) does not allow it to.
 */
function isPreflighted({ method, headers }: Request): boolean {
  // All other methods that change something need a preflight whatever they carry.
  if (method !== 'POST') return true
  const [type = ''] = (headers.get('content-type') ?? '').split(';', 1)
  return !FORM_TYPES.has(type.trim().toLowerCase())
}
