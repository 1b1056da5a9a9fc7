import type { FingerprintedEpisode } from '../../domain/feeds/document.ts'
import type { FailingFeed, FeedStore, KnownFeed } from '../../domain/feeds/ports.ts'
import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import type { Database } from '../engine.ts'
import type { StoreParts } from '../parts.ts'
import { prepareDirectoryChanges } from '../shared/directory-changes.ts'
import { fromRow, type Row } from '../shared/rows.ts'
import { isSharedGuid } from '../sync/actions/joined-episodes.ts'
import { IS_WANTED, PODCAST_COLUMNS, PODCAST_DETAILS, type PodcastRow, toPodcastObject } from '../sync/podcast-rows.ts'
import { IS_UNPROVEN } from './podcast-inheritance.ts'

type EpisodeRow = (string | number | null)[]

type FeedRow = Row<KnownFeed>

const FEED_COLUMNS = `p.id, p.url, p.etag, p.last_modified AS lastModified, p.body_hash AS bodyHash,
  p.moved_to AS movedTo, p.failures, p.ttl AS ttlSeconds, p.checked_at AS checkedAt,
  (SELECT MAX(e.released) FROM episode_details e WHERE e.podcast_id = p.id) AS newestReleased`

/** Known feeds first, so that a user who adds thousands does not delay them. */
const MOST_WANTED = 'p.checked_at IS NULL, p.subscribers DESC, p.next_check_at, p.id'

/** Seconds. A check scheduled further ahead was written while the clock was wrong. */
const CHECK_AHEAD_MAX = 2 * 24 * 3600

const DAY = 24 * 3600

const PRUNED_AT_ONCE = 200

/** SQL: whether a user has actions on an episode, or has it in the queue. */
const isReferenced = (id: string) =>
  `(EXISTS (SELECT 1 FROM user_episodes ue WHERE ue.episode_id = ${id}) OR EXISTS (SELECT 1 FROM queue_items q WHERE q.episode_id = ${id}))`

export function createFeedStore({ db, snapshot, queue, feedGuids, edges, news }: StoreParts): FeedStore {
  const byUrl = db.prepare<FeedRow, [string]>(`SELECT ${FEED_COLUMNS} FROM podcasts p WHERE p.url = +?1`)
  const byId = db.prepare<FeedRow, [PodcastId]>(`SELECT ${FEED_COLUMNS} FROM podcasts p WHERE p.id = +?1`)
  const selectDue = db.prepare<FeedRow, [number, number]>(
    `SELECT ${FEED_COLUMNS} FROM podcasts p
      WHERE p.id IN (SELECT p.id FROM podcasts p
                      WHERE (p.next_check_at <= ?1 OR p.next_check_at > ?1 + ${CHECK_AHEAD_MAX}) AND ${IS_WANTED} ORDER BY ${MOST_WANTED} LIMIT ?2)
      ORDER BY ${MOST_WANTED}`,
  )
  const neverFetched = db.prepare<{ id: PodcastId; url: string }, [string, number]>(
    `SELECT p.id, p.url FROM json_each(?1) j CROSS JOIN podcasts p ON p.url = j.value
      WHERE p.checked_at IS NULL
        AND ${IS_WANTED} ORDER BY j.key LIMIT ?2`,
  )
  const add = db.prepare<undefined, [string, number]>(
    'INSERT INTO podcasts (url, created_at, is_secret, is_private) VALUES (?1, ?2, 0, 0) ON CONFLICT (url) DO NOTHING',
  )
  const selectWanted = db.prepare<{ id: PodcastId }, []>(
    `SELECT p.id FROM podcasts p WHERE ${IS_WANTED} ORDER BY p.subscribers DESC, p.id`,
  )
  const subscribers = db.prepare<{ userId: UserId; url: string }, [PodcastId, string]>(
    `SELECT l.user_id AS userId, p.url
       FROM json_each(?2) among CROSS JOIN listeners l ON l.user_id = CAST(among.value AS INTEGER) AND l.podcast_id = +?1
       CROSS JOIN podcasts p ON p.id = l.podcast_id WHERE l.devices > 0`,
  )
  const upsertDetails = db.prepare<undefined, [PodcastId, ...string[], number, string]>(
    `INSERT INTO podcast_details
       (podcast_id, title, author, description, website, logo_url, language, tags, guid, is_blocked, funding_url)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
     ON CONFLICT (podcast_id) DO UPDATE SET
       title = excluded.title, author = excluded.author, description = excluded.description, website = excluded.website,
       logo_url = excluded.logo_url, language = excluded.language, tags = excluded.tags, guid = excluded.guid,
       is_blocked = excluded.is_blocked, funding_url = excluded.funding_url
     WHERE (podcast_details.title, podcast_details.author, podcast_details.description, podcast_details.website, podcast_details.logo_url,
       podcast_details.language, podcast_details.tags, podcast_details.guid, podcast_details.is_blocked, podcast_details.funding_url)
       IS NOT (excluded.title, excluded.author, excluded.description, excluded.website, excluded.logo_url, excluded.language,
        excluded.tags, excluded.guid, excluded.is_blocked, excluded.funding_url)`,
  )
  const directoryChanges = prepareDirectoryChanges(db)
  // The title of the feed replaces provisional ones.
  const forgetTitles = db.prepare<undefined, [PodcastId]>('DELETE FROM provisional_titles WHERE podcast_id = ?1')
  const ensureEpisode = db.prepare<undefined, [PodcastId, string]>(
    'INSERT INTO episodes (podcast_id, url) VALUES (?1, ?2) ON CONFLICT (podcast_id, url) DO NOTHING',
  )
  const fingerprints = db.prepare<{ all: string }, [PodcastId]>({
    sqlite:
      'SELECT json_group_object(episode_id, fingerprint) AS "all" FROM episode_details WHERE podcast_id = +?1 AND is_listed = 1',
    postgres: `SELECT COALESCE(json_object_agg(episode_id, fingerprint), '{}')::text AS "all" FROM episode_details
                  WHERE podcast_id = ?1 AND is_listed = 1`,
  })
  const relocate = createEpisodeRelocation(db)
  // Skips unchanged rows, since writes wear out SD cards. One statement per episode, since a JSON array of all would
  // take three times as long. An episode dated in the future gets the time it was first seen.
  const comparedFingerprint = `CASE WHEN ?7 > ?20 AND ?7 > IFNULL(episode_details.released, ?20) + ${DAY} THEN ?21 ELSE ?3 END`
  const upsertEpisode = db.prepare<undefined, [PodcastId, ...EpisodeRow, number, string]>(
    `INSERT INTO episode_details (episode_id, podcast_id, fingerprint, title, description, website, released, guid, duration, size,
         mime_type, image_url, chapters_url, transcript_url, chapters, season, number, is_explicit,
         transcript_type)
     SELECT e.id, ?1, CASE WHEN CAST(?7 AS INTEGER) > CAST(?20 AS INTEGER) + ${DAY} THEN ?21 ELSE ?3 END, ?4, ?5, ?6,
            CASE WHEN ?7 > ?20 THEN ?20 ELSE ?7 END, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19
       FROM episodes e WHERE e.podcast_id = +?1 AND e.url = +?2
     ON CONFLICT (episode_id) DO UPDATE SET
       fingerprint = ${comparedFingerprint}, title = excluded.title, description = excluded.description, website = excluded.website,
       released = CASE WHEN ?7 > ?20 THEN IFNULL(episode_details.released, ?20) ELSE ?7 END, guid = excluded.guid, duration = excluded.duration, size = excluded.size,
       mime_type = excluded.mime_type, image_url = excluded.image_url, chapters_url = excluded.chapters_url,
       transcript_url = excluded.transcript_url, chapters = excluded.chapters, season = excluded.season, number = excluded.number,
       is_explicit = excluded.is_explicit, transcript_type = excluded.transcript_type, is_listed = 1
     WHERE episode_details.fingerprint <> ${comparedFingerprint} OR episode_details.is_listed = 0`,
  )
  const forget = db.prepare<undefined, [PodcastId, string]>(
    `DELETE FROM episode_details WHERE episode_id IN
       (SELECT e.id FROM json_each(?2) j CROSS JOIN episodes e ON e.podcast_id = ?1 AND e.url = j.value)`,
  )
  const forgetNamed = db.prepare<undefined, [PodcastId, string]>(
    'DELETE FROM episode_details WHERE podcast_id = ?1 AND guid IN (SELECT value FROM json_each(?2))',
  )
  const markInternal = db.prepare<undefined, [PodcastId]>(
    'UPDATE podcasts SET is_inside = 1 WHERE id = ?1 AND is_inside = 0',
  )
  const succeed = db.prepare<
    undefined,
    [PodcastId, number, number, string | null, string | null, string | null, string | null, number | null, number]
  >(
    `UPDATE podcasts SET checked_at = ?2, succeeded_at = ?2, next_check_at = ?3, etag = ?4, last_modified = ?5, body_hash = ?6,
            moved_to = ?7, ttl = ?8, is_inside = ?9, failures = 0, failing_since = NULL, error_reason = NULL, error = NULL
      WHERE id = ?1`,
  )
  // Episodes from another address that claimed to be this podcast, but not in the podcast's own feed.
  const unproven = `SELECT d.episode_id FROM podcasts p CROSS JOIN episode_details d ON d.podcast_id = p.id
     WHERE p.id = +?1 AND p.succeeded_at IS NULL AND ${IS_UNPROVEN}`
  const removeUnproven = db.prepare<undefined, [PodcastId]>(
    `DELETE FROM episodes WHERE id IN
       (${unproven} AND NOT ${isReferenced('d.episode_id')})`,
  )
  const unlistUnproven = db.prepare<undefined, [PodcastId]>(
    `UPDATE episode_details SET is_listed = 0 WHERE episode_id IN (${unproven})`,
  )
  const prune = db.prepare<undefined, [PodcastId, number, number]>(
    `DELETE FROM episodes WHERE id IN
       (SELECT old.episode_id
          FROM (SELECT episode_id FROM episode_details WHERE podcast_id = ?1 AND is_listed = 1 ORDER BY released DESC NULLS LAST, episode_id DESC LIMIT -1 OFFSET ?2) old
         WHERE NOT ${isReferenced('old.episode_id')}
         LIMIT ?3)`,
  )
  const fail = db.prepare<undefined, [PodcastId, number, number, string, string]>(
    `UPDATE podcasts SET checked_at = ?2, next_check_at = ?3, failures = failures + 1, failing_since = IFNULL(failing_since, ?2),
            error_reason = ?4, error = ?5
      WHERE id = ?1`,
  )
  const newest = db.prepare<{ at: number | null }, []>('SELECT MAX(checked_at) AS at FROM podcasts')
  const podcast = db.prepare<PodcastRow & { episodes: number }, [PodcastId]>(
    `SELECT ${PODCAST_COLUMNS}, (SELECT COUNT(*) FROM episode_details e WHERE e.podcast_id = p.id AND e.is_listed = 1) AS episodes
       FROM podcasts p ${PODCAST_DETAILS} WHERE p.id = +?1`,
  )
  const totals = db.prepare<{ total: number; failing: number }, []>(
    `SELECT COUNT(*) AS total, COUNT(p.failing_since) AS failing FROM podcasts p WHERE ${IS_WANTED}`,
  )
  const failing = db.prepare<Omit<FailingFeed, 'isPrivate'> & { isPrivate: number }, [number]>(
    `SELECT p.url, p.is_private AS isPrivate, p.error_reason AS reason, p.error AS message, p.failures, p.failing_since AS since, p.next_check_at AS nextCheckAt
       FROM podcasts p WHERE p.failing_since IS NOT NULL AND ${IS_WANTED} ORDER BY p.failing_since, p.id LIMIT ?1`,
  )

  return {
    claimsToTry: (before, limit) => snapshot.read(() => edges.claimsToTry(before, limit)),

    noteClaim: ({ id, newFeedUrl }, at, isTrue) =>
      queue.run('server', () => edges.noteClaim(id, newFeedUrl, at, isTrue)),

    find: (url) => snapshot.read(() => toKnownFeed(byUrl.get(url))),

    add: (url, at) =>
      queue.run('server', () => {
        add.run(url, at)
        const row = byUrl.get(url)
        if (!row) throw new Error('a podcast that was just made is gone')
        return row.id
      }),

    get: (id) => snapshot.read(() => toKnownFeed(byId.get(id))),

    neverFetched: (urls, limit) => snapshot.read(() => neverFetched.all(JSON.stringify(urls), limit)),

    listDue: (at, limit) => snapshot.read(() => selectDue.all(at, limit).map(fromRow<KnownFeed>)),

    subscribed: () => snapshot.read(() => selectWanted.all().map(({ id }) => id)),

    subscribers: (id, among) =>
      snapshot.read(() => {
        const rows = subscribers.all(id, JSON.stringify(among))
        return { url: rows[0]?.url ?? '', userIds: rows.map(({ userId }) => userId) }
      }),

    saveDetails: (id, details) =>
      queue.runDeferred('server', () => {
        const { title, author, description, website, logoUrl, language, tags, guid, isBlocked, fundingUrl } = details
        const texts = [title, author, description, website, logoUrl, language, JSON.stringify(tags), guid]
        const { changes } = upsertDetails.run(id, ...texts, Number(isBlocked), fundingUrl)
        if (title !== '') forgetTitles.run(id)
        if (changes > 0) directoryChanges.ofFeed(id)
        return changes > 0
      }),

    fingerprints: (id) => snapshot.read(() => fingerprints.get(id)?.all ?? '{}'),

    markInternal: (id) => queue.runDeferred('server', () => void markInternal.run(id)),

    keepGuids: (id) => queue.runDeferred('server', () => edges.keepGuids(id)),

    saveEpisodes: (id, episodes, at) =>
      queue.runDeferred('server', () => {
        let changed = 0
        const watch = news.watch(id, at)
        for (const episode of episodes) {
          const isNews = watch?.isNews(episode) === true
          if (episode.inPlaceOf !== undefined) relocate(id, episode.inPlaceOf, episode)
          const { url, guid, fingerprint } = episode
          ensureEpisode.run(id, url)
          const formerGuid = feedGuids.guidOfFeed(id, url)
          const { changes } = upsertEpisode.run(id, ...toRow(episode), at, markedAhead(fingerprint))
          if (changes > 0) feedGuids.noteFeed(id, { url, guid, isShared: isSharedGuid(fingerprint), formerGuid })
          if (isNews) watch?.note(url)
          changed += changes
        }
        return changed
      }),

    forgetEpisodes: (id, urls, guids) =>
      queue.runDeferred('server', () => {
        forget.run(id, JSON.stringify(urls))
        if (guids.length > 0) forgetNamed.run(id, JSON.stringify(guids))
      }),

    prune: (id, keep) => queue.runDeferred('server', () => void prune.run(id, keep, PRUNED_AT_ONCE)),

    succeed: (
      id,
      {
        at,
        nextCheckAt,
        etag = null,
        lastModified = null,
        bodyHash = null,
        movedTo = null,
        ttlSeconds = null,
        isInside,
        leads,
        newFeedUrl,
      },
    ) =>
      queue.runDeferred('server', () => {
        removeUnproven.run(id)
        unlistUnproven.run(id)
        succeed.run(id, at, nextCheckAt, etag, lastModified, bodyHash, movedTo, ttlSeconds, Number(isInside))
        edges.setRedirects(id, leads, at)
        if (newFeedUrl === undefined) return
        edges.setClaim(id, newFeedUrl, at)
        edges.checkStoredClaims(id, at)
      }),

    fail: (id, { at, nextCheckAt, reason, message }) =>
      queue.runDeferred('server', () => {
        news.noteFailure(id, { at, reason })
        fail.run(id, at, nextCheckAt, reason, message)
      }),

    newestCheck: () => snapshot.read(() => newest.get()?.at ?? 0),

    podcast: (id) =>
      snapshot.read(() => {
        const row = podcast.get(id)
        return row ? { podcast: toPodcastObject(row), episodes: row.episodes } : undefined
      }),

    health: (limit) =>
      snapshot.read(() => {
        const counted = totals.get()
        const rows = failing.all(limit).map((row) => ({ ...row, isPrivate: row.isPrivate === 1 }))
        return { total: counted?.total ?? 0, failingTotal: counted?.failing ?? 0, failing: rows }
      }),
  }
}

function toKnownFeed(row: FeedRow | null): KnownFeed | undefined {
  return row ? fromRow<KnownFeed>(row) : undefined
}

/** Returns a fingerprint that matches no document, so that an episode dated too far ahead is read again. */
function markedAhead(fingerprint: string): string {
  return fingerprint.replace(/(?=\.[^.]*$)/, '+')
}

function toRow(episode: FingerprintedEpisode): EpisodeRow {
  const { url, fingerprint, title, description, website, released = null, guid, duration = null, size = null } = episode
  const { mimeType, imageUrl, chaptersUrl, transcriptUrl, chapters, season = null, number = null, isExplicit } = episode
  const { transcriptType } = episode
  const texts = [mimeType, imageUrl, chaptersUrl, transcriptUrl, chapters]
  return [
    url,
    fingerprint,
    title,
    description,
    website,
    released,
    guid,
    duration,
    size,
    ...texts,
    season,
    number,
    Number(isExplicit),
    transcriptType,
  ]
}

/** Gives the stored row `old` the current URL of its episode, since publishers change URLs. Belongs inside a job. */
type RelocateEpisode = (podcastId: PodcastId, old: number, episode: FingerprintedEpisode) => void

function createEpisodeRelocation(db: Database): RelocateEpisode {
  // The fingerprints were read before the feed was fetched. The row may have been removed since, its number reused.
  const isStill = db.prepare<{ one: number }, [number, PodcastId, string]>(
    'SELECT 1 AS one FROM episode_details WHERE episode_id = ?1 AND podcast_id = +?2 AND guid = ?3',
  )
  const isNeeded = db.prepare<{ isReferenced: number }, [number]>(
    `SELECT ${isReferenced('e.id')}
         OR EXISTS (SELECT 1 FROM settings s WHERE s.scope = 'episode' AND s.target = p.url || ' ' || e.url) AS isReferenced
       FROM episodes e JOIN podcasts p ON p.id = e.podcast_id WHERE e.id = +?1`,
  )
  const unlist = db.prepare<undefined, [number]>('UPDATE episode_details SET is_listed = 0 WHERE episode_id = ?1')
  const move = db.prepare<undefined, [number, string]>({
    sqlite: 'UPDATE OR IGNORE episodes SET url = ?2 WHERE id = ?1',
    postgres: `UPDATE episodes SET url = ?2 WHERE id = ?1 AND NOT EXISTS
                 (SELECT 1 FROM episodes o WHERE o.podcast_id = episodes.podcast_id AND o.url = ?2 AND o.id <> ?1)`,
  })
  const remove = db.prepare<undefined, [number]>('DELETE FROM episodes WHERE id = ?1')

  return (podcastId, old, { url, guid }) => {
    if (!isStill.get(old, podcastId, guid)) return
    if (isNeeded.get(old)?.isReferenced === 1) unlist.run(old)
    // A device reported the new URL before the feed did, so it already has a row.
    else if (move.run(old, url).changes === 0) remove.run(old)
  }
}
