import type { Database } from 'bun:sqlite'
import { eq } from 'drizzle-orm'
import type { Deed } from '../../domain/account-ports.ts'
import type { UserId } from '../../domain/ids.ts'
import type { User } from '../../domain/user.ts'
import type { AccountRows } from './account-rows.ts'
import { users } from './schema.ts'
import type { WriteQueue } from './write-queue.ts'

export interface AccountRemoval {
  /**
   * Inside a unit of the write queue: the account is gone for everybody from now on, whatever happens; what is left is work. Throws
   * `last_admin`.
   */
  begin(user: User, deed: Deed): UserId
  /** Piece by piece, so that nobody waits for years of history to go. */
  finish(id: UserId): Promise<void>
}

/** Some ten milliseconds' work. */
const ACTIONS_AT_ONCE = 2000

export function createAccountRemoval(client: Database, rows: AccountRows, queue: WriteQueue): AccountRemoval {
  const deleteActions = client.prepare<undefined, [UserId, number]>(
    'DELETE FROM episode_actions WHERE id IN (SELECT id FROM episode_actions WHERE user_id = ?1 LIMIT ?2)',
  )

  return {
    begin(user, deed) {
      rows.keepAnAdmin(user)
      rows.endSessions(user.id)
      rows.endTokens(user.id)
      rows.dropMails(user)
      rows.note(deed, 'user_deleted', user.username)
      return rows.change(user.id, { state: 'deleting', isAdmin: false }).id
    },

    async finish(id) {
      while (await queue.run(() => deleteActions.run(id, ACTIONS_AT_ONCE).changes === ACTIONS_AT_ONCE));
      await queue.run(() => void rows.db.delete(users).where(eq(users.id, id)).run())
    },
  }
}
