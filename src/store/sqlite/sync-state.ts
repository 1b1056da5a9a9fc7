import type { Database } from 'bun:sqlite'
import { DomainError } from '../../domain/errors.ts'
import type { UserId } from '../../domain/ids.ts'

/** Where a request of one device starts from. */
export interface SyncTarget {
  readonly deviceId: number
  readonly syncGroupId: number | null
  /** The user's logical clock before the request. */
  readonly clock: number
}

interface TargetRow {
  readonly clock: number
  readonly deviceId: number | null
  readonly syncGroupId: number | null
}

/** The rows every syncing use case begins and ends with. All functions but `find` belong inside a unit of the write queue. */
export interface SyncState {
  /** Rejects with `unauthorized` when the user is gone. */
  find(userId: UserId, uid: string): TargetRow
  /** As `find`, creating the device with its ID as caption (protocol.md D31). */
  ensureDevice(userId: UserId, uid: string, at: number): SyncTarget
  clockOf(userId: UserId): number
  setClock(userId: UserId, clock: number): void
  /** As `setClock`, after so many actions were added. */
  setClockAndCount(userId: UserId, clock: number, actions: number): void
}

export function createSyncState(db: Database): SyncState {
  const findTarget = db.prepare<TargetRow, [UserId, string]>(
    `SELECT u.clock, d.id AS deviceId, d.sync_group_id AS syncGroupId
       FROM users u LEFT JOIN devices d ON d.user_id = u.id AND d.uid = +?2
      WHERE u.id = +?1`,
  )
  const insertDevice = db.prepare<undefined, [UserId, string, number]>(
    `INSERT INTO devices (user_id, uid, caption, type, created_at) VALUES (?1, ?2, ?2, 'other', ?3)`,
  )
  const findClock = db.prepare<{ clock: number }, [UserId]>('SELECT clock FROM users WHERE id = ?1')
  const updateClock = db.prepare<undefined, [UserId, number]>('UPDATE users SET clock = ?2 WHERE id = ?1')
  const updateClockAndCount = db.prepare<undefined, [UserId, number, number]>(
    'UPDATE users SET clock = ?2, action_count = action_count + ?3 WHERE id = ?1',
  )

  function find(userId: UserId, uid: string): TargetRow {
    return findTarget.get(userId, uid) ?? gone()
  }

  return {
    find,
    ensureDevice(userId, uid, at) {
      const { clock, deviceId, syncGroupId } = find(userId, uid)
      if (deviceId !== null) return { deviceId, syncGroupId, clock }
      return { deviceId: Number(insertDevice.run(userId, uid, at).lastInsertRowid), syncGroupId: null, clock }
    },
    clockOf: (userId) => (findClock.get(userId) ?? gone()).clock,
    setClock: (userId, clock) => void updateClock.run(userId, clock),
    setClockAndCount: (userId, clock, actions) => void updateClockAndCount.run(userId, clock, actions),
  }
}

/** The account was removed between the check of its credentials and the use of them. */
function gone(): never {
  throw new DomainError('unauthorized', 'the account no longer exists')
}
