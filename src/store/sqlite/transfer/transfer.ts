import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import type { TransferStore } from '../../../domain/transfer/ports.ts'
import type { Snapshot } from '../core/snapshot.ts'
import type { WriteQueue } from '../core/write-queue.ts'
import { ChangeRecord, type ListChanges } from '../sync/list-changes/list-changes.ts'
import { preparePodcastIds, TITLES_MAX } from '../sync/podcast-rows.ts'
import type { SyncState } from '../sync/sync-state.ts'

export interface TransferStoreParts {
  readonly db: Database
  readonly snapshot: Snapshot
  readonly queue: WriteQueue
  readonly sync: SyncState
  readonly listChanges: ListChanges
}

export function createTransferStore(parts: TransferStoreParts): TransferStore {
  const { db, snapshot, queue, sync, listChanges } = parts
  const podcastIds = preparePodcastIds(db)
  const held = db.prepare<{ url: string }, [UserId, string, string, number]>(
    `SELECT p.url FROM devices d CROSS JOIN json_each(?3) j CROSS JOIN podcasts p ON p.url = j.value
       CROSS JOIN subscriptions s ON s.device_id = d.id AND s.podcast_id = p.id AND s.subscribed >= +?4
      WHERE d.user_id = +?1 AND d.uid = +?2`,
  )
  const subscribe = db.prepare<undefined, [number, PodcastId, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (?1, ?2, 1, ?3)
     ON CONFLICT (device_id, podcast_id) DO NOTHING`,
  )
  // After `subscribe`, so that the triggers write down that the user has once had the podcast.
  const unsubscribe = db.prepare<undefined, [number, PodcastId]>(
    'UPDATE subscriptions SET subscribed = 0 WHERE device_id = ?1 AND podcast_id = ?2',
  )
  const forgetNews = db.prepare<undefined, [UserId, string]>(
    `DELETE FROM webhook_news WHERE user_id = ?1 AND event = 'new_device' AND device = ?2`,
  )
  const lastSeq = db.prepare<{ seq: number | null }, [UserId]>(
    `SELECT MAX((SELECT MAX(s.seq) FROM subscriptions s WHERE s.device_id = d.id)) AS seq
       FROM devices d WHERE d.user_id = ?1`,
  )
  const addReplaced = db.prepare<undefined, [number, PodcastId]>(
    'INSERT INTO replaced_addresses (device_id, podcast_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING',
  )
  const addTitles = db.prepare<undefined, [UserId, string]>(
    `INSERT INTO provisional_titles (user_id, podcast_id, title)
     SELECT ?1, p.id, j.value ->> 1
       FROM json_each(?2) j CROSS JOIN podcasts p ON p.url = j.value ->> 0
       CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = p.id
       LEFT JOIN podcast_details pd ON pd.podcast_id = p.id
      WHERE IFNULL(pd.title, '') = ''
      LIMIT MAX(0, ${TITLES_MAX} - (SELECT COUNT(*) FROM provisional_titles WHERE user_id = +?1))
     ON CONFLICT (user_id, podcast_id) DO NOTHING`,
  )
  const listUrls = db.prepare<{ urls: string }, [UserId, string]>(
    'SELECT urls FROM podcast_lists WHERE user_id = ?1 AND name = ?2',
  )
  const dateFavorite = db.prepare<undefined, [UserId, string, number]>(
    `UPDATE settings SET favorite_at = ?3
      WHERE user_id = ?1 AND scope = 'episode' AND target = ?2 AND favorite_at > ?3`,
  )

  return {
    async heldOf(userId, uid, urls, isSubscribed) {
      snapshot.use()
      return new Set(held.all(userId, uid, JSON.stringify(urls), Number(isSubscribed)).map(({ url }) => url))
    },

    forgetDeviceNews: (userId, uid) => queue.run(() => void forgetNews.run(userId, uid)),

    placeFeeds: (userId, uid, feeds, isSubscribed, at) =>
      queue.run(() => {
        if (sync.clockOf(userId) > 0) return undefined
        const { deviceId, syncGroupId } = sync.ensureDevice(userId, uid, at)
        // What one of the group gets is for all of them, as an upload has it.
        if (syncGroupId !== null) return undefined
        const changes = new ChangeRecord()
        let added = 0
        for (const { url, seq } of feeds) {
          const podcastId = podcastIds.ensure(url, at)
          const { changes: rows } = subscribe.run(deviceId, podcastId, seq)
          added += Math.min(1, rows)
          if (rows > 0 && isSubscribed) changes.add(deviceId, podcastId)
          else if (rows > 0) unsubscribe.run(deviceId, podcastId)
        }
        if (isSubscribed && added > 0) sync.checkSubscriptions(userId)
        listChanges.write({ userId, deviceId, kind: 'import', at }, changes)
        return added
      }),

    startClock: (userId) =>
      queue.run(() => {
        const last = lastSeq.get(userId)?.seq ?? 0
        if (last > 0 && sync.clockOf(userId) === 0) sync.setClock(userId, last)
      }),

    addReplaced: (userId, uid, urls, at) =>
      queue.run(() => {
        const { deviceId } = sync.find(userId, uid)
        if (deviceId === null) return 0
        return urls.reduce((sum, url) => sum + addReplaced.run(deviceId, podcastIds.ensure(url, at)).changes, 0)
      }),

    addTitles: async (userId, titles) =>
      titles.size === 0 ? 0 : queue.run(() => addTitles.run(userId, JSON.stringify([...titles])).changes),

    async listUrls(userId, name) {
      snapshot.use()
      const row = listUrls.get(userId, name)
      if (!row) return undefined
      return row.urls === '' ? [] : row.urls.split('\n')
    },

    dateFavorite: (userId, target, at) => queue.run(() => dateFavorite.run(userId, target, at).changes > 0),
  }
}
