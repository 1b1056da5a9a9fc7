import type { UserId } from '../../../domain/shared/ids.ts'
import type { EpisodeAction } from '../../../domain/sync/ports/episode-actions.ts'
import type { Database } from '../../engine.ts'
import { type ActionRow, COLUMNS, oneOfLinked, rowToAction } from './action-columns.ts'
import { IS_SHARED_GUID, SHOWN_MEDIA } from './joined-episodes.ts'

/** SQL expressions that identify an episode. */
interface EpisodeTerms {
  readonly podcastId: string
  /** Null for an unknown media URL. */
  readonly mediaId: string
  readonly url: string
  readonly guid: string
}

/**
 * SQL: the user's row for an episode, whose details in the feed are `d`. Tries the media URL, the guid at other media
 * URLs, then other addresses of the podcast. A media URL can be several episodes (docs/protocol.md#D84, D83).
 */
function ownRow({ podcastId, mediaId, url, guid }: EpisodeTerms): string {
  const atMedia = `SELECT x.id FROM user_episodes x WHERE x.user_id = +?1 AND x.episode_id = ${mediaId} AND x.is_former`
  return `COALESCE(
    (${atMedia} = 0 AND (${guid} IS NULL OR x.guid = ${guid} OR NOT EXISTS (
       SELECT 1 FROM user_episodes y WHERE y.user_id = +?1 AND y.episode_id = ${mediaId} AND y.is_former = 1))),
    (${atMedia} = 1 AND x.guid = ${guid}),
    (SELECT x.id FROM user_episodes x INDEXED BY user_episodes_guid CROSS JOIN episodes y ON y.id = x.episode_id
      WHERE x.user_id = +?1 AND x.guid = ${guid} AND (d.guid = ${guid} AND ${IS_SHARED_GUID}) IS NOT TRUE
        AND NOT EXISTS (SELECT 1 FROM episode_details d WHERE d.episode_id = y.id AND d.guid = x.guid AND ${IS_SHARED_GUID})
        AND (y.podcast_id = ${podcastId} OR EXISTS (
          SELECT 1 FROM address_relations r WHERE r.podcast_id = ${podcastId} AND r.other_id = y.podcast_id)) ORDER BY x.id LIMIT 1),
    (SELECT x.id FROM address_relations r CROSS JOIN episodes y ON y.podcast_id = r.other_id AND y.url = ${url}
      CROSS JOIN user_episodes x ON x.user_id = +?1 AND x.episode_id = y.id AND x.is_former = 0
      WHERE r.podcast_id = ${podcastId} ORDER BY r.other_id LIMIT 1))`
}

/** SQL: joins the actions `a` that hold the states of episodes. */
const stateOf = (terms: EpisodeTerms) =>
  `CROSS JOIN user_episodes ue ON ue.id = ${ownRow(terms)}
       CROSS JOIN episode_actions a
          ON a.id = IFNULL((SELECT g.state_action_id FROM joined_episodes g WHERE g.id = ue.joined_id), ue.state_action_id)
       ${SHOWN_MEDIA} CROSS JOIN podcasts p ON p.id = e.podcast_id
       CROSS JOIN action_devices v ON v.id = a.device_id`

const STATE_COLUMNS = COLUMNS.replace('d.uid', 'v.uid')

/** Returns a function that finds the action holding the user's state of each episode, by episode number. */
export function prepareStates(
  db: Database,
): (userId: UserId, episodeIds: readonly number[]) => Map<number, EpisodeAction> {
  const states = db.prepare<ActionRow & { readonly episodeId: number }, [UserId, string]>(
    `SELECT o.id AS episodeId, ${STATE_COLUMNS}
       FROM json_each(?2) f CROSS JOIN episodes o ON o.id = CAST(f.value AS INTEGER) LEFT JOIN episode_details d ON d.episode_id = o.id
       ${stateOf({ podcastId: 'o.podcast_id', mediaId: 'o.id', url: 'o.url', guid: `NULLIF(d.guid, '')` })}`,
  )
  return (userId, episodeIds) => {
    if (episodeIds.length === 0) return new Map()
    const rows = states.all(userId, JSON.stringify(episodeIds))
    return new Map(rows.map((row) => [row.episodeId, rowToAction(row)]))
  }
}

export interface UserEpisode {
  /** Unique for each episode of the user. */
  readonly key: string
  /** The guid, including one that is hidden from clients. */
  readonly guid: string | undefined
  /** Seconds, from the last action with a length. */
  readonly length: number | undefined
  /** The action that holds the state. */
  readonly action: EpisodeAction
}

type UserEpisodeRow = ActionRow & {
  readonly n: number
  readonly key: string
  readonly ownGuid: string | null
  readonly lastIds: string
}

/** Actions of an episode that are searched for its length. Hundreds of episodes may be marked at once. */
const LENGTH_ACTIONS = 50

/** Values for `EpisodeTerms`. */
export interface EpisodeName {
  readonly podcastId: number | null
  readonly mediaId: number | null
  readonly url: string
  readonly guid: string | null
}

/** Finds the user's episodes with these names. Keys of the result are indices of `names`. */
export function prepareUserEpisodes(
  db: Database,
): (userId: UserId, names: readonly EpisodeName[]) => Map<number, UserEpisode> {
  const found = db.prepare<UserEpisodeRow, [UserId, string]>(
    `SELECT f.n, 'own ' || IFNULL(-ue.joined_id, ue.id) AS key, ue.guid AS ownGuid,
            CASE WHEN ue.joined_id IS NULL THEN json_array(ue.last_action_id)
              ELSE (SELECT json_group_array(x.last_action_id) FROM user_episodes x WHERE x.joined_id = ue.joined_id) END AS lastIds,
            ${STATE_COLUMNS}
       FROM (SELECT key AS n, CAST(value ->> 0 AS INTEGER) AS podcast_id, CAST(value ->> 1 AS INTEGER) AS media_id, value ->> 2 AS url, value ->> 3 AS guid
               FROM json_each(?2)) f LEFT JOIN episode_details d ON d.episode_id = f.media_id
       ${stateOf({ podcastId: 'f.podcast_id', mediaId: 'f.media_id', url: 'f.url', guid: 'f.guid' })}`,
  )
  // Marks have a total of 1 if no length is known.
  const lengthOf = db.prepare<{ total: number }, [string]>(
    oneOfLinked(
      LENGTH_ACTIONS,
      'SELECT a.total FROM linked CROSS JOIN episode_actions a ON a.id = linked.id WHERE a.total > 1',
    ),
  )
  return (userId, names) => {
    const list = names.map(({ podcastId, mediaId, url, guid }) => [podcastId, mediaId, url, guid])
    const rows = found.all(userId, JSON.stringify(list))
    return new Map(
      rows.map((row) => {
        const { n, key, ownGuid, lastIds } = row
        const length = lengthOf.get(lastIds)?.total
        return [n, { key, guid: ownGuid ?? undefined, length, action: rowToAction(row) }]
      }),
    )
  }
}
