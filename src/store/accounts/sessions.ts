import type { AppPasswordScope } from '../../domain/accounts/ports/app-passwords.ts'
import type { ListedSession, SessionStore } from '../../domain/accounts/ports/sessions.ts'
import { DomainError } from '../../domain/shared/errors.ts'
import type { AppPasswordId, SessionId, UserId } from '../../domain/shared/ids.ts'
import type { Database, Snapshot, WriteQueue } from '../engine.ts'
import { fromRow, inserted, type Row } from '../shared/rows.ts'
import { toUser } from './account-rows.ts'
import { type CredentialsRow, HAS_SECOND_FACTOR, type UserRow } from './statements.ts'

interface SessionRow extends UserRow {
  readonly sessionId: SessionId
  readonly createdAt: number
  readonly usedAt: number
  readonly expiresAt: number
  readonly appPasswordId: AppPasswordId | null
  readonly scope: AppPasswordScope | null
}

export function createSessionStore(db: Database, snapshot: Snapshot, queue: WriteQueue): SessionStore {
  const findByHash = db.prepare<SessionRow, [Uint8Array]>(
    `SELECT s.id AS sessionId, s.created_at AS createdAt, s.used_at AS usedAt, s.expires_at AS expiresAt,
            s.app_password_id AS appPasswordId, (SELECT scope FROM app_passwords WHERE id = s.app_password_id) AS scope,
            u.id, u.username, u.email, u.is_admin AS isAdmin, u.state
       FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.token_hash = +?1`,
  )
  const findUser = db.prepare<Pick<CredentialsRow, 'state' | 'passwordHash' | 'hasSecondFactor'>, [UserId]>(
    `SELECT u.state, u.password_hash AS passwordHash, ${HAS_SECOND_FACTOR} FROM users u WHERE u.id = ?1`,
  )
  const insert = db.prepare<
    { id: SessionId },
    [UserId, Uint8Array, number, number, string | null, AppPasswordId | null]
  >(
    `INSERT INTO sessions (user_id, token_hash, created_at, used_at, expires_at, client, app_password_id)
       VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6) RETURNING id`,
  )
  const useAppPassword = db.prepare<undefined, [AppPasswordId, UserId, number, string | null]>(
    'UPDATE app_passwords SET used_at = ?3, client = COALESCE(?4, client) WHERE id = ?1 AND user_id = ?2',
  )
  const noteAppPassword = db.prepare<undefined, [SessionId, number]>(
    'UPDATE app_passwords SET used_at = ?2 WHERE id = (SELECT app_password_id FROM sessions WHERE id = ?1)',
  )
  // Some apps log in before every request. Such one-use sessions must not displace sessions that are in use, so the
  // last ten logins and all sessions seen again later are kept longest. Within both groups, the least recently used go
  // first. The new session always stays, even if the clock is wrong.
  const dropBeyond = db.prepare<undefined, [UserId, number]>(
    `DELETE FROM sessions WHERE id IN
       (SELECT id FROM sessions WHERE user_id = ?1
         ORDER BY id = (SELECT MAX(id) FROM sessions WHERE user_id = ?1) DESC,
                  used_at > created_at OR id IN (SELECT id FROM sessions WHERE user_id = ?1 ORDER BY id DESC LIMIT 10) DESC,
                  used_at DESC, id DESC
         LIMIT -1 OFFSET ?2)`,
  )
  const update = db.prepare<undefined, [SessionId, number, number]>(
    'UPDATE sessions SET used_at = ?2, expires_at = ?3 WHERE id = ?1',
  )
  const remove = db.prepare<{ userId: UserId }, [SessionId]>(
    'DELETE FROM sessions WHERE id = ?1 RETURNING user_id AS userId',
  )
  const list = db.prepare<Row<ListedSession>, [UserId, number]>(
    `SELECT s.id, s.created_at AS createdAt, s.used_at AS usedAt, s.expires_at AS expiresAt, IFNULL(s.client, a.name) AS client
       FROM sessions s LEFT JOIN app_passwords a ON a.id = s.app_password_id
      WHERE s.user_id = +?1 AND s.expires_at > +?2 ORDER BY s.used_at DESC, s.id DESC`,
  )
  const removeOwn = db.prepare<undefined, [UserId, SessionId]>('DELETE FROM sessions WHERE user_id = ?1 AND id = ?2')
  const removeOthers = db.prepare<undefined, [UserId, SessionId | null]>(
    'DELETE FROM sessions WHERE user_id = ?1 AND id IS NOT ?2',
  )

  return {
    find: (tokenHash) =>
      snapshot.read(() => {
        const row = findByHash.get(tokenHash)
        if (!row) return undefined
        const { sessionId: id, createdAt, usedAt, expiresAt, appPasswordId, scope } = row
        const appPassword = appPasswordId === null || scope === null ? undefined : { id: appPasswordId, scope }
        return { id, user: toUser(row), createdAt, usedAt, expiresAt, appPassword }
      }),

    create: (userId, tokenHash, { at, expiresAt, client = null }, max, proof = {}) =>
      queue.run(userId, () => {
        const { verifiedHash, appPassword = null, secondFactor = false } = proof
        const user = findUser.get(userId)
        if (user?.state !== 'active') throw new DomainError('unauthorized', 'the account no longer exists')
        if (verifiedHash !== undefined && user.passwordHash !== verifiedHash)
          throw new DomainError('invalid_credentials', 'wrong username or password')
        if (verifiedHash !== undefined && user.hasSecondFactor !== 0 && !secondFactor)
          throw new DomainError('second_factor_required', 'this account now has a second factor')
        if (appPassword !== null && useAppPassword.run(appPassword, userId, at, client).changes === 0)
          throw new DomainError('invalid_credentials', 'unknown app password')
        const { id } = inserted(insert.get(userId, tokenHash, at, expiresAt, client, appPassword))
        dropBeyond.run(userId, max)
        return id
      }),

    touch: (id, { usedAt, expiresAt }) =>
      queue.run(null, () => {
        update.run(id, usedAt, expiresAt)
        noteAppPassword.run(id, usedAt)
      }),

    remove: (id) => queue.run(null, () => remove.get(id)?.userId),

    list: (userId, at) => snapshot.read(() => list.all(userId, at).map(fromRow<ListedSession>)),

    removeOwn: (userId, id) =>
      queue.run(userId, () => {
        if (removeOwn.run(userId, id).changes === 0) throw new DomainError('not_found', 'no such session')
      }),

    removeOthers: (userId, keep) => queue.run(userId, () => void removeOthers.run(userId, keep ?? null)),
  }
}
