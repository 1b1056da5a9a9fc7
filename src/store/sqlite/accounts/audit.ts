import { desc } from 'drizzle-orm'
import type { AuditAction, AuditEntry, AuditStore } from '../../../domain/accounts/ports.ts'
import { auditLog } from '../core/schema.ts'
import type { Snapshot } from '../core/snapshot.ts'
import type { WriteQueue } from '../core/write-queue.ts'
import type { AccountRows } from './account-rows.ts'

export function createAuditStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): AuditStore {
  const { db } = rows
  return {
    add: (auditContext, action, target) => queue.run(() => rows.note(auditContext, action, target)),

    async page(offset, limit) {
      snapshot.use()
      const entries = db.select().from(auditLog).orderBy(desc(auditLog.id)).limit(limit).offset(offset).all()
      return { total: rows.count(auditLog), entries: entries.map(toEntry) }
    },
  }
}

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
