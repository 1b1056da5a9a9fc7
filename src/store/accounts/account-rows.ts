import { and, count, eq, inArray, ne, type SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { emailKey as foldEmail, usernameKey as key } from '../../domain/accounts/identifiers.ts'
import type { AuditAction, AuditContext } from '../../domain/accounts/ports/audit-log.ts'
import type { MailPurpose, RequestedMail } from '../../domain/accounts/ports/mail.ts'
import type { TokenPurpose } from '../../domain/accounts/ports/tokens.ts'
import type { NewUser, PasswordProof, User, UserCredentials, UserState } from '../../domain/accounts/ports/users.ts'
import { DomainError, unknownUser } from '../../domain/shared/errors.ts'
import type { SessionId, UserId } from '../../domain/shared/ids.ts'
import type { Database } from '../engine.ts'
import { appPasswords, auditLog, identities, loginFlows, mails, sessions, tokens, users } from '../schema/accounts.ts'
import { webhooks } from '../schema/webhooks.ts'
import { prepareDirectoryChanges } from '../shared/directory-changes.ts'
import { type CredentialsRow, prepareAccountStatements, type UserRow } from './statements.ts'

export type AccountRows = ReturnType<typeof createAccountRows>

/** Building blocks of the account stores. Changes are rare, so drizzle suffices. Writes belong inside a job. */
export function createAccountRows(client: Database) {
  // The query builder uses only `prepare`.
  const db = drizzle({ client: client as never })
  const statements = prepareAccountStatements(client)
  const directoryChanges = prepareDirectoryChanges(client)
  const isActive = eq(users.state, 'active')

  const countRows = (table: SQLiteTable) => db.select({ count: count() }).from(table).get()?.count ?? 0

  const isThere = (condition: SQL | undefined) =>
    db.select({ id: users.id }).from(users).where(condition).limit(1).get() !== undefined

  function find(username: string): UserCredentials | undefined {
    const row = statements.findByKey.get(key(username))
    return row && row.state !== 'deleting' ? toCredentials(row) : undefined
  }

  return {
    db,
    statements,
    find,
    count: countRows,
    isThere,
    anyActive: () => isThere(isActive),

    /** Throws `unknown_user`. */
    get(username: string): UserCredentials {
      const user = find(username)
      if (!user) throw unknownUser(username)
      return user
    },

    /** Throws `username_taken`, `email_taken`. */
    add(
      { username, email, passwordHash, at }: Omit<NewUser, 'passwordHash'> & { passwordHash?: string },
      isAdmin: boolean,
      state: UserState,
    ): User {
      const usernameKey = key(username)
      const emailKey = email === undefined ? undefined : foldEmail(email)
      if (isThere(eq(users.usernameKey, usernameKey)))
        throw new DomainError('username_taken', 'this username is taken', { field: 'username' })
      if (emailKey !== undefined && isThere(eq(users.emailKey, emailKey)))
        throw new DomainError('email_taken', 'an account with this email address exists', { field: 'email' })
      const row = { username, usernameKey, email, emailKey, passwordHash, isAdmin, state, createdAt: at }
      return toUser(db.insert(users).values(row).returning().get())
    },

    change(id: UserId, values: Partial<typeof users.$inferInsert>): User {
      const wasActive = isThere(and(eq(users.id, id), isActive))
      const user = db.update(users).set(values).where(eq(users.id, id)).returning().get()
      if ((user.state === 'active') !== wasActive) directoryChanges.ofState(id, !wasActive)
      return toUser(user)
    },

    endSessions(userId: UserId, keep?: SessionId): void {
      db.delete(sessions)
        .where(and(eq(sessions.userId, userId), keep === undefined ? undefined : ne(sessions.id, keep)))
        .run()
    },

    endAppPasswords(userId: UserId): void {
      db.delete(appPasswords).where(eq(appPasswords.userId, userId)).run()
    },

    /** Turns the webhook off until the user saves it again, since an intruder may have created it. */
    switchWebhookOff(userId: UserId): void {
      db.update(webhooks).set({ offReason: 'password_reset' }).where(eq(webhooks.userId, userId)).run()
    },

    removeWebhook(userId: UserId): void {
      db.delete(webhooks).where(eq(webhooks.userId, userId)).run()
    },

    endLoginFlows(userId: UserId): void {
      const granted = db.select({ hash: loginFlows.pollHash }).from(loginFlows).where(eq(loginFlows.userId, userId))
      db.delete(appPasswords).where(inArray(appPasswords.passwordHash, granted)).run()
      db.delete(loginFlows).where(eq(loginFlows.userId, userId)).run()
    },

    endTokens(userId: UserId, purpose?: TokenPurpose): void {
      db.delete(tokens)
        .where(and(eq(tokens.userId, userId), purpose && eq(tokens.purpose, purpose)))
        .run()
    },

    /** Protects the last active administrator (docs/protocol.md#D82). Throws `last_admin`. */
    keepAnAdmin({ id, isAdmin, state }: User): void {
      if (isAdmin && state === 'active' && !isThere(and(isActive, eq(users.isAdmin, true), ne(users.id, id))))
        throw new DomainError('last_admin', 'this is the last active administrator')
    },

    /** Requires a password or an identity, since an active account needs a way to sign in. Throws `no_password`. */
    needWayIn({ id, passwordHash }: UserCredentials): void {
      const isLinked = () => db.select().from(identities).where(eq(identities.userId, id)).limit(1).get() !== undefined
      if (passwordHash === undefined && !isLinked())
        throw new DomainError('no_password', 'this account has no password yet: make a new invitation, or set one')
    },

    requestMail({ purpose, emailKey, language }: RequestedMail, at: number): void {
      const fresh = { language, requestedAt: at, attempts: 0, nextAttemptAt: at, lastError: null }
      db.insert(mails)
        .values({ purpose, emailKey, ...fresh })
        .onConflictDoUpdate({ target: [mails.purpose, mails.emailKey], set: fresh })
        .run()
    },

    dropMails({ email }: User, purpose?: MailPurpose): void {
      if (email === undefined) return
      db.delete(mails)
        .where(and(eq(mails.emailKey, foldEmail(email)), purpose && eq(mails.purpose, purpose)))
        .run()
    },

    note: ({ actor, at }: AuditContext, action: AuditAction, target?: string): void =>
      void db.insert(auditLog).values({ at, actor: actor.name, via: actor.via, action, target }).run(),
  }
}

export function toCredentials(row: CredentialsRow): UserCredentials {
  return {
    ...toUser(row),
    passwordHash: row.passwordHash ?? undefined,
    hasSecondFactor: row.hasSecondFactor !== 0,
  }
}

export function toUser({ id, username, email, isAdmin, state }: UserRow): User {
  return { id: id as UserId, username, email: email ?? undefined, isAdmin: Boolean(isAdmin), state }
}

/**
 * Returns the user if the proof still holds, since the account may have changed while the password was being checked.
 * Belongs inside a job. Throws `unauthorized`, or `wrong_password` for `field`.
 */
export function prove({ db }: AccountRows, userId: UserId, proof: PasswordProof, field: string): User {
  const row = db.select().from(users).where(eq(users.id, userId)).get()
  if (!row || row.state === 'deleting') throw new DomainError('unauthorized', 'the account no longer exists')
  if ('verifiedHash' in proof) {
    if (row.passwordHash !== proof.verifiedHash) throw new DomainError('wrong_password', `${field} is wrong`, { field })
    return toUser(row)
  }
  const own = and(eq(sessions.id, proof.session), eq(sessions.userId, userId))
  if (!db.select({ id: sessions.id }).from(sessions).where(own).get())
    throw new DomainError('unauthorized', 'the session has ended')
  return toUser(row)
}
