import type { Clock } from '../../platform/clock.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import type { SessionId } from '../shared/ids.ts'
import { parseEmail, usernameKey } from './identifiers.ts'
import type { PasswordCheck } from './password-check.ts'
import type { IdentityStore, OwnAccountStore, PasswordProof, UserStore } from './ports.ts'
import type { User } from './user.ts'

/** How somebody asks for a change of his own account. */
export interface RequestOrigin {
  readonly session: SessionId | undefined
  /** Whether the request was made with the session's cookie. */
  readonly bySession: boolean
  /** Of the client. */
  readonly address: string
}

/** What changes something throws `validation_failed`, `wrong_password`, `rate_limited`, `unauthorized`. */
export interface OwnAccount {
  /** False for people who have signed in at a provider only. */
  hasPassword(user: User): Promise<boolean>
  /**
   * `''` removes the address. Whoever signs in at a provider proves who he is by the session, as for a new password (docs/protocol.md#D72).
   * Throws `email_taken`.
   */
  changeEmail(user: User, email: string, password: string | undefined, from: RequestOrigin): Promise<void>
  /**
   * Removes the account and everything of it; gone for everybody at once, and for good when it settles. Whoever has no password types the
   * user name. Throws `last_admin`.
   */
  remove(user: User, typed: Typed, from: RequestOrigin): Promise<void>
}

/** What somebody has typed to confirm that he means it. */
export interface Typed {
  readonly password: string | undefined
  readonly username: string | undefined
}

export interface OwnAccountParts {
  readonly store: OwnAccountStore
  readonly users: UserStore
  readonly identities: IdentityStore
  readonly passwords: PasswordCheck
  readonly clock: Clock
}

export function createOwnAccount({ store, users, identities, passwords, clock }: OwnAccountParts): OwnAccount {
  async function byPassword({ username }: User, password: string, { address }: RequestOrigin): Promise<PasswordProof> {
    const credentials = await users.findByName(username)
    if (credentials?.passwordHash === undefined || !(await passwords.matches(credentials, password, address)))
      throw new DomainError('wrong_password', 'password is wrong', { field: 'password' })
    return { verifiedHash: credentials.passwordHash }
  }

  function bySession({ session, bySession }: RequestOrigin): PasswordProof {
    if (!bySession || session === undefined) throw invalid('password', 'password is required')
    return { session }
  }

  async function byProvider(user: User, from: RequestOrigin): Promise<PasswordProof> {
    const proof = bySession(from)
    if ((await identities.list(user.id)).length === 0) throw invalid('password', 'password is required')
    return proof
  }

  const hasPassword = async ({ username }: User) => (await users.findByName(username))?.passwordHash !== undefined

  async function byName(user: User, typed: string | undefined, from: RequestOrigin): Promise<PasswordProof> {
    if (await hasPassword(user)) throw invalid('password', 'password is required')
    const proof = bySession(from)
    if (typed === undefined || usernameKey(typed) !== usernameKey(user.username))
      throw invalid('username', 'username must be your own, to confirm')
    return proof
  }

  return {
    hasPassword,

    async changeEmail(user, email, password, from) {
      const address = parseEmail(email)
      const proof = password === undefined ? await byProvider(user, from) : await byPassword(user, password, from)
      await store.changeEmail(user.id, address, proof)
    },

    async remove(user, { password, username }, from) {
      const proof = password === undefined ? await byName(user, username, from) : await byPassword(user, password, from)
      await store.remove(user.id, proof, { actor: { name: user.username, via: 'api' }, at: clock.seconds() })
    },
  }
}
