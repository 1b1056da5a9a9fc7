import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import { createSerialWork } from '../shared/concurrency.ts'
import { DomainError, invalid, invalidToken } from '../shared/errors.ts'
import type { SessionId } from '../shared/ids.ts'
import type { Language } from '../shared/languages.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { checkPassword, emailKey, isEmail, parseEmail, parseUsername, usernameKey } from './identifiers.ts'
import type { MailQueue } from './mail.ts'
import type { PasswordCheck } from './password-check.ts'
import type { IdentityStore } from './ports/identities.ts'
import type { TokenStore } from './ports/tokens.ts'
import type { NewUser, PasswordProof, RegistrationMode, User, UserStore } from './ports/users.ts'

export interface AccountParts {
  readonly users: UserStore
  readonly tokens: TokenStore
  readonly identities: IdentityStore
  readonly mailQueue: MailQueue
  readonly passwords: PasswordCheck
  readonly clock: Clock
  readonly log: Log
  readonly mode: RegistrationMode
  readonly registrations: RateLimit
  readonly resets: RateLimit
  readonly mailboxes: RateLimit
}

export function createAccounts(parts: AccountParts) {
  const { users, tokens, mailQueue, passwords, clock, log, mode, registrations, resets, mailboxes } = parts
  const proofs = createProofs(parts)
  /** Serializes resets by token, so that a repeated one fails without costing a password hash. */
  const serially = createSerialWork<string>()

  async function reset(token: string, password: string): Promise<void> {
    const hash = sha256(token)
    if (!(await tokens.isLive('password_reset', hash, clock.seconds()))) throw invalidToken()
    await tokens.resetPassword(hash, clock.seconds(), await passwords.hash(password))
  }

  /** Logs an exceeded limit of a mailbox without an error, which would reveal who has an account. */
  async function requestMail(email: string, language: Language): Promise<void> {
    if (mailboxes.tryTake(emailKey(email))) await mailQueue.requestForAnyone('password_reset', email, language)
    else log.warn('too many password resets were asked for one mailbox; one more was not taken')
  }

  return {
    mailsLinks: mailQueue.isOn,

    /** Throws `rate_limited`, `registration_closed`, `validation_failed`, `username_taken`, `email_taken`. */
    async register(registration: Registration, address: string, language: Language): Promise<User> {
      registrations.take(address)
      // The store checks again in its transaction. This check saves the password hash and keeps the order of errors.
      if (mode === 'closed' && (await users.anyActive()))
        throw new DomainError('registration_closed', 'registration is closed')
      const row = await newUser(registration, passwords, clock)
      const user = await users.register(row, mode, mailQueue.isOn ? language : undefined)
      if (user.state === 'pending_activation') mailQueue.wake()
      return user
    },

    /** Throws `invalid_token`. */
    async activate(token: string): Promise<void> {
      await tokens.activate(sha256(token), clock.seconds())
    },

    /** docs/protocol.md#D72. Throws `validation_failed`, `wrong_password`, `rate_limited`. */
    async changePassword(
      user: User,
      { old, new: password }: { old: string | undefined; new: string },
      context: RequestOrigin,
    ): Promise<void> {
      checkPassword(password, 'new_password')
      const proof = await proofs.byPasswordOrProvider(user, old, context, 'old_password')
      await users.changePassword(user.id, await passwords.hash(password), proof, context.session)
    },

    /** Takes the same time for known and unknown addresses (docs/protocol.md#password-reset). Throws `rate_limited`. */
    async requestPasswordReset(email: string, address: string, language: Language): Promise<void> {
      resets.take(address)
      if (!mailQueue.isOn)
        log.warn(
          'a password reset was requested, but no email can be sent: smtp_host, smtp_from or base_url is not set',
        )
      else if (isEmail(email.trim())) await requestMail(email.trim(), language)
    },

    /** Ends all sessions. Throws `validation_failed` (the token stays valid), `invalid_token`. */
    async confirmPasswordReset(token: string, password: string): Promise<void> {
      checkPassword(password, 'new_password')
      await serially(token, () => reset(token, password))
    },
  }
}

export interface Registration {
  readonly username: string
  readonly password: string
  readonly email: string
}

/** Validates a registration and hashes its password. Throws `validation_failed`, `unavailable`. */
export async function newUser(
  { username, password, email }: Registration,
  passwords: PasswordCheck,
  clock: Clock,
): Promise<NewUser> {
  const name = parseUsername(username)
  checkPassword(password, 'password')
  const address = parseEmail(email)
  return { username: name, email: address, passwordHash: await passwords.hash(password), at: clock.seconds() }
}

export interface RequestOrigin {
  readonly session: SessionId | undefined
  /** True for a request with a session cookie. Sessions of app passwords are rejected earlier. */
  readonly bySession: boolean
  readonly address: string
}

export interface Typed {
  readonly password: string | undefined
  readonly username: string | undefined
}

/** Methods that change the account throw `validation_failed`, `wrong_password`, `rate_limited`, `unauthorized`. */
export function createOwnAccount(own: {
  readonly users: UserStore
  readonly identities: IdentityStore
  readonly passwords: PasswordCheck
  /** Limits changes of the email address per user, since `email_taken` reveals who has an account. */
  readonly emailChanges: RateLimit
  readonly clock: Clock
}) {
  const { emailChanges, clock, ...parts } = own
  const { users } = parts
  const proofs = createProofs(parts)

  return {
    /** Users without a password sign in at a provider only. */
    async waysIn({ username }: User): Promise<{ readonly hasPassword: boolean; readonly hasSecondFactor: boolean }> {
      const found = await users.findByName(username)
      return { hasPassword: found?.passwordHash !== undefined, hasSecondFactor: found?.hasSecondFactor === true }
    },

    /** `''` removes the address. Throws `email_taken`. */
    async changeEmail(user: User, email: string, password: string | undefined, from: RequestOrigin): Promise<void> {
      const address = parseEmail(email)
      const proof = await proofs.byPasswordOrProvider(user, password, from, 'password')
      emailChanges.take(String(user.id))
      await users.changeEmail(user.id, address, proof)
    },

    /** Removes the account permanently. Users without a password confirm with their username. Throws `last_admin`. */
    async remove(user: User, { password, username }: Typed, from: RequestOrigin): Promise<void> {
      const proof =
        password === undefined
          ? await proofs.byName(user, username, from)
          : await proofs.byPassword(user, password, from, 'password')
      await users.removeOwn(user.id, proof, { actor: { name: user.username, via: 'api' }, at: clock.seconds() })
    },
  }
}

/** Verifies that the user has authorized a change of the account. Errors name `field`, which holds the password. */
function createProofs({ users, identities, passwords }: Pick<AccountParts, 'users' | 'identities' | 'passwords'>) {
  const hasPassword = async ({ username }: User) => (await users.findByName(username))?.passwordHash !== undefined

  async function byPassword({ username }: User, password: string, { address }: RequestOrigin, field: string) {
    const credentials = await users.findByName(username)
    if (credentials?.passwordHash === undefined || !(await passwords.matches(credentials, password, address)))
      throw new DomainError('wrong_password', `${field} is wrong`, { field })
    return { verifiedHash: credentials.passwordHash }
  }

  function bySession({ session, bySession }: RequestOrigin, field: string): PasswordProof {
    if (!bySession || session === undefined) throw invalid(field, `${field} is required`)
    return { session }
  }

  return {
    byPassword,

    /** Users of single sign-on may have no password, so their session is the proof (docs/protocol.md#D72). */
    async byPasswordOrProvider(
      user: User,
      password: string | undefined,
      from: RequestOrigin,
      field: string,
    ): Promise<PasswordProof> {
      if (password !== undefined) return byPassword(user, password, from, field)
      const proof = bySession(from, field)
      if ((await identities.list(user.id)).length === 0) throw invalid(field, `${field} is required`)
      return proof
    },

    async byName(user: User, typed: string | undefined, from: RequestOrigin): Promise<PasswordProof> {
      if (await hasPassword(user)) throw invalid('password', 'password is required')
      const proof = bySession(from, 'password')
      if (typed === undefined || usernameKey(typed) !== usernameKey(user.username))
        throw invalid('username', 'username must be your own, to confirm')
      return proof
    },
  }
}
