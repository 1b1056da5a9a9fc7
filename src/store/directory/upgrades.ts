import type { Exchange, FeedMove, ProbedFeed, Upgrade, UpgradeStore } from '../../domain/directory/ports/upgrades.ts'
import { DomainError, invalid } from '../../domain/shared/errors.ts'
import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import { slices } from '../../domain/shared/lists.ts'
import { nextClock } from '../../domain/sync/cursors.ts'
import type { ByApp } from '../../domain/sync/ports/written.ts'
import { type PodcastInheritance, preparePodcastInheritance } from '../feeds/podcast-inheritance.ts'
import type { StoreParts } from '../parts.ts'
import { prepareDirectoryChanges } from '../shared/directory-changes.ts'
import { MOVED_AT_ONCE } from '../sync/actions/action-removal.ts'
import { prepareMoveInFolders } from '../sync/app-data/folders.ts'
import { prepareQueueRows } from '../sync/app-data/queue-rows.ts'
import { ChangeRecord } from '../sync/list-changes/list-changes.ts'
import { prepareCopyTitle, preparePodcastIds, titleFor } from '../sync/podcast-rows.ts'
import { preparePrivacy } from './privacy.ts'

/** SQL: the https address of the podcast `p`. Addresses are stored without default ports. */
const TWIN = `('https://' || SUBSTR(p.url, 8))`

/** D73: the https feed `t` is subscribed, was fetched, or the http feed leads there. Private ones stay untold. */
const IS_KNOWN = `(p.moved_to = ${TWIN} OR p.works_by_https = 1
  OR ((t.succeeded_at IS NOT NULL OR t.subscribers > 0)
      AND (t.is_private = 0 OR EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = d.user_id AND l.podcast_id = t.id AND l.devices > 0))))`

interface ChangedRow {
  readonly deviceId: number
  readonly id: PodcastId
}

type ProbeRow = Omit<ProbedFeed, 'newest'> & { readonly newest: string }

const NEWEST = 5

export function createUpgradeStore(parts: StoreParts): UpgradeStore {
  const { db, snapshot, queue, sync, actionRemoval, edges } = parts
  const inheritance = preparePodcastInheritance(db, preparePrivacy(db))
  const exchange = prepareFeedExchange({ ...parts, inheritance })
  // Considers only devices that have the http address and not the https address.
  const list = db.prepare<Upgrade, [UserId]>(
    `SELECT * FROM (SELECT DISTINCT p.url AS httpUrl, ${TWIN} AS httpsUrl, IFNULL(${titleFor('+?1')}, p.url) AS title
       FROM devices d
       JOIN subscriptions s ON s.device_id = d.id AND s.subscribed = 1
       JOIN podcasts p ON p.id = s.podcast_id AND p.url LIKE 'http://%'
       LEFT JOIN podcasts t ON t.url = ${TWIN}
       LEFT JOIN podcast_details pd ON pd.podcast_id = p.id
      WHERE d.user_id = +?1 AND ${IS_KNOWN}
        AND NOT EXISTS (SELECT 1 FROM subscriptions h WHERE h.device_id = d.id AND h.podcast_id = t.id AND h.subscribed = 1)) upgrades
      ORDER BY lower(title), httpUrl`,
  )
  // What goes back to http is nothing to offer, and what goes to https at the same address is an upgrade.
  const moves = db.prepare<FeedMove, [UserId]>(
    `SELECT * FROM (SELECT DISTINCT p.url, p.moved_to AS newUrl, IFNULL(${titleFor('+?1')}, p.url) AS title
       FROM devices d
       JOIN subscriptions s ON s.device_id = d.id AND s.subscribed = 1
       JOIN podcasts p ON p.id = s.podcast_id AND p.moved_to IS NOT NULL
       LEFT JOIN podcasts t ON t.url = p.moved_to
       LEFT JOIN podcast_details pd ON pd.podcast_id = p.id
      WHERE d.user_id = +?1 AND NOT (p.url LIKE 'http://%' AND p.moved_to = ${TWIN})
        AND (p.moved_to LIKE 'https://%' OR p.url LIKE 'http://%')
        AND NOT EXISTS (SELECT 1 FROM subscriptions h WHERE h.device_id = d.id AND h.podcast_id = t.id AND h.subscribed = 1)) moves
      ORDER BY lower(title), url`,
  )
  const candidates = (pairs: string) =>
    `SELECT p.id, ${TWIN} AS httpsUrl, pd.guid, pd.title,
            (SELECT ${pairs}
               FROM (SELECT ed.guid, e.url FROM episode_details ed JOIN episodes e ON e.id = ed.episode_id
                      WHERE ed.podcast_id = p.id ORDER BY ed.released DESC NULLS LAST, ed.episode_id DESC LIMIT ${NEWEST}) n) AS newest
       FROM podcasts p JOIN podcast_details pd ON pd.podcast_id = p.id LEFT JOIN podcasts t ON t.url = ${TWIN}
      WHERE p.url >= 'http://' AND p.url < 'http:0' AND p.subscribers > 0 AND p.works_by_https = 0
        AND (p.probed_at IS NULL OR p.probed_at < ?1)
        AND p.moved_to IS NOT ${TWIN} AND t.succeeded_at IS NULL AND IFNULL(t.subscribers, 0) = 0
      ORDER BY p.probed_at NULLS FIRST, p.subscribers DESC, p.id LIMIT ?2`
  const toProbe = db.prepare<ProbeRow, [number, number]>({
    sqlite: candidates("json_group_array(json_object('guid', n.guid, 'url', n.url))"),
    postgres: candidates("COALESCE(json_agg(json_build_object('guid', n.guid, 'url', n.url)), '[]')::text"),
  })
  const noteProbe = db.prepare<undefined, [PodcastId, number, number]>(
    'UPDATE podcasts SET probed_at = ?2, works_by_https = ?3 WHERE id = ?1',
  )

  return {
    list: (userId) => snapshot.read(() => list.all(userId)),

    toProbe: (before, limit) =>
      snapshot.read(() => toProbe.all(before, limit).map((row) => ({ ...row, newest: JSON.parse(row.newest) }))),

    noteProbe: (id, at, works) =>
      queue.run('server', () => {
        noteProbe.run(id, at, Number(works))
        edges.setTwin(id, works, at)
      }),

    moves: (userId) => snapshot.read(() => moves.all(userId)),

    apply: (userId, { httpUrl, httpsUrl }, at, by) =>
      queue.run(userId, () => {
        const check = () => {
          const isOffered = list.all(userId).some((each) => each.httpUrl === httpUrl && each.httpsUrl === httpsUrl)
          if (!isOffered) throw invalid('https_url', 'this upgrade is not offered')
        }
        return exchange(userId, { from: httpUrl, to: httpsUrl }, at, check, by)
      }),

    applyMove: (userId, { url, newUrl }, at, by) =>
      queue.run(userId, () => {
        const check = () => {
          const isOffered = moves.all(userId).some((each) => each.url === url && each.newUrl === newUrl)
          if (!isOffered) throw invalid('new_url', 'this address is not offered')
        }
        return exchange(userId, { from: url, to: newUrl }, at, check, by)
      }),

    inheritEpisodes: (inherited, episodes) =>
      queue.runDeferred('server', () => inheritance.copyEpisodes(inherited, episodes)),

    async moveActions(userId, urls, at) {
      const ids = await snapshot.read(() => actionRemoval.planMove(userId, urls))
      for (const batch of slices(ids, MOVED_AT_ONCE))
        await queue.run(userId, () => {
          const seq = nextClock(sync.clockOf(userId), at)
          sync.setClockAndCount(userId, seq, actionRemoval.move(userId, urls, batch, seq, at))
        })
    },
  }
}

/** Inside a job. Rejects with `unknown_podcast` when no device has `from`, `quota_exceeded`, and as `check` does. */
export type ExchangeFeed = (
  userId: UserId,
  urls: { readonly from: string; readonly to: string },
  at: number,
  check: () => void,
  by: ByApp | undefined,
) => Exchange

/** One feed in the place of another on each device that has it and in their sync groups (docs/protocol.md#D74). */
function prepareFeedExchange(parts: StoreParts & { readonly inheritance: PodcastInheritance }): ExchangeFeed {
  const { db, sync, inheritance, actionRemoval, listChanges } = parts
  const podcastIds = preparePodcastIds(db)
  const queueRows = prepareQueueRows(db)
  const moveInFolders = prepareMoveInFolders(db)
  const copyTitle = prepareCopyTitle(db)
  const directoryChanges = prepareDirectoryChanges(db)
  const holders = db.prepare<{ id: number; uid: string }, [UserId, string]>(
    `SELECT d.id, d.uid FROM podcasts p CROSS JOIN devices d
       CROSS JOIN subscriptions s ON s.device_id = d.id AND s.podcast_id = p.id AND s.subscribed = 1
      WHERE p.url = +?2 AND d.user_id = +?1 ORDER BY d.id`,
  )
  const members = `(SELECT m.id FROM json_each(?1) j JOIN devices d ON d.id = CAST(j.value AS INTEGER)
      JOIN devices m ON m.id = d.id OR m.sync_group_id = d.sync_group_id)`
  // A member of the group that has the podcast at yet another address keeps that (docs/protocol.md#D83).
  const subscribe = db.prepare<ChangedRow, [string, string, number, string]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq)
     SELECT DISTINCT m.id, p.id, 1, CAST(?3 AS INTEGER) FROM devices m CROSS JOIN podcasts p WHERE m.id IN ${members} AND p.url = +?2
        AND NOT EXISTS (SELECT 1 FROM address_relations r
          CROSS JOIN subscriptions s ON s.device_id = m.id AND s.podcast_id = r.other_id AND s.subscribed = 1
          WHERE r.podcast_id = p.id AND r.other_id <> (SELECT id FROM podcasts WHERE url = +?4))
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq WHERE subscriptions.subscribed = 0
     RETURNING device_id AS deviceId, podcast_id AS id`,
  )
  const unsubscribe = db.prepare<ChangedRow, [string, string, number]>(
    `UPDATE subscriptions SET subscribed = 0, seq = ?3
      WHERE subscribed = 1 AND device_id IN ${members} AND podcast_id = (SELECT id FROM podcasts WHERE url = +?2)
      RETURNING device_id AS deviceId, podcast_id AS id`,
  )
  // The podcast is the same, so the time since which episodes are new does not change (docs/protocol.md#D118).
  const keepSince = db.prepare<undefined, [UserId, string, string]>(
    `UPDATE listeners SET since = min(since, IFNULL((SELECT o.since FROM podcasts p
        CROSS JOIN listeners o ON o.user_id = +?1 AND o.podcast_id = p.id WHERE p.url = +?2), since))
      WHERE user_id = ?1 AND podcast_id = (SELECT id FROM podcasts WHERE url = +?3)`,
  )
  /** Settings of the podcast and its episodes move along. Only a space or nothing follows a feed URL in a target. */
  const takeSettings = db.prepare<undefined, [UserId, string, string]>(
    `INSERT INTO settings (user_id, scope, target, value, favorite_at)
     SELECT user_id, scope, ?3 || substr(target, length(?2) + 1), value, favorite_at FROM settings
      WHERE user_id = ?1 AND (scope = 'podcast' AND target = ?2 OR scope = 'episode' AND target > ?2 || ' ' AND target < ?2 || '!')
     ON CONFLICT (user_id, scope, target) DO NOTHING`,
  )

  const leaveFavorites = db.prepare<undefined, [UserId, string]>(
    `UPDATE settings SET favorite_at = NULL
      WHERE user_id = ?1 AND favorite_at IS NOT NULL AND scope = 'episode' AND target > ?2 || ' ' AND target < ?2 || '!'`,
  )

  return (userId, { from, to }, at, check, by) => {
    const clock = sync.clockOf(userId)
    const devices = holders.all(userId, from)
    if (devices.length === 0) throw new DomainError('unknown_podcast', 'no device is subscribed to this feed')
    check()
    const seq = nextClock(clock, at)
    const ids = JSON.stringify(devices.map(({ id }) => id))
    const inherit = inheritance.prepare(userId, from, to)
    if (takeSettings.run(userId, from, to).changes > 0) {
      sync.checkSettings(userId)
      directoryChanges.ofChoice(userId, to)
    }
    leaveFavorites.run(userId, from)
    podcastIds.ensure(to, at)
    queueRows.move(userId, from, to)
    moveInFolders(userId, from, to)
    copyTitle(userId, from, to)
    const changes = new ChangeRecord()
    const added = subscribe.all(ids, to, seq, from)
    const removed = unsubscribe.all(ids, from, seq)
    keepSince.run(userId, from, to)
    for (const { deviceId, id } of added) changes.add(deviceId, id)
    for (const { deviceId, id } of removed) changes.remove(deviceId, id)
    listChanges.write({ userId, kind: 'exchange', ...by, at }, changes)
    if (added.length > removed.length) sync.checkSubscriptions(userId)
    const inherited = inherit()
    // A long history is moved in later jobs.
    const plan = actionRemoval.planMove(userId, { from, to })
    const isShort = plan.length <= MOVED_AT_ONCE
    sync.setClockAndCount(userId, seq, isShort ? actionRemoval.move(userId, { from, to }, plan, seq, at) : 0)
    return { devices: devices.map(({ uid }) => uid), clock: seq, inherited }
  }
}
