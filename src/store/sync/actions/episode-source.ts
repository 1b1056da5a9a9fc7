import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { type EpisodeSource, NAMED_MAX, type Status, type StoredMedia } from '../../../domain/sync/episodes/book.ts'
import type { EpisodeAction } from '../../../domain/sync/ports/episode-actions.ts'
import type { Database } from '../../engine.ts'
import { orderedBy } from '../../shared/sql.ts'
import { oneOfLinked } from './action-columns.ts'
import { hashOf, prepareHashFactors } from './action-hash.ts'
import { ACTION_KINDS, isFinishedRow, type ProgressRow, progressAt, STATE_KINDS } from './action-kinds.ts'
import { IS_SHARED_GUID } from './joined-episodes.ts'

/** Actions of an episode that are searched for the last one of a device. */
const LINKS_MAX = 1000
/** Actions of one second that are compared for a media URL that has been several episodes. */
const SAME_SECOND_MAX = 1000

interface StateRow {
  readonly stateId: number | null
  readonly kind: number
  readonly at: number
  readonly position: number | null
  readonly total: number | null
}

export interface MediaRow extends StateRow {
  readonly mediaId: number
  readonly podcastId: PodcastId
  readonly url: string
  readonly hasAliases: number
  readonly feedGuid: string | null
  readonly isFeedGuidShared: number | null
  readonly hasFormer: number
  readonly id: number | null
  readonly guid: string | null
  readonly isFormer: number
  readonly isHidden: number
  readonly joinedId: number | null
  readonly lastId: number
}

/** Last row numbers. No other rows are added during a job. */
interface Numbers {
  action: number
  episode: number
  join: number
}

const STATE = 's.id AS stateId, s.kind, s.at, s.position, s.total'

/** SQL: the columns of a `MediaRow` of user 1, for podcasts `p`, media URLs `e` and `STORED`. */
export const COLUMNS = `e.id AS mediaId, e.podcast_id AS podcastId, e.url, p.has_aliases AS hasAliases,
  NULLIF(d.guid, '') AS feedGuid, ${IS_SHARED_GUID} AS isFeedGuidShared,
  ue.id IS NOT NULL AND EXISTS (SELECT 1 FROM user_episodes f WHERE f.user_id = +?1 AND f.episode_id = e.id AND f.is_former = 1) AS hasFormer,
  ue.id, ue.guid, ue.is_former AS isFormer, ue.is_guid_hidden AS isHidden, ue.joined_id AS joinedId, ue.last_action_id AS lastId, ${STATE}`

/** SQL: joins the state of the episode, and details of the feed if needed. */
const STORED = `LEFT JOIN episode_actions s ON s.id = ue.state_action_id
  LEFT JOIN episode_details d ON d.episode_id = e.id AND (ue.guid IS NULL OR ${IS_SHARED_GUID})`

export const CURRENT = `LEFT JOIN user_episodes ue ON ue.user_id = +?1 AND ue.episode_id = e.id AND ue.is_former = 0 ${STORED}`

export const OF_EPISODE = `CROSS JOIN episodes e ON e.id = ue.episode_id CROSS JOIN podcasts p ON p.id = e.podcast_id ${STORED}`

/** An open source with its functions for the job. */
export type OpenSource = ReturnType<ReturnType<typeof prepareEpisodeSource>>

/**
 * Stored episodes for plans, which are synchronous and cannot wait for the database. `begin` starts a plan. `readPending`
 * reads the rows that the plan has missed; false if there were none, so the plan is valid.
 */
export function prepareEpisodeSource(db: Database) {
  const readFactors = prepareHashFactors(db)
  const named = db.prepare<MediaRow, [UserId, string]>(
    `SELECT ${COLUMNS} FROM user_episodes ue INDEXED BY user_episodes_guid ${OF_EPISODE}
      WHERE ue.user_id = +?1 AND ue.guid = +?2 ORDER BY ue.id LIMIT ${NAMED_MAX}`,
  )
  const former = db.prepare<MediaRow, [UserId, number, string]>(
    `SELECT ${COLUMNS} FROM user_episodes ue INDEXED BY user_episodes_former ${OF_EPISODE}
      WHERE ue.user_id = +?1 AND ue.episode_id = +?2 AND ue.guid = +?3 AND ue.is_former = 1`,
  )
  const sameMedia = db.prepare<MediaRow, [UserId, PodcastId, string]>(
    orderedBy(
      'a.id <> ?2, a.id',
      `SELECT ${COLUMNS}
         FROM (SELECT +?2 AS id UNION ALL SELECT r.other_id FROM address_relations r WHERE r.podcast_id = +?2) a
        CROSS JOIN podcasts p ON p.id = a.id CROSS JOIN episodes e ON e.podcast_id = a.id AND e.url = +?3 ${CURRENT}`,
    ),
  )
  const members = db.prepare<MediaRow, [UserId, number]>(
    orderedBy('ue.id', `SELECT ${COLUMNS} FROM user_episodes ue ${OF_EPISODE} WHERE ue.joined_id = +?2`),
  )
  const joined = db.prepare<StateRow & { readonly mediaId: number }, [number]>(
    `SELECT j.media_id AS mediaId, ${STATE} FROM joined_episodes j LEFT JOIN episode_actions s ON s.id = j.state_action_id
      WHERE j.id = +?1`,
  )
  const related = db.prepare<{ id: PodcastId; other: PodcastId }, [string]>(
    orderedBy(
      'j.key, r.other_id',
      `SELECT r.podcast_id AS id, r.other_id AS other
         FROM json_each(?1) j CROSS JOIN address_relations r ON r.podcast_id = CAST(j.value AS INTEGER)`,
    ),
  )
  const isStored = db.prepare<
    undefined,
    [UserId, number, number, number, number, number, number | null, number | null, number | null]
  >(
    `SELECT 1 FROM episode_actions INDEXED BY episode_actions_time
      WHERE user_id = +?1 AND at = +?2 AND hash = +?3 AND user_episode_id = +?4 AND device_id = +?5 AND kind = +?6
        AND started IS +?7 AND position IS +?8 AND total IS +?9`,
  )
  // Ignores the hash, which differs between rows of a media URL. Only marks of whole podcasts share a second in bulk.
  const isStoredAtMedia = db.prepare<
    undefined,
    [UserId, number, number, number, number, number | null, number | null, number | null]
  >(
    `SELECT 1
       FROM (SELECT id FROM episode_actions INDEXED BY episode_actions_time
              WHERE user_id = +?1 AND at = +?2 LIMIT ${SAME_SECOND_MAX}) near
       CROSS JOIN episode_actions a ON a.id = near.id CROSS JOIN user_episodes ue ON ue.id = a.user_episode_id
      WHERE ue.episode_id = +?3 AND a.device_id = +?4 AND a.kind = +?5
        AND a.started IS +?6 AND a.position IS +?7 AND a.total IS +?8 LIMIT 1`,
  )
  const lastOfDevice = db.prepare<ProgressRow, [string, number]>(
    oneOfLinked(
      LINKS_MAX,
      `SELECT a.kind, a.position, a.total FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
        WHERE a.device_id = +?2 AND a.kind < ${STATE_KINDS}`,
    ),
  )
  const findDevice = db.prepare<{ id: number }, [UserId, string]>(
    'SELECT id FROM action_devices WHERE user_id = ?1 AND uid = ?2',
  )
  const lastNumbers = db.prepare<Numbers, []>({
    sqlite: `SELECT IFNULL((SELECT MAX(id) FROM episode_actions), 0) AS action,
                      IFNULL((SELECT MAX(id) FROM user_episodes), 0) AS episode,
                      IFNULL((SELECT MAX(id) FROM joined_episodes), 0) AS "join"`,
    // There may be other transactions. Each number reserves the 16384 above it.
    postgres: `SELECT nextval('episode_actions_block') AS action, nextval('user_episodes_block') AS episode,
                        nextval('joined_episodes_block') AS "join"`,
  })

  return (userId: UserId, actions: readonly EpisodeAction[]) => {
    const answers = createAnswers(db)
    const uids = [...new Set(actions.map(({ device = '' }) => device))]
    const [found, last] = db.together([
      () => uids.map((uid) => [uid, findDevice.get(userId, uid)?.id] as const),
      () => lastNumbers.get() ?? { action: 0, episode: 0, join: 0 },
    ])
    const devices = new Map(found)
    const next = { ...last }

    const deviceOf = ({ device = '' }: EpisodeAction) => devices.get(device)

    function hashFor(action: EpisodeAction, userEpisodeId: number, deviceId: number): number {
      const { started = null, position = null, total = null } = action
      const kind = ACTION_KINDS.indexOf(action.kind)
      return hashOf(readFactors(), { userEpisodeId, deviceId, kind, started, position, total })
    }

    const relatedTo = answers.to((ids: string) => related.all(ids).map(({ id, other }) => [id, other] as const), [])
    const wasFinished = answers.to((device: string, lastIds: string) => {
      const deviceId = devices.get(device)
      const row = deviceId === undefined ? null : lastOfDevice.get(lastIds, deviceId)
      return row !== null && isFinishedRow(row)
    }, false)
    const source: EpisodeSource = {
      named: answers.to((guid: string) => named.all(userId, guid).map(toMedia), []),
      former: answers.to((mediaId: number, guid: string) => {
        const row = former.get(userId, mediaId, guid)
        return row ? toMedia(row) : undefined
      }, undefined),
      sameMedia: answers.to(
        (podcastId: PodcastId, url: string) => sameMedia.all(userId, podcastId, url).map(toMedia),
        [],
      ),
      joined: answers.to((id: number) => {
        const row = joined.get(id)
        return row ? { mediaId: row.mediaId, state: toStatus(row) } : undefined
      }, undefined),
      members: answers.to((joinedId: number) => members.all(userId, joinedId).map(toMedia), []),
      related: (ids: Iterable<PodcastId>) => relatedTo(JSON.stringify([...ids])),
      isStored: answers.to((action: EpisodeAction, id: number) => {
        const { at, started = null, position = null, total = null } = action
        const deviceId = deviceOf(action)
        if (deviceId === undefined) return false
        const hash = hashFor(action, id, deviceId)
        const kind = ACTION_KINDS.indexOf(action.kind)
        return isStored.get(userId, at, hash, id, deviceId, kind, started, position, total) !== null
      }, false),
      isStoredAtMedia: answers.to((action: EpisodeAction, mediaId: number) => {
        const { at, started = null, position = null, total = null } = action
        const deviceId = deviceOf(action)
        if (deviceId === undefined) return false
        const kind = ACTION_KINDS.indexOf(action.kind)
        return isStoredAtMedia.get(userId, at, mediaId, deviceId, kind, started, position, total) !== null
      }, false),
      wasLastFinished: (device: string, lastIds: readonly number[]) => wasFinished(device, JSON.stringify(lastIds)),
      nextAction: () => ++next.action,
      nextEpisode: () => ++next.episode,
      nextJoin: () => ++next.join,
    }

    return {
      source,
      deviceOf,
      hashFor,
      /** Records a device that was created. */
      noteDevice: ({ device = '' }: EpisodeAction, id: number) => devices.set(device, id),
      /** Starts a plan. New rows get the same numbers as in the previous plan. */
      begin: () => Object.assign(next, last),
      readPending: answers.readPending,
    }
  }
}

/**
 * Answers of the database for a plan that cannot wait for them. A question without a known answer is recorded and for
 * now answered as if nothing were stored. After reading the answers, the plan has to be repeated.
 */
function createAnswers(db: Database) {
  let pending: (() => void)[] = []
  return {
    /** Wraps `read`: the first call with given arguments returns `fallback` and schedules `read` for `readPending`. */
    to<First, Second, Result>(read: (first: First, second: Second) => Result, fallback: Result) {
      let answers: Map<First, Map<Second | undefined, Result>> | undefined
      return (...[first, second]: undefined extends Second ? [First, Second?] : [First, Second]): Result => {
        answers ??= new Map()
        let results = answers.get(first)
        if (!results) {
          results = new Map()
          answers.set(first, results)
        }
        const found = results.get(second)
        if (found !== undefined || results.has(second)) return found as Result
        results.set(second, fallback)
        pending.push(() => results.set(second, read(first, second as Second)))
        return fallback
      }
    },

    /** Reads the missing answers; returns false if there were none. */
    readPending(): boolean {
      const now = pending
      pending = []
      db.together(now)
      return now.length > 0
    },
  }
}

export function toMedia(row: MediaRow): StoredMedia {
  const { id, mediaId, podcastId, url, guid, feedGuid, joinedId, lastId } = row
  return {
    id: mediaId,
    podcastId,
    url,
    hasAliases: row.hasAliases === 1,
    feedGuid: feedGuid ?? undefined,
    isFeedGuidShared: row.isFeedGuidShared === 1,
    hasFormer: row.hasFormer === 1,
    episode:
      id === null
        ? undefined
        : {
            id,
            guid: guid ?? undefined,
            isFormer: row.isFormer === 1,
            isHidden: row.isHidden === 1,
            joinedId: joinedId ?? undefined,
            lastId,
            state: toStatus(row),
          },
  }
}

function toStatus(row: StateRow): Status | undefined {
  const { stateId, kind, at } = row
  return stateId === null
    ? undefined
    : {
        actionId: stateId,
        isState: kind < STATE_KINDS,
        at,
        isFinished: isFinishedRow(row),
        progressAt: progressAt(row) ?? undefined,
      }
}
