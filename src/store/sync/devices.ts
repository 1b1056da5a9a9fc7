import { DomainError } from '../../domain/shared/errors.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import type { Device, DeviceStore, DeviceType } from '../../domain/sync/ports/devices.ts'
import type { StoreParts } from '../parts.ts'

export function createDeviceStore(parts: StoreParts): DeviceStore {
  const { db, snapshot, queue, sync, listChanges, autoSync } = parts
  const listDevices = db.prepare<Omit<Device, 'lastContactAt'> & { readonly lastSeenAt: number | null }, [UserId]>(
    `SELECT d.uid, d.caption, d.type, d.last_contact_at AS lastSeenAt,
            (SELECT COUNT(*) FROM subscriptions s WHERE s.device_id = d.id AND s.subscribed = 1) AS subscriptions
       FROM devices d WHERE d.user_id = +?1 ORDER BY d.id`,
  )
  const update = db.prepare<undefined, [number, string | null, DeviceType | null]>(
    'UPDATE devices SET caption = COALESCE(?2, caption), type = COALESCE(?3, type) WHERE id = ?1',
  )
  // Removed before the device, which the triggers that count subscriptions need to find the user.
  const removeSubscriptions = db.prepare<undefined, [number]>('DELETE FROM subscriptions WHERE device_id = ?1')
  const removeSettings = db.prepare<undefined, [UserId, string]>(
    `DELETE FROM settings WHERE user_id = ?1 AND scope = 'device' AND target = ?2`,
  )
  const remove = db.prepare<undefined, [number]>('DELETE FROM devices WHERE id = ?1')
  const setLastSeen = db.prepare<undefined, [UserId, string, number]>(
    'UPDATE devices SET last_contact_at = ?3 WHERE user_id = ?1 AND uid = ?2',
  )
  const dissolve = db.prepare<undefined, [number]>(
    'DELETE FROM sync_groups WHERE id = ?1 AND (SELECT COUNT(*) FROM devices WHERE sync_group_id = ?1) < 2',
  )

  const forgetNews = db.prepare<undefined, [UserId, string]>(
    `DELETE FROM webhook_news WHERE user_id = ?1 AND event = 'new_device' AND device = ?2`,
  )

  return {
    list: (userId) =>
      snapshot.read(() => listDevices.all(userId).map((row) => ({ ...row, lastSeenAt: row.lastSeenAt ?? undefined }))),

    async upsert(userId, uid, { caption, type }, at) {
      await autoSync.firstContact(userId, uid, { at })
      await queue.run(userId, () => {
        const { deviceId } = sync.ensureDevice(userId, uid, at)
        if (caption !== undefined || type !== undefined) update.run(deviceId, caption ?? null, type ?? null)
      })
    },

    remove: (userId, uid, at, by) =>
      queue.run(userId, () => {
        const { deviceId, syncGroupId } = sync.find(userId, uid)
        if (deviceId === null) throw new DomainError('unknown_device', 'unknown device')
        listChanges.writeRemoval({ userId, deviceId, kind: 'device', ...by, at })
        removeSubscriptions.run(deviceId)
        removeSettings.run(userId, uid)
        remove.run(deviceId)
        if (syncGroupId !== null) dissolve.run(syncGroupId)
      }),

    noteLastSeen: (lastSeen) =>
      queue.runDeferred('server', () => {
        for (const { userId, uid, at } of lastSeen) setLastSeen.run(userId, uid, at)
      }),

    forgetDeviceNews: (userId, uid) => queue.run(userId, () => void forgetNews.run(userId, uid)),
  }
}
