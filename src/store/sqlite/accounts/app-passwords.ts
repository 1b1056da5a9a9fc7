import type { Database } from 'bun:sqlite'
import { and, asc, count, eq, gt } from 'drizzle-orm'
import type {
  AppPassword,
  AppPasswordStore,
  LoginFlow,
  LoginFlowStore,
} from '../../../domain/accounts/ports/app-passwords.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import type { AppPasswordId, UserId } from '../../../domain/shared/ids.ts'
import { APP_PASSWORDS_MAX, tooManyAppPasswords } from '../../../domain/shared/limits.ts'
import { appPasswords, loginFlows, users } from '../core/schema/accounts.ts'
import type { Snapshot } from '../core/snapshot.ts'
import type { WriteQueue } from '../core/write-queue.ts'
import { type AccountRows, prove, toCredentials, toUser } from './account-rows.ts'

export function createAppPasswordStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): AppPasswordStore {
  const { db } = rows

  return {
    async find(passwordHash) {
      snapshot.use()
      const row = rows.statements.findAppPassword.get(passwordHash)
      if (!row || row.state === 'deleting') return undefined
      const { appPasswordId: id, scope } = row
      return {
        id,
        scope,
        usedAt: row.usedAt ?? undefined,
        user: toCredentials(row),
      }
    },

    noteUse: (id, at, client) =>
      queue.runDeferred(() => {
        const used = { usedAt: at, ...(client !== undefined && { client }) }
        db.update(appPasswords).set(used).where(eq(appPasswords.id, id)).run()
      }),

    list: (userId) =>
      snapshot.read(() =>
        db
          .select()
          .from(appPasswords)
          .where(eq(appPasswords.userId, userId))
          .orderBy(asc(appPasswords.id))
          .all()
          .map(toAppPassword),
      ),

    create: (session, userId, { name, scope, hash, at }) =>
      queue.run(() => {
        prove(rows, userId, { session }, 'session')
        refuseOneMore(rows, userId, at)
        return insert(rows, { userId, name, scope, passwordHash: Buffer.from(hash), createdAt: at })
      }),

    remove: (userId, id) =>
      queue.run(() => {
        const own = and(eq(appPasswords.userId, userId), eq(appPasswords.id, id))
        if (db.delete(appPasswords).where(own).returning({ id: appPasswords.id }).all().length === 0)
          throw new DomainError('not_found', 'no such app password')
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
  const dropBeyond = client.prepare<undefined, [number]>(
    `DELETE FROM login_flows WHERE id IN
       (SELECT id FROM login_flows WHERE user_id IS NULL
         ORDER BY id LIMIT MAX(0, (SELECT COUNT(*) FROM login_flows) - ?1))`,
  )

  const live = (hash: 'pollHash' | 'pageHash', value: Uint8Array, at: number) =>
    db
      .select()
      .from(loginFlows)
      .where(and(eq(loginFlows[hash], Buffer.from(value)), gt(loginFlows.expiresAt, at)))
      .get()

  return {
    begin: ({ pollHash, pageHash, userAgent, expiresAt }, max) =>
      queue.run(() => {
        const hashes = { pollHash: Buffer.from(pollHash), pageHash: Buffer.from(pageHash) }
        db.insert(loginFlows)
          .values({ ...hashes, userAgent, expiresAt })
          .run()
        dropBeyond.run(max)
      }),

    find: (pageHash, at) => snapshot.read(() => toFlow(live('pageHash', pageHash, at))),

    grant: (pageHash, session, userId, at) =>
      queue.run(() => {
        prove(rows, userId, { session }, 'session')
        const flow = live('pageHash', pageHash, at)
        if (!flow || (flow.userId !== null && flow.userId !== userId))
          throw new DomainError('not_found', 'the request of the app is unknown or has expired')
        if (flow.userId !== null) return
        refuseOneMore(rows, userId, at)
        db.update(loginFlows).set({ userId }).where(eq(loginFlows.id, flow.id)).run()
      }),

    findByPoll: (pollHash, at) => snapshot.read(() => toFlow(live('pollHash', pollHash, at))),

    collect: (pollHash, { name, hash }, at) =>
      queue.run(() => {
        const flow = live('pollHash', pollHash, at)
        if (!flow || flow.userId === null) return undefined
        // What ends the sessions of a user ends the flows as well, so this user is active.
        const user = db.select().from(users).where(eq(users.id, flow.userId)).get()
        if (!user) return undefined
        db.delete(loginFlows).where(eq(loginFlows.id, flow.id)).run()
        const passwordHash = Buffer.from(hash)
        insert(rows, { userId: user.id as UserId, name, scope: 'sync', passwordHash, createdAt: at })
        return toUser(user)
      }),
  }
}

function toAppPassword({ id, name, scope, createdAt, usedAt, client }: typeof appPasswords.$inferSelect): AppPassword {
  return { id: id as AppPasswordId, name, scope, createdAt, usedAt: usedAt ?? undefined, client: client ?? undefined }
}

function insert({ db }: AccountRows, values: typeof appPasswords.$inferInsert): AppPasswordId {
  return db.insert(appPasswords).values(values).returning({ id: appPasswords.id }).get().id as AppPasswordId
}

/**
 * Counts what has been granted and can still be collected, so that collecting never fails. Throws `quota_exceeded`.
 */
function refuseOneMore({ db }: AccountRows, userId: UserId, at: number): void {
  const made = db.select({ count: count() }).from(appPasswords).where(eq(appPasswords.userId, userId)).get()
  const live = and(eq(loginFlows.userId, userId), gt(loginFlows.expiresAt, at))
  const granted = db.select({ count: count() }).from(loginFlows).where(live).get()
  if ((made?.count ?? 0) + (granted?.count ?? 0) >= APP_PASSWORDS_MAX) throw tooManyAppPasswords()
}

function toFlow(row: typeof loginFlows.$inferSelect | undefined): LoginFlow | undefined {
  return row && { userAgent: row.userAgent, isGranted: row.userId !== null }
}
