import { and, asc, count, eq, gt, lte, notInArray } from 'drizzle-orm'
import type {
  AppPassword,
  AppPasswordStore,
  LoginFlow,
  LoginFlowStore,
} from '../../domain/accounts/ports/app-passwords.ts'
import { DomainError } from '../../domain/shared/errors.ts'
import type { AppPasswordId, UserId } from '../../domain/shared/ids.ts'
import { APP_PASSWORDS_MAX, tooManyAppPasswords } from '../../domain/shared/limits.ts'
import type { Database, Snapshot, WriteQueue } from '../engine.ts'
import { appPasswords, loginFlows, users } from '../schema/accounts.ts'
import { type AccountRows, prove, toCredentials, toUser } from './account-rows.ts'
import { prepareFlowExpiry } from './statements.ts'

const EXPIRED_AT_ONCE = 100

export function createAppPasswordStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): AppPasswordStore {
  const { db } = rows

  return {
    find: (passwordHash) =>
      snapshot.read(() => {
        const row = rows.statements.findAppPassword.get(passwordHash)
        if (!row || row.state === 'deleting') return undefined
        const { appPasswordId: id, scope } = row
        return {
          id,
          scope,
          usedAt: row.usedAt ?? undefined,
          user: toCredentials(row),
        }
      }),

    noteUse: (id, at, client) =>
      queue.runDeferred(null, () => {
        const used = { usedAt: at, ...(client !== undefined && { client }) }
        db.update(appPasswords).set(used).where(eq(appPasswords.id, id)).run()
      }),

    list: (userId, at) =>
      snapshot.read(() =>
        db
          .select()
          .from(appPasswords)
          .where(isLive(rows, userId, at))
          .orderBy(asc(appPasswords.id))
          .all()
          .map(toAppPassword),
      ),

    create: (session, userId, { name, scope, hash, at }) =>
      queue.run(userId, () => {
        prove(rows, userId, { session }, 'session')
        refuseOneMore(rows, userId, at)
        return insert(rows, { userId, name, scope, passwordHash: Buffer.from(hash), createdAt: at })
      }),

    remove: (userId, id) =>
      queue.run(userId, () => {
        const own = and(eq(appPasswords.userId, userId), eq(appPasswords.id, id))
        const removed = db.delete(appPasswords).where(own).returning({ hash: appPasswords.passwordHash }).get()
        if (!removed) throw new DomainError('not_found', 'no such app password')
        db.delete(loginFlows).where(eq(loginFlows.pollHash, removed.hash)).run()
      }),
  }
}

export function createLoginFlowStore(
  client: Database,
  rows: AccountRows,
  snapshot: Snapshot,
  queue: WriteQueue,
): LoginFlowStore {
  const { db } = rows
  const removeExpired = prepareFlowExpiry(client)

  const live = (hash: 'pollHash' | 'pageHash', value: Uint8Array, at: number) =>
    db
      .select()
      .from(loginFlows)
      .where(and(eq(loginFlows[hash], Buffer.from(value)), gt(loginFlows.expiresAt, at)))
      .get()

  return {
    begin: ({ pollHash, pageHash, userAgent, expiresAt }, max, at) =>
      queue.run('accounts', () => {
        removeExpired(at, EXPIRED_AT_ONCE)
        const underWay = db.select({ count: count() }).from(loginFlows).where(gt(loginFlows.expiresAt, at)).get()
        if ((underWay?.count ?? 0) >= max)
          throw new DomainError('unavailable', 'too many apps are waiting for access, try again later', {
            retryAfter: 60,
          })
        const hashes = { pollHash: Buffer.from(pollHash), pageHash: Buffer.from(pageHash) }
        db.insert(loginFlows)
          .values({ ...hashes, userAgent, expiresAt })
          .run()
      }),

    find: (pageHash, at) => snapshot.read(() => toFlow(live('pageHash', pageHash, at))),

    grant: (pageHash, session, userId, at) =>
      queue.run(userId, () => {
        prove(rows, userId, { session }, 'session')
        const flow = live('pageHash', pageHash, at)
        if (!flow || (flow.userId !== null && flow.userId !== userId))
          throw new DomainError('not_found', 'the request of the app is unknown or has expired')
        if (flow.userId !== null) return
        refuseOneMore(rows, userId, at)
        // A poll token does not have the format of an app password, so this one is unusable until it is collected.
        const passwordHash = flow.pollHash
        insert(rows, { userId, name: flow.userAgent, scope: 'sync', passwordHash, createdAt: at })
        db.update(loginFlows).set({ userId }).where(eq(loginFlows.id, flow.id)).run()
      }),

    findByPoll: (pollHash, at) => snapshot.read(() => toFlow(live('pollHash', pollHash, at))),

    collect: (pollHash, passwordHash, at) =>
      queue.run('accounts', () => {
        const flow = live('pollHash', pollHash, at)
        if (!flow || flow.userId === null) return undefined
        db.delete(loginFlows).where(eq(loginFlows.id, flow.id)).run()
        // Flows end together with the sessions of a user, so this user is active.
        const user = db.select().from(users).where(eq(users.id, flow.userId)).get()
        const granted = db
          .update(appPasswords)
          .set({ passwordHash: Buffer.from(passwordHash) })
          .where(eq(appPasswords.passwordHash, flow.pollHash))
          .returning({ id: appPasswords.id })
          .get()
        return user && granted && toUser(user)
      }),
  }
}

function toAppPassword({ id, name, scope, createdAt, usedAt, client }: typeof appPasswords.$inferSelect): AppPassword {
  return { id: id as AppPasswordId, name, scope, createdAt, usedAt: usedAt ?? undefined, client: client ?? undefined }
}

function insert({ db }: AccountRows, values: typeof appPasswords.$inferInsert): AppPasswordId {
  return db.insert(appPasswords).values(values).returning({ id: appPasswords.id }).get().id as AppPasswordId
}

function isLive({ db }: AccountRows, userId: UserId, at: number) {
  const expired = and(eq(loginFlows.userId, userId), lte(loginFlows.expiresAt, at))
  const uncollected = db.select({ hash: loginFlows.pollHash }).from(loginFlows).where(expired)
  return and(eq(appPasswords.userId, userId), notInArray(appPasswords.passwordHash, uncollected))
}

/** Throws `quota_exceeded`. */
function refuseOneMore(rows: AccountRows, userId: UserId, at: number): void {
  const existing = rows.db
    .select({ count: count() })
    .from(appPasswords)
    .where(isLive(rows, userId, at))
    .get()
  if ((existing?.count ?? 0) >= APP_PASSWORDS_MAX) throw tooManyAppPasswords()
}

function toFlow(row: typeof loginFlows.$inferSelect | undefined): LoginFlow | undefined {
  return row && { userAgent: row.userAgent, isGranted: row.userId !== null }
}
