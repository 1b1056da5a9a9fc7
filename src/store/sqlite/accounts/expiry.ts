import type { Database } from 'bun:sqlite'
import type { ExpiryStore } from '../../../domain/accounts/ports.ts'
import type { WriteQueue } from '../core/write-queue.ts'

/** Each statement finds what it removes by an index and stops at its limit, so that nobody waits for a clean-up. */
export function createExpiryStore(db: Database, queue: WriteQueue): ExpiryStore {
  const remove = (table: string, condition: string) =>
    db.prepare<undefined, [number, number]>(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${condition} LIMIT ?2)`,
    )
  const sessions = remove('sessions', 'expires_at <= ?1')
  const tokens = remove('tokens', 'expires_at <= ?1')
  const auditEntries = db.prepare<undefined, [number, number, number]>(
    `DELETE FROM audit_log WHERE id IN
       (SELECT id FROM audit_log WHERE at < ?1 AND id <= (SELECT MAX(id) FROM audit_log) - ?3 LIMIT ?2)`,
  )
  const pendingMails = db.prepare<undefined, [number, number]>(
    `DELETE FROM mails WHERE email_key IN
       (SELECT email_key FROM users WHERE state = 'pending_activation' AND created_at < ?1 ORDER BY id LIMIT ?2)`,
  )
  const pendingAccounts = db.prepare<undefined, [number, number]>(
    `DELETE FROM users WHERE id IN
       (SELECT id FROM users WHERE state = 'pending_activation' AND created_at < ?1 ORDER BY id LIMIT ?2)`,
  )

  return {
    purge: ({ now, pendingBefore, auditBefore, auditKept }, limit) =>
      queue.run(() => {
        pendingMails.run(pendingBefore, limit)
        return {
          sessions: sessions.run(now, limit).changes,
          tokens: tokens.run(now, limit).changes,
          pendingAccounts: pendingAccounts.run(pendingBefore, limit).changes,
          auditEntries: auditEntries.run(auditBefore, limit, auditKept).changes,
        }
      }),
  }
}
