import { and, asc, eq, lte } from 'drizzle-orm'
import type { MailStore, WaitingMail } from '../../domain/account-ports.ts'
import type { AccountRows } from './account-rows.ts'
import { mails } from './schema.ts'
import type { Snapshot } from './snapshot.ts'
import type { WriteQueue } from './write-queue.ts'

export function createMailStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): MailStore {
  const { db } = rows

  /** The mail as it was taken: somebody may have requested it anew while it was being sent. */
  const asTaken = ({ id, requestedAt }: WaitingMail) => and(eq(mails.id, id), eq(mails.requestedAt, requestedAt))

  return {
    request: (purpose, emailKey, at) => queue.run(() => rows.requestMail(purpose, emailKey, at)),

    async due(at, limit) {
      snapshot.use()
      const due = db.select().from(mails).where(lte(mails.nextAttemptAt, at))
      return due.orderBy(asc(mails.nextAttemptAt), asc(mails.id)).limit(limit).all().map(toWaitingMail)
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
      return { total: rows.count(mails), mails: all.map(toWaitingMail) }
    },
  }
}

function toWaitingMail({ lastError, ...row }: typeof mails.$inferSelect): WaitingMail {
  return { ...row, lastError: lastError ?? undefined }
}
