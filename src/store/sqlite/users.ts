import type { Database } from 'bun:sqlite'
import { and, countDistinct, eq, getTableColumns, ne, type SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { DomainError, invalid } from '../../domain/errors.ts'
import { emailKey as foldEmail, usernameKey as key } from '../../domain/identifiers.ts'
import type { SessionId, UserId } from '../../domain/ids.ts'
import type { NewUser, User, UserCredentials, UserState, UserStore } from '../../domain/ports.ts'
import { devices, sessions, subscriptions, users } from './schema.ts'
import type { Snapshot } from './snapshot.ts'
import type { WriteQueue } from './write-queue.ts'

/** `isAdmin` is SQLite's number where drizzle is not in between. */
export type UserRow = Pick<typeof users.$inferSelect, 'id' | 'username' | 'email' | 'state'> & {
  readonly isAdmin: boolean | number
}

type CredentialsRow = UserRow & { readonly passwordHash: string | null }

/** Accounts change rarely: readable queries win over prepared ones, but for the lookup that each request with a password makes. */
export function createUserStore(client: Database, snapshot: Snapshot, queue: WriteQueue): UserStore {
  const db = drizzle({ client })
  const findByKey = client.prepare<CredentialsRow, [string]>(
    `SELECT id, username, email, is_admin AS isAdmin, state, password_hash AS passwordHash FROM users WHERE username_key = ?1`,
  )

  const exists = (condition: SQL | undefined) =>
    db.select({ id: users.id }).from(users).where(condition).limit(1).get() !== undefined
  const isActive = eq(users.state, 'active')

  function find(username: string): UserCredentials | undefined {
    const row = findByKey.get(key(username))
    return row ? { ...toUser(row), passwordHash: row.passwordHash ?? undefined } : undefined
  }

  function get(username: string): UserCredentials {
    const user = find(username)
    if (!user) throw new DomainError('unknown_user', `unknown user: ${username}`)
    return user
  }

  function add({ username, email, passwordHash, at }: NewUser, isAdmin: boolean, state: UserState): User {
    const usernameKey = key(username)
    const emailKey = email === undefined ? undefined : foldEmail(email)
    if (exists(eq(users.usernameKey, usernameKey)))
      throw new DomainError('username_taken', 'this username is taken', { field: 'username' })
    if (emailKey !== undefined && exists(eq(users.emailKey, emailKey)))
      throw new DomainError('email_taken', 'an account with this email address exists', { field: 'email' })
    const row = { username, usernameKey, email, emailKey, passwordHash, isAdmin, state, createdAt: at }
    return toUser(db.insert(users).values(row).returning().get())
  }

  function change(id: number, values: Partial<typeof users.$inferInsert>): User {
    return toUser(db.update(users).set(values).where(eq(users.id, id)).returning().get())
  }

  function endSessions(userId: number, keep?: SessionId): void {
    db.delete(sessions)
      .where(and(eq(sessions.userId, userId), keep === undefined ? undefined : ne(sessions.id, keep)))
      .run()
  }

  /** protocol.md D82: somebody must always be able to administer the server. */
  function keepAnAdmin({ id, isAdmin, state }: User): void {
    if (isAdmin && state === 'active' && !exists(and(isActive, eq(users.isAdmin, true), ne(users.id, id))))
      throw new DomainError('last_admin', 'this is the last active administrator')
  }

  return {
    async findByName(username): Promise<UserCredentials | undefined> {
      snapshot.use()
      return find(username)
    },

    async anyActive() {
      snapshot.use()
      return exists(isActive)
    },

    async list() {
      snapshot.use()
      const rows = db
        .select({
          ...getTableColumns(users),
          devices: countDistinct(devices.id),
          subscriptions: countDistinct(subscriptions.podcastId),
        })
        .from(users)
        .leftJoin(devices, eq(devices.userId, users.id))
        .leftJoin(subscriptions, and(eq(subscriptions.deviceId, devices.id), eq(subscriptions.subscribed, true)))
        .groupBy(users.id)
        .orderBy(users.usernameKey)
        .all()
      return rows.map((row) => ({ ...toUser(row), devices: row.devices, subscriptions: row.subscriptions }))
    },

    register: (user, mode) =>
      queue.run(() => {
        if (!exists(isActive)) return add(user, true, 'active')
        if (mode === 'closed') throw new DomainError('registration_closed', 'registration is closed')
        if (mode === 'invite' && user.email === undefined) throw invalid('email', 'an email address is required')
        return add(user, false, mode === 'open' ? 'active' : 'pending_activation')
      }),

    create: (user, isAdmin) => queue.run(() => add(user, isAdmin, 'active')),

    setPassword: (username, passwordHash, keep) =>
      queue.run(() => {
        const { id } = get(username)
        change(id, { passwordHash })
        endSessions(id, keep)
      }),

    setAdmin: (username, isAdmin) =>
      queue.run(() => {
        const row = get(username)
        if (!isAdmin) keepAnAdmin(row)
        return change(row.id, { isAdmin })
      }),

    setActive: (username, active) =>
      queue.run(() => {
        const row = get(username)
        if (!active) {
          keepAnAdmin(row)
          endSessions(row.id)
        }
        return change(row.id, { state: active ? 'active' : 'inactive' })
      }),

    remove: (username) =>
      queue.run(() => {
        const row = get(username)
        keepAnAdmin(row)
        db.delete(users).where(eq(users.id, row.id)).run()
      }),
  }
}

export function toUser({ id, username, email, isAdmin, state }: UserRow): User {
  return { id: id as UserId, username, email: email ?? undefined, isAdmin: Boolean(isAdmin), state }
}
