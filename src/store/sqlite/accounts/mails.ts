import { and, asc, eq, gt, lte, or } from 'drizzle-orm'
import { LONGEST_PAUSE } from '../../../domain/accounts/mail.ts'
import type { MailStore, WaitingMail } from '../../../domain/accounts/ports.ts'
import { fromRow } from '../core/rows.ts'
import { mails } from '../core/schema.ts'
import type { Snapshot } from '../core/snapshot.ts'
import type { WriteQueue } from '../core/write-queue.ts'
import type { AccountRows } from './account-rows.ts'

export function createMailStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): MailStore {
  const { db } = rows

  /** The mail as it was read: it may have been requested again while it was being sent. */
  const asTaken = ({ id, requestedAt }: WaitingMail) => and(eq(mails.id, id), eq(mails.requestedAt, requestedAt))

  return {
    request: (purpose, emailKey, at, max = Number.POSITIVE_INFINITY) =>
      queue.run(() => {
        const waiting = and(eq(mails.purpose, purpose), eq(mails.emailKey, emailKey))
        const isNew = db.select().from(mails).where(waiting).get() === undefined
        if (isNew && rows.count(mails) >= max) return false
        rows.requestMail(purpose, emailKey, at)
        return true
      }),

    async due(at, limit) {
      snapshot.use()
      // What is further away than any pause can be was written by a clock that has been put right since.
      const isDue = or(lte(mails.nextAttemptAt, at), gt(mails.nextAttemptAt, at + LONGEST_PAUSE))
      const due = db.select().from(mails).where(isDue)
      return due
        .orderBy(asc(mails.nextAttemptAt), asc(mails.id))
        .limit(limit)
        .all()
        .map(fromRow<WaitingMail>)
    },

    postpone: (mail, nextAttemptAt, lastError) =>
      queue.run(() => {
        const attempts = mail.attempts + 1
        db.update(mails).set({ attempts, nextAttemptAt, lastError }).where(asTaken(mail)).run()
      }),

    remove: (mail) => queue.run(() => void db.delete(mails).where(asTaken(mail)).run()),

    async waiting(limit) {
      snapshot.use()
      const all = db.select().from(mails).orderBy(asc(mails.id)).limit(limit).all()
      return { total: rows.count(mails), mails: all.map(fromRow<WaitingMail>) }
    },
  }
}
