import type { Lru } from '../../platform/lru.ts'
import { DomainError } from '../shared/errors.ts'
import type { SessionId } from '../shared/ids.ts'
import type { PasswordCheck } from './password-check.ts'
import type { User, UserCredentials } from './ports.ts'
import type { NewSession, ResumedSession, Sessions } from './sessions.ts'

export interface SentCredentials {
  readonly basic: { readonly username: string; readonly password: string } | undefined
  /** Values of all cookies named `sessionid`: several services of one host share a jar. */
  readonly tokens: readonly string[]
  /** Of the client; rate limits count by it. Worked out only when a password is involved. */
  readonly address: () => string
  readonly userAgent: string
}

/** Who makes a request. */
export interface Principal {
  readonly user: User
  readonly via: 'basic' | 'cookie'
  /** Missing only while the database cannot be written. */
  readonly sessionId: SessionId | undefined
  /** The cookie's value to send back: a session the client does not have yet, or one whose end was put off. */
  readonly setCookie: string | undefined
  /** Tells this client apart from the user's others (docs/protocol.md#D14b). */
  readonly client: string
}

/** Enough to tell two apps apart; the rest only fills memory. */
const USER_AGENT_MAX = 200

export interface AuthenticationParts {
  readonly passwords: PasswordCheck
  readonly sessions: Sessions
  /** Sessions of apps that send the password each time, by user, address and User-Agent. */
  readonly appSessions: Lru<Promise<NewSession>>
}

export type Authentication = ReturnType<typeof createAuthentication>

export function createAuthentication({ passwords, sessions, appSessions }: AuthenticationParts) {
  async function liveSession(tokens: readonly string[]): Promise<(ResumedSession & { token: string }) | undefined> {
    for (const token of tokens) {
      const resumed = await sessions.resume(token)
      if (resumed) return { ...resumed, token }
    }
    return undefined
  }

  async function fromCookie(tokens: readonly string[]): Promise<Principal | undefined> {
    const found = await liveSession(tokens)
    if (!found) return undefined
    const { session, extended, token } = found
    return {
      user: session.user,
      via: 'cookie',
      sessionId: session.id,
      setCookie: extended ? token : undefined,
      client: clientOf(session.id),
    }
  }

  /**
   * The session of an app that sends the password each time, replaced if it has ended meanwhile, so that such apps pile
   * up no sessions (D24c). Apps of one user must not share one, or what one has read would count as read by the others
   * (D14b).
   */
  async function sessionFor(user: UserCredentials, app: string, userAgent: string): Promise<NewSession | undefined> {
    const key = `${user.id} ${app}`
    const remembered = appSessions.get(key)
    try {
      const session = remembered && (await remembered)
      if (session && (await sessions.resume(session.token))) return session
      // Unless another request of the same app has begun a new one meanwhile.
      if (appSessions.get(key) === remembered)
        appSessions.set(key, sessions.start(user.id, { userAgent, verifiedHash: user.passwordHash }))
      return await appSessions.get(key)
    } catch (error) {
      appSessions.delete(key)
      // A full disk must not stop anybody from reading.
      if (error instanceof DomainError && error.code === 'unavailable') return undefined
      throw error
    }
  }

  return {
    fromCookie,

    /** docs/protocol.md#D22: Basic, else the cookie; undefined without either. Throws as `PasswordCheck.check`. */
    async identify({ basic, tokens, address: addressOf, userAgent }: SentCredentials): Promise<Principal | undefined> {
      if (!basic) return fromCookie(tokens)
      const address = addressOf()
      const user = await passwords.check(basic.username, basic.password, address)
      const live = tokens.length > 0 ? await liveSession(tokens) : undefined
      if (live && live.session.user.id === user.id) {
        const { id } = live.session
        return {
          user,
          via: 'basic',
          sessionId: id,
          setCookie: live.extended ? live.token : undefined,
          client: clientOf(id),
        }
      }
      const app = `${address} ${userAgent.slice(0, USER_AGENT_MAX)}`
      const session = await sessionFor(user, app, userAgent)
      const client = session ? clientOf(session.id) : `user ${user.id} ${app}`
      return { user, via: 'basic', sessionId: session?.id, setCookie: session?.token, client }
    },

    /** A password login: always a session of its own (D28). Throws as `PasswordCheck.check`. */
    async login(
      username: string,
      password: string,
      { address, userAgent }: { address: string; userAgent: string },
    ): Promise<NewSession> {
      const user = await passwords.check(username, password, address)
      return sessions.start(user.id, { userAgent, verifiedHash: user.passwordHash })
    },
  }
}

function clientOf(session: SessionId): string {
  return `session ${session}`
}
