import { and, count, countDistinct, eq, getTableColumns, type SQL, sql, sum } from 'drizzle-orm'
import type { UserStore } from '../../domain/account-ports.ts'
import { DomainError, invalid } from '../../domain/errors.ts'
import { emailKey } from '../../domain/identifiers.ts'
import type { UserSummary } from '../../domain/user.ts'
import { type AccountRows, toUser } from './account-rows.ts'
import { devices, podcasts, subscriptions, users } from './schema.ts'
import type { Snapshot } from './snapshot.ts'
import type { WriteQueue } from './write-queue.ts'

export function createUserStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): UserStore {
  const { db } = rows

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
      .where(condition)
      .groupBy(users.id)
      .orderBy(users.usernameKey)
      .all()
      .map((row) => ({ ...toUser(row), devices: row.devices, subscriptions: row.subscriptions }))
  }

  return {
    async findByName(username) {
      snapshot.use()
      return rows.find(username)
    },

    async findByEmail(key) {
      snapshot.use()
      const row = db.select().from(users).where(eq(users.emailKey, key)).get()
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
      if (!found) throw new DomainError('unknown_user', `unknown user: ${username}`)
      return found
    },

    async stats() {
      snapshot.use()
      const pairs = db
        .selectDistinct({ user: devices.userId, podcast: subscriptions.podcastId })
        .from(subscriptions)
        .innerJoin(devices, eq(devices.id, subscriptions.deviceId))
        .where(eq(subscriptions.subscribed, true))
        .as('pairs')
      const totals = db
        .select({ users: count(), episodeActions: sum(users.actionCount) })
        .from(users)
        .get()
      return {
        users: totals?.users ?? 0,
        devices: rows.count(devices),
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
        const added = rows.add(user, isAdmin, 'active')
        rows.note(deed, 'user_created', added.username)
        return added
      }),

    changePassword: (userId, passwordHash, keep) =>
      queue.run(() => {
        if (!rows.isThere(eq(users.id, userId))) throw new DomainError('unauthorized', 'the account no longer exists')
        rows.change(userId, { passwordHash })
        rows.endSessions(userId, keep)
        rows.endTokens(userId, 'password_reset')
      }),

    setPassword: (username, passwordHash, deed, keep) =>
      queue.run(() => {
        const user = rows.get(username)
        rows.change(user.id, { passwordHash })
        rows.endSessions(user.id, keep)
        rows.endTokens(user.id, 'password_reset')
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
        if (user.email !== undefined && user.state !== 'active') rows.dropMails(emailKey(user.email))
        rows.note(deed, active ? 'user_activated' : 'user_deactivated', user.username)
        return rows.change(user.id, { state: active ? 'active' : 'inactive' })
      }),

    remove: (username, deed) =>
      queue.run(() => {
        const user = rows.get(username)
        rows.keepAnAdmin(user)
        if (user.email !== undefined) rows.dropMails(emailKey(user.email))
        db.delete(users).where(eq(users.id, user.id)).run()
        rows.note(deed, 'user_deleted', user.username)
      }),
  }
}
