import { and, count, eq, lt } from 'drizzle-orm'
import type { SecondFactorStore } from '../../domain/accounts/ports/second-factor.ts'
import { noSecondFactor, secondFactorExists } from '../../domain/accounts/second-factor.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import type { Snapshot, WriteQueue } from '../engine.ts'
import { recoveryCodes, secondFactors } from '../schema/accounts.ts'
import { type AccountRows, prove, toUser } from './account-rows.ts'

export function createSecondFactorStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): SecondFactorStore {
  const { db } = rows

  const find = (userId: UserId) => db.select().from(secondFactors).where(eq(secondFactors.userId, userId)).get()

  const inUse = (userId: UserId, secret: Uint8Array) =>
    and(eq(secondFactors.userId, userId), eq(secondFactors.secret, Buffer.from(secret)))

  /** Throws `no_second_factor`. */
  function needInUse(userId: UserId, secret: Uint8Array): void {
    if (!db.select({ userId: secondFactors.userId }).from(secondFactors).where(inUse(userId, secret)).get())
      throw noSecondFactor()
  }

  function remove(userId: UserId): void {
    db.delete(secondFactors).where(eq(secondFactors.userId, userId)).run()
    db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)).run()
  }

  function replaceRecoveryCodes(userId: UserId, hashes: readonly Uint8Array[]): void {
    db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)).run()
    db.insert(recoveryCodes)
      .values(hashes.map((hash) => ({ userId, codeHash: Buffer.from(hash) })))
      .run()
  }

  return {
    find: (userId) =>
      snapshot.read(() => {
        const row = find(userId)
        if (!row) return undefined
        const remaining = db
          .select({ count: count() })
          .from(recoveryCodes)
          .where(eq(recoveryCodes.userId, userId))
          .get()
        const { secret, lastStep, createdAt } = row
        return { secret, lastStep, createdAt, recoveryCodes: remaining?.count ?? 0 }
      }),

    enable: (userId, { secret, lastStep, at }, recoveryHashes, proof, keep) =>
      queue.run(userId, () => {
        prove(rows, userId, proof, 'password')
        prove(rows, userId, { session: keep }, 'session')
        if (find(userId)) throw secondFactorExists()
        db.insert(secondFactors)
          .values({ userId, secret: Buffer.from(secret), lastStep, createdAt: at })
          .run()
        replaceRecoveryCodes(userId, recoveryHashes)
        rows.endSessions(userId, keep)
        rows.endLoginFlows(userId)
      }),

    useStep: (userId, secret, step) =>
      queue.run(userId, () => {
        const isLater = and(inUse(userId, secret), lt(secondFactors.lastStep, step))
        const used = db.update(secondFactors).set({ lastStep: step }).where(isLater)
        return used.returning({ userId: secondFactors.userId }).all().length > 0
      }),

    useRecoveryCode: (userId, hash) =>
      queue.run(userId, () => {
        const same = and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.codeHash, Buffer.from(hash)))
        return db.delete(recoveryCodes).where(same).returning({ userId: recoveryCodes.userId }).all().length > 0
      }),

    replaceRecoveryCodes: (userId, secret, hashes, proof) =>
      queue.run(userId, () => {
        prove(rows, userId, proof, 'password')
        needInUse(userId, secret)
        replaceRecoveryCodes(userId, hashes)
      }),

    disable: (userId, secret, proof) =>
      queue.run(userId, () => {
        prove(rows, userId, proof, 'password')
        needInUse(userId, secret)
        remove(userId)
      }),

    reset: (username, auditContext) =>
      queue.run('accounts', () => {
        const user = rows.get(username)
        if (!find(user.id)) throw noSecondFactor()
        remove(user.id)
        rows.note(auditContext, 'second_factor_reset', user.username)
        return toUser({ ...user, email: user.email ?? null })
      }),
  }
}
