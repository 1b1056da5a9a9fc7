import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../../domain/shared/ids.ts'
import type { EpisodeAction } from '../../../../domain/sync/ports/episode-actions.ts'
import { preparePodcastIds } from '../podcast-rows.ts'
import { ACTION_KINDS, progressAt } from './action-kinds.ts'
import { IS_SHARED_GUID, type JoinedEpisodes, type Status, type StatusRow, toStatus } from './joined-episodes.ts'

/** A row of `user_episodes` while an upload adds to it. */
export interface UserEpisode {
  readonly podcast: string
  readonly id: number
  readonly mediaId: number
  readonly guid: string | null
  /** A later action on the media URL named another guid. */
  readonly isFormer: boolean
  /** The media URL has rows for other guids. */
  readonly hasOthers: boolean
  /** 0 as long as there is none. */
  lastId: number
  /** What its row says of that. As long as both are the same, its row is right. */
  writtenId: number
  /** By this media URL alone. */
  own: Status
  /** The episode that this media URL is one of several of. */
  readonly joined: JoinedEpisode | undefined
  /** The same media URL in another podcast. */
  readonly elsewhere: UserEpisode | undefined
}

/** An episode without actions of the user; null if no user has actions on the podcast, or on the media URL. */
export interface UnheardEpisode {
  readonly podcastId: PodcastId | null
  readonly mediaId: number | null
  readonly hasAliases: number
  /** The user has actions on the media URL by other guids. */
  readonly hasOthers?: boolean
}

/** A row of `joined_episodes` likewise. */
interface JoinedEpisode {
  readonly id: number
  mediaId: number
  status: Status
  hasChanged: boolean
}

/** What is known of the media URL of an action, besides the user's own actions on it. */
export interface Media {
  readonly podcastId: PodcastId | undefined
  readonly mediaId: number | undefined
  readonly guid: string | undefined
  /** The feed uses it for several episodes. */
  readonly isGuidShared: boolean
  /** The user has actions on another media URL with it. */
  readonly isGuidKnown: boolean
  /** Its podcast has other addresses, at which the user may have the same media URL. */
  readonly hasAliases: boolean
}

interface UserEpisodeRow extends StatusRow {
  readonly id: number
  readonly mediaId: number
  readonly guid: string | null
  /** Only where none is known by the actions. */
  readonly feedGuid: string | null
  readonly isFormer: number
  readonly hasOthers: number
  readonly joinedId: number | null
  readonly lastId: number
  readonly podcastId: PodcastId
  readonly hasAliases: number
}

type FoundRow = UserEpisodeRow | (UnheardEpisode & { readonly id: null })

interface JoinedRow extends StatusRow {
  readonly id: number
  readonly mediaId: number
}

interface MediaRow {
  readonly podcastId: PodcastId
  readonly mediaId: number | null
  readonly guid: string | null
  readonly isShared: number | null
  readonly isKnown: number
  readonly hasAliases: number
}

const NOTHING: UnheardEpisode = { podcastId: null, mediaId: null, hasAliases: 0 }

const NO_STATE: Status = {
  actionId: 0,
  kind: ACTION_KINDS.length,
  at: Number.NEGATIVE_INFINITY,
  isFinished: false,
  progressAt: null,
}

/**
 * The episodes of a user that one upload adds to. What is known of each is read once, changes in memory, and is written
 * when it is settled. All functions belong inside a job of the write queue.
 */
export function prepareOpenEpisodes(db: Database, joins: JoinedEpisodes) {
  const podcastIds = preparePodcastIds(db)
  // Outer joins, since most uploads of a new client are nothing but new media URLs: what there is of one is known then.
  const findEpisode = db.prepare<FoundRow, [string, string, UserId]>(
    `SELECT ue.id, e.id AS mediaId, ue.guid, 0 AS isFormer,
            ue.id IS NOT NULL AND EXISTS (SELECT 1 FROM user_episodes f WHERE f.user_id = +?3 AND f.episode_id = e.id AND f.is_former = 1) AS hasOthers,
            ue.joined_id AS joinedId, ue.last_action_id AS lastId, p.id AS podcastId, p.has_aliases AS hasAliases,
            CASE WHEN ue.guid IS NULL THEN (SELECT NULLIF(d.guid, '') FROM episode_details d WHERE d.episode_id = e.id) END AS feedGuid,
            s.id AS stateId, s.kind, s.at, s.position, s.total
       FROM podcasts p LEFT JOIN episodes e ON e.podcast_id = p.id AND e.url = +?2
       LEFT JOIN user_episodes ue ON ue.user_id = +?3 AND ue.episode_id = e.id AND ue.is_former = 0
       LEFT JOIN episode_actions s ON s.id = ue.state_action_id
      WHERE p.url = +?1`,
  )
  const findFormer = db.prepare<UserEpisodeRow, [UserId, number, string]>(
    `SELECT ue.id, ue.episode_id AS mediaId, ue.guid, 1 AS isFormer, 1 AS hasOthers, ue.joined_id AS joinedId,
            ue.last_action_id AS lastId, e.podcast_id AS podcastId, 0 AS hasAliases, NULL AS feedGuid,
            s.id AS stateId, s.kind, s.at, s.position, s.total
       FROM user_episodes ue CROSS JOIN episodes e ON e.id = ue.episode_id CROSS JOIN episode_actions s ON s.id = ue.state_action_id
      WHERE ue.user_id = +?1 AND ue.episode_id = +?2 AND ue.guid = +?3 AND ue.is_former = 1`,
  )
  const setFormer = db.prepare<undefined, [UserId, number]>(
    'UPDATE user_episodes SET is_former = 1 WHERE user_id = ?1 AND episode_id = ?2 AND is_former = 0',
  )
  const setCurrent = db.prepare<undefined, [number]>('UPDATE user_episodes SET is_former = 0 WHERE id = ?1')
  const findJoined = db.prepare<JoinedRow, [number]>(
    `SELECT j.id, j.media_id AS mediaId, s.id AS stateId, s.kind, s.at, s.position, s.total
       FROM joined_episodes j CROSS JOIN episode_actions s ON s.id = j.state_action_id WHERE j.id = +?1`,
  )
  // One statement for three questions: a new client uploads many media URLs that others have heard.
  const findMedia = db.prepare<MediaRow, [string, string, UserId, string | null]>(
    `SELECT p.id AS podcastId, p.has_aliases AS hasAliases, e.id AS mediaId, NULLIF(d.guid, '') AS guid, ${IS_SHARED_GUID} AS isShared,
            EXISTS (SELECT 1 FROM user_episodes ue INDEXED BY user_episodes_guid
                     WHERE ue.user_id = +?3 AND ue.guid = COALESCE(+?4, NULLIF(d.guid, ''))) AS isKnown
       FROM podcasts p LEFT JOIN episodes e ON e.podcast_id = p.id AND e.url = +?2
       LEFT JOIN episode_details d ON d.episode_id = e.id
      WHERE p.url = +?1`,
  )
  const insertMedia = db.prepare<undefined, [PodcastId, string]>(
    'INSERT INTO episodes (podcast_id, url) VALUES (?1, ?2)',
  )
  const insertEpisode = db.prepare<undefined, [UserId, number, string | null, number, number, number | null]>(
    `INSERT INTO user_episodes
       (user_id, episode_id, guid, is_guid_hidden, last_action_id, state_action_id, progress_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)`,
  )
  const updateEpisode = db.prepare<undefined, [number, number, number, number | null]>(
    'UPDATE user_episodes SET last_action_id = ?2, state_action_id = ?3, progress_at = ?4 WHERE id = ?1',
  )
  const updateJoined = db.prepare<undefined, [number, number, number, number | null]>(
    'UPDATE joined_episodes SET media_id = ?2, state_action_id = ?3, progress_at = ?4 WHERE id = ?1',
  )

  /** `now` (Unix seconds) becomes the creation time of podcasts that are new to the server. */
  return (userId: UserId, now: number) => {
    /** By media URL. A text of both URLs as the key would have to be made for each action. */
    const episodes = new Map<string, UserEpisode>()
    const joined = new Map<number, JoinedEpisode>()

    /** The row with the guid of the action, else the current row of the media URL. */
    function find({ podcast, episode, guid }: EpisodeAction): UserEpisode | undefined {
      let current: UserEpisode | undefined
      for (let each = episodes.get(episode); each; each = each.elsewhere) {
        if (each.podcast !== podcast) continue
        if (guid !== undefined && each.guid === guid) return each
        if (!each.isFormer) current = each
      }
      return current
    }

    function write(episode: UserEpisode): void {
      const { id, lastId, writtenId, own, elsewhere } = episode
      if (lastId !== writtenId) updateEpisode.run(id, lastId, own.actionId, own.progressAt)
      episode.writtenId = lastId
      if (elsewhere) write(elsewhere)
    }

    /** Writes what is known of the episodes by now. */
    function flush(): void {
      for (const episode of episodes.values()) write(episode)
      for (const episode of joined.values()) {
        const { id, mediaId, status } = episode
        if (episode.hasChanged) updateJoined.run(id, mediaId, status.actionId, status.progressAt)
        episode.hasChanged = false
      }
    }

    /** Writes what is known, and reads it again when it is needed. */
    function settle(): void {
      flush()
      episodes.clear()
      joined.clear()
    }

    function openJoined(id: number): JoinedEpisode | undefined {
      const known = joined.get(id)
      if (known) return known
      const row = findJoined.get(id)
      if (!row) return undefined
      const opened = { id, mediaId: row.mediaId, status: toStatus(row), hasChanged: false }
      joined.set(id, opened)
      return opened
    }

    /** A guid that was not known is from now on. */
    function open(action: EpisodeAction): UserEpisode | UnheardEpisode {
      const { guid } = action
      const episode = openMedia(action)
      if (!('own' in episode) || guid === undefined || episode.guid === guid) return episode
      const former = findFormer.get(userId, episode.mediaId, guid)
      return former ? remember(action, former) : { ...NOTHING, mediaId: episode.mediaId, hasOthers: true }
    }

    function openMedia(action: EpisodeAction): UserEpisode | UnheardEpisode {
      const { podcast, episode } = action
      const known = find(action)
      if (known) return known.guid === null && action.guid !== undefined ? rename(action, known.id, action.guid) : known
      const row = findEpisode.get(podcast, episode, userId)
      if (!row) return NOTHING
      if (row.id === null) return row
      const named = row.guid ?? action.guid ?? row.feedGuid
      if (named !== null && row.guid === null) return rename(action, row.id, named)
      if (named !== null || row.joinedId !== null || row.hasAliases === 0) return remember(action, row)
      settle()
      joins.joinMedia(userId, row.podcastId, episode)
      const joined = findEpisode.get(podcast, episode, userId)
      return remember(action, joined?.id ? joined : row)
    }

    function remember({ podcast, episode }: EpisodeAction, row: UserEpisodeRow): UserEpisode {
      const { id, mediaId, joinedId, lastId, guid } = row
      const flags = { isFormer: row.isFormer === 1, hasOthers: row.hasOthers === 1 }
      const own = toStatus(row)
      const joined = joinedId === null ? undefined : openJoined(joinedId)
      const elsewhere = episodes.get(episode)
      const opened = { podcast, id, mediaId, guid, ...flags, lastId, writtenId: lastId, own, joined, elsewhere }
      episodes.set(episode, opened)
      return opened
    }

    /** The media URL has this guid from now on. */
    function rename(action: EpisodeAction, id: number, guid: string): UserEpisode | UnheardEpisode {
      settle()
      joins.rename(id, guid)
      return openMedia(action)
    }

    /** What is known of a media URL that is another episode than it was, or that is new to the user. */
    function lookUp({ podcast, episode, guid }: EpisodeAction): Media {
      const row = findMedia.get(podcast, episode, userId, guid ?? null)
      const known = guid ?? row?.guid ?? undefined
      return {
        podcastId: row?.podcastId,
        mediaId: row?.mediaId ?? undefined,
        guid: known,
        isGuidShared: row?.isShared === 1 && known === row.guid,
        isGuidKnown: row?.isKnown === 1,
        hasAliases: row?.hasAliases === 1,
      }
    }

    /** The same of one that is new to the user. No feed has told anything of a media URL that nobody has. */
    function lookUpNew(action: EpisodeAction, { podcastId, mediaId, hasAliases }: UnheardEpisode): Media {
      if (mediaId !== null) return lookUp(action)
      const { guid } = action
      return {
        podcastId: podcastId ?? undefined,
        mediaId: undefined,
        guid,
        isGuidShared: false,
        isGuidKnown: guid !== undefined && joins.isKnown(userId, guid),
        hasAliases: hasAliases === 1,
      }
    }

    /** The same, with what is known of the media URL at other addresses of its podcast. */
    function lookUpAliases(action: EpisodeAction, found: Media): Media {
      const { podcastId, guid } = found
      if (podcastId === undefined) return found
      settle()
      if (guid !== undefined) joins.nameMedia(userId, podcastId, action.episode, guid)
      const known = guid ?? joins.guidOfMedia(userId, podcastId, action.episode)
      return { ...found, guid: known, isGuidKnown: known !== undefined }
    }

    /** Makes a former row the one for actions without a guid. */
    function makeCurrent(episode: UserEpisode): void {
      settle()
      setFormer.run(userId, episode.mediaId)
      setCurrent.run(episode.id)
    }

    /**
     * The media URL is one of the user's from now on, with no action yet. Its row tells of this one at once, if it will
     * probably have the number `actionId`; it tells nothing if that is 0.
     */
    function insert(action: EpisodeAction, found: Media, actionId: number, hasOthers = false): UserEpisode {
      const { podcast, episode } = action
      const { podcastId = podcastIds.ensure(podcast, now), guid = null, isGuidShared } = found
      const mediaId = found.mediaId ?? Number(insertMedia.run(podcastId, episode).lastInsertRowid)
      if (hasOthers) {
        settle()
        setFormer.run(userId, mediaId)
      }
      const at = actionId === 0 ? null : progressAt(rowOf(action))
      const id = Number(insertEpisode.run(userId, mediaId, guid, Number(isGuidShared), actionId, at).lastInsertRowid)
      const flags = { isFormer: false, hasOthers }
      const state = { ...flags, lastId: 0, writtenId: actionId, own: NO_STATE, joined: undefined }
      const opened: UserEpisode = { podcast, id, mediaId, guid, ...state, elsewhere: episodes.get(episode) }
      episodes.set(episode, opened)
      return opened
    }

    return { open, makeCurrent, insert, lookUp, lookUpNew, lookUpAliases, flush, settle }
  }
}

function rowOf({ kind, at, position, total }: EpisodeAction) {
  return { kind: ACTION_KINDS.indexOf(kind), at, position: position ?? null, total: total ?? null }
}
