import type { UserId } from '../../../domain/shared/ids.ts'
import { type AutoSync, readAutoSync } from '../../../domain/sync/sync-groups.ts'
import type { Database } from '../../engine.ts'

interface Choices {
  readonly namesApps: boolean
  readonly hasAutoSync: boolean
}

/** Cached users, with two booleans each: more than upload within an hour on most servers. */
const REMEMBERED_MAX = 10_000

export type AccountChoices = ReturnType<typeof prepareAccountChoices>

/** Account settings that instruct the server (docs/protocol.md#settings), cached since every upload asks. */
export function prepareAccountChoices(db: Database) {
  const find = db.prepare<{ value: string; storesApp: number | null }, [UserId]>(
    `SELECT value, IFNULL(value -> '$.store_user_agent', 'true') <> 'false' AS storesApp
       FROM settings WHERE user_id = ?1 AND scope = 'account' AND target = ''`,
  )
  const remembered = new Map<UserId, Choices>()

  const choicesOf = (userId: UserId) => db.once(() => remember(userId))

  function remember(userId: UserId): Choices {
    const cached = remembered.get(userId)
    if (cached) return cached
    const row = find.get(userId)
    const choices = {
      namesApps: row?.storesApp !== 0,
      hasAutoSync: row !== null && readAutoSync(row.value) !== undefined,
    }
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(userId, choices)
    return choices
  }

  return {
    namesApps: (userId: UserId): boolean => choicesOf(userId).namesApps,

    autoSync(userId: UserId): AutoSync | undefined {
      if (!choicesOf(userId).hasAutoSync) return undefined
      const row = find.get(userId)
      return row ? readAutoSync(row.value) : undefined
    },

    forget: (userId: UserId): void => void remembered.delete(userId),
  }
}
