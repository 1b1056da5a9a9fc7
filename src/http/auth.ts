import { Elysia } from 'elysia'
import type { Authentication, Principal, SentCredentials } from '../domain/accounts/authentication.ts'
import { usernameKey } from '../domain/accounts/identifiers.ts'
import { DomainError } from '../domain/shared/errors.ts'
import { splitSuffix } from '../formats/negotiate.ts'
import type { BodyReader, PathParams } from './body.ts'
import type { BodyRoom } from './body-room.ts'
import { isBearer, parseBasic, sessionCookie, sessionTokens } from './credentials.ts'
import type { Origins } from './origin.ts'

/** The answer's headers, as Elysia lets hooks change them. */
interface ResponseHeaders {
  headers: Record<string, string | number>
}

/** Any account, only the one the path names, or only administrators. */
export type AuthKind = 'user' | 'self' | 'admin'

export interface AuthGuard {
  /** For the bodies of those who have been let in. */
  readonly room: BodyRoom
  /** What the request's headers say about who sends it. Throws `validation_failed` (undecodable), `invalid_credentials` (Bearer). */
  credentialsOf(request: Request): SentCredentials
  /**
   * The principal, who must be the one the path names if the route is theirs alone; worked out once per request. Throws `unauthorized`,
   * `invalid_credentials`, `csrf_rejected`, `forbidden`, `admin_required` and what a password check throws.
   */
  authorize(request: Request, kind: AuthKind, params: PathParams): Promise<Principal>
  /** Whether the sender of a GET that goes on answering would be let in still. Never throws a `DomainError`. */
  isStillAdmin(request: Request): Promise<boolean>
  /** Throws `csrf_rejected` for a change that a page of another origin made: by cookie, nobody else's page may (docs/protocol.md#D25). */
  refuseForeignOrigin(request: Request): void
  /**
   * Throws `csrf_rejected` for a change that a page of another origin made without the browser asking us first. Such a request may
   * carry a password that the browser remembers. What the browser asks about carries only what the page itself knows.
   */
  refuseForeignForm(request: Request): void
  /**
   * Whoever sends a request that needs nobody: who shows no credentials, or wrong ones, is nobody. Never throws a `DomainError`.
   */
  authenticateOptional(request: Request): Promise<Principal | undefined>
  /** A Set-Cookie header: the session, or the end of it. */
  cookie(request: Request, token: string | undefined): string
  /**
   * Whether a password in this request may start a session in the client that sends it. Not in a browser that a link or a page of
   * another origin has made send it: the browser would be somebody else from then on.
   */
  mayStartSession(request: Request): boolean
  /** Sends the session of the principal if the client is to have it (docs/protocol.md#D24). */
  sendSession(request: Request, set: ResponseHeaders, principal: Principal): void
  clearCookie(request: Request, set: ResponseHeaders): void
}

export interface AuthGuardParts {
  readonly authentication: Authentication
  readonly room: BodyRoom
  readonly origins: Origins
  /** Path of all cookies: the sub-path, or `/`. */
  readonly cookiePath: string
  readonly sessionSeconds: number
  /** Told whose request it is, before it is decided whether the request is granted. */
  readonly onAuthenticated?: (request: Request, userId: number) => void
}

export function createAuthGuard(parts: AuthGuardParts): AuthGuard {
  const { authentication, room, origins, cookiePath, sessionSeconds, onAuthenticated } = parts

  function credentialsOf(request: Request): SentCredentials {
    const { headers } = request
    // No app password exists yet, so none can be right.
    if (isBearer(headers.get('authorization'))) throw new DomainError('invalid_credentials', 'unknown app password')
    return {
      basic: parseBasic(headers.get('authorization')),
      tokens: sessionTokens(headers.get('cookie')),
      address: () => origins.clientAddress(request),
      userAgent: headers.get('user-agent') ?? '',
    }
  }

  const authorized = new WeakMap<Request, Promise<Principal>>()

  async function authorize(request: Request, kind: AuthKind, params: PathParams): Promise<Principal> {
    const principal = await authentication.identify(credentialsOf(request))
    if (!principal) throw new DomainError('unauthorized', 'sign in with HTTP Basic or a session cookie')
    onAuthenticated?.(request, principal.user.id)
    if (principal.via === 'cookie') refuseForeignOrigin(request)
    if (kind === 'self') refuseOthers(principal, pathUser(params))
    if (kind === 'admin' && !principal.user.isAdmin)
      throw new DomainError('admin_required', 'only administrators may do this')
    return principal
  }

  async function authenticateOptional(request: Request): Promise<Principal | undefined> {
    const { headers } = request
    if (!headers.has('authorization') && !headers.has('cookie')) return undefined
    try {
      const principal = await authentication.identify(credentialsOf(request))
      if (principal) onAuthenticated?.(request, principal.user.id)
      return principal
    } catch (error) {
      if (error instanceof DomainError) return undefined
      throw error
    }
  }

  async function isStillAdmin(request: Request): Promise<boolean> {
    try {
      await authorize(request, 'admin', {})
      return true
    } catch (error) {
      if (error instanceof DomainError) return false
      throw error
    }
  }

  function refuseForeignOrigin(request: Request): void {
    if (request.method !== 'GET' && origins.isForeign(request))
      throw new DomainError('csrf_rejected', 'the request comes from a page of another site')
  }

  function refuseForeignForm(request: Request): void {
    if (!isPreflighted(request) && origins.isForeign(request))
      throw new DomainError(
        'csrf_rejected',
        'a page of another site must send a Content-Type that browsers ask about first: application/json',
      )
  }

  function mayStartSession(request: Request): boolean {
    // Browsers mark what they show as a page; over plain http they do not tell whose link has led there.
    return !request.headers.has('upgrade-insecure-requests') && !origins.isForeign(request)
  }

  function cookie(request: Request, token: string | undefined): string {
    const maxAge = token === undefined ? 0 : sessionSeconds
    return sessionCookie(token ?? '', { path: cookiePath, secure: origins.isHttps(request), maxAge })
  }

  return {
    room,
    credentialsOf,
    authenticateOptional,
    isStillAdmin,
    refuseForeignOrigin,
    refuseForeignForm,
    mayStartSession,
    cookie,
    sendSession(request, set, { via, setCookie }) {
      if (setCookie !== undefined && (via === 'cookie' || mayStartSession(request)))
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

/**
 * Adds `auth` to routes: `'user'` for any account, `'self'` for paths that name the user, who must be the principal (docs/protocol.md#D23:
 * the same refusal whether or not the named user exists), `'admin'` for administrators, whatever the path names (docs/protocol.md#administration). The handler
 * finds the `caller`.
 */
export function authPlugin(authGuard: AuthGuard) {
  return new Elysia({ name: 'auth' }).macro({
    auth: (kind: AuthKind) => ({
      async resolve({ request, set, params }) {
        const principal = await authGuard.authorize(request, kind, params)
        authGuard.sendSession(request, set, principal)
        return { principal }
      },
    }),
  })
}

/**
 * Adds `isForAll` to routes that anybody may ask, and that tell people with an account more. The handler finds the `visitor`, who is
 * undefined for anybody else, and is to call `allowCaching` when it has an answer.
 */
export function optionalAuthPlugin(authGuard: AuthGuard) {
  return new Elysia({ name: 'visitor' }).macro({
    isForAll: {
      async resolve({ request, set }) {
        const principal = await authGuard.authenticateOptional(request)
        if (principal) authGuard.sendSession(request, set, principal)
        return { principal }
      },
    },
  })
}

/**
 * Makes a reader of bodies ask for the principal first: nobody else makes us read ten megabytes, and an anonymous client
 * is told to sign in whatever is sent. For the `parse` of routes, which runs before everything else.
 */
export function authFirst<T>(authGuard: AuthGuard, kind: AuthKind, read: BodyReader<T>) {
  return async ({ request, params = {} }: { request: Request; params?: PathParams }): Promise<T> => {
    await authGuard.authorize(request, kind, params)
    return read(request, authGuard.room, params)
  }
}

/** The user a path names: in the last segment it carries the suffix. */
function pathUser(params: PathParams): string {
  const username = params['username'] ?? ''
  return Object.keys(params).length === 1 ? splitSuffix(username).name : username
}

/** For a body that names whom it is meant for, so that a page made for somebody else changes nobody's account. Throws `forbidden`. */
export function refuseIfMeantForOthers(principal: Principal, username: string | null | undefined): void {
  if (username !== undefined && username !== null) refuseOthers(principal, username)
}

function refuseOthers(principal: Principal, username: string): void {
  if (usernameKey(username) !== usernameKey(principal.user.username))
    throw new DomainError('forbidden', 'this belongs to another user')
}

/** Content types that a form can have, and that a script may therefore send anywhere without the browser asking (Fetch, 2.2.2). */
const FORM_TYPES: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
  // A body without a type.
  '',
])

/**
 * Whether a browser that sends this change for a page of another origin has asked the server first, by OPTIONS. It does not send what
 * it remembers of the user then, since our answer (docs/protocol.md#D1) does not allow it to.
 */
function isPreflighted({ method, headers }: Request): boolean {
  // All other methods that change something are asked about whatever they carry.
  if (method !== 'POST') return true
  const [type = ''] = (headers.get('content-type') ?? '').split(';', 1)
  return !FORM_TYPES.has(type.trim().toLowerCase())
}
