import type { Database } from 'bun:sqlite'
import type { UserId } from '../../domain/ids.ts'
import { nextClock } from '../../domain/logical-clock.ts'
import type { SubscriptionChanges, SubscriptionStore, WrittenSubscriptions } from '../../domain/ports.ts'
import {
  PODCAST_DETAILS,
  type PodcastRow,
  podcastColumnsFor,
  prepareEnsurePodcasts,
  toPodcastObject,
} from './podcasts.ts'
import { prepareKeepTitles } from './provisional-titles.ts'
import type { Snapshot } from './snapshot.ts'
import type { SyncState } from './sync-state.ts'
import type { WriteQueue } from './write-queue.ts'

interface ChangeRow {
  readonly url: string
  readonly subscribed: number
}

/** The device itself and, if it is in a sync group, every other member. */
const MEMBERS = '(SELECT id FROM devices WHERE id = +?1 OR sync_group_id = +?2)'

export function createSubscriptionStore(
  db: Database,
  snapshot: Snapshot,
  queue: WriteQueue,
  sync: SyncState,
): SubscriptionStore {
  const ensurePodcasts = prepareEnsurePodcasts(db)
  const keepTitles = prepareKeepTitles(db)
  const urlsOfDevice = db.prepare<{ url: string }, [number]>(
    `SELECT p.url FROM subscriptions s JOIN podcasts p ON p.id = s.podcast_id
      WHERE s.device_id = +?1 AND s.subscribed = 1 ORDER BY s.seq, p.url`,
  )
  const podcastsOfDevice = db.prepare<PodcastRow, [number, UserId]>(
    `SELECT ${podcastColumnsFor('+?2')} FROM subscriptions s JOIN podcasts p ON p.id = s.podcast_id ${PODCAST_DETAILS}
      WHERE s.device_id = +?1 AND s.subscribed = 1 ORDER BY s.seq, p.url`,
  )
  const podcastsOfUser = db.prepare<PodcastRow, [UserId]>(
    `SELECT ${podcastColumnsFor('+?1')}
       FROM (SELECT s.podcast_id, MIN(s.seq) AS added FROM devices d JOIN subscriptions s ON s.device_id = d.id
              WHERE d.user_id = +?1 AND s.subscribed = 1 GROUP BY s.podcast_id) held
       JOIN podcasts p ON p.id = held.podcast_id ${PODCAST_DETAILS}
      ORDER BY held.added, p.url`,
  )
  const changedSince = db.prepare<ChangeRow, [number, number]>(
    `SELECT p.url, s.subscribed FROM subscriptions s JOIN podcasts p ON p.id = s.podcast_id
      WHERE s.device_id = +?1 AND s.seq >= +?2 ORDER BY s.seq, p.url`,
  )
  const subscribe = db.prepare<undefined, [number, number | null, string, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq)
     SELECT d.id, p.id, 1, ?4 FROM json_each(?3) j CROSS JOIN podcasts p ON p.url = j.value CROSS JOIN devices d
      WHERE d.id IN ${MEMBERS}
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq WHERE subscribed = 0`,
  )
  const unsubscribe = db.prepare<undefined, [number, number | null, string, number]>(
    `UPDATE subscriptions SET subscribed = 0, seq = ?4
      WHERE device_id IN ${MEMBERS} AND subscribed = 1
        AND podcast_id IN (SELECT p.id FROM json_each(?3) j CROSS JOIN podcasts p ON p.url = j.value)`,
  )
  const unsubscribeOthers = db.prepare<undefined, [number, number | null, string, number]>(
    `UPDATE subscriptions SET subscribed = 0, seq = ?4
      WHERE device_id IN ${MEMBERS} AND subscribed = 1
        AND podcast_id NOT IN (SELECT p.id FROM json_each(?3) j CROSS JOIN podcasts p ON p.url = j.value)`,
  )
  const changedByOthers = db.prepare<undefined, [number, number, number]>(
    'SELECT 1 FROM subscriptions WHERE device_id = ?1 AND seq >= ?2 AND seq <> ?3 LIMIT 1',
  )

  return {
    async listDevice(userId, uid) {
      snapshot.use()
      const { deviceId } = sync.find(userId, uid)
      return deviceId === null ? undefined : urlsOfDevice.all(deviceId).map(({ url }) => url)
    },

    async listDevicePodcasts(userId, uid) {
      snapshot.use()
      const { deviceId } = sync.find(userId, uid)
      return deviceId === null ? undefined : podcastsOfDevice.all(deviceId, userId).map(toPodcastObject)
    },

    async listUser(userId) {
      snapshot.use()
      return podcastsOfUser.all(userId).map(toPodcastObject)
    },

    async changesSince(userId, uid, since): Promise<SubscriptionChanges> {
      snapshot.use()
      const { clock, deviceId } = sync.find(userId, uid)
      const add: string[] = []
      const remove: string[] = []
      if (deviceId === null) return { add, remove, clock }
      for (const { url, subscribed } of changedSince.all(deviceId, since)) {
        if (subscribed) add.push(url)
        // A fresh client deletes local feeds that it finds here (protocol.md D36).
        else if (since > 0) remove.push(url)
      }
      return { add, remove, clock }
    },

    applyUpload: (userId, uid, { add, remove, titles }, { at, seenUntil }) =>
      queue.run((): WrittenSubscriptions => {
        const { deviceId, syncGroupId, clock } = sync.ensureDevice(userId, uid, at)
        const seq = nextClock(clock, at)
        let added = 0
        let removed = 0
        if (add.length > 0) {
          const urls = JSON.stringify(add)
          ensurePodcasts(urls, at)
          added = subscribe.run(deviceId, syncGroupId, urls, seq).changes
        }
        if (remove.length > 0) removed = unsubscribe.run(deviceId, syncGroupId, JSON.stringify(remove), seq).changes
        const hasChanged = added + removed > 0
        if (hasChanged) sync.setClock(userId, seq)
        keepTitles(userId, titles)
        return {
          clock: hasChanged ? seq : clock,
          missed: seenUntil !== undefined && changedByOthers.get(deviceId, seenUntil, seq) !== null,
          hasAdded: added > 0,
        }
      }),

    replace: (userId, uid, list, at, titles) =>
      queue.run(() => {
        const { deviceId, syncGroupId, clock } = sync.ensureDevice(userId, uid, at)
        const seq = nextClock(clock, at)
        const urls = JSON.stringify(list)
        ensurePodcasts(urls, at)
        const removed = unsubscribeOthers.run(deviceId, syncGroupId, urls, seq).changes
        const added = subscribe.run(deviceId, syncGroupId, urls, seq).changes
        if (added + removed > 0) sync.setClock(userId, seq)
        keepTitles(userId, titles)
        return { hasAdded: added > 0 }
      }),
  }
}
