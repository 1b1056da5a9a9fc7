import type { Clock } from '../../platform/clock.ts'
import { sha256 } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import { DomainError, invalid, invalidToken } from '../shared/errors.ts'
import type { SessionId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { checkPassword, emailKey, isEmail, parseEmail, parseUsername } from './identifiers.ts'
import type { MailQueue } from './mail.ts'
import type { PasswordCheck } from './password-check.ts'
import type { IdentityStore, PasswordProof, TokenStore, UserStore } from './ports.ts'
import type { NewUser, RegistrationMode, User } from './user.ts'

/** How somebody asks for a new password of his own. */
export interface RequestOrigin {
  /** The session that asks, and lives on. */
  readonly keep: SessionId | undefined
  readonly address: string
  /** Whether the request was made with the session's cookie. */
  readonly bySession: boolean
}

/** What people do about their own account. */
export interface Accounts {
  /**
   * Throws, checked in this order: `rate_limited`, `registration_closed`, `validation_failed`, `username_taken`, `email_taken`
   * (docs/protocol.md#registration). A pending account is sent a link if mails can be sent.
   */
  register(registration: Registration, address: string): Promise<User>
  /** Whether a pending account gets a link by mail, instead of waiting for an administrator. */
  readonly mailsLinks: boolean
  /** Throws `invalid_token`. */
  activate(token: string): Promise<void>
  /** Replaces one's own password (D72); the session `keep` lives on. Throws `validation_failed`, `wrong_password`, `rate_limited`. */
  changePassword(user: User, passwords: { old: string | undefined; new: string }, context: RequestOrigin): Promise<void>
  /** Takes as long for an address of nobody as for one of somebody (docs/protocol.md#password-reset). Throws `rate_limited`. */
  requestPasswordReset(email: string, address: string): Promise<void>
  /** Ends all sessions. Throws `validation_failed` (the token stays good), `invalid_token`. */
  confirmPasswordReset(token: string, password: string): Promise<void>
}

export interface AccountParts {
  readonly users: UserStore
  readonly tokens: TokenStore
  readonly identities: IdentityStore
  readonly mailQueue: MailQueue
  readonly passwords: PasswordCheck
  readonly clock: Clock
  readonly log: Log
  readonly mode: RegistrationMode
  /** Registrations per address. */
  readonly registrations: RateLimit
  /** Requests for a reset mail per address of the client. */
  readonly resets: RateLimit
  /** Mails to one person. */
  readonly mailboxes: RateLimit
}

export function createAccounts(parts: AccountParts): Accounts {
  const { users, tokens, identities, mailQueue, passwords, clock, log, mode, registrations, resets, mailboxes } = parts
  /** Resets under way by token: a second one waits for the first instead of costing a password hash of its own. */
  const resetting = new Map<string, Promise<void>>()

  async function reset(token: string, password: string): Promise<void> {
    const hash = sha256(token)
    if (!(await tokens.isLive('password_reset', hash, clock.seconds()))) throw invalidToken()
    await tokens.resetPassword(hash, clock.seconds(), await passwords.hash(password))
  }

  /** Nobody is told that there were too many for one mailbox: it would tell who has an account. */
  async function requestMail(email: string): Promise<void> {
    if (mailboxes.tryTake(emailKey(email))) await mailQueue.requestForAnyone('password_reset', email)
    else log.warn('too many password resets were asked for one mailbox; one more was not taken')
  }

  async function passwordProof(user: User, old: string, address: string): Promise<PasswordProof> {
    const credentials = await users.findByName(user.username)
    if (credentials?.passwordHash === undefined || !(await passwords.matches(credentials, old, address)))
      throw new DomainError('wrong_password', 'old_password is wrong', { field: 'old_password' })
    return { verifiedHash: credentials.passwordHash }
  }

  /** Those who sign in at a provider may have no password: there the session proves who they are (docs/protocol.md#D72). */
  async function sessionProof(user: User, { keep, bySession }: RequestOrigin): Promise<PasswordProof> {
    if (!bySession || keep === undefined || (await identities.list(user.id)).length === 0)
      throw invalid('old_password', 'old_password is required')
    return { session: keep }
  }

  return {
    mailsLinks: mailQueue.isOn,

    async register(registration, address) {
      registrations.take(address)
      // The store decides again inside its transaction; this spares the hash and keeps the order of errors.
      if (mode === 'closed' && (await users.anyActive()))
        throw new DomainError('registration_closed', 'registration is closed')
      const user = await users.register(await newUser(registration, passwords, clock), mode, mailQueue.isOn)
      if (user.state === 'pending_activation') mailQueue.wake()
      return user
    },

    async activate(token) {
      await tokens.activate(sha256(token), clock.seconds())
    },

    async changePassword(user, { old, new: password }, context) {
      const { keep, address } = context
      checkPassword(password, 'new_password')
      const proof = old === undefined ? await sessionProof(user, context) : await passwordProof(user, old, address)
      await users.changePassword(user.id, await passwords.hash(password), proof, keep)
    },

    async requestPasswordReset(email, address) {
      resets.take(address)
      if (!mailQueue.isOn)
        log.warn(
          'somebody asked for a password reset, but no mail can be sent: smtp_host, smtp_from or base_url is not set',
        )
      else if (isEmail(email.trim())) await requestMail(email.trim())
    },

    async confirmPasswordReset(token, password) {
      checkPassword(password, 'new_password')
      while (resetting.has(token)) await resetting.get(token)?.catch(() => undefined)
      const done = reset(token, password).finally(() => resetting.delete(token))
      resetting.set(token, done)
      await done
    },
  }
}

export interface Registration {
  readonly username: string
  readonly password: string
  readonly email: string
}

/** The row of a new account. Throws `validation_failed`, `unavailable`. */
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
