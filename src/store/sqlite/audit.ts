import { desc } from 'drizzle-orm'
import type { AuditAction, AuditEntry, AuditStore } from '../../domain/account-ports.ts'
import type { AccountRows } from './account-rows.ts'
import { auditLog } from './schema.ts'
import type { Snapshot } from './snapshot.ts'
import type { WriteQueue } from './write-queue.ts'

export function createAuditStore(rows: AccountRows, snapshot: Snapshot, queue: WriteQueue): AuditStore {
  const { db } = rows
  return {
    add: (deed, action, target) => queue.run(() => rows.note(deed, action, target)),

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
