import type { Clock } from '../platform/clock.ts'
import { DomainError, invalid } from './errors.ts'
import { checkPassword, parseEmail, parseUsername } from './identifiers.ts'
import type { SessionId } from './ids.ts'
import type { PasswordCheck } from './password-check.ts'
import type { RegistrationMode, User, UserStore, UserSummary } from './ports.ts'
import type { RateLimit } from './rate-limit.ts'

export interface Registration {
  readonly username: string
  readonly password: string
  readonly email: string
}

/** Everything about accounts, for the API and the command line alike. */
export interface Accounts {
  /**
   * Throws, checked in this order: `rate_limited`, `registration_closed`, `validation_failed`, `username_taken`, `email_taken`
   * (protocol.md 18.1).
   */
  register(registration: Registration, address: string): Promise<User>
  /** Replaces one's own password (D72); the session `keep` lives on. Throws `validation_failed`, `wrong_password`, `rate_limited`. */
  changePassword(
    user: User,
    passwords: { old: string | undefined; new: string },
    context: { keep: SessionId | undefined; address: string },
  ): Promise<void>
  list(): Promise<UserSummary[]>
  /** As an administrator: works in every mode. Throws `validation_failed`, `username_taken`, `email_taken`. */
  create(registration: Registration, isAdmin: boolean): Promise<User>
  /** Throws `validation_failed`, `unknown_user`. */
  setPassword(username: string, password: string): Promise<void>
  /** Throws `unknown_user`, `last_admin`. */
  setAdmin(username: string, isAdmin: boolean): Promise<User>
  setActive(username: string, active: boolean): Promise<User>
  remove(username: string): Promise<void>
}

export interface AccountParts {
  readonly users: UserStore
  readonly passwords: PasswordCheck
  readonly clock: Clock
  readonly mode: RegistrationMode
  /** Registrations per address. */
  readonly registrations: RateLimit
}

export function createAccounts({ users, passwords, clock, mode, registrations }: AccountParts): Accounts {
  async function newUser({ username, password, email }: Registration) {
    const name = parseUsername(username)
    checkPassword(password, 'password')
    const address = parseEmail(email)
    return { username: name, email: address, passwordHash: await passwords.hash(password), at: clock.seconds() }
  }

  return {
    async register(registration, address) {
      registrations.take(address)
      // The store decides again inside its transaction; this spares the hash and keeps the order of errors.
      if (mode === 'closed' && (await users.anyActive()))
        throw new DomainError('registration_closed', 'registration is closed')
      return users.register(await newUser(registration), mode)
    },

    async changePassword(user, { old, new: password }, { keep, address }) {
      checkPassword(password, 'new_password')
      if (old === undefined) throw invalid('old_password', 'old_password is required')
      const credentials = await users.findByName(user.username)
      if (!credentials || !(await passwords.matches(credentials, old, address)))
        throw new DomainError('wrong_password', 'old_password is wrong', { field: 'old_password' })
      await users.setPassword(user.username, await passwords.hash(password), keep)
    },

    list: () => users.list(),
    // Without an administrator nobody could let anyone else in, so the first account is one however it is made.
    create: async (registration, isAdmin) =>
      users.create(await newUser(registration), isAdmin || !(await users.anyActive())),

    async setPassword(username, password) {
      checkPassword(password, 'password')
      await users.setPassword(username, await passwords.hash(password))
    },

    setAdmin: (username, isAdmin) => users.setAdmin(username, isAdmin),
    setActive: (username, active) => users.setActive(username, active),
    remove: (username) => users.remove(username),
  }
}
