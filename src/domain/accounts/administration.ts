import type { Clock } from '../../platform/clock.ts'
import { DomainError, unknownUser } from '../shared/errors.ts'
import type { SessionId } from '../shared/ids.ts'
import type { Language } from '../shared/languages.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { newUser, type Registration } from './account.ts'
import { checkPassword, parseEmail, usernameKey } from './identifiers.ts'
import type { MailQueue, MailStatus } from './mail.ts'
import type { PasswordCheck } from './password-check.ts'
import type { Actor, AuditContext, AuditEntry, AuditFilter, AuditStore } from './ports/audit-log.ts'
import type { SecondFactorStore } from './ports/second-factor.ts'
import type { ServerStats, User, UserStore, UserSummary } from './ports/users.ts'

export type Administration = ReturnType<typeof createAdministration>

export function createAdministration(parts: {
  readonly users: UserStore
  readonly secondFactors: SecondFactorStore
  readonly audit: AuditStore
  readonly mailQueue: MailQueue
  readonly passwords: PasswordCheck
  readonly testMails: RateLimit
  readonly clock: Clock
}) {
  const { users, secondFactors, audit, mailQueue, passwords, testMails, clock } = parts
  const auditContext = (actor: Actor): AuditContext => ({ actor, at: clock.seconds() })

  function mustSendMail(): void {
    if (!mailQueue.isOn)
      throw new DomainError('smtp_unconfigured', 'no email can be sent: smtp_host, smtp_from or base_url is not set')
  }

  async function addressOf({ name }: Actor): Promise<string> {
    mustSendMail()
    const user = name === undefined ? undefined : await users.findByName(name)
    if (user?.email === undefined) throw new DomainError('no_email', 'your account has no email address; enter one')
    return user.email
  }

  return {
    list: (): Promise<UserSummary[]> => users.list(),
    /** Throws `unknown_user`. */
    async get(username: string): Promise<User> {
      const user = await users.findByName(username)
      if (!user) throw unknownUser(username)
      return user
    },
    stats: (): Promise<ServerStats> => users.stats(),

    /** Works in every registration mode. Throws `validation_failed`, `username_taken`, `email_taken`. */
    async create(registration: Registration, isAdmin: boolean, actor: Actor): Promise<UserSummary> {
      const row = await newUser(registration, passwords, clock)
      // The first account becomes an administrator in any case, since a server without one cannot be administered.
      const user = await users.create(row, isAdmin || 'if_first', auditContext(actor))
      return { ...user, devices: 0, subscriptions: 0, createdAt: row.at, hasSecondFactor: false, invitation: undefined }
    },

    /** Ends all sessions except `keep`. Throws `validation_failed`, `unknown_user`. */
    async setPassword(username: string, password: string, actor: Actor, keep?: SessionId): Promise<void> {
      checkPassword(password, 'password')
      await users.setPassword(username, await passwords.hash(password), auditContext(actor), keep)
    },

    /** Throws `unknown_user`, `last_admin`. */
    async setAdmin(username: string, isAdmin: boolean, actor: Actor): Promise<UserSummary> {
      await users.setAdmin(username, isAdmin, auditContext(actor))
      return users.summary(username)
    },

    /** Helps users who have lost their phone. Throws `unknown_user`, `no_second_factor`, `forbidden` (own account). */
    async resetSecondFactor(username: string, actor: Actor): Promise<UserSummary> {
      if (actor.name !== undefined && usernameKey(actor.name) === usernameKey(username))
        throw new DomainError('forbidden', 'turn your own second factor off on your account page')
      await secondFactors.reset(username, auditContext(actor))
      return users.summary(username)
    },

    async setActive(username: string, active: boolean, actor: Actor): Promise<UserSummary> {
      await users.setActive(username, active, auditContext(actor))
      return users.summary(username)
    },

    remove: (username: string, actor: Actor): Promise<void> => users.remove(username, auditContext(actor)),

    /** Throws `unknown_user`, `not_active`, `no_email`, `smtp_unconfigured`. */
    async sendReset(username: string, language: Language, actor: Actor): Promise<void> {
      const user = await users.findByName(username)
      if (!user) throw unknownUser(username)
      if (user.state !== 'active') throw new DomainError('not_active', 'this account is not active')
      if (user.email === undefined) throw new DomainError('no_email', 'this account has no email address')
      mustSendMail()
      await audit.add(auditContext(actor), 'reset_mail_requested', user.username)
      await mailQueue.request('password_reset', user.email, language)
    },

    audit: (
      filter: AuditFilter,
      page: number,
      perPage: number,
    ): Promise<{ readonly total: number; readonly entries: AuditEntry[] }> =>
      audit.page(page * perPage, perPage, filter),
    mailStatus: (): Promise<MailStatus> => mailQueue.status(),

    /** Throws `validation_failed`, `no_email`, `rate_limited`, `smtp_unconfigured`, `mail_failed`. */
    async sendTestMail(address: string | undefined, language: Language, actor: Actor): Promise<void> {
      const email = parseEmail(address ?? (await addressOf(actor)))
      if (email === undefined) throw new DomainError('validation_failed', 'email is required', { field: 'email' })
      testMails.take(actor.name ?? '')
      await mailQueue.sendTest(email, language)
      await audit.add(auditContext(actor), 'test_mail_sent')
    },
  }
}
