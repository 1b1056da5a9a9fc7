import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../../domain/shared/ids.ts'
import { RELATION } from '../../../../domain/sync/addresses.ts'
import { type IsSamePodcast, planJoins } from '../../../../domain/sync/joined-episodes.ts'
import { isFinishedRow, progressAt, type StateAction, tellsState } from './action-kinds.ts'

/**
 * So many media URLs of one guid are one episode at the most. Publishers who sign addresses again each day come nowhere
 * near; further ones are episodes by themselves, so that nobody can make an upload compare thousands of them, and then
 * no client is told the guid.
 */
const JOINED_MAX = 64

/** An action that tells the state of an episode. */
export interface Status extends StateAction {
  readonly actionId: number
  readonly isFinished: boolean
  /** As `progressAt`. */
  readonly progressAt: number | null
}

export interface StatusRow {
  readonly stateId: number
  readonly kind: number
  readonly at: number
  readonly position: number | null
  readonly total: number | null
}

interface NamedRow {
  readonly id: number
  readonly url: string
  readonly podcastId: PodcastId
  readonly joinedId: number | null
  readonly isHidden: number
  readonly isShared: number
  readonly mediaId: number
  readonly lastId: number
  /** Null for a row that has no action yet. */
  readonly stateId: number | null
  readonly kind: number
  readonly at: number
  readonly position: number | null
  readonly total: number | null
}

interface MediaRow extends NamedRow {
  readonly guid: string | null
}

interface NameRow extends FormerName {
  readonly podcastId: PodcastId
  readonly url: string
  readonly hasAliases: number
}

/** What of a removed or changed row its episode depends on. */
export interface FormerName {
  readonly userId: UserId
  readonly guid: string | null
  readonly joinedId: number | null
}

/** What a feed tells of the guid of a media URL, and what it told before. */
interface FeedGuid {
  readonly url: string
  readonly guid: string
  readonly isShared: boolean
  readonly formerGuid: string
}

/** An episode of a user by another media URL. */
export interface OtherEpisode {
  readonly status: Status
  /** The last action of each media URL. */
  readonly lastIds: readonly number[]
}

/** SQL: the media URL by which the user's episode `ue` is told, as `e`: the one last uploaded. */
export const SHOWN_MEDIA = `CROSS JOIN episodes e ON e.id = CASE WHEN ue.joined_id IS NULL THEN ue.episode_id
       ELSE (SELECT j.media_id FROM joined_episodes j WHERE j.id = ue.joined_id) END`
/**
 * SQL: the address by which the user, who is parameter 1, is told of the podcast `p`: one that they are subscribed to, the
 * one that others lead to first. Ordinary podcasts have one address.
 */
export const SHOWN_PODCAST = `CASE WHEN p.has_aliases = 0 THEN p.url ELSE COALESCE((
    SELECT o.url
      FROM (SELECT p.id, -1 AS rank UNION ALL
            SELECT r.other_id, r.relation & ${RELATION.leadsHere} FROM address_relations r WHERE r.podcast_id = p.id) a
      CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = a.id AND l.devices > 0
      CROSS JOIN podcasts o ON o.id = a.id
     ORDER BY a.rank, a.id LIMIT 1), p.url) END`

/** SQL: the guid of the user's episode `ue`, where clients may be told it. */
export const SHOWN_GUID = 'CASE WHEN ue.is_guid_hidden = 0 THEN ue.guid END'

/**
 * SQL: whether the feed uses the guid of the episode details `d` for several episodes. Such a fingerprint has no name
 * (fingerprints.ts).
 */
export const IS_SHARED_GUID = `d.fingerprint >= '.' AND d.fingerprint < '/'`

/** The same, of a fingerprint. */
export function isSharedGuid(fingerprint: string): boolean {
  return fingerprint.startsWith('.')
}

/**
 * SQL: the guid of the user's episode `ue` for archives and moves. Includes guids that are hidden from clients, except
 * those that the feed uses for several episodes: they would become one until the feed is fetched at the new address.
 */
export const OWN_GUID = `CASE WHEN NOT EXISTS (SELECT 1 FROM episode_details d
    WHERE d.episode_id = ue.episode_id AND d.guid = ue.guid AND ${IS_SHARED_GUID}) THEN ue.guid END`

export type JoinedEpisodes = ReturnType<typeof prepareJoinedEpisodes>

/**
 * Which media URLs are one episode of a user (docs/protocol.md#D84). Each one has its own row in `user_episodes` and its
 * own list of actions; those that are one episode refer to a row of `joined_episodes`, which has the state of all. All
 * functions belong inside a job of the write queue.
 */
export function prepareJoinedEpisodes(db: Database) {
  const named = db.prepare<NamedRow, [UserId, string]>(
    `SELECT ue.id, e.url, e.podcast_id AS podcastId, ue.joined_id AS joinedId, ue.is_guid_hidden AS isHidden,
            EXISTS (SELECT 1 FROM episode_details d
                     WHERE d.episode_id = ue.episode_id AND d.guid = ue.guid AND ${IS_SHARED_GUID}) AS isShared,
            ue.episode_id AS mediaId, ue.last_action_id AS lastId, s.id AS stateId, s.kind, s.at, s.position, s.total
       FROM user_episodes ue INDEXED BY user_episodes_guid CROSS JOIN episodes e ON e.id = ue.episode_id
       LEFT JOIN episode_actions s ON s.id = ue.state_action_id
      WHERE ue.user_id = +?1 AND ue.guid = +?2 ORDER BY ue.id LIMIT ${JOINED_MAX + 1}`,
  )
  const mediaColumns = `ue.id, ue.guid, e.url, e.podcast_id AS podcastId, ue.joined_id AS joinedId, ue.is_guid_hidden AS isHidden,
      0 AS isShared, ue.episode_id AS mediaId, ue.last_action_id AS lastId, s.id AS stateId, s.kind, s.at, s.position, s.total`
  const sameMedia = db.prepare<MediaRow, [UserId, PodcastId, string]>(
    `SELECT ${mediaColumns}
       FROM (SELECT +?2 AS id UNION ALL SELECT r.other_id FROM address_relations r WHERE r.podcast_id = +?2) a
      CROSS JOIN episodes e ON e.podcast_id = a.id AND e.url = +?3
      CROSS JOIN user_episodes ue ON ue.user_id = +?1 AND ue.episode_id = e.id AND ue.is_former = 0
       LEFT JOIN episode_actions s ON s.id = ue.state_action_id`,
  )
  const unnamedOfJoined = db.prepare<MediaRow, [number]>(
    `SELECT ${mediaColumns} FROM user_episodes ue CROSS JOIN episodes e ON e.id = ue.episode_id
       LEFT JOIN episode_actions s ON s.id = ue.state_action_id
      WHERE ue.joined_id = ?1 AND ue.guid IS NULL LIMIT ${JOINED_MAX}`,
  )
  const anyNamed = db.prepare<undefined, [UserId, string]>(
    'SELECT 1 FROM user_episodes INDEXED BY user_episodes_guid WHERE user_id = +?1 AND guid = +?2 LIMIT 1',
  )
  const insert = db.prepare<undefined, [UserId, number, number, number | null]>(
    'INSERT INTO joined_episodes (user_id, media_id, state_action_id, progress_at) VALUES (?1, ?2, ?3, ?4)',
  )
  const update = db.prepare<undefined, [number, number, number, number | null]>(
    `UPDATE joined_episodes SET media_id = ?2, state_action_id = ?3, progress_at = ?4
      WHERE id = ?1 AND (media_id <> ?2 OR state_action_id <> ?3)`,
  )
  const removeEmpty = db.prepare<undefined, [number]>(
    'DELETE FROM joined_episodes WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM user_episodes WHERE joined_id = +?1)',
  )
  const setJoined = db.prepare<undefined, [number, number | null, number]>(
    'UPDATE user_episodes SET joined_id = ?2, is_guid_hidden = ?3 WHERE id = ?1',
  )
  const setGuid = db.prepare<undefined, [number, string | null]>(
    'UPDATE user_episodes SET guid = ?2, joined_id = NULL, is_guid_hidden = 0 WHERE id = ?1',
  )
  const nameOf = db.prepare<NameRow, [number]>(
    `SELECT ue.user_id AS userId, ue.guid, ue.joined_id AS joinedId, p.id AS podcastId, e.url, p.has_aliases AS hasAliases
       FROM user_episodes ue CROSS JOIN episodes e ON e.id = ue.episode_id CROSS JOIN podcasts p ON p.id = e.podcast_id
      WHERE ue.id = ?1`,
  )
  const ofMedia = db.prepare<
    { id: number; guid: string | null; isOnly: number },
    [PodcastId, string, string, number, string]
  >(
    `SELECT ue.id, ue.guid, NOT EXISTS (SELECT 1 FROM user_episodes x
                WHERE x.user_id = ue.user_id AND x.episode_id = ue.episode_id AND x.is_former = 1) AS isOnly
       FROM episodes e CROSS JOIN user_episodes ue ON ue.episode_id = e.id
      WHERE e.podcast_id = +?1 AND e.url = +?2
        AND (ue.guid IS NULL OR (ue.guid = +?5 AND ue.guid <> +?3)
             OR (ue.guid = +?3 AND (ue.is_guid_hidden <> +?4 OR (+?4 = 1 AND ue.joined_id IS NOT NULL))))
      LIMIT ${ROWS_OF_FEED}`,
  )
  const guidOfFeed = db.prepare<{ guid: string }, [PodcastId, string]>(
    `SELECT d.guid FROM episodes e CROSS JOIN episode_details d ON d.episode_id = e.id
      WHERE e.podcast_id = +?1 AND e.url = +?2`,
  )

  const related = db.prepare<{ id: PodcastId; other: PodcastId }, [string]>(
    `SELECT r.podcast_id AS id, r.other_id AS other
       FROM json_each(?1) j CROSS JOIN address_relations r ON r.podcast_id = j.value`,
  )
  const ofPodcast = db.prepare<{ userId: UserId; guid: string }, [PodcastId]>(
    `SELECT DISTINCT ue.user_id AS userId, ue.guid FROM episodes e CROSS JOIN user_episodes ue ON ue.episode_id = e.id
      WHERE e.podcast_id = +?1 AND ue.guid IS NOT NULL AND (ue.is_guid_hidden = 1 OR ue.joined_id IS NOT NULL)
      LIMIT ${ROWS_OF_PODCAST}`,
  )

  // Beside what has been joined, media that another address of the podcast has as well, unless guids tell all of it.
  const mediaOfPodcast = db.prepare<{ userId: UserId; url: string }, [PodcastId]>(
    `SELECT DISTINCT m.userId, m.url FROM
       (SELECT ue.user_id AS userId, e.url, ue.guid, ue.joined_id AS joinedId
          FROM episodes e CROSS JOIN user_episodes ue ON ue.episode_id = e.id
         WHERE e.podcast_id = +?1 LIMIT ${MEDIA_OF_PODCAST}) m
      WHERE (m.guid IS NULL AND m.joinedId IS NOT NULL)
         OR EXISTS (SELECT 1 FROM address_relations r CROSS JOIN episodes o ON o.podcast_id = r.other_id AND o.url = m.url
             CROSS JOIN user_episodes x ON x.user_id = m.userId AND x.episode_id = o.id
             WHERE r.podcast_id = +?1 AND (x.guid IS NULL OR m.guid IS NULL))
      LIMIT ${ROWS_OF_PODCAST}`,
  )

  /** Most guids are of one podcast, which needs no search. */
  function samePodcastAmong(podcasts: readonly PodcastId[]): IsSamePodcast {
    const ids = new Set(podcasts)
    if (ids.size < 2) return () => false
    const pairs = new Set(related.all(JSON.stringify([...ids])).map(({ id, other }) => `${id} ${other}`))
    return (one, other) => pairs.has(`${one} ${other}`)
  }

  /** The row of `joined_episodes` of each row that is one episode with others. */
  function assign(
    userId: UserId,
    rows: readonly NamedRow[],
    joined: readonly (readonly number[])[],
  ): ReadonlyMap<number, number> {
    const joinedIds = new Map<number, number>()
    for (const ids of joined) {
      const members = rows.filter(({ id }) => ids.includes(id))
      const status = latest(members)
      const [newest] = members.toSorted((one, other) => other.lastId - one.lastId)
      if (!status || !newest) continue
      // What was one episode may be two by now.
      const taken = new Set(joinedIds.values())
      const known = members.find(({ joinedId }) => joinedId !== null && !taken.has(joinedId))?.joinedId
      const joinedId =
        known ?? Number(insert.run(userId, newest.mediaId, status.actionId, status.progressAt).lastInsertRowid)
      if (known) update.run(joinedId, newest.mediaId, status.actionId, status.progressAt)
      for (const id of ids) joinedIds.set(id, joinedId)
    }
    return joinedIds
  }

  /** As `join`, for rows without a guid and with the same media URL. */
  function joinUnnamed(userId: UserId, rows: readonly MediaRow[]): void {
    const isSamePodcast = samePodcastAmong(rows.map(({ podcastId }) => podcastId))
    const { joined } = planJoins(
      rows.map((row) => ({ ...row, isShared: false })),
      isSamePodcast,
    )
    const joinedIds = assign(userId, rows, joined)
    for (const { id, joinedId } of rows) {
      const wanted = joinedIds.get(id) ?? null
      if (wanted !== joinedId) setJoined.run(id, wanted, 0)
    }
    for (const joinedId of new Set(rows.map((row) => row.joinedId))) if (joinedId !== null) removeEmpty.run(joinedId)
  }

  /** The same for these and all that they are joined with. */
  function joinAround(userId: UserId, found: readonly MediaRow[]): void {
    const others = new Set(found.flatMap(({ joinedId }) => joinedId ?? []))
    const rows = [...found, ...[...others].flatMap((joinedId) => unnamedOfJoined.all(joinedId))]
    joinUnnamed(userId, [...new Map(rows.map((row) => [row.id, row])).values()])
  }

  /**
   * Joins, and takes apart, what of the user has this guid. `id` is a row that has not had it before: it may come after
   * all rows that are looked at.
   */
  function join(userId: UserId, guid: string, id?: number): void {
    const found = named.all(userId, guid)
    const rows = found.slice(0, JOINED_MAX)
    const isCrowded = found.length > rows.length
    const { joined, hidden } = planJoins(
      rows.map((row) => ({ ...row, isShared: row.isShared === 1 })),
      samePodcastAmong(rows.map(({ podcastId }) => podcastId)),
    )
    const joinedIds = assign(userId, rows, joined)
    // Also the first one beyond: an older one that has come to this guid has taken its place.
    for (const { id, joinedId, isHidden } of found) {
      const wanted = joinedIds.get(id) ?? null
      const shouldHide = Number(isCrowded || hidden.has(id))
      if (wanted !== joinedId || shouldHide !== isHidden) setJoined.run(id, wanted, shouldHide)
    }
    if (isCrowded && id !== undefined && found.every((row) => row.id !== id)) setJoined.run(id, null, 1)
    for (const joinedId of new Set(found.map((row) => row.joinedId))) if (joinedId !== null) removeEmpty.run(joinedId)
  }

  /** After a row with this name has gone, or has another name. */
  function mend({ userId, guid, joinedId }: FormerName): void {
    if (guid !== null) join(userId, guid)
    else if (joinedId !== null) joinUnnamed(userId, unnamedOfJoined.all(joinedId))
    if (joinedId !== null) removeEmpty.run(joinedId)
  }

  function rename(id: number, guid: string | null): void {
    const before = nameOf.get(id)
    if (before === null) return
    const { userId, podcastId, url, hasAliases } = before
    setGuid.run(id, guid)
    mend(before)
    if (guid !== null) join(userId, guid, id)
    if (hasAliases === 0) return
    if (guid !== null) {
      nameMedia(userId, podcastId, url, guid)
      return
    }
    const others = sameMedia.all(userId, podcastId, url)
    if (guidOf(others) === undefined) joinAround(userId, others)
  }

  /** What the user has of the media URL at other addresses of the podcast, and no guid is known of, has this one from now on. */
  function nameMedia(userId: UserId, podcastId: PodcastId, url: string, guid: string): void {
    const unnamed = sameMedia.all(userId, podcastId, url).filter((row) => row.guid === null)
    for (const { id, joinedId } of unnamed) {
      setGuid.run(id, guid)
      mend({ userId, guid: null, joinedId })
      join(userId, guid, id)
    }
  }

  /** The guid that the user's latest actions, or the feed, tell of the media URL at any address of the podcast. */
  function guidOf(rows: readonly MediaRow[]): string | undefined {
    const [newest] = rows.filter(({ guid }) => guid !== null).toSorted((one, other) => other.lastId - one.lastId)
    return newest?.guid ?? undefined
  }

  /** Joins, and takes apart, what the user has of a media URL at several addresses of a podcast. */
  function joinMedia(userId: UserId, podcastId: PodcastId, url: string): void {
    const found = sameMedia.all(userId, podcastId, url)
    const guid = guidOf(found)
    if (guid !== undefined) nameMedia(userId, podcastId, url, guid)
    else joinAround(userId, found)
  }

  return {
    join,
    mend,
    /**
     * Lets the guid of a media URL be another one from now on, or unknown (null), also at other addresses of its podcast
     * where none is known. Tells what they were; nothing if the user has no such media URL any more.
     */
    rename,

    joinMedia,
    nameMedia,

    /** The guid by which the user knows the media URL at other addresses of the podcast. */
    guidOfMedia: (userId: UserId, podcastId: PodcastId, url: string): string | undefined =>
      guidOf(sameMedia.all(userId, podcastId, url)),

    /** As `find`, where no guid is known: of the media URL at other addresses of the podcast. */
    findMedia(userId: UserId, podcastId: PodcastId, url: string): OtherEpisode | undefined {
      const rows = sameMedia.all(userId, podcastId, url)
      const status = latest(rows)
      return status && { status, lastIds: rows.map(({ lastId }) => lastId) }
    },

    /** Whether the user has anything of this guid. */
    isKnown: (userId: UserId, guid: string): boolean => anyNamed.get(userId, guid) !== null,

    /** What the user has of the episode by other media URLs; undefined if it is nothing, or the guid names none. */
    find(userId: UserId, podcastId: PodcastId, guid: string): OtherEpisode | undefined {
      const all = named.all(userId, guid).slice(0, JOINED_MAX)
      const isSamePodcast = samePodcastAmong([podcastId, ...all.map((row) => row.podcastId)])
      const rows = all.filter((row) => row.podcastId === podcastId || isSamePodcast(row.podcastId, podcastId))
      const status = rows.some(({ isShared }) => isShared === 1) ? undefined : latest(rows)
      return status && { status, lastIds: rows.map(({ lastId }) => lastId) }
    },

    /** After it has become known, or is not true any more, that the address is of one podcast with others. */
    noteRelations(podcastId: PodcastId): void {
      for (const { userId, url } of mediaOfPodcast.all(podcastId)) joinMedia(userId, podcastId, url)
      for (const { userId, guid } of ofPodcast.all(podcastId)) join(userId, guid)
    },

    /** What the feed has told so far; '' if nothing. */
    guidOfFeed: (podcastId: PodcastId, url: string): string => guidOfFeed.get(podcastId, url)?.guid ?? '',

    /**
     * After a feed has told the guid of a media URL, and whether several episodes of it have the same. Users who knew
     * it by the guid that the feed told before, and by no other, know it by this one from now on.
     */
    noteFeed(podcastId: PodcastId, { url, guid, isShared, formerGuid }: FeedGuid): void {
      if (guid === '') return
      for (const row of ofMedia.all(podcastId, url, guid, Number(isShared), formerGuid))
        if (row.guid !== guid && row.isOnly === 1) rename(row.id, guid)
        else {
          const name = nameOf.get(row.id)
          if (name) mend(name)
        }
    },
  }
}

/** Guids of users that are looked at when addresses become one podcast; others follow with their next new media URL. */
const ROWS_OF_PODCAST = 500

/** Media URLs of users that are looked at then to find those. */
const MEDIA_OF_PODCAST = 5000

/** Users whose actions are looked at for one episode of a feed; of others the guid is known with their next action. */
const ROWS_OF_FEED = 100

export function toStatus(row: StatusRow): Status {
  return {
    actionId: row.stateId,
    kind: row.kind,
    at: row.at,
    isFinished: isFinishedRow(row),
    progressAt: progressAt(row),
  }
}

/** What tells the state of all of them; undefined where nothing does yet. */
function latest(rows: readonly NamedRow[]): Status | undefined {
  let found: Status | undefined
  for (const { stateId, ...row } of rows.toSorted((one, other) => (one.stateId ?? 0) - (other.stateId ?? 0)))
    if (stateId !== null && (!found || tellsState(row, found))) found = toStatus({ ...row, stateId })
  return found
}
