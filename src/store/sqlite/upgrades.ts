import type { Database } from 'bun:sqlite'
import { DomainError, invalid } from '../../domain/errors.ts'
import type { PodcastId, UserId } from '../../domain/ids.ts'
import { nextClock } from '../../domain/logical-clock.ts'
import type { ProbedFeed, Upgrade, UpgradeStore } from '../../domain/ports.ts'
import { prepareEnsurePodcasts } from './podcasts.ts'
import type { Snapshot } from './snapshot.ts'
import type { SyncState } from './sync-state.ts'
import type { WriteQueue } from './write-queue.ts'

/** The address of the podcast `p` by https; addresses are kept without default ports. */
const TWIN = `('https://' || SUBSTR(p.url, 8))`

/**
 * protocol.md D73: somebody has the https feed, or it was fetched once, or the http feed itself leads there. `t` is its row, if there is
 * one. What others have in private is not told (D56).
 */
const IS_KNOWN = `(p.moved_to = ${TWIN} OR p.works_by_https = 1
  OR ((t.succeeded_at IS NOT NULL OR t.subscribers > 0)
      AND (t.is_private = 0 OR EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = d.user_id AND l.podcast_id = t.id AND l.devices > 0))))`

type ProbeRow = Omit<ProbedFeed, 'newest'> & { readonly newest: string }

/** Episodes that tell whether two feeds are the same. */
const NEWEST = 5

export function createUpgradeStore(db: Database, snapshot: Snapshot, queue: WriteQueue, sync: SyncState): UpgradeStore {
  const ensurePodcasts = prepareEnsurePodcasts(db)
  // Those devices count that have the one and not the other.
  const list = db.prepare<Upgrade, [UserId]>(
    `SELECT DISTINCT p.url AS httpUrl, ${TWIN} AS httpsUrl, IFNULL(NULLIF(pd.title, ''), p.url) AS title
       FROM devices d
       JOIN subscriptions s ON s.device_id = d.id AND s.subscribed = 1
       JOIN podcasts p ON p.id = s.podcast_id AND p.url LIKE 'http://%'
       LEFT JOIN podcasts t ON t.url = ${TWIN}
       LEFT JOIN podcast_details pd ON pd.podcast_id = p.id
      WHERE d.user_id = +?1 AND ${IS_KNOWN}
        AND NOT EXISTS (SELECT 1 FROM subscriptions h WHERE h.device_id = d.id AND h.podcast_id = t.id AND h.subscribed = 1)
      ORDER BY title COLLATE NOCASE, p.url`,
  )
  const holders = db.prepare<{ id: number; uid: string }, [UserId, string]>(
    `SELECT d.id, d.uid FROM devices d
       JOIN subscriptions s ON s.device_id = d.id AND s.subscribed = 1
       JOIN podcasts p ON p.id = s.podcast_id
      WHERE d.user_id = +?1 AND p.url = +?2 ORDER BY d.id`,
  )
  const toProbe = db.prepare<ProbeRow, [number, number]>(
    `SELECT p.id, ${TWIN} AS httpsUrl, pd.guid, pd.title,
            (SELECT json_group_array(json_object('guid', n.guid, 'url', n.url))
               FROM (SELECT ed.guid, e.url FROM episode_details ed JOIN episodes e ON e.id = ed.episode_id
                      WHERE ed.podcast_id = p.id ORDER BY ed.released DESC, ed.episode_id DESC LIMIT ${NEWEST}) n) AS newest
       FROM podcasts p JOIN podcast_details pd ON pd.podcast_id = p.id LEFT JOIN podcasts t ON t.url = ${TWIN}
      WHERE p.url >= 'http://' AND p.url < 'http:0' AND p.subscribers > 0 AND p.works_by_https = 0
        AND (p.probed_at IS NULL OR p.probed_at < ?1)
        AND p.moved_to IS NOT ${TWIN} AND t.succeeded_at IS NULL AND IFNULL(t.subscribers, 0) = 0
      ORDER BY p.probed_at, p.subscribers DESC, p.id LIMIT ?2`,
  )
  const noteProbe = db.prepare<undefined, [PodcastId, number, number]>(
    'UPDATE podcasts SET probed_at = ?2, works_by_https = ?3 WHERE id = ?1',
  )
  /** The devices of a JSON array and whoever shares a sync group with one of them. */
  const members = `(SELECT m.id FROM json_each(?1) j JOIN devices d ON d.id = j.value
      JOIN devices m ON m.id = d.id OR m.sync_group_id = d.sync_group_id)`
  const subscribe = db.prepare<undefined, [string, string, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq)
     SELECT DISTINCT m.id, p.id, 1, ?3 FROM devices m CROSS JOIN podcasts p WHERE m.id IN ${members} AND p.url = +?2
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq WHERE subscribed = 0`,
  )
  const unsubscribe = db.prepare<undefined, [string, string, number]>(
    `UPDATE subscriptions SET subscribed = 0, seq = ?3
      WHERE subscribed = 1 AND device_id IN ${members} AND podcast_id = (SELECT id FROM podcasts WHERE url = +?2)`,
  )

  /** What somebody has set for the podcast, above all that nobody is to know of it, is meant for it by https as well. */
  const takeSettings = db.prepare<undefined, [UserId, string, string]>(
    `INSERT INTO settings (user_id, scope, target, value)
     SELECT user_id, scope, ?3, value FROM settings WHERE user_id = ?1 AND scope = 'podcast' AND target = ?2
     ON CONFLICT (user_id, scope, target) DO NOTHING`,
  )

  return {
    async list(userId) {
      snapshot.use()
      return list.all(userId)
    },

    async toProbe(before, limit) {
      snapshot.use()
      return toProbe.all(before, limit).map((row) => ({ ...row, newest: JSON.parse(row.newest) }))
    },

    noteProbe: (id, at, works) => queue.run(() => void noteProbe.run(id, at, Number(works))),

    apply: (userId, httpUrl, httpsUrl, at) =>
      queue.run(() => {
        const clock = sync.clockOf(userId)
        const devices = holders.all(userId, httpUrl)
        if (devices.length === 0) throw new DomainError('unknown_podcast', 'no device has this feed')
        const isOffered = list.all(userId).some((each) => each.httpUrl === httpUrl && each.httpsUrl === httpsUrl)
        if (!isOffered) throw invalid('https_url', 'this upgrade is not offered')
        const seq = nextClock(clock, at)
        const ids = JSON.stringify(devices.map(({ id }) => id))
        takeSettings.run(userId, httpUrl, httpsUrl)
        ensurePodcasts(JSON.stringify([httpsUrl]), at)
        subscribe.run(ids, httpsUrl, seq)
        unsubscribe.run(ids, httpUrl, seq)
        sync.setClock(userId, seq)
        return { devices: devices.map(({ uid }) => uid), clock: seq }
      }),
  }
}
