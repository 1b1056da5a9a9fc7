import type { Database } from 'bun:sqlite'
import type { PodcastId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import type { Addresses, AddressTarget } from './addresses.ts'
import type { SyncState } from './sync-state.ts'
import { type Pace, ROWS_PER_JOB, type Steps } from './user-writes.ts'

export type UnionTarget = Omit<AddressTarget, 'deviceId' | 'members'>

export type UniteSubscriptions = ReturnType<typeof prepareGroupUnion>

/** The union of lists that devices of a sync group begin with (docs/protocol.md#D35). */
export function prepareGroupUnion(db: Database, sync: SyncState, addresses: Addresses) {
  const heldAfter = db.prepare<{ id: PodcastId }, [number, number]>(
    `SELECT podcast_id AS id FROM subscriptions
      WHERE device_id = ?1 AND podcast_id > ?2 AND subscribed = 1 ORDER BY podcast_id LIMIT ${ROWS_PER_JOB}`,
  )
  /** Gives every device of the JSON array ?1 each podcast of the JSON array ?2. */
  const give = db.prepare<{ deviceId: number; id: PodcastId }, [string, string, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq)
     SELECT d.value, p.value, 1, ?3 FROM json_each(?2) p CROSS JOIN json_each(?1) d WHERE true
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, previous_seq = seq, seq = excluded.seq
      WHERE subscribed = 0
     RETURNING device_id AS deviceId, podcast_id AS id`,
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

  /** Every device gets what any of its group has; tells how much was added. The clock is not set. */
  return function* (target: UnionTarget, groups: readonly (readonly number[])[]): Steps<number> {
    const { userId, seq, pace, changes } = target
    let added = 0
    for (const deviceIds of groups) {
      const all = yield* podcastsOf(deviceIds, pace)
      const aliased = yield* aliasedOf(all, pace)
      for (const address of addresses.onePerPodcast([...aliased]))
        for (const deviceId of deviceIds) {
          if (pace.isFull(1)) yield pace.unfinished
          added += addresses.addTo({ ...target, deviceId, members: deviceIds }, deviceId, address)
        }
      if (added > 0) sync.checkSubscriptions(userId)
      const podcasts = aliased.size === 0 ? all : all.filter((id) => !aliased.has(id))
      for (const devices of slices(deviceIds, ROWS_PER_JOB)) {
        const some = JSON.stringify(devices)
        for (const slice of slices(podcasts, Math.max(1, Math.floor(ROWS_PER_JOB / devices.length)))) {
          if (pace.isFull(slice.length * devices.length)) yield pace.unfinished
          for (const { deviceId, id } of give.all(some, JSON.stringify(slice), seq)) {
            added++
            changes.add(deviceId, id)
          }
          if (added > 0) sync.checkSubscriptions(userId)
        }
      }
    }
    return added
  }
}
