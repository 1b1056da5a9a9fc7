import type { Lru } from '../../platform/lru.ts'
import { DomainError, unknownUser } from '../shared/errors.ts'
import type { SessionId } from '../shared/ids.ts'
import { type PasswordCheck, refuseUnlessActive, type VerifiedUser } from './password-check.ts'
import type { GrantedApp } from './ports/app-passwords.ts'
import type { User, UserStore } from './ports/users.ts'
import type { NewSession, ResumedSession, Sessions } from './sessions.ts'

export interface SentCredentials {
  readonly basic: { readonly username: string; readonly password: string } | undefined
  readonly bearer: string | undefined
  /** Code of the second factor. Only `login` uses it. */
  readonly code: string | undefined
  readonly tokens: readonly string[]
  /** Client address for rate limits. Called only if there is a password to check. */
  readonly address: () => string
  readonly userAgent: string
}

export interface Principal {
  readonly user: User
  readonly via: 'basic' | 'cookie'
  readonly appPassword: GrantedApp | undefined
  readonly sessionId: SessionId | undefined
  readonly setCookie: string | undefined
  /** Distinguishes the clients of a user (docs/protocol.md#D14b). */
  readonly client: string
  readonly userAgent: string
  /** True for a read caused by a link or page of another site. It writes nothing (docs/protocol.md#D25). */
  readonly leavesNoTrace?: boolean
}

const USER_AGENT_MAX = 200

export type Authentication = ReturnType<typeof createAuthentication>

export function createAuthentication(parts: {
  readonly passwords: PasswordCheck
  readonly users: Pick<UserStore, 'findByName'>
  readonly sessions: Sessions
  readonly appSessions: Lru<Promise<NewSession>>
}) {
  const { passwords, users, sessions, appSessions } = parts
  async function liveSession(
    tokens: readonly string[],
    isUse?: boolean,
  ): Promise<(ResumedSession & { token: string }) | undefined> {
    for (const token of tokens) {
      const resumed = await sessions.resume(token, isUse)
      if (resumed) return { ...resumed, token }
    }
    return undefined
  }

  async function fromCookie(
    tokens: readonly string[],
    userAgent = '',
    isUse?: boolean,
  ): Promise<Principal | undefined> {
    const found = await liveSession(tokens, isUse)
    if (!found) return undefined
    const { session, extended, token } = found
    return {
      user: session.user,
      via: 'cookie',
      appPassword: session.appPassword,
      sessionId: session.id,
      setCookie: extended ? token : undefined,
      client: clientOf(session.id),
      userAgent,
    }
  }

  /** Returns the session of an app that sends its password each time (D24c). Apps never share one (D14b). */
  async function sessionFor(user: VerifiedUser, app: string, userAgent: string): Promise<NewSession | undefined> {
    const key = `${user.id} ${app}`
    const remembered = appSessions.get(key)
    try {
      const session = remembered && (await remembered)
      if (session && (await sessions.resume(session.token))) return session
      // Another request of the same app may have started one meanwhile.
      if (appSessions.get(key) === remembered) appSessions.set(key, startSession(user, userAgent))
      return await appSessions.get(key)
    } catch (error) {
      appSessions.delete(key)
      // Reading must work while the disk is full.
      if (error instanceof DomainError && error.code === 'unavailable') return undefined
      throw error
    }
  }

  function startSession(
    { id, passwordHash, appPassword, hasSecondFactor }: VerifiedUser,
    userAgent: string,
  ): Promise<NewSession> {
    const proof = appPassword
      ? { appPassword: appPassword.id }
      : { verifiedHash: passwordHash, secondFactor: hasSecondFactor }
    return sessions.start(id, { userAgent, ...proof })
  }

  function verify({ basic, bearer }: SentCredentials, address: string, code?: string) {
    if (basic) return passwords.check(basic.username, basic.password, address, code)
    return bearer === undefined ? undefined : passwords.checkToken(bearer, address)
  }

  return {
    fromCookie,

    /** Checks Basic or Bearer, else the cookie, which is not renewed if `isUse` is false (docs/protocol.md#D22). */
    async identify(sent: SentCredentials, isUse = true): Promise<Principal | undefined> {
      const { basic, bearer, tokens, userAgent } = sent
      if (!basic && bearer === undefined) return fromCookie(tokens, userAgent, isUse)
      const address = sent.address()
      const user = await verify(sent, address)
      if (!user) return undefined
      const { appPassword } = user
      const live = tokens.length > 0 ? await liveSession(tokens) : undefined
      // A session that was started with another password has other permissions.
      if (live && live.session.user.id === user.id && live.session.appPassword?.id === appPassword?.id) {
        const { id } = live.session
        return {
          user,
          via: 'basic',
          appPassword,
          sessionId: id,
          setCookie: live.extended ? live.token : undefined,
          client: clientOf(id),
          userAgent,
        }
      }
      const app = `${appPassword?.id ?? ''} ${address} ${userAgent.slice(0, USER_AGENT_MAX)}`
      const session = await sessionFor(user, app, userAgent)
      const client = session ? clientOf(session.id) : `user ${user.id} ${app}`
      return { user, via: 'basic', appPassword, sessionId: session?.id, setCookie: session?.token, client, userAgent }
    },

    /** Checks the password and always starts a new session (D28). `refuse` may throw to reject the user. */
    async login(
      sent: SentCredentials,
      refuse: (user: User, appPassword: GrantedApp | undefined) => void,
    ): Promise<NewSession | undefined> {
      const user = await verify(sent, sent.address(), sent.code)
      if (!user) return undefined
      refuse(user, user.appPassword)
      return startSession(user, sent.userAgent)
    },

    /** Returns a session token for a proxy's user. Throws `unknown_user`, `account_pending`, `account_inactive`. */
    async loginByProxy(username: string, tokens: readonly string[], userAgent: string): Promise<string> {
      const user = await users.findByName(username)
      if (!user) throw unknownUser(username)
      refuseUnlessActive(user)
      const live = await liveSession(tokens)
      if (live?.session.user.id === user.id && !live.session.appPassword) return live.token
      return (await sessions.start(user.id, { userAgent })).token
    },
  }
}

function clientOf(session: SessionId): string {
  return `session ${session}`
}
