import type { Database } from 'bun:sqlite'
import { and, count, eq, ne, type SQL } from 'drizzle-orm'
import { type BunSQLiteDatabase, drizzle } from 'drizzle-orm/bun-sqlite'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { AuditAction, Deed, TokenPurpose } from '../../domain/account-ports.ts'
import { DomainError, unknownUser } from '../../domain/errors.ts'
import { emailKey as foldEmail, usernameKey as key } from '../../domain/identifiers.ts'
import type { SessionId, UserId } from '../../domain/ids.ts'
import type { NewUser, User, UserCredentials, UserState } from '../../domain/user.ts'
import { auditLog, mails, sessions, tokens, users } from './schema.ts'

/** `isAdmin` is SQLite's number where drizzle is not in between. */
export type UserRow = Pick<typeof users.$inferSelect, 'id' | 'username' | 'email' | 'state'> & {
  readonly isAdmin: boolean | number
}

export type CredentialsRow = UserRow & { readonly passwordHash: string | null }

/** What the use cases around accounts are made of. All that changes anything belongs inside a unit of the write queue. */
export interface AccountRows {
  readonly db: BunSQLiteDatabase
  find(username: string): UserCredentials | undefined
  /** Throws `unknown_user`. */
  get(username: string): UserCredentials
  count(table: SQLiteTable): number
  isThere(condition: SQL | undefined): boolean
  anyActive(): boolean
  /** Throws `username_taken`, `email_taken`. */
  add(user: Omit<NewUser, 'passwordHash'> & { passwordHash?: string }, isAdmin: boolean, state: UserState): User
  change(id: UserId, values: Partial<typeof users.$inferInsert>): User
  endSessions(id: UserId, keep?: SessionId): void
  endTokens(id: UserId, purpose?: TokenPurpose): void
  /** protocol.md D82: somebody must always be able to administer the server. Throws `last_admin`. */
  keepAnAdmin(user: User): void
  requestMail(purpose: TokenPurpose, emailKey: string, at: number): void
  dropMails(user: User, purpose?: TokenPurpose): void
  note(deed: Deed, action: AuditAction, target?: string): void
}

/** Accounts change rarely: readable queries win over prepared ones, but for the lookup that each request with a password makes. */
export function createAccountRows(client: Database): AccountRows {
  const db = drizzle({ client })
  const findByKey = client.prepare<CredentialsRow, [string]>(
    `SELECT id, username, email, is_admin AS isAdmin, state, password_hash AS passwordHash FROM users WHERE username_key = ?1`,
  )
  const isActive = eq(users.state, 'active')

  const countRows = (table: SQLiteTable) => db.select({ count: count() }).from(table).get()?.count ?? 0

  const isThere = (condition: SQL | undefined) =>
    db.select({ id: users.id }).from(users).where(condition).limit(1).get() !== undefined

  function find(username: string): UserCredentials | undefined {
    const row = findByKey.get(key(username))
    return row && row.state !== 'deleting' ? { ...toUser(row), passwordHash: row.passwordHash ?? undefined } : undefined
  }

  return {
    db,
    find,
    count: countRows,
    isThere,
    anyActive: () => isThere(isActive),

    get(username) {
      const user = find(username)
      if (!user) throw unknownUser(username)
      return user
    },

    add({ username, email, passwordHash, at }, isAdmin, state) {
      const usernameKey = key(username)
      const emailKey = email === undefined ? undefined : foldEmail(email)
      if (isThere(eq(users.usernameKey, usernameKey)))
        throw new DomainError('username_taken', 'this username is taken', { field: 'username' })
      if (emailKey !== undefined && isThere(eq(users.emailKey, emailKey)))
        throw new DomainError('email_taken', 'an account with this email address exists', { field: 'email' })
      const row = { username, usernameKey, email, emailKey, passwordHash, isAdmin, state, createdAt: at }
      return toUser(db.insert(users).values(row).returning().get())
    },

    change: (id, values) => toUser(db.update(users).set(values).where(eq(users.id, id)).returning().get()),

    endSessions(userId, keep) {
      db.delete(sessions)
        .where(and(eq(sessions.userId, userId), keep === undefined ? undefined : ne(sessions.id, keep)))
        .run()
    },

    endTokens(userId, purpose) {
      db.delete(tokens)
        .where(and(eq(tokens.userId, userId), purpose && eq(tokens.purpose, purpose)))
        .run()
    },

    keepAnAdmin({ id, isAdmin, state }) {
      if (isAdmin && state === 'active' && !isThere(and(isActive, eq(users.isAdmin, true), ne(users.id, id))))
        throw new DomainError('last_admin', 'this is the last active administrator')
    },

    requestMail(purpose, emailKey, at) {
      const fresh = { requestedAt: at, attempts: 0, nextAttemptAt: at, lastError: null }
      db.insert(mails)
        .values({ purpose, emailKey, ...fresh })
        .onConflictDoUpdate({ target: [mails.purpose, mails.emailKey], set: fresh })
        .run()
    },

    dropMails({ email }, purpose) {
      if (email === undefined) return
      db.delete(mails)
        .where(and(eq(mails.emailKey, foldEmail(email)), purpose && eq(mails.purpose, purpose)))
        .run()
    },

    note: ({ actor, at }, action, target) =>
      void db.insert(auditLog).values({ at, actor: actor.name, via: actor.via, action, target }).run(),
  }
}

export function toUser({ id, username, email, isAdmin, state }: UserRow): User {
  return { id: id as UserId, username, email: email ?? undefined, isAdmin: Boolean(isAdmin), state }
}
