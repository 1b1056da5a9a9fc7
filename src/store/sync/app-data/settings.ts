import { DomainError } from '../../../domain/shared/errors.ts'
import type { UserId } from '../../../domain/shared/ids.ts'
import type { SettingsChange, SettingsKey, SettingsScope, SettingsStore } from '../../../domain/sync/ports/settings.ts'
import { changeSettings, isFavorite, NOTHING_SET, publicSubscriptionOf } from '../../../domain/sync/settings.ts'
import { settleAutoSync } from '../../../domain/sync/sync-groups.ts'
import type { StoreParts } from '../../parts.ts'
import { prepareDirectoryChanges } from '../../shared/directory-changes.ts'

type Key = [UserId, SettingsScope, string]

export function createSettingsStore(parts: StoreParts): SettingsStore {
  const { db, snapshot, queue, sync, autoSync, choices, listChanges } = parts
  const find = db.prepare<{ value: string }, Key>(
    'SELECT value FROM settings WHERE user_id = ?1 AND scope = ?2 AND target = ?3',
  )
  const insert = db.prepare<undefined, [...Key, string]>(
    'INSERT INTO settings (user_id, scope, target, value) VALUES (?1, ?2, ?3, ?4)',
  )
  const update = db.prepare<undefined, [...Key, string]>(
    'UPDATE settings SET value = ?4 WHERE user_id = ?1 AND scope = ?2 AND target = ?3',
  )
  const directoryChanges = prepareDirectoryChanges(db)
  const remove = db.prepare<undefined, Key>('DELETE FROM settings WHERE user_id = ?1 AND scope = ?2 AND target = ?3')

  // At least a second after the previous favorite, to preserve the order in which they were added.
  const markFavorite = db.prepare<undefined, [...Key, number]>(
    `UPDATE settings SET favorite_at =
       max(?4, IFNULL((SELECT MAX(favorite_at) + 1 FROM settings WHERE user_id = ?1 AND favorite_at IS NOT NULL), 0))
      WHERE user_id = ?1 AND scope = ?2 AND target = ?3`,
  )
  const unmarkFavorite = db.prepare<undefined, Key>(
    'UPDATE settings SET favorite_at = NULL WHERE user_id = ?1 AND scope = ?2 AND target = ?3',
  )

  function storedFor(userId: UserId, { scope, target }: SettingsKey): string {
    if (scope !== 'device') sync.clockOf(userId)
    else if (sync.find(userId, target).deviceId === null) throw new DomainError('unknown_device', 'unknown device')
    return find.get(userId, scope, target)?.value ?? NOTHING_SET
  }

  function store(userId: UserId, { scope, target }: SettingsKey, before: string, after: string): void {
    if (after === before) return
    if (after === NOTHING_SET) remove.run(userId, scope, target)
    else if (before !== NOTHING_SET) update.run(userId, scope, target, after)
    else {
      insert.run(userId, scope, target, after)
      sync.checkSettings(userId)
    }
    if (scope === 'podcast' && publicSubscriptionOf(after) !== publicSubscriptionOf(before))
      directoryChanges.ofChoice(userId, target)
  }

  async function changeAccount(userId: UserId, key: SettingsKey, change: SettingsChange, at: number): Promise<string> {
    try {
      return await queue.run(userId, () => {
        const before = storedFor(userId, key)
        const after = settleAutoSync(before, changeSettings(before, change))
        autoSync.changed(userId, before, after, at)
        store(userId, key, before, after)
        choices.forget(userId)
        listChanges.forgetApps(userId)
        return after
      })
    } finally {
      // A value cached before the commit is wrong if the commit fails.
      choices.forget(userId)
    }
  }

  const dateFavorite = db.prepare<undefined, [UserId, string, number]>(
    `UPDATE settings SET favorite_at = ?3
      WHERE user_id = ?1 AND scope = 'episode' AND target = ?2 AND favorite_at > ?3`,
  )

  return {
    read: (userId, key) => snapshot.read(() => storedFor(userId, key)),

    change: (userId, key, change, at) =>
      key.scope === 'account'
        ? changeAccount(userId, key, change, at)
        : queue.run(userId, () => {
            const before = storedFor(userId, key)
            const after = changeSettings(before, change)
            store(userId, key, before, after)
            if (key.scope === 'episode' && isFavorite(after) !== isFavorite(before)) {
              if (isFavorite(after)) markFavorite.run(userId, key.scope, key.target, at)
              else unmarkFavorite.run(userId, key.scope, key.target)
            }
            return after
          }),

    dateFavorite: (userId, target, at) => queue.run(userId, () => dateFavorite.run(userId, target, at).changes > 0),
  }
}
