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
 * Accounts that may use a route: any, only the one named in the path (`self`), or only administrators. `owner` rejects
 * app passwords; `browser` accepts only a session cookie, no password of any kind.
 */
export type AuthKind = 'user' | 'self' | 'admin' | 'owner' | 'browser'

export interface AuthGuard {
  readonly room: BodyRoom
  /** Throws `validation_failed` if the credentials cannot be decoded. */
  credentialsOf(request: Request): SentCredentials
  /**
   * Finds the principal, once per request. For `self`, it must be the user named in the path. Throws `unauthorized`,
   * `invalid_credentials`, `csrf_rejected`, `forbidden`, `admin_required` and any error of a password check.
   */
  authorize(request: Request, kind: AuthKind, params: PathParams): Promise<Principal>
  principalOf(request: Request): Principal | undefined
  /**
   * Authorizes a request again while its response is still streaming. Returns undefined if it is no longer allowed, and
   * never throws a `DomainError`.
   */
  authorizeAgain(request: Request, kind: AuthKind): Promise<Principal | undefined>
  /** Throws `csrf_rejected` for a change by a page of another origin, including the web view of an app. */
  refuseForeignOrigin(request: Request): void
  /** `refuseForeignOrigin` for cookies: accepts web views of apps that manage cookies (docs/protocol.md#D112). */
  refuseForeignCookie(request: Request): void
  /**
   * Throws `csrf_rejected` for a change by a page of another origin that needs no CORS preflight. Browsers may attach a
   * saved password to such a request; a preflighted one carries only credentials that the page itself knows.
   */
  refuseForeignForm(request: Request): void
  /** Returns undefined if credentials are missing or wrong. Never throws a `DomainError`. */
  authenticateOptional(request: Request): Promise<Principal | undefined>
  cookie(request: Request, token: string | undefined): string
  /**
   * Whether a password in this request may start a session in the client. Not if a link or a page of another origin may
   * have caused the request: the browser would be signed in as another user.
   */
  mayStartSession(request: Request): boolean
  /** Sets the cookie of a new or renewed session if the client may have it (docs/protocol.md#D24). */
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
  /** GET requests are recorded only on failure: for polls, this would be a noticeable share of the work. */
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
      throw new DomainError('unauthorized', 'the proxy and the session name different users')
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

  /** A browser keeps its cookie even when another user has signed in at the proxy. */
  function isOtherPerson(request: Request, { via, user }: Principal): boolean {
    const named = via === 'cookie' ? origins.proxyUser(request) : undefined
    return named !== undefined && usernameKey(named) !== usernameKey(user.username)
  }

  function refuseForeignOrigin(request: Request): void {
    if (request.method !== 'GET' && origins.isForeign(request))
      throw new DomainError('csrf_rejected', 'the request comes from a page of another site')
  }

  function refuseForeignCookie(request: Request): void {
    // An app that manages its own cookies sends them deliberately; a browser engine adds them to every request.
    if (origins.webViewOf(request)?.isByEngine !== false) refuseForeignOrigin(request)
  }

  const isOtherSite = (request: Request) => origins.isForeign(request) && !origins.webViewOf(request)

  function refuseForeignForm(request: Request): void {
    if (isOtherSite(request) && !isPreflighted(request))
      throw new DomainError(
        'csrf_rejected',
        'pages of other sites must send a Content-Type that requires a preflight, such as application/json',
      )
  }

  /**
   * Whether a link, a page of another site, or an image or episode with a URL chosen by others may have caused the
   * request. Scripts of our own pages and apps do not count.
   */
  function isLed(request: Request): boolean {
    // Browsers send this header for page loads. Over plain HTTP, they do not report which site the link was on.
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
      const cached = authorized.get(request)
      if (cached) return cached
      const principal = authorize(request, kind, params)
      // Only routes with a body authorize twice: before reading it and before the handler.
      if (request.method !== 'GET') authorized.set(request, principal)
      return principal
    },
  }
}

/** Whether a browser is loading a page, image, audio or similar. Requests by scripts have the destination `empty`. */
function isForElement(headers: Headers): boolean {
  return (headers.get('sec-fetch-dest') ?? 'empty') !== 'empty'
}

/** Throws if the scope of an app password, or of a session started with one, is exceeded (docs/protocol.md#D65). */
function refuseBeyondScope({ method }: Request, kind: AuthKind, { appPassword, via }: Principal): void {
  if (kind === 'browser' && via !== 'cookie')
    throw new DomainError('forbidden', 'this needs a session started in a browser, without a password in the request')
  if (!appPassword) return
  if (kind === 'admin') throw new DomainError('admin_required', 'app passwords cannot be used for administration')
  if (kind === 'owner' || kind === 'browser')
    throw new DomainError('forbidden', 'app passwords cannot be used for this; sign in to your account')
  // HEAD arrives as GET.
  if (appPassword.scope === 'read' && method !== 'GET')
    throw new DomainError('forbidden', 'this app password is read-only')
  if (appPassword.scope === 'feeds') throw feedsOnly()
}

export function feedsOnly(): DomainError {
  return new DomainError('forbidden', 'this app password can only be used for private feeds and lists')
}

function pathUser(params: PathParams): string {
  const username = params['username'] ?? ''
  return Object.keys(params).length === 1 ? splitSuffix(username).name : username
}

/** Throws `forbidden` if a body names another user: a page rendered for that user must not change this account. */
export function refuseOtherUsername(principal: Principal, username: string | null | undefined): void {
  if (username !== undefined && username !== null) refuseOthers(principal, username)
}

function refuseOthers(principal: Principal, username: string): void {
  if (usernameKey(username) !== usernameKey(principal.user.username))
    throw new DomainError('forbidden', 'this belongs to another user')
}

/** Content types of HTML forms, which scripts may therefore send without a preflight (Fetch, 2.2.2). */
const FORM_TYPES: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
  // No Content-Type
  '',
])

/**
 * Whether a browser sends a preflight (OPTIONS) before this change by a page of another origin. If so, it adds no saved
 * credentials, since our preflight response (docs/protocol.md#D1) does not allow them.
 */
function isPreflighted({ method, headers }: Request): boolean {
  // All other methods that change state always need a preflight.
  if (method !== 'POST') return true
  const [type = ''] = (headers.get('content-type') ?? '').split(';', 1)
  return !FORM_TYPES.has(type.trim().toLowerCase())
}
