import { DomainError } from '../../domain/shared/errors.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import { type Quotas, quotaExceeded } from '../../domain/shared/limits.ts'
import { defaultCaption } from '../../domain/sync/devices.ts'
import type { Database } from '../engine.ts'

export interface SyncTarget {
  readonly deviceId: number
  readonly syncGroupId: number | null
  readonly clock: number
  readonly isNew: boolean
  readonly hasSent: boolean
  /** Subscriptions of all devices, before the change. */
  readonly subscriptionCount: number
}

interface ClockRow {
  readonly clock: number
  readonly restoredClock: number
}

interface TargetRow extends ClockRow {
  readonly deviceId: number | null
  readonly syncGroupId: number | null
  readonly hasSent: number | null
  readonly subscriptionCount: number
}

/** Limit of pending new devices per webhook. A message lists fewer. */
const NEWS_MAX = 500

export type SyncState = ReturnType<typeof createSyncState>

/** Reads and writes common to all sync requests. All functions but `find` belong inside a job. */
export function createSyncState(db: Database, quotas: Quotas) {
  const findTarget = db.prepare<TargetRow, [UserId, string]>(
    `SELECT u.clock, u.restored_clock AS restoredClock, d.id AS deviceId, d.sync_group_id AS syncGroupId,
            d.has_sent AS hasSent, u.subscription_count AS subscriptionCount
       FROM users u LEFT JOIN devices d ON d.user_id = u.id AND d.uid = +?2
      WHERE u.id = +?1`,
  )
  const insertDevice = db.prepare<{ id: number }, [UserId, string, number, string, number]>(
    `INSERT INTO devices (user_id, uid, caption, type, created_at, has_sent) VALUES (?1, ?2, ?4, 'other', ?3, ?5)
     ON CONFLICT (user_id, uid) DO NOTHING RETURNING id`,
  )
  const addNews = db.prepare<undefined, [UserId, string, number]>(
    `INSERT INTO webhook_news (user_id, event, at, device)
     SELECT w.user_id, 'new_device', ?3, ?2 FROM webhooks w
      WHERE w.user_id = ?1 AND w.tells_devices = 1 AND w.off_reason IS NULL
        AND (SELECT COUNT(*) FROM webhook_news n WHERE n.user_id = w.user_id AND n.event = 'new_device') < ${NEWS_MAX}`,
  )
  const updateSent = db.prepare<undefined, [number]>('UPDATE devices SET has_sent = 1 WHERE id = ?1')
  const countDevices = db.prepare<{ count: number }, [UserId]>(
    'SELECT COUNT(*) AS count FROM devices WHERE user_id = ?1',
  )
  const countSubscriptions = db.prepare<{ count: number }, [UserId]>(
    'SELECT subscription_count AS count FROM users WHERE id = ?1',
  )
  const countSettings = db.prepare<{ count: number }, [UserId]>(
    'SELECT COUNT(*) AS count FROM settings WHERE user_id = ?1',
  )
  const findClock = db.prepare<ClockRow, [UserId]>(
    'SELECT clock, restored_clock AS restoredClock FROM users WHERE id = ?1',
  )
  const updateClock = db.prepare<undefined, [UserId, number]>('UPDATE users SET clock = ?2 WHERE id = ?1')
  const updateClockAndCount = db.prepare<undefined, [UserId, number, number]>(
    'UPDATE users SET clock = ?2, action_count = action_count + ?3 WHERE id = ?1',
  )

  function find(userId: UserId, uid: string): TargetRow {
    return findTarget.get(userId, uid) ?? refuseRemovedUser()
  }

  /** Creates missing devices and queues them for the user's webhook. Throws `quota_exceeded`. */
  function createDevices(userId: UserId, uids: readonly string[], at: number, isSending = false): number[] {
    const createdIds = uids.flatMap((uid) => {
      const row = insertDevice.get(userId, uid, at, defaultCaption(uid), Number(isSending))
      if (row) addNews.run(userId, uid, at)
      return row ? [row.id] : []
    })
    if ((countDevices.get(userId)?.count ?? 0) > quotas.devices)
      throw quotaExceeded(quotas.devices, 'devices', 'max_devices')
    return createdIds
  }

  return {
    /** Throws `unauthorized` if the user no longer exists. */
    find,
    /** Finds or creates the device (docs/protocol.md#D31). Throws `quota_exceeded`. */
    ensureDevice(userId: UserId, uid: string, at: number, isSending = false): SyncTarget {
      const { clock, deviceId, syncGroupId, hasSent, subscriptionCount } = find(userId, uid)
      if (deviceId !== null)
        return { deviceId, syncGroupId, clock, isNew: false, hasSent: hasSent === 1, subscriptionCount }
      const [createdId] = createDevices(userId, [uid], at, isSending)
      if (createdId === undefined) throw new Error('a device that was missing is there')
      return { deviceId: createdId, syncGroupId: null, clock, isNew: true, hasSent: isSending, subscriptionCount }
    },
    noteSent: (deviceId: number): void => void updateSent.run(deviceId),
    createDevices,
    /** Throws `quota_exceeded`. Skips the query if `upperBound` subscriptions are within the limit. */
    checkSubscriptions(userId: UserId, upperBound = Number.POSITIVE_INFINITY): void {
      if (upperBound > quotas.subscriptions && (countSubscriptions.get(userId)?.count ?? 0) > quotas.subscriptions)
        throw quotaExceeded(quotas.subscriptions, 'subscriptions over all its devices', 'max_subscriptions')
    },
    checkSettings(userId: UserId): void {
      if ((countSettings.get(userId)?.count ?? 0) > quotas.settings)
        throw quotaExceeded(quotas.settings, 'things with settings', 'max_settings')
    },
    clockOf: (userId: UserId): number => (findClock.get(userId) ?? refuseRemovedUser()).clock,
    clocksOf: (userId: UserId): ClockRow => findClock.get(userId) ?? refuseRemovedUser(),
    setClock: (userId: UserId, clock: number): void => void updateClock.run(userId, clock),
    setClockAndCount: (userId: UserId, clock: number, actions: number): void =>
      void updateClockAndCount.run(userId, clock, actions),
  }
}

function refuseRemovedUser(): never {
  throw new DomainError('unauthorized', 'the account no longer exists')
}
