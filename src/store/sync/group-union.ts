import type { PodcastId } from '../../domain/shared/ids.ts'
import { ROWS_PER_REQUEST, tooManyRows } from '../../domain/shared/limits.ts'
import type { Database } from '../engine.ts'
import { orderedBy } from '../shared/sql.ts'
import type { Addresses, AddressTarget } from './addresses.ts'
import type { SyncState } from './sync-state.ts'

export type UnionTarget = Omit<AddressTarget, 'deviceId' | 'members'>

export type UniteSubscriptions = ReturnType<typeof prepareGroupUnion>

/** Initial union of the lists of a sync group's devices (docs/protocol.md#D35). */
export function prepareGroupUnion(db: Database, sync: SyncState, addresses: Addresses) {
  const selectHeld = db.prepare<{ id: PodcastId }, [string]>(
    orderedBy(
      'j.key, s.podcast_id',
      `SELECT s.podcast_id AS id
         FROM json_each(?1) j CROSS JOIN subscriptions s ON s.device_id = CAST(j.value AS INTEGER) AND s.subscribed = 1`,
    ),
  )
  const insertMissing = db.prepare<{ deviceId: number; id: PodcastId }, [string, string, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq)
     SELECT CAST(d.value AS INTEGER), CAST(p.value AS INTEGER), 1, ?3 FROM json_each(?2) p CROSS JOIN json_each(?1) d WHERE true
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq WHERE subscriptions.subscribed = 0
     RETURNING device_id AS deviceId, podcast_id AS id`,
  )

  return (target: UnionTarget, groups: readonly (readonly number[])[]): number => {
    const { userId, seq, changes } = target
    let added = 0
    for (const deviceIds of groups) {
      const devices = JSON.stringify(deviceIds)
      const rows = selectHeld.all(devices)
      const all = new Set(rows.map(({ id }) => id))
      if (all.size * deviceIds.length - rows.length > ROWS_PER_REQUEST) throw tooManyRows()
      const aliased = addresses.withAliases([...all])
      for (const address of addresses.onePerPodcast([...aliased]))
        for (const deviceId of deviceIds)
          added += addresses.addTo({ ...target, deviceId, members: deviceIds }, deviceId, address)
      const podcasts = [...all].filter((id) => !aliased.has(id))
      for (const { deviceId, id } of insertMissing.all(devices, JSON.stringify(podcasts), seq)) {
        added++
        changes.add(deviceId, id)
      }
    }
    if (added > 0) sync.checkSubscriptions(userId)
    return added
  }
}
