import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import type { TransferStore } from '../../domain/transfer/ports.ts'
import type { StoreParts } from '../parts.ts'
import { ChangeRecord } from '../sync/list-changes/list-changes.ts'
import { preparePodcastIds, TITLES_MAX } from '../sync/podcast-rows.ts'

export function createTransferStore(parts: StoreParts): TransferStore {
  const { db, queue, sync, listChanges } = parts
  const podcastIds = preparePodcastIds(db)
  const insert = db.prepare<undefined, [number, PodcastId, number, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (?1, ?2, ?4, ?3)
     ON CONFLICT (device_id, podcast_id) DO NOTHING`,
  )
  const lastSeq = db.prepare<{ seq: number | null }, [UserId]>(
    `SELECT MAX((SELECT MAX(s.seq) FROM subscriptions s WHERE s.device_id = d.id)) AS seq
       FROM devices d WHERE d.user_id = ?1`,
  )
  const addTitles = db.prepare<undefined, [UserId, string]>(
    `INSERT INTO provisional_titles (user_id, podcast_id, title)
     SELECT ?1, p.id, j.value ->> 1
       FROM json_each(?2) j CROSS JOIN podcasts p ON p.url = j.value ->> 0
       CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = p.id
       LEFT JOIN podcast_details pd ON pd.podcast_id = p.id
      WHERE IFNULL(pd.title, '') = ''
      LIMIT max(0, ${TITLES_MAX} - (SELECT COUNT(*) FROM provisional_titles WHERE user_id = +?1))
     ON CONFLICT (user_id, podcast_id) DO NOTHING`,
  )

  return {
    placeFeeds: (userId, uid, feeds, isSubscribed, at) =>
      queue.run(userId, () => {
        if (sync.clockOf(userId) > 0) return undefined
        const { deviceId, syncGroupId } = sync.ensureDevice(userId, uid, at)
        // What one of the group gets is for all of them, as an upload has it.
        if (syncGroupId !== null) return undefined
        const changes = new ChangeRecord()
        let added = 0
        for (const { url, seq } of feeds) {
          const podcastId = podcastIds.ensure(url, at)
          const { changes: rows } = insert.run(deviceId, podcastId, seq, Number(isSubscribed))
          added += Math.min(1, rows)
          if (rows > 0 && isSubscribed) changes.add(deviceId, podcastId)
        }
        if (isSubscribed && added > 0) sync.checkSubscriptions(userId)
        listChanges.write({ userId, deviceId, kind: 'import', at }, changes)
        return added
      }),

    startClock: (userId) =>
      queue.run(userId, () => {
        const last = lastSeq.get(userId)?.seq ?? 0
        if (last > 0 && sync.clockOf(userId) === 0) sync.setClock(userId, last)
      }),

    addTitles: async (userId, titles) =>
      titles.size === 0 ? 0 : queue.run(userId, () => addTitles.run(userId, JSON.stringify([...titles])).changes),
  }
}
