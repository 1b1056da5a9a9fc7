import type { Database } from 'bun:sqlite'
import { and, count, countDistinct, eq, getTableColumns, ne, type SQL, sql, sum } from 'drizzle-orm'
import type { UserStore } from '../../domain/account-ports.ts'
import { DomainError, invalid, unknownUser } from '../../domain/errors.ts'
import { emailKey } from '../../domain/identifiers.ts'
import type { SessionId, UserId } from '../../domain/ids.ts'
import type { User, UserSummary } from '../../domain/user.ts'
import { type AccountRows, toUser } from './account-rows.ts'
import { devices, podcasts, sessions, subscriptions, users } from './schema.ts'
import type { Snapshot } from './snapshot.ts'
import type { WriteQueue } from './write-queue.ts'

/** Some ten milliseconds' work. */
const ACTIONS_AT_ONCE = 2000

export function createUserStore(client: Database, rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): UserStore {
  const { db } = rows
  const isKept = ne(users.state, 'deleting')
  const deleteActions = client.prepare<undefined, [UserId, number]>(
    'DELETE FROM episode_actions WHERE id IN (SELECT id FROM episode_actions WHERE user_id = ?1 LIMIT ?2)',
  )

  function summaries(condition?: SQL): UserSummary[] {
    return db
      .select({
        ...getTableColumns(users),
        devices: countDistinct(devices.id),
        subscriptions: countDistinct(subscriptions.podcastId),
      })
      .from(users)
      .leftJoin(devices, eq(devices.userId, users.id))
      .leftJoin(subscriptions, and(eq(subscriptions.deviceId, devices.id), eq(subscriptions.subscribed, true)))
      .where(and(condition, isKept))
      .groupBy(users.id)
      .orderBy(users.usernameKey)
      .all()
      .map((row) => ({ ...toUser(row), devices: row.devices, subscriptions: row.subscriptions }))
  }

  const hasSession = (userId: UserId, id: SessionId) =>
    db
      .select({ id: sessions.id })
      .from(sessions)
      .where(and(eq(sessions.id, id), eq(sessions.userId, userId)))
      .get() !== undefined

  /** Whatever could still let in somebody who knew the old one ends with it (protocol.md D29). */
  function replacePassword(user: User, passwordHash: string, keep: SessionId | undefined): void {
    rows.change(user.id, { passwordHash })
    rows.endSessions(user.id, keep)
    rows.endTokens(user.id, 'password_reset')
    rows.dropMails(user, 'password_reset')
  }

  /** Piece by piece, so that nobody waits for years of history to go. */
  async function finishDeletion(id: UserId): Promise<void> {
    while (await queue.run(() => deleteActions.run(id, ACTIONS_AT_ONCE).changes === ACTIONS_AT_ONCE));
    await queue.run(() => void db.delete(users).where(eq(users.id, id)).run())
  }

  return {
    async findByName(username) {
      snapshot.use()
      return rows.find(username)
    },

    async findByEmail(key) {
      snapshot.use()
      const row = db
        .select()
        .from(users)
        .where(and(eq(users.emailKey, key), isKept))
        .get()
      return row && toUser(row)
    },

    async anyActive() {
      snapshot.use()
      return rows.anyActive()
    },

    async list() {
      snapshot.use()
      return summaries()
    },

    async summary(username) {
      snapshot.use()
      const [found] = summaries(eq(users.id, rows.get(username).id))
      if (!found) throw unknownUser(username)
      return found
    },

    async stats() {
      snapshot.use()
      const pairs = db
        .selectDistinct({ user: devices.userId, podcast: subscriptions.podcastId })
        .from(subscriptions)
        .innerJoin(devices, eq(devices.id, subscriptions.deviceId))
        .innerJoin(users, eq(users.id, devices.userId))
        .where(and(eq(subscriptions.subscribed, true), isKept))
        .as('pairs')
      const totals = db
        .select({ users: count(), episodeActions: sum(users.actionCount) })
        .from(users)
        .where(isKept)
        .get()
      const owned = db
        .select({ count: count() })
        .from(devices)
        .innerJoin(users, eq(users.id, devices.userId))
        .where(isKept)
        .get()
      return {
        users: totals?.users ?? 0,
        devices: owned?.count ?? 0,
        subscriptions: db.select({ count: sql<number>`count(*)` }).from(pairs).get()?.count ?? 0,
        podcasts: rows.count(podcasts),
        episodeActions: Number(totals?.episodeActions ?? 0),
      }
    },

    register: (user, mode, mailActivation) =>
      queue.run(() => {
        if (!rows.anyActive()) return rows.add(user, true, 'active')
        if (mode === 'closed') throw new DomainError('registration_closed', 'registration is closed')
        if (mode === 'invite' && user.email === undefined) throw invalid('email', 'an email address is required')
        const added = rows.add(user, false, mode === 'open' ? 'active' : 'pending_activation')
        if (added.state === 'pending_activation' && added.email !== undefined && mailActivation)
          rows.requestMail('activation', emailKey(added.email), user.at)
        return added
      }),

    create: (user, isAdmin, deed) =>
      queue.run(() => {
        const added = rows.add(user, isAdmin === 'if_first' ? !rows.anyActive() : isAdmin, 'active')
        rows.note(deed, 'user_created', added.username)
        return added
      }),

    changePassword: (userId, passwordHash, proof, keep) =>
      queue.run(() => {
        const row = db.select().from(users).where(eq(users.id, userId)).get()
        if (!row) throw new DomainError('unauthorized', 'the account no longer exists')
        if ('session' in proof && !hasSession(userId, proof.session))
          throw new DomainError('unauthorized', 'the session has ended')
        if ('verifiedHash' in proof && row.passwordHash !== proof.verifiedHash)
          throw new DomainError('wrong_password', 'old_password is wrong', { field: 'old_password' })
        replacePassword(toUser(row), passwordHash, keep)
      }),

    setPassword: (username, passwordHash, deed, keep) =>
      queue.run(() => {
        const user = rows.get(username)
        replacePassword(user, passwordHash, keep)
        rows.note(deed, 'password_set', user.username)
      }),

    setAdmin: (username, isAdmin, deed) =>
      queue.run(() => {
        const user = rows.get(username)
        if (!isAdmin) rows.keepAnAdmin(user)
        rows.note(deed, isAdmin ? 'admin_granted' : 'admin_revoked', user.username)
        return rows.change(user.id, { isAdmin })
      }),

    setActive: (username, active, deed) =>
      queue.run(() => {
        const user = rows.get(username)
        if (!active) {
          rows.keepAnAdmin(user)
          rows.endSessions(user.id)
        }
        rows.endTokens(user.id, active ? 'activation' : undefined)
        if (user.state !== 'active' || !active) rows.dropMails(user)
        rows.note(deed, active ? 'user_activated' : 'user_deactivated', user.username)
        return rows.change(user.id, { state: active ? 'active' : 'inactive' })
      }),

    async remove(username, deed) {
      const { id } = await queue.run(() => {
        const user = rows.get(username)
        rows.keepAnAdmin(user)
        // Gone for everybody from now on, whatever happens; what is left is work.
        rows.endSessions(user.id)
        rows.endTokens(user.id)
        rows.dropMails(user)
        rows.note(deed, 'user_deleted', user.username)
        return rows.change(user.id, { state: 'deleting', isAdmin: false })
      })
      await finishDeletion(id)
    },

    async finishDeletions() {
      snapshot.use()
      const left = db.select({ id: users.id }).from(users).where(eq(users.state, 'deleting')).all()
      for (const { id } of left) await finishDeletion(id as UserId)
    },
  }
}
