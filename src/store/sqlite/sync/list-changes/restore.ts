import type { Database } from 'bun:sqlite'
import { DomainError } from '../../../../domain/shared/errors.ts'
import type { PodcastId, UserId } from '../../../../domain/shared/ids.ts'
import { slices } from '../../../../domain/shared/lists.ts'
import { nextClock } from '../../../../domain/sync/cursors.ts'
import type { ListChangeKind, Restored, RestoreRequest } from '../../../../domain/sync/list-changes/ports.ts'
import {
  checkRestoreTime,
  type PastList,
  planRestore,
  startPastList,
  takeBack,
} from '../../../../domain/sync/list-changes/restoring.ts'
import type { Addresses } from '../addresses.ts'
import type { SyncState } from '../sync-state.ts'
import { createPace, type Pace, ROWS_PER_JOB, type Steps } from '../user-writes.ts'
import { decodeSections } from './encoding.ts'
import { ChangeRecord, type ListChanges } from './list-changes.ts'

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
  readonly pace: Pace
  readonly changes: ChangeRecord
}

/** Podcasts that are still known, and those of them that have other addresses. */
interface Wanted {
  readonly podcasts: ReadonlySet<PodcastId>
  readonly aliased: ReadonlySet<PodcastId>
}

export interface RestoreParts {
  readonly db: Database
  readonly sync: SyncState
  readonly addresses: Addresses
  readonly listChanges: ListChanges
}

/** Rows of a moment's work where they are only read, or numbers in memory. */
const READ_PER_ROW = 10

/** Lists as they were (docs/protocol.md#undo). All but `startOf` belongs inside jobs of the write queue. */
export function prepareRestore({ db, sync, addresses, listChanges }: RestoreParts) {
  const start = db.prepare<{ at: number }, [UserId]>(
    `SELECT MAX(u.created_at, IFNULL(s.at, 0)) AS at FROM users u LEFT JOIN list_change_starts s ON s.user_id = u.id WHERE u.id = ?1`,
  )
  const devicesOf = db.prepare<DeviceRow, [UserId]>(
    `SELECT id, uid, sync_group_id AS syncGroupId, created_at AS createdAt FROM devices WHERE user_id = ?1 ORDER BY id`,
  )
  // All from the first one after that time on: a clock that was put back must not leave any of them out.
  const firstAfter = db.prepare<{ id: number | null }, [UserId, number]>(
    'SELECT MIN(id) AS id FROM list_changes WHERE user_id = ?1 AND at > ?2',
  )
  const newestBefore = db.prepare<ChangeRow, [UserId, number, number]>(
    `SELECT id, kind, device_id AS deviceId, changes FROM list_changes
      WHERE user_id = ?1 AND id < ?2 AND id >= ?3 ORDER BY id DESC LIMIT 1`,
  )
  const heldAfter = db.prepare<{ id: PodcastId }, [number, number]>(
    `SELECT podcast_id AS id FROM subscriptions
      WHERE device_id = ?1 AND podcast_id > ?2 AND subscribed = 1 ORDER BY podcast_id LIMIT ${ROWS_PER_JOB * READ_PER_ROW}`,
  )
  const known = db.prepare<{ id: PodcastId }, [string]>(
    'SELECT p.id FROM json_each(?1) j CROSS JOIN podcasts p ON p.id = j.value',
  )
  const subscribe = db.prepare<undefined, [number, PodcastId, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (?1, ?2, 1, ?3)
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, previous_seq = seq, seq = excluded.seq WHERE subscribed = 0`,
  )
  const unsubscribe = db.prepare<undefined, [number, string, number]>(
    `UPDATE subscriptions SET subscribed = 0, previous_seq = seq, seq = ?3
      WHERE device_id = ?1 AND podcast_id IN (SELECT value FROM json_each(?2)) AND subscribed = 1`,
  )

  function startOf(userId: UserId): number {
    const row = start.get(userId)
    if (!row) throw new DomainError('unauthorized', 'the account no longer exists')
    return row.at
  }

  function* heldBy(deviceId: number, { pace }: Target): Steps<PodcastId[]> {
    const held: PodcastId[] = []
    let page: { id: PodcastId }[]
    do {
      page = heldAfter.all(deviceId, held.at(-1) ?? 0)
      for (const { id } of page) held.push(id)
      if (pace.isFull(1 + page.length / READ_PER_ROW)) yield pace.unfinished
    } while (page.length === ROWS_PER_JOB * READ_PER_ROW)
    return held
  }

  /** Takes back what has happened to these lists since `time`, newest first. */
  function* rewind(lists: ReadonlyMap<number, PastList>, time: number, { userId, pace }: Target): Steps<undefined> {
    const first = firstAfter.get(userId, time)?.id
    if (first == null) return undefined
    const left = new Map(lists)
    let before = Number.MAX_SAFE_INTEGER
    for (;;) {
      const row = newestBefore.get(userId, before, first)
      if (!row) return undefined
      before = row.id
      // Also where it is of other devices, since there may be thousands of those.
      if (pace.isFull(1 + row.changes.length / READ_PER_ROW)) yield pace.unfinished
      if (row.kind === 'device') {
        // What is older is of another device that had the same number.
        if (row.deviceId !== null) left.delete(row.deviceId)
        continue
      }
      for (const { devices, ...change } of decodeSections(row.changes)) {
        const size = change.added.length + change.removed.length + change.renamed.length
        for (const deviceId of devices) {
          const list = left.get(deviceId)
          if (!list) continue
          if (pace.isFull(1 + size / READ_PER_ROW)) yield pace.unfinished
          takeBack(list, change)
        }
      }
    }
  }

  /** Those whose podcasts are still known, and which of them have other addresses. */
  function* sortOut(ids: Iterable<PodcastId>, { pace }: Target): Steps<Wanted> {
    const podcasts = new Set<PodcastId>()
    const aliased = new Set<PodcastId>()
    for (const slice of slices([...ids], ROWS_PER_JOB)) {
      if (pace.isFull(slice.length)) yield pace.unfinished
      for (const { id } of known.all(JSON.stringify(slice))) podcasts.add(id)
      for (const id of addresses.withAliases(slice)) aliased.add(id)
    }
    return { podcasts, aliased }
  }

  /** Makes the list of a device this, those with other addresses by `addressed`; tells how much it has added and removed. */
  function* replaceList(
    deviceId: number,
    wanted: Wanted,
    addressed: readonly PodcastId[],
    held: readonly PodcastId[],
    target: Target,
  ): Steps<number> {
    const { userId, seq, pace, changes } = target
    const plan =
      addressed.length > 0
        ? yield* addresses.planList({ ...target, deviceId, members: [deviceId] }, addressed)
        : undefined
    const kept = plan?.kept.get(deviceId)
    const has = new Set(held)
    const gone = held.filter((id) => !kept?.has(id) && (wanted.aliased.has(id) || !wanted.podcasts.has(id)))
    for (const slice of slices(gone, ROWS_PER_JOB)) {
      if (pace.isFull(slice.length)) yield pace.unfinished
      unsubscribe.run(deviceId, JSON.stringify(slice), seq)
      for (const id of slice) changes.remove(deviceId, id)
    }
    const missing = [...wanted.podcasts].filter((id) => !has.has(id) && !wanted.aliased.has(id))
    missing.push(...(plan?.added ?? []).map(({ address }) => address))
    for (const id of missing) {
      if (pace.isFull(1)) {
        sync.checkSubscriptions(userId)
        yield pace.unfinished
      }
      subscribe.run(deviceId, id, seq)
      changes.add(deviceId, id)
    }
    return gone.length + missing.length
  }

  function* steps(
    userId: UserId,
    { uid, time }: RestoreRequest,
    { at, app }: { readonly at: number; readonly app: string | undefined },
  ): Steps<Restored> {
    checkRestoreTime({ time, now: at, start: startOf(userId) })
    const clock = sync.clockOf(userId)
    const devices = devicesOf.all(userId)
    const only = uid === undefined ? undefined : devices.find((device) => device.uid === uid)
    if (uid !== undefined && !only) throw new DomainError('unknown_device', `unknown device: ${uid}`)
    const seq = nextClock(clock, at)
    const target: Target = { userId, seq, pace: createPace({ seq }), changes: new ChangeRecord() }
    const isConcerned = ({ id, syncGroupId }: DeviceRow) =>
      !only || id === only.id || (syncGroupId !== null && syncGroupId === only.syncGroupId)
    const held = new Map<number, readonly PodcastId[]>()
    const past = new Map<number, PastList>()
    for (const device of devices.filter(isConcerned)) {
      const now = yield* heldBy(device.id, target)
      held.set(device.id, now)
      if (device.createdAt <= time) past.set(device.id, startPastList(now))
    }
    yield* rewind(past, time, target)
    const units = planRestore(
      devices.map(({ id, syncGroupId }) => ({ id, syncGroupId, past: past.get(id)?.held })),
      only?.id,
    )
    if (only && units.length === 0)
      throw new DomainError('validation_failed', `${uid} did not exist at that time`, { field: 'time' })
    const changed = new Set<number>()
    for (const unit of units) {
      const wanted = yield* sortOut(unit.podcasts, target)
      for (const deviceId of unit.devices) {
        const own = [...(past.get(deviceId)?.held ?? [])]
        const addressed = yield* ownAddresses(own, wanted.aliased, target)
        if ((yield* replaceList(deviceId, wanted, addressed, held.get(deviceId) ?? [], target)) > 0)
          changed.add(deviceId)
      }
    }
    if (changed.size === 0) return { devices: [], clock }
    sync.checkSubscriptions(userId)
    sync.setClock(userId, seq)
    listChanges.write({ userId, deviceId: only?.id, kind: 'restore', app, at }, target.changes)
    return { devices: devices.filter(({ id }) => changed.has(id)).map((device) => device.uid), clock: seq }
  }

  function* othersOf(ids: Iterable<PodcastId>, { pace }: Target): Steps<ReadonlySet<PodcastId>> {
    const others = new Set<PodcastId>()
    for (const slice of slices([...ids], ROWS_PER_JOB)) {
      if (pace.isFull(slice.length)) yield pace.unfinished
      for (const id of addresses.othersOf(slice)) others.add(id)
    }
    return others
  }

  /** Of the wanted podcasts the addresses by which the device had them, if it had. */
  function* ownAddresses(
    own: readonly PodcastId[],
    wanted: ReadonlySet<PodcastId>,
    target: Target,
  ): Steps<readonly PodcastId[]> {
    if (wanted.size === 0) return []
    const related = yield* othersOf(wanted, target)
    const had = new Set(own.filter((id) => wanted.has(id) || related.has(id)))
    const known = yield* othersOf(had, target)
    return [...had, ...[...wanted].filter((id) => !had.has(id) && !known.has(id))]
  }

  return { startOf, steps }
}
