import { and, eq } from 'drizzle-orm'
import { usernameKey } from '../../domain/accounts/identifiers.ts'
import type { Identity, IdentityKey, IdentityStore } from '../../domain/accounts/ports/identities.ts'
import { DomainError } from '../../domain/shared/errors.ts'
import type { IdentityId, UserId } from '../../domain/shared/ids.ts'
import type { Snapshot, WriteQueue } from '../engine.ts'
import { identities, users } from '../schema/accounts.ts'
import { type AccountRows, toUser } from './account-rows.ts'

export function createIdentityStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): IdentityStore {
  const { db } = rows

  function findUser({ issuer, subject }: IdentityKey) {
    const row = db
      .select({ user: users })
      .from(identities)
      .innerJoin(users, eq(users.id, identities.userId))
      .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)))
      .get()
    return row && toUser(row.user)
  }

  function add(userId: UserId, { issuer, subject }: IdentityKey, at: number): void {
    db.insert(identities).values({ userId, issuer, subject, createdAt: at }).run()
  }

  function firstFree(usernames: Iterable<string>): string {
    for (const name of usernames) if (!rows.isThere(eq(users.usernameKey, usernameKey(name)))) return name
    throw new DomainError('username_taken', 'no username is free')
  }

  return {
    findUser: (identity) => snapshot.read(() => findUser(identity)),

    list: (userId) =>
      snapshot.read(() =>
        db.select().from(identities).where(eq(identities.userId, userId)).orderBy(identities.id).all().map(toIdentity),
      ),

    signUp: (identity, { usernames, emailKey, email, mayCreate }, at) =>
      queue.run('accounts', () => {
        const existing = findUser(identity)
        if (existing) return existing
        if (emailKey !== undefined && rows.isThere(eq(users.emailKey, emailKey)))
          throw new DomainError('email_taken', 'an account with this email address exists', { field: 'email' })
        const isFirst = !rows.anyActive()
        if (!isFirst && !mayCreate) throw new DomainError('registration_closed', 'registration is closed')
        const user = rows.add({ username: firstFree(usernames), email, at }, isFirst, 'active')
        add(user.id, identity, at)
        return user
      }),

    link: (userId, identity, at) =>
      queue.run('accounts', () => {
        if (!rows.isThere(eq(users.id, userId))) throw new DomainError('unauthorized', 'the account no longer exists')
        const holder = findUser(identity)
        if (holder?.id === userId) return
        const other = and(eq(identities.userId, userId), eq(identities.issuer, identity.issuer))
        if (holder || db.select().from(identities).where(other).get())
          throw new DomainError('identity_taken', 'this identity, or this account, is linked already')
        add(userId, identity, at)
      }),

    unlink: (userId, id) =>
      queue.run('accounts', () => {
        const own = and(eq(identities.id, id), eq(identities.userId, userId))
        if (!db.select().from(identities).where(own).get()) throw new DomainError('not_found', 'no such identity')
        const user = db.select().from(users).where(eq(users.id, userId)).get()
        if (!user?.passwordHash)
          throw new DomainError('no_password', 'set a password first, so that you can still sign in')
        db.delete(identities).where(own).run()
      }),
  }
}

function toIdentity({ id, issuer, subject, createdAt }: typeof identities.$inferSelect): Identity {
  return { id: id as IdentityId, issuer, subject, createdAt }
}
