import type { Database } from 'bun:sqlite'
import { DomainError } from '../../domain/errors.ts'
import type { SessionId, UserId } from '../../domain/ids.ts'
import type { NewUser, User, UserState, UserStore, UserSummary } from '../../domain/ports.ts'
import type { WriteQueue } from './write-queue.ts'

export interface UserRow {
  readonly id: UserId
  readonly username: string
  readonly email: string | null
  readonly isAdmin: number
  readonly state: UserState
}

interface CredentialsRow extends UserRow {
  readonly passwordHash: string | null
}

interface SummaryRow extends UserRow {
  readonly devices: number
  readonly subscriptions: number
}

/** The columns of a `UserRow` in a query that names the table `u`. */
export const USER_COLUMNS = 'u.id, u.username, u.email, u.is_admin AS isAdmin, u.state'

type InsertParams = [string, string, string | null, string | null, string, number, UserState, number]

export function createUserStore(db: Database, queue: WriteQueue): UserStore {
  const findCredentials = db.prepare<CredentialsRow, [string]>(
    `SELECT ${USER_COLUMNS}, u.password_hash AS passwordHash FROM users u WHERE u.username_key = ?1`,
  )
  const findActive = db.prepare<{ id: UserId }, []>(`SELECT id FROM users WHERE state = 'active' LIMIT 1`)
  const otherActiveAdmin = db.prepare<{ id: UserId }, [UserId]>(
    `SELECT id FROM users WHERE state = 'active' AND is_admin = 1 AND id <> ?1 LIMIT 1`,
  )
  const emailOwner = db.prepare<{ id: UserId }, [string]>('SELECT id FROM users WHERE email_key = ?1')
  const summaries = db.prepare<SummaryRow, []>(
    `SELECT ${USER_COLUMNS},
            (SELECT COUNT(*) FROM devices d WHERE d.user_id = u.id) AS devices,
            (SELECT COUNT(DISTINCT s.podcast_id) FROM devices d JOIN subscriptions s ON s.device_id = d.id AND s.subscribed = 1
              WHERE d.user_id = u.id) AS subscriptions
       FROM users u ORDER BY u.username_key`,
  )
  const insert = db.prepare<undefined, InsertParams>(
    `INSERT INTO users (username, username_key, email, email_key, password_hash, is_admin, state, created_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)`,
  )
  const updatePassword = db.prepare<undefined, [UserId, string]>('UPDATE users SET password_hash = ?2 WHERE id = ?1')
  const updateAdmin = db.prepare<undefined, [UserId, number]>('UPDATE users SET is_admin = ?2 WHERE id = ?1')
  const updateState = db.prepare<undefined, [UserId, UserState]>('UPDATE users SET state = ?2 WHERE id = ?1')
  const remove = db.prepare<undefined, [UserId]>('DELETE FROM users WHERE id = ?1')
  const endSessions = db.prepare<undefined, [UserId, SessionId | null]>(
    'DELETE FROM sessions WHERE user_id = ?1 AND id IS NOT ?2',
  )

  function get(username: string): CredentialsRow {
    const row = findCredentials.get(username.toLowerCase())
    if (!row) throw new DomainError('unknown_user', `unknown user: ${username}`)
    return row
  }

  function add(user: NewUser, isAdmin: boolean, state: UserState): User {
    const { username, email, passwordHash, at } = user
    const emailKey = email?.toLowerCase() ?? null
    if (findCredentials.get(username.toLowerCase()))
      throw new DomainError('username_taken', 'this username is taken', { field: 'username' })
    if (emailKey !== null && emailOwner.get(emailKey))
      throw new DomainError('email_taken', 'an account with this email address exists', { field: 'email' })
    const row = [
      username,
      username.toLowerCase(),
      email ?? null,
      emailKey,
      passwordHash,
      Number(isAdmin),
      state,
      at,
    ] as const
    const id = Number(insert.run(...row).lastInsertRowid) as UserId
    return { id, username, email, isAdmin, state }
  }

  /** protocol.md D82: somebody must always be able to administer the server. */
  function keepAnAdmin({ id, isAdmin, state }: UserRow): void {
    if (isAdmin && state === 'active' && !otherActiveAdmin.get(id))
      throw new DomainError('last_admin', 'this is the last active administrator')
  }

  return {
    async findByName(username) {
      const row = findCredentials.get(username.toLowerCase())
      return row ? { ...toUser(row), passwordHash: row.passwordHash ?? undefined } : undefined
    },

    anyActive: async () => findActive.get() !== null,

    list: async () => summaries.all().map(toSummary),

    register: (user, mode) =>
      queue.run(() => {
        if (!findActive.get()) return add(user, true, 'active')
        if (mode === 'closed') throw new DomainError('registration_closed', 'registration is closed')
        return add(user, false, mode === 'open' ? 'active' : 'pending_activation')
      }),

    create: (user, isAdmin) => queue.run(() => add(user, isAdmin, 'active')),

    setPassword: (username, passwordHash, keep) =>
      queue.run(() => {
        const { id } = get(username)
        updatePassword.run(id, passwordHash)
        endSessions.run(id, keep ?? null)
      }),

    setAdmin: (username, isAdmin) =>
      queue.run(() => {
        const row = get(username)
        if (!isAdmin) keepAnAdmin(row)
        updateAdmin.run(row.id, Number(isAdmin))
        return { ...toUser(row), isAdmin }
      }),

    setActive: (username, active) =>
      queue.run(() => {
        const row = get(username)
        const state: UserState = active ? 'active' : 'inactive'
        if (!active) {
          keepAnAdmin(row)
          endSessions.run(row.id, null)
        }
        updateState.run(row.id, state)
        return { ...toUser(row), state }
      }),

    remove: (username) =>
      queue.run(() => {
        const row = get(username)
        keepAnAdmin(row)
        remove.run(row.id)
      }),
  }
}

export function toUser({ id, username, email, isAdmin, state }: UserRow): User {
  return { id, username, email: email ?? undefined, isAdmin: isAdmin === 1, state }
}

function toSummary(row: SummaryRow): UserSummary {
  return { ...toUser(row), devices: row.devices, subscriptions: row.subscriptions }
}
