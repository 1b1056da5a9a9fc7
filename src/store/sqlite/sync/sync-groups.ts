import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { nextClock } from '../../../domain/sync/cursors.ts'
import type { SyncGroupStore, SyncStatus } from '../../../domain/sync/ports.ts'
import { regroup } from '../../../domain/sync/sync-groups.ts'
import type { Snapshot } from '../core/snapshot.ts'
import type { Addresses } from './addresses.ts'
import type { SyncState } from './sync-state.ts'
import { createPace, type Pace, ROWS_PER_JOB, type Steps, type UserWrites } from './user-writes.ts'

interface MemberRow {
  readonly id: number
  readonly uid: string
  readonly syncGroupId: number | null
}

export function createSyncGroupStore(
  db: Database,
  snapshot: Snapshot,
  sync: SyncState,
  writes: UserWrites,
  addresses: Addresses,
): SyncGroupStore {
  const listMembers = db.prepare<MemberRow, [UserId]>(
    'SELECT id, uid, sync_group_id AS syncGroupId FROM devices WHERE user_id = ?1 ORDER BY id',
  )
  const insertGroup = db.prepare<undefined, [UserId]>('INSERT INTO sync_groups (user_id) VALUES (?1)')
  /**
   * Of a JSON array with the row numbers of a device and of its group, or null, in each item. No row is inserted: an
   * UPDATE cannot be told to go through the array, and goes through all devices for each item where SQLite thinks that
   * there are few.
   */
  const setGroups = db.prepare<undefined, [string]>(
    `INSERT INTO devices (id, user_id, uid, caption, type, created_at, sync_group_id)
     SELECT d.id, d.user_id, d.uid, d.caption, d.type, d.created_at, j.value ->> 1
       FROM json_each(?1) j CROSS JOIN devices d ON d.id = j.value ->> 0
     ON CONFLICT (id) DO UPDATE SET sync_group_id = excluded.sync_group_id`,
  )
  const removeEmpty = db.prepare<undefined, [UserId]>(
    'DELETE FROM sync_groups WHERE user_id = ?1 AND NOT EXISTS (SELECT 1 FROM devices WHERE sync_group_id = sync_groups.id)',
  )
  const heldAfter = db.prepare<{ id: PodcastId }, [number, number]>(
    `SELECT podcast_id AS id FROM subscriptions
      WHERE device_id = ?1 AND podcast_id > ?2 AND subscribed = 1 ORDER BY podcast_id LIMIT ${ROWS_PER_JOB}`,
  )
  /** Gives every device of the JSON array ?1 each podcast of the JSON array ?2. */
  const give = db.prepare<undefined, [string, string, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq)
     SELECT d.value, p.value, 1, ?3 FROM json_each(?2) p CROSS JOIN json_each(?1) d WHERE true
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, previous_seq = seq, seq = excluded.seq
      WHERE subscribed = 0`,
  )

  function* podcastsOf(deviceIds: readonly number[], pace: Pace): Steps<PodcastId[]> {
    const found = new Set<PodcastId>()
    for (const deviceId of deviceIds) {
      let page: { id: PodcastId }[]
      let last = 0
      do {
        page = heldAfter.all(deviceId, last)
        for (const { id } of page) found.add(id)
        last = page.at(-1)?.id ?? last
        if (pace.isFull(1 + page.length)) yield pace.unfinished
      } while (page.length === ROWS_PER_JOB)
    }
    return [...found]
  }

  function* aliasedOf(podcasts: readonly PodcastId[], pace: Pace): Steps<Set<PodcastId>> {
    const found = new Set<PodcastId>()
    for (const slice of slices(podcasts, ROWS_PER_JOB)) {
      if (pace.isFull(slice.length)) yield pace.unfinished
      for (const id of addresses.withAliases(slice)) found.add(id)
    }
    return found
  }

  /** Of several addresses of one podcast, one. */
  function* eachOnce(ids: readonly PodcastId[], pace: Pace): Steps<readonly PodcastId[]> {
    const reading = addresses.onePerPodcast(ids)
    for (;;) {
      const step = reading.next()
      if (step.done) return step.value
      yield pace.unfinished
    }
  }

  /** Every device gets what any of its group has. */
  function* uniteSubscriptions(userId: UserId, groups: readonly number[][], pace: Pace): Steps<undefined> {
    const { seq } = pace.unfinished
    let added = 0
    for (const deviceIds of groups) {
      const all = yield* podcastsOf(deviceIds, pace)
      const aliased = yield* aliasedOf(all, pace)
      for (const address of yield* eachOnce([...aliased], pace))
        for (const deviceId of deviceIds) {
          if (pace.isFull(1)) yield pace.unfinished
          added += addresses.addTo(deviceId, address, seq)
        }
      if (added > 0) sync.checkSubscriptions(userId)
      const podcasts = aliased.size === 0 ? all : all.filter((id) => !aliased.has(id))
      for (const devices of slices(deviceIds, ROWS_PER_JOB)) {
        const some = JSON.stringify(devices)
        for (const slice of slices(podcasts, Math.max(1, Math.floor(ROWS_PER_JOB / devices.length)))) {
          if (pace.isFull(slice.length * devices.length)) yield pace.unfinished
          added += give.run(some, JSON.stringify(slice), seq).changes
          if (added > 0) sync.checkSubscriptions(userId)
        }
      }
    }
    if (added > 0) sync.setClock(userId, seq)
    return undefined
  }

  /** Writes only the memberships that differ; a group keeps its row where one of its members already had one. */
  function saveGroups(userId: UserId, members: readonly MemberRow[], groups: readonly string[][]): void {
    const memberOf = new Map(members.map((member) => [member.uid, member]))
    const wanted = new Map<string, number>()
    const used = new Set<number>()
    for (const uids of groups) {
      const known = uids.map((uid) => memberOf.get(uid)?.syncGroupId).find((id) => id != null && !used.has(id))
      const groupId = known ?? Number(insertGroup.run(userId).lastInsertRowid)
      used.add(groupId)
      for (const uid of uids) wanted.set(uid, groupId)
    }
    const changed = members.flatMap(({ id, uid, syncGroupId }) => {
      const groupId = wanted.get(uid) ?? null
      return groupId === syncGroupId ? [] : [[id, groupId]]
    })
    setGroups.run(JSON.stringify(changed))
    removeEmpty.run(userId)
  }

  return {
    async status(userId) {
      const waiting = writes.settled(userId)
      if (waiting) await waiting
      snapshot.use()
      return statusOf(listMembers.all(userId))
    },

    regroup: (userId, request, at) =>
      writes.run(userId, function* (): Steps<SyncStatus> {
        const members = listMembers.all(userId)
        const idOf = new Map(members.map(({ uid, id }) => [uid, id]))
        const { merged, groups } = regroup(
          members.map(({ uid, syncGroupId }) => ({ uid, group: syncGroupId ?? undefined })),
          request,
        )
        const pace = createPace({ seq: nextClock(sync.clockOf(userId), at) })
        yield* uniteSubscriptions(
          userId,
          merged.map((uids) => uids.flatMap((uid) => idOf.get(uid) ?? [])),
          pace,
        )
        // The groups of thousands of devices are written in some 20 ms, by one statement and so in one job.
        if (pace.isFull(members.length)) yield pace.unfinished
        saveGroups(userId, members, groups)
        return statusOf(listMembers.all(userId))
      }),
  }
}

function statusOf(members: readonly MemberRow[]): SyncStatus {
  const groups = new Map<number, string[]>()
  const notSynchronized: string[] = []
  for (const { uid, syncGroupId } of members) {
    if (syncGroupId === null) notSynchronized.push(uid)
    else {
      const group = groups.get(syncGroupId)
      if (group) group.push(uid)
      else groups.set(syncGroupId, [uid])
    }
  }
  return { synchronized: [...groups.values()], notSynchronized }
}
