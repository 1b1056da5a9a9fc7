import { eq } from 'drizzle-orm'
import type { AuditAction, AuditContext } from '../../domain/accounts/ports/audit-log.ts'
import type { User } from '../../domain/accounts/ports/users.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import type { Database, WriteQueue } from '../engine.ts'
import { users } from '../schema/accounts.ts'
import type { AccountRows } from './account-rows.ts'

export type AccountRemoval = ReturnType<typeof createAccountRemoval>

const ROWS_AT_ONCE = 500

const OWN = 'user_id = ?1'
const OF_OWN_DEVICES = 'device_id IN (SELECT id FROM devices WHERE user_id = ?1)'
const PODCAST_SETTINGS = `${OWN} AND scope = 'podcast' ORDER BY target`

/** Tables with many rows per user, in order of removal; `listeners` comes last, since others refer to it. */
const TABLES = [
  ['episode_actions', 'id', OWN],
  ['user_episodes', 'id', OWN],
  ['joined_episodes', 'id', OWN],
  ['action_uploads', 'device_id, seq, first_id', 'device_id IN (SELECT id FROM action_devices WHERE user_id = ?1)'],
  ['action_devices', 'id', OWN],
  ['list_changes', 'user_id, id', OWN],
  ['chapters', 'user_id, target, starts_at, ends_at', OWN],
  ['provisional_titles', 'user_id, podcast_id', OWN],
  ['replaced_addresses', 'device_id, podcast_id', OF_OWN_DEVICES],
  ['settings', 'user_id, scope, target', PODCAST_SETTINGS],
  ['settings', 'user_id, scope, target', OWN],
  ['subscriptions', 'device_id, podcast_id', OF_OWN_DEVICES],
  ['devices', 'id', OWN],
  ['listeners', 'user_id, podcast_id', OWN],
] as const

export function createAccountRemoval(client: Database, rows: AccountRows, queue: WriteQueue) {
  // Podcasts that a user has hidden stay hidden (docs/protocol.md#D56), so the directory does not change.
  const keepHidden = client.prepare<undefined, [UserId, number]>(
    `UPDATE podcasts SET was_hidden = 1
      WHERE was_hidden = 0 AND url IN (SELECT target FROM (SELECT target, value FROM settings WHERE ${PODCAST_SETTINGS} LIMIT ?2) few
                     WHERE value -> '$.public_subscription' = 'false')
        AND EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = ?1 AND l.podcast_id = podcasts.id)`,
  )
  const removals = TABLES.map(([table, key, condition]) => {
    const remove = client.prepare<undefined, [UserId, number]>(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ?2)`,
    )
    return (id: UserId): number => {
      if (condition === PODCAST_SETTINGS) keepHidden.run(id, ROWS_AT_ONCE)
      return remove.run(id, ROWS_AT_ONCE).changes
    }
  })

  return {
    /** Hides the account; `finish` removes its rows. Belongs inside a job. Throws `last_admin`. */
    begin(user: User, auditContext: AuditContext, action: AuditAction = 'user_deleted'): UserId {
      rows.keepAnAdmin(user)
      rows.endSessions(user.id)
      rows.endAppPasswords(user.id)
      rows.removeWebhook(user.id)
      rows.endLoginFlows(user.id)
      rows.endTokens(user.id)
      rows.dropMails(user)
      rows.note(auditContext, action, user.username)
      return rows.change(user.id, { state: 'deleting', isAdmin: false }).id
    },

    async finish(id: UserId): Promise<void> {
      for (const remove of removals) while (await queue.run(id, () => remove(id) >= ROWS_AT_ONCE));
      await queue.run(id, () => void rows.db.delete(users).where(eq(users.id, id)).run())
    },
  }
}
