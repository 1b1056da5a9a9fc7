import { and, count, countDistinct, desc, eq, getTableColumns, inArray, ne, or, type SQL, sql, sum } from 'drizzle-orm'
import { emailKey, usernameKey } from '../../domain/accounts/identifiers.ts'
import type { AuditAction, AuditEntry, AuditStore } from '../../domain/accounts/ports/audit-log.ts'
import type { User, UserStore, UserSummary } from '../../domain/accounts/ports/users.ts'
import { DomainError, invalid, unknownUser } from '../../domain/shared/errors.ts'
import type { SessionId, UserId } from '../../domain/shared/ids.ts'
import type { Snapshot, WriteQueue } from '../engine.ts'
import { auditLog, users } from '../schema/accounts.ts'
import { devices } from '../schema/devices.ts'
import { podcasts } from '../schema/podcasts.ts'
import { subscriptions } from '../schema/subscriptions.ts'
import type { AccountRemoval } from './account-removal.ts'
import { type AccountRows, prove, toUser } from './account-rows.ts'

export function createUserStore(
  rows: AccountRows,
  removal: AccountRemoval,
  snapshot: Snapshot,
  queue: WriteQueue,
): UserStore {
  const { db } = rows
  const isKept = ne(users.state, 'deleting')

  function summaries(condition?: SQL): UserSummary[] {
    return db
      .select({
        ...getTableColumns(users),
        devices: countDistinct(devices.id),
        subscriptions: countDistinct(subscriptions.podcastId),
        hasSecondFactor: sql<number>`EXISTS (SELECT 1 FROM second_factors WHERE user_id = ${users.id})`,
        invitationEnd: sql<number | null>`(SELECT MAX(expires_at) FROM tokens
          WHERE user_id = ${users.id} AND purpose = 'invitation')`,
      })
      .from(users)
      .leftJoin(devices, eq(devices.userId, users.id))
      .leftJoin(subscriptions, and(eq(subscriptions.deviceId, devices.id), eq(subscriptions.subscribed, true)))
      .where(and(condition, isKept))
      .groupBy(users.id)
      .orderBy(users.usernameKey)
      .all()
      .map((row) => {
        const { devices, subscriptions, createdAt, invitationEnd } = row
        const isInvited = row.state === 'pending_activation' && row.passwordHash === null
        const invitation = isInvited ? { expiresAt: invitationEnd ?? undefined } : undefined
        return {
          ...toUser(row),
          devices,
          subscriptions,
          createdAt,
          hasSecondFactor: row.hasSecondFactor !== 0,
          invitation,
        }
      })
  }

  /** Replaces the password and ends all access based on the old one (docs/protocol.md#D29). */
  function replacePassword(user: User, passwordHash: string, keep: SessionId | undefined): void {
    rows.change(user.id, { passwordHash })
    rows.endSessions(user.id, keep)
    rows.endTokens(user.id, 'password_reset')
    rows.endTokens(user.id, 'invitation')
    rows.dropMails(user, 'password_reset')
  }

  return {
    findByName: (username) => snapshot.read(() => rows.find(username)),

    findByEmail: (key) =>
      snapshot.read(() => {
        const row = db
          .select()
          .from(users)
          .where(and(eq(users.emailKey, key), isKept))
          .get()
        return row && toUser(row)
      }),

    anyActive: () => snapshot.read(() => rows.anyActive()),

    list: () => snapshot.read(() => summaries()),

    summary: (username) =>
      snapshot.read(() => {
        const [found] = summaries(eq(users.id, rows.get(username).id))
        if (!found) throw unknownUser(username)
        return found
      }),

    count: () => snapshot.read(() => db.select({ count: count() }).from(users).where(isKept).get()?.count ?? 0),

    stats: () =>
      snapshot.read(() => {
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
      }),

    register: (user, mode, mailIn) =>
      queue.run('accounts', () => {
        if (!rows.anyActive()) return rows.add(user, true, 'active')
        if (mode === 'closed') throw new DomainError('registration_closed', 'registration is closed')
        if (mode === 'invite' && user.email === undefined) throw invalid('email', 'an email address is required')
        const added = rows.add(user, false, mode === 'open' ? 'active' : 'pending_activation')
        if (added.state === 'pending_activation' && added.email !== undefined && mailIn)
          rows.requestMail({ purpose: 'activation', emailKey: emailKey(added.email), language: mailIn }, user.at)
        return added
      }),

    create: (user, isAdmin, auditContext) =>
      queue.run('accounts', () => {
        const added = rows.add(user, isAdmin === 'if_first' ? !rows.anyActive() : isAdmin, 'active')
        rows.note(auditContext, 'user_created', added.username)
        return added
      }),

    changePassword: (userId, passwordHash, proof, keep) =>
      queue.run(userId, () => {
        replacePassword(prove(rows, userId, proof, 'old_password'), passwordHash, keep)
      }),

    setPassword: (username, passwordHash, auditContext, keep) =>
      queue.run('accounts', () => {
        const user = rows.get(username)
        replacePassword(user, passwordHash, keep)
        rows.endAppPasswords(user.id)
        rows.switchWebhookOff(user.id)
        rows.endLoginFlows(user.id)
        rows.note(auditContext, 'password_set', user.username)
      }),

    setAdmin: (username, isAdmin, auditContext) =>
      queue.run('accounts', () => {
        const user = rows.get(username)
        if (!isAdmin) rows.keepAnAdmin(user)
        rows.note(auditContext, isAdmin ? 'admin_granted' : 'admin_revoked', user.username)
        return rows.change(user.id, { isAdmin })
      }),

    setActive: (username, active, auditContext) =>
      queue.run('accounts', () => {
        const user = rows.get(username)
        if (active) rows.needWayIn(user)
        else {
          rows.keepAnAdmin(user)
          rows.endSessions(user.id)
          rows.endLoginFlows(user.id)
        }
        rows.endTokens(user.id, active ? 'activation' : undefined)
        rows.endTokens(user.id, 'invitation')
        if (user.state !== 'active' || !active) rows.dropMails(user)
        rows.note(auditContext, active ? 'user_activated' : 'user_deactivated', user.username)
        return rows.change(user.id, { state: active ? 'active' : 'inactive' })
      }),

    async remove(username, auditContext) {
      await removal.finish(await queue.run('accounts', () => removal.begin(rows.get(username), auditContext)))
    },

    changeEmail: (userId, email, proof) =>
      queue.run('accounts', () => {
        const user = prove(rows, userId, proof, 'password')
        const before = user.email === undefined ? null : emailKey(user.email)
        const after = email === undefined ? null : emailKey(email)
        if (after !== null && rows.isThere(and(eq(users.emailKey, after), ne(users.id, userId))))
          throw new DomainError('email_taken', 'an account with this email address exists', { field: 'email' })
        if (after !== before) {
          // They would give access to a reader of the old mailbox.
          rows.dropMails(user, 'password_reset')
          rows.endTokens(userId, 'password_reset')
        }
        rows.change(userId, { email: email ?? null, emailKey: after })
      }),

    async removeOwn(userId, proof, auditContext) {
      await removal.finish(
        await queue.run('accounts', () => removal.begin(prove(rows, userId, proof, 'password'), auditContext)),
      )
    },

    async finishDeletions() {
      const unfinished = await snapshot.read(() =>
        db.select({ id: users.id }).from(users).where(eq(users.state, 'deleting')).all(),
      )
      for (const { id } of unfinished) await removal.finish(id as UserId)
    },
  }
}

export function createAuditStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): AuditStore {
  const { db } = rows
  return {
    add: (auditContext, action, target) => queue.run(null, () => rows.note(auditContext, action, target)),

    page: (offset, limit, { actions, username } = {}) =>
      snapshot.read(() => {
        const key = username === undefined ? undefined : usernameKey(username)
        const condition = and(
          actions && inArray(auditLog.action, [...actions]),
          key === undefined ? undefined : or(eq(lower(auditLog.actor), key), eq(lower(auditLog.target), key)),
        )
        const page = db.select().from(auditLog).where(condition).orderBy(desc(auditLog.id)).limit(limit).offset(offset)
        const total = db.select({ count: count() }).from(auditLog).where(condition).get()?.count ?? 0
        return { total, entries: page.all().map(toEntry) }
      }),
  }
}

/** SQLite's function converts only ASCII letters, like `usernameKey`. */
const lower = (column: typeof auditLog.actor | typeof auditLog.target) => sql<string>`lower(${column})`

function toEntry({ id, at, actor, via, action, target }: typeof auditLog.$inferSelect): AuditEntry {
  // Only `note` writes actions, and it takes no other words.
  return {
    id,
    at,
    actor: { name: actor ?? undefined, via },
    action: action as AuditAction,
    target: target ?? undefined,
  }
}
