import type { Clock } from '../../platform/clock.ts'
import type { Seal } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import type { Lru } from '../../platform/lru.ts'
import { DomainError } from '../shared/errors.ts'
import type { IdentityId, SessionId, UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { emailKey, isEmail } from './identifiers.ts'
import type { Identity, IdentityKey, IdentityStore } from './ports/identities.ts'
import type { User, UserStore } from './ports/users.ts'

/** Claims of a provider about a user. Only issuer and subject identify the user. */
export interface Identified extends IdentityKey {
  readonly username: string | undefined
  readonly email: string | undefined
  readonly emailIsVerified: boolean
  readonly groups: readonly string[] | undefined
  readonly idToken: string | undefined
  readonly warnings: readonly string[]
}

export interface PendingSignIn {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface IdentityProvider {
  readonly name: string
  /** Returns the URL to send the browser to, with an account chooser if wanted. Rejects with `SignInFailure`. */
  begin(wish: { readonly selectsAccount: boolean }): Promise<{ readonly url: string; readonly pending: PendingSignIn }>
  /** Verifies the parameters of the callback and returns the claims. Rejects with `SignInFailure`. */
  complete(parameters: URLSearchParams, pending: PendingSignIn): Promise<Identified>
  /** Fetches the provider's metadata without the cache. Rejects with `SignInFailure` if sign-ins would fail. */
  test(): Promise<void>
  endSessionUrl(returnTo: string, idToken: string | undefined): Promise<string | undefined>
}

/** Values of `error` at `/login` after a failed sign-in (docs/protocol.md#D77). */
export type SignInErrorCode =
  | 'sso_state'
  | 'sso_denied'
  | 'sso_failed'
  | 'sso_unavailable'
  | 'account_inactive'
  | 'account_pending'
  | 'registration_closed'
  | 'email_taken'
  | 'identity_taken'

/** Sign-in that did not lead to a session. The message gives the cause for the log, without secrets. */
export class SignInFailure extends Error {
  readonly code: SignInErrorCode

  constructor(code: SignInErrorCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'SignInFailure'
    this.code = code
  }
}

/** Time limit from the redirect to the provider until the callback. */
export const SIGN_IN_SECONDS = 600

export interface AuthorizationRequest {
  readonly url: string
  readonly id: string
  readonly loginState: string
}

export interface CallbackResult {
  readonly user: User
  readonly returnTo: string
  readonly linked: boolean
  readonly hasLostRole: boolean
  readonly idToken: string | undefined
}

interface LoginState extends PendingSignIn {
  readonly returnTo: string
  readonly linkTo: UserId | undefined
  readonly expiresAt: number
}

export type SingleSignOn = ReturnType<typeof createSingleSignOn>

/** Sign-in at a provider (docs/protocol.md#single-sign-on). An email address never identifies an account. */
export function createSingleSignOn(parts: {
  readonly provider: IdentityProvider | undefined
  readonly identities: IdentityStore
  readonly users: UserStore
  readonly seal: Seal
  /** States of earlier callbacks; each is accepted once. */
  readonly used: Lru<true>
  readonly clock: Clock
  readonly log: Log
  readonly mayCreate: boolean
  readonly idTokens: Lru<string>
  readonly failures: RateLimit
  readonly tests: RateLimit
  readonly adminGroup: string | undefined
}) {
  const { provider, identities, users, seal, used, idTokens, clock, log, mayCreate, adminGroup, failures, tests } =
    parts

  let lastWarnings: readonly string[] = []

  function enabled(): IdentityProvider {
    if (!provider) throw new DomainError('sso_disabled', 'single sign-on is not set up on this server')
    return provider
  }

  function openLoginState(parameters: URLSearchParams, loginStateOf: (id: string) => string | undefined): LoginState {
    const state = parameters.get('state') ?? ''
    const sealed = loginStateOf(idOf(state))
    const text = sealed === undefined ? undefined : seal.open(sealed)
    // Only this server can have sealed it, so it has this schema.
    const loginState = text === undefined ? undefined : (JSON.parse(text) as LoginState)
    if (!loginState || loginState.state !== state)
      throw new SignInFailure('sso_state', 'the browser did not begin this sign-in, or the server was restarted since')
    if (loginState.expiresAt <= clock.seconds()) throw new SignInFailure('sso_state', 'the sign-in took too long')
    if (used.get(state)) throw new SignInFailure('sso_state', 'the provider’s answer was used before')
    used.set(state, true)
    return loginState
  }

  async function accountOf(identified: Identified): Promise<User> {
    const existing = await identities.findUser(identified)
    if (existing) return existing
    const email = identified.email !== undefined && isEmail(identified.email) ? identified.email : undefined
    const account = {
      usernames: usernameProposals(identified.username, email),
      emailKey: email && emailKey(email),
      // The real owner of an unverified address could take over the account by resetting its password.
      email: identified.emailIsVerified ? email : undefined,
      mayCreate,
    }
    const user = await identities.signUp(identified, account, clock.seconds())
    log.info('created an account for a new identity', { user: user.username, is_admin: user.isAdmin })
    return user
  }

  /** Updates the role at every sign-in. The last administrator stays one, to be able to correct the group. */
  async function withRole(user: User, groups: readonly string[]): Promise<User> {
    const isAdmin = adminGroup !== undefined && groups.includes(adminGroup)
    if (isAdmin === user.isAdmin) return user
    log.info('the groups at the provider change a role', { user: user.username, is_admin: isAdmin })
    const auditContext = { actor: { name: undefined, via: 'single_sign_on' as const }, at: clock.seconds() }
    try {
      return await users.setAdmin(user.username, isAdmin, auditContext)
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'last_admin') throw error
      log.warn('the last administrator is not in the administrators’ group', { user: user.username, group: adminGroup })
      return user
    }
  }

  async function signIn(identified: Identified): Promise<Pick<CallbackResult, 'user' | 'hasLostRole'>> {
    const user = await accountOf(identified)
    if (user.state === 'pending_activation') throw new SignInFailure('account_pending', 'the account is not activated')
    if (user.state !== 'active') throw new SignInFailure('account_inactive', 'the account is deactivated')
    const now = identified.groups === undefined ? user : await withRole(user, identified.groups)
    return { user: now, hasLostRole: user.isAdmin && !now.isAdmin }
  }

  async function link(linkTo: UserId, identified: Identified, signedIn: User | undefined): Promise<User> {
    if (signedIn?.id !== linkTo) throw new SignInFailure('sso_state', 'another user started to link this identity')
    await identities.link(linkTo, identified, clock.seconds())
    log.info('linked an identity', { user: signedIn.username })
    return signedIn
  }

  return {
    providerName: provider?.name,
    /** Throws `sso_disabled`. */
    mustBeOn: (): void => void enabled(),

    /** Links the identity to `linkTo`, the signed-in user, if given. Throws `sso_disabled`, `SignInFailure`. */
    async begin(
      returnTo: string | undefined,
      linkTo: User | undefined,
      selectsAccount: boolean,
    ): Promise<AuthorizationRequest> {
      const { url, pending } = await enabled().begin({ selectsAccount })
      const expiresAt = clock.seconds() + SIGN_IN_SECONDS
      const loginState: LoginState = { ...pending, returnTo: localPath(returnTo), linkTo: linkTo?.id, expiresAt }
      return { url, id: idOf(pending.state), loginState: seal.close(JSON.stringify(loginState)) }
    },

    /** `loginStateOf` returns the cookie of a sign-in by its ID. Throws `sso_disabled`, `SignInFailure`. */
    async finish(
      parameters: URLSearchParams,
      loginStateOf: (id: string) => string | undefined,
      { signedIn, address }: { readonly signedIn: User | undefined; readonly address: string },
    ): Promise<CallbackResult> {
      const from = enabled()
      const loginState = openLoginState(parameters, loginStateOf)
      if (!failures.tryTake(address)) throw new SignInFailure('sso_failed', 'too many failed sign-ins from one address')
      const identified = await from.complete(parameters, loginState).catch((error: unknown) => {
        // Declined by the user, which is not an attack.
        if (error instanceof SignInFailure && error.code === 'sso_denied') failures.giveBack(address)
        throw error
      })
      failures.giveBack(address)
      const { linkTo, returnTo } = loginState
      try {
        const { user, hasLostRole } =
          linkTo === undefined
            ? await signIn(identified)
            : { user: await link(linkTo, identified, signedIn), hasLostRole: false }
        lastWarnings = identified.warnings
        for (const warning of lastWarnings) log.warn(`single sign-on: ${warning}`, { user: user.username })
        return { user, returnTo, linked: linkTo !== undefined, hasLostRole, idToken: identified.idToken }
      } catch (error) {
        throw asFailure(error)
      }
    },

    /** Tests the provider. `cause` is '' if there was no problem. Throws `sso_disabled`, `rate_limited`. */
    async test(administrator: string): Promise<{ readonly ok: boolean; readonly cause: string }> {
      const tested = enabled()
      tests.take(administrator)
      try {
        await tested.test()
        const [warning] = lastWarnings
        return { ok: true, cause: warning === undefined ? '' : `at the last sign-in, ${warning}` }
      } catch (error) {
        if (!(error instanceof SignInFailure)) throw error
        log.warn('the provider failed a test', { code: error.code, cause: error.message })
        return { ok: false, cause: error.message }
      }
    },

    keepIdToken(session: SessionId, idToken: string | undefined): void {
      if (idToken !== undefined && idToken.length <= ID_TOKEN_MAX) idTokens.set(String(session), idToken)
    },
    /** Throws `sso_disabled`. */
    endSessionUrl: async (returnTo: string, session: SessionId | undefined): Promise<string | undefined> =>
      enabled().endSessionUrl(returnTo, session === undefined ? undefined : idTokens.get(String(session))),
    identities: (userId: UserId): Promise<Identity[]> => identities.list(userId),
    /** Throws `not_found`, `no_password`. */
    unlink: (userId: UserId, id: IdentityId): Promise<void> => identities.unlink(userId, id),
  }
}

const ID_TOKEN_MAX = 4096

/** Keeps cookies small, since each pending sign-in stores the path in one. */
const RETURN_TO_MAX = 300
const ANY_HOST = 'http://localhost'

/** Returns a path on this server, or '/' (docs/protocol.md#D77). Browsers treat `//x` and `/\\x` as other hosts. */
export function localPath(returnTo: string | undefined): string {
  const isPath =
    returnTo !== undefined && returnTo.length <= RETURN_TO_MAX && /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(returnTo)
  const url = isPath ? URL.parse(returnTo, ANY_HOST) : null
  return url?.origin === ANY_HOST && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : '/'
}

const STORE_ERRORS: ReadonlySet<string> = new Set<SignInErrorCode>([
  'email_taken',
  'registration_closed',
  'identity_taken',
])

function asFailure(error: unknown): unknown {
  if (!(error instanceof DomainError) || !isSignInErrorCode(error.code)) return error
  return new SignInFailure(error.code, error.message)
}

function isSignInErrorCode(code: string): code is SignInErrorCode {
  return STORE_ERRORS.has(code)
}

function idOf(state: string): string {
  return state.slice(0, 12)
}

const NAME_MAX = 64
const TRIES = 10_000
const RESERVED = new Set(['', 'current'])

/** Yields a username by docs/protocol.md#D12, from `preferred` or `email`, then the same with `-2`, `-3` … appended. */
export function* usernameProposals(preferred: string | undefined, email: string | undefined): Generator<string> {
  const name =
    [preferred, email].map((text) => tidy(text ?? '')).find((text) => !RESERVED.has(text.toLowerCase())) ?? 'user'
  yield name
  for (let n = 2; n <= TRIES; n++) {
    const suffix = `-${n}`
    yield name.slice(0, NAME_MAX - suffix.length) + suffix
  }
}

const UNDIVIDED = new Map(
  ['ł l', 'Ł L', 'ø o', 'Ø O', 'đ d', 'Đ D', 'ß ss', 'æ ae', 'Æ Ae', 'œ oe', 'Œ Oe'].map((pair) => {
    const [letter = '', ascii = ''] = pair.split(' ')
    return [letter, ascii] as const
  }),
)

function tidy(text: string): string {
  const local = text.split('@', 1)[0] ?? ''
  // Removes accents and keeps their letters, so that `Zoë` becomes `Zoe` and not `Zo`.
  const ascii = local.normalize('NFKD').replaceAll(/\p{M}+/gu, '')
  return ascii
    .replaceAll(/[łŁøØđĐßæÆœŒ]/g, (letter) => UNDIVIDED.get(letter) ?? '')
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '')
    .replace(/^[.-]+/, '')
    .slice(0, NAME_MAX)
}
