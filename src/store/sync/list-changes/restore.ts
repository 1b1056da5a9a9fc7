import { DomainError } from '../../../domain/shared/errors.ts'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { ROWS_PER_REQUEST, tooManyRows } from '../../../domain/shared/limits.ts'
import { nextClock } from '../../../domain/sync/cursors.ts'
import type { ListChangeKind, Restored, RestoreRequest } from '../../../domain/sync/list-changes/ports.ts'
import {
  checkRestoreTime,
  type PastList,
  planRestore,
  revertChange,
  startPastList,
} from '../../../domain/sync/list-changes/restoring.ts'
import type { StoreParts } from '../../parts.ts'
import { orderedBy } from '../../shared/sql.ts'
import { decodeSections } from './encoding.ts'
import { ChangeRecord } from './list-changes.ts'

interface DeviceRow {
  readonly id: number
  readonly uid: string
  readonly syncGroupId: number | null
  readonly createdAt: number
}

interface ChangeRow {
  readonly id: number
  readonly kind: ListChangeKind
  readonly deviceId: number | null
  readonly changes: Uint8Array
}

interface Target {
  readonly userId: UserId
  readonly seq: number
  readonly changes: ChangeRecord
}

interface RestoredPodcasts {
  readonly podcasts: ReadonlySet<PodcastId>
  readonly aliased: ReadonlySet<PodcastId>
}

export function prepareRestore({ db, sync, addresses, listChanges }: StoreParts) {
  const start = db.prepare<{ at: number }, [UserId]>(
    `SELECT max(u.created_at, IFNULL(s.at, 0)) AS at FROM users u LEFT JOIN list_change_starts s ON s.user_id = u.id WHERE u.id = ?1`,
  )
  const devicesOf = db.prepare<DeviceRow, [UserId]>(
    `SELECT id, uid, sync_group_id AS syncGroupId, created_at AS createdAt FROM devices WHERE user_id = ?1 ORDER BY id`,
  )
  // From the first change after that time on, so that none is missed if the clock was set back.
  const firstAfter = db.prepare<{ id: number | null }, [UserId, number]>(
    'SELECT MIN(id) AS id FROM list_changes WHERE user_id = ?1 AND at > ?2',
  )
  const changesFrom = db.prepare<ChangeRow, [UserId, number]>(
    `SELECT id, kind, device_id AS deviceId, changes FROM list_changes WHERE user_id = ?1 AND id >= ?2 ORDER BY id DESC`,
  )
  const selectHeld = db.prepare<{ id: PodcastId }, [number]>(
    'SELECT podcast_id AS id FROM subscriptions WHERE device_id = ?1 AND subscribed = 1 ORDER BY podcast_id',
  )
  const selectExisting = db.prepare<{ id: PodcastId }, [string]>(
    orderedBy('j.key', 'SELECT p.id FROM json_each(?1) j CROSS JOIN podcasts p ON p.id = CAST(j.value AS INTEGER)'),
  )
  const subscribe = db.prepare<undefined, [number, PodcastId, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (?1, ?2, 1, ?3)
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq WHERE subscriptions.subscribed = 0`,
  )
  const unsubscribe = db.prepare<undefined, [number, string, number]>(
    `UPDATE subscriptions SET subscribed = 0, seq = ?3
      WHERE device_id = ?1 AND podcast_id IN (SELECT CAST(value AS INTEGER) FROM json_each(?2)) AND subscribed = 1`,
  )

  function startOf(userId: UserId): number {
    const row = start.get(userId)
    if (!row) throw new DomainError('unauthorized', 'the account no longer exists')
    return row.at
  }

  function rewind(lists: ReadonlyMap<number, PastList>, time: number, userId: UserId): void {
    const first = firstAfter.get(userId, time)?.id
    if (first == null) return
    const remaining = new Map(lists)
    for (const { kind, deviceId, changes } of changesFrom.all(userId, first)) {
      if (kind === 'device') {
        // Older changes are of another device with the same number.
        if (deviceId !== null) remaining.delete(deviceId)
        continue
      }
      for (const { devices, ...change } of decodeSections(changes))
        for (const device of devices) {
          const list = remaining.get(device)
          if (list) revertChange(list, change)
        }
    }
  }

  function separateAliased(ids: Iterable<PodcastId>): RestoredPodcasts {
    const all = [...ids]
    const podcasts = new Set(selectExisting.all(JSON.stringify(all)).map(({ id }) => id))
    return { podcasts, aliased: addresses.withAliases(all) }
  }

  function replaceList(
    deviceId: number,
    restored: RestoredPodcasts,
    addressed: readonly PodcastId[],
    before: readonly PodcastId[],
    target: Target,
  ): number {
    const { seq, changes } = target
    const plan =
      addressed.length > 0 ? addresses.planList({ ...target, deviceId, members: [deviceId] }, addressed) : undefined
    const retained = plan?.retained.get(deviceId)
    const has = new Set(before)
    const removedIds = before.filter(
      (id) => !retained?.has(id) && (restored.aliased.has(id) || !restored.podcasts.has(id)),
    )
    unsubscribe.run(deviceId, JSON.stringify(removedIds), seq)
    for (const id of removedIds) changes.remove(deviceId, id)
    const missing = [...restored.podcasts].filter((id) => !has.has(id) && !restored.aliased.has(id))
    missing.push(...(plan?.added ?? []).map(({ address }) => address))
    for (const id of missing) {
      subscribe.run(deviceId, id, seq)
      changes.add(deviceId, id)
    }
    return removedIds.length + missing.length
  }

  function ownAddresses(own: readonly PodcastId[], aliased: ReadonlySet<PodcastId>): readonly PodcastId[] {
    if (aliased.size === 0) return []
    const related = addresses.othersOf([...aliased])
    const had = new Set(own.filter((id) => aliased.has(id) || related.has(id)))
    const covered = addresses.othersOf([...had])
    return [...had, ...[...aliased].filter((id) => !had.has(id) && !covered.has(id))]
  }

  function restore(
    userId: UserId,
    { uid, time }: RestoreRequest,
    { at, app }: { readonly at: number; readonly app: string | undefined },
  ): Restored {
    checkRestoreTime({ time, now: at, start: startOf(userId) })
    const clock = sync.clockOf(userId)
    const devices = devicesOf.all(userId)
    const only = uid === undefined ? undefined : devices.find((device) => device.uid === uid)
    if (uid !== undefined && !only) throw new DomainError('unknown_device', `unknown device: ${uid}`)
    const seq = nextClock(clock, at)
    const target: Target = { userId, seq, changes: new ChangeRecord() }
    const isConcerned = ({ id, syncGroupId }: DeviceRow) =>
      !only || id === only.id || (syncGroupId !== null && syncGroupId === only.syncGroupId)
    const now = new Map<number, readonly PodcastId[]>()
    const past = new Map<number, PastList>()
    for (const device of devices.filter(isConcerned)) {
      const ids = selectHeld.all(device.id).map(({ id }) => id)
      now.set(device.id, ids)
      if (device.createdAt <= time) past.set(device.id, startPastList(ids))
    }
    rewind(past, time, userId)
    const units = planRestore(
      devices.map(({ id, syncGroupId }) => ({ id, syncGroupId, past: past.get(id)?.held })),
      only?.id,
    )
    if (only && units.length === 0)
      throw new DomainError('validation_failed', `${uid} did not exist at that time`, { field: 'time' })
    const changed = new Set<number>()
    let rows = 0
    for (const unit of units) {
      const restored = separateAliased(unit.podcasts)
      for (const deviceId of unit.devices) {
        const addressed = ownAddresses([...(past.get(deviceId)?.held ?? [])], restored.aliased)
        const count = replaceList(deviceId, restored, addressed, now.get(deviceId) ?? [], target)
        if (count > 0) changed.add(deviceId)
        rows += count
        if (rows > ROWS_PER_REQUEST) throw tooManyRows()
      }
    }
    if (changed.size === 0) return { devices: [], clock }
    sync.checkSubscriptions(userId)
    sync.setClock(userId, seq)
    listChanges.write({ userId, deviceId: only?.id, kind: 'restore', app, at }, target.changes)
    return { devices: devices.filter(({ id }) => changed.has(id)).map((device) => device.uid), clock: seq }
  }

  return { startOf, restore }
}
