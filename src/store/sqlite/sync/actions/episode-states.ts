import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../../domain/shared/ids.ts'
import type { EpisodeAction } from '../../../../domain/sync/ports/episode-actions.ts'
import { type ActionRow, COLUMNS, rowToAction, withLinked } from './action-columns.ts'
import { IS_SHARED_GUID, SHOWN_MEDIA } from './joined-episodes.ts'

/**
 * SQL: the user's row of the episode `o`, of which the feed says `d`. Its actions may be on other media URLs than the
 * feed has now, which the guid tells, or under another address of the podcast (docs/protocol.md#D84, D83).
 */
const OWN_ROW = `COALESCE(
    (SELECT x.id FROM user_episodes x WHERE x.user_id = +?1 AND x.episode_id = o.id),
    (SELECT x.id FROM user_episodes x INDEXED BY user_episodes_guid CROSS JOIN episodes y ON y.id = x.episode_id
      WHERE x.user_id = +?1 AND x.guid = d.guid AND NOT (${IS_SHARED_GUID})
        AND (y.podcast_id = d.podcast_id OR EXISTS (
          SELECT 1 FROM address_relations r WHERE r.podcast_id = d.podcast_id AND r.other_id = y.podcast_id)) LIMIT 1),
    (SELECT x.id FROM address_relations r CROSS JOIN episodes y ON y.podcast_id = r.other_id AND y.url = o.url
      CROSS JOIN user_episodes x ON x.user_id = +?1 AND x.episode_id = y.id WHERE r.podcast_id = o.podcast_id LIMIT 1))`

const OWN_EPISODES = `json_each(?2) f CROSS JOIN episodes o ON o.id = f.value
       LEFT JOIN episode_details d ON d.episode_id = o.id CROSS JOIN user_episodes ue ON ue.id = ${OWN_ROW}`

/** The user's state of each of these episodes, as an action, by the number of the episode. */
export function prepareStates(
  db: Database,
): (userId: UserId, episodeIds: readonly number[]) => Map<number, EpisodeAction> {
  const states = db.prepare<ActionRow & { readonly episodeId: number }, [UserId, string]>(
    `SELECT f.value AS episodeId, ${COLUMNS.replace('d.uid', 'v.uid')}
       FROM ${OWN_EPISODES}
       CROSS JOIN episode_actions a
          ON a.id = IFNULL((SELECT g.state_action_id FROM joined_episodes g WHERE g.id = ue.joined_id), ue.state_action_id)
       ${SHOWN_MEDIA} CROSS JOIN podcasts p ON p.id = e.podcast_id
       CROSS JOIN action_devices v ON v.id = a.device_id`,
  )
  return (userId, episodeIds) => {
    if (episodeIds.length === 0) return new Map()
    const rows = states.all(userId, JSON.stringify(episodeIds))
    return new Map(rows.map((row) => [row.episodeId, rowToAction(row)]))
  }
}

/** An episode of a user, with all of its media URLs. */
interface UserEpisode {
  /** Different for each episode of the user. */
  readonly key: number
  /** JSON of the last action of each media URL. */
  readonly lastIds: string
}

/** Actions of one episode in which its length is looked for: hundreds of episodes are marked at once. */
const LENGTH_ACTIONS = 50

/** The user's rows of episodes, and their lengths as apps report them. */
export function prepareUserEpisodes(db: Database) {
  const own = db.prepare<UserEpisode & { readonly episodeId: number }, [UserId, string]>(
    `SELECT f.value AS episodeId, IFNULL(-ue.joined_id, ue.id) AS key,
            CASE WHEN ue.joined_id IS NULL THEN json_array(ue.last_action_id)
              ELSE (SELECT json_group_array(x.last_action_id) FROM user_episodes x WHERE x.joined_id = ue.joined_id) END AS lastIds
       FROM ${OWN_EPISODES}`,
  )
  // A total of 1 is what marks have where no length is known.
  const lengthOf = db.prepare<{ total: number }, [string]>(
    `${withLinked(LENGTH_ACTIONS)}
     SELECT a.total FROM linked CROSS JOIN episode_actions a ON a.id = linked.id WHERE a.total > 1 LIMIT 1`,
  )
  return {
    /** By the number of the episode. */
    find(userId: UserId, episodeIds: readonly number[]): Map<number, UserEpisode> {
      if (episodeIds.length === 0) return new Map()
      return new Map(own.all(userId, JSON.stringify(episodeIds)).map(({ episodeId, ...rest }) => [episodeId, rest]))
    },

    /** Seconds, by the last action that has a length. */
    lengthOf: ({ lastIds }: UserEpisode): number | undefined => lengthOf.get(lastIds)?.total,
  }
}
