import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { planLateRemoval } from '../../../domain/sync/addresses.ts'
import { nextClock } from '../../../domain/sync/cursors.ts'
import type { LateRemoval, LateRemovalStore } from '../../../domain/sync/ports/subscriptions.ts'
import type { Snapshot } from '../core/snapshot.ts'
import type { WriteQueue } from '../core/write-queue.ts'
import type { Addresses, AddressTarget } from './addresses.ts'
import { ChangeRecord, type ListChanges } from './list-changes/list-changes.ts'
import { createPace, ROWS_PER_JOB, type Steps, type UserWrites } from './user-writes.ts'

interface LateRow {
  readonly userId: UserId
  readonly deviceId: number
  readonly syncGroupId: number | null
  readonly clock: number
  readonly podcastId: PodcastId
  readonly seq: number
}

/** Of one user, and of one upload; what is older is forgotten. */
const ROWS_MAX = 100

/** An upload that adds more is all that a device has, which it has been told of before. */
const ADDED_MAX = 50

export type LateRemovals = ReturnType<typeof prepareLateRemovals>

/**
 * Removals of addresses that a device never had, which a silent app may have followed its feed to before the server did
 * (docs/protocol.md#late-removals). What writes belongs inside a job of the write queue.
 */
export function prepareLateRemovals(db: Database) {
  const devicesWithAny = db.prepare<{ id: number }, []>(
    'SELECT DISTINCT device_id AS id FROM late_removals WHERE is_added = 0',
  )
  const hadIt = db.prepare<undefined, [number, string]>(
    `SELECT 1 FROM podcasts p
      WHERE p.url = +?2 AND (EXISTS (SELECT 1 FROM subscriptions s WHERE s.device_id = ?1 AND s.podcast_id = p.id)
         OR EXISTS (SELECT 1 FROM replaced_addresses a WHERE a.device_id = ?1 AND a.podcast_id = p.id))`,
  )
  const remember = db.prepare<undefined, [UserId, number, string, number, number, number]>(
    `INSERT INTO late_removals (user_id, device_id, url, is_added, seq, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT (device_id, url) DO UPDATE SET is_added = excluded.is_added, seq = excluded.seq, at = excluded.at, is_due = 0`,
  )
  const trim = db.prepare<undefined, [UserId]>(
    `DELETE FROM late_removals WHERE id IN
       (SELECT id FROM late_removals WHERE user_id = ?1 ORDER BY seq DESC, id DESC LIMIT -1 OFFSET ${ROWS_MAX})`,
  )
  const removeAll = db.prepare<undefined, [number]>('DELETE FROM late_removals WHERE device_id = ?1')
  const makeDue = db.prepare<undefined, [PodcastId]>(
    `UPDATE late_removals SET is_due = 1
      WHERE url = (SELECT p.url FROM podcasts p WHERE p.id = ?1) AND is_added = 0 AND is_due = 0`,
  )

  /** Devices that may have some, so that nobody else costs a statement; read with the first upload. */
  let devices: Set<number> | undefined
  function known(): Set<number> {
    devices ??= new Set(devicesWithAny.all().map(({ id }) => id))
    return devices
  }

  /** After a list of all that the device has. It stays among the devices that may have some: the job may fail yet. */
  function forgetDevice(deviceId: number): void {
    if (known().has(deviceId)) removeAll.run(deviceId)
  }

  return {
    /** After removals of a device that were of nothing; `at` is in Unix seconds. */
    noteRemovals({ userId, deviceId, seq }: AddressTarget, urls: readonly string[], at: number): void {
      let count = 0
      for (const url of urls) {
        if (count === ROWS_MAX) break
        if (hadIt.get(deviceId, url) !== null) continue
        remember.run(userId, deviceId, url, 0, seq, at)
        count++
      }
      if (count === 0) return
      known().add(deviceId)
      trim.run(userId)
    },

    /** After an upload that adds these. */
    noteAdds({ userId, deviceId, seq }: AddressTarget, urls: readonly string[], at: number): void {
      if (!known().has(deviceId)) return
      if (urls.length > ADDED_MAX) forgetDevice(deviceId)
      else {
        for (const url of urls) remember.run(userId, deviceId, url, 1, seq, at)
        trim.run(userId)
      }
    },

    forgetDevice,

    /** After it has become known, or is not true any more, that the address is of one podcast with others. */
    noteRelations: (podcastId: PodcastId): void => void makeDue.run(podcastId),
  }
}

export interface LateRemovalStoreParts {
  readonly db: Database
  readonly snapshot: Snapshot
  readonly queue: WriteQueue
  readonly writes: UserWrites
  readonly addresses: Addresses
  readonly listChanges: ListChanges
  readonly setClock: (userId: UserId, clock: number) => void
}

export function createLateRemovalStore(parts: LateRemovalStoreParts): LateRemovalStore {
  const { db, snapshot, queue, writes, addresses, listChanges, setClock } = parts
  const due = db.prepare<LateRemoval, [number]>(
    'SELECT id, user_id AS userId FROM late_removals WHERE is_due = 1 ORDER BY id LIMIT ?1',
  )
  const get = db.prepare<LateRow, [number]>(
    `SELECT l.user_id AS userId, l.device_id AS deviceId, d.sync_group_id AS syncGroupId, u.clock, p.id AS podcastId, l.seq
       FROM late_removals l CROSS JOIN devices d ON d.id = l.device_id CROSS JOIN users u ON u.id = l.user_id
       CROSS JOIN podcasts p ON p.url = l.url
      WHERE l.id = ?1 AND l.is_due = 1`,
  )
  const heldSince = db.prepare<{ isLater: number }, [number, PodcastId, number]>(
    `SELECT s.seq >= +?3 OR EXISTS (SELECT 1 FROM late_removals l CROSS JOIN podcasts p ON p.url = l.url
              WHERE l.device_id = +?1 AND l.is_added = 1 AND l.seq >= +?3 AND p.id = s.podcast_id) AS isLater
       FROM (SELECT +?2 AS id UNION ALL SELECT r.other_id FROM address_relations r WHERE r.podcast_id = +?2) a
      CROSS JOIN subscriptions s ON s.device_id = +?1 AND s.podcast_id = a.id AND s.subscribed = 1`,
  )
  const membersOf = db.prepare<{ id: number }, [number, number | null]>(
    'SELECT id FROM devices WHERE id IN (SELECT id FROM devices WHERE id = +?1 OR sync_group_id = +?2)',
  )
  const wait = db.prepare<undefined, [number]>('UPDATE late_removals SET is_due = 0 WHERE id = ?1')
  const forget = db.prepare<undefined, [number]>('DELETE FROM late_removals WHERE id = ?1')
  const forgetOld = db.prepare<undefined, [number, number]>(
    'DELETE FROM late_removals WHERE id IN (SELECT id FROM late_removals WHERE at <= ?1 ORDER BY at LIMIT ?2)',
  )

  function targetOf({ userId, deviceId, syncGroupId, clock }: LateRow, at: number): AddressTarget {
    const members = membersOf.all(deviceId, syncGroupId).map(({ id }) => id)
    const seq = nextClock(clock, at)
    return { userId, deviceId, members, seq, pace: createPace({ seq }), changes: new ChangeRecord() }
  }

  function* remove(row: LateRow, at: number): Steps<undefined> {
    const target = targetOf(row, at)
    const { members, pace, seq } = target
    const removal = addresses.planRemoval(target, row.podcastId, NONE_ADDED)
    let removed = 0
    for (const part of slices(members, ROWS_PER_JOB)) {
      if (pace.isFull(part.length)) yield pace.unfinished
      removed += addresses.remove(target, removal, part)
    }
    if (removed > 0) setClock(row.userId, seq)
    listChanges.write({ userId: row.userId, deviceId: row.deviceId, kind: 'move', at }, target.changes)
    return undefined
  }

  return {
    due: (limit) => snapshot.read(() => due.all(limit)),

    apply: ({ id, userId }, at) =>
      writes.run(userId, function* (): Steps<undefined> {
        const row = get.get(id)
        if (!row) return
        const held = heldSince.all(row.deviceId, row.podcastId, row.seq)
        const plan = planLateRemoval(held.map(({ isLater }) => ({ isLater: isLater === 1 })))
        if (plan === 'remove') yield* remove(row, at)
        if (plan === 'wait') wait.run(id)
        else forget.run(id)
        return undefined
      }),

    forget: (until, limit) => queue.run(() => forgetOld.run(until, limit).changes),
  }
}

const NONE_ADDED: ReadonlySet<PodcastId> = new Set()
