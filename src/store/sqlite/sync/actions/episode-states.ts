import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../../domain/shared/ids.ts'
import type { EpisodeAction } from '../../../../domain/sync/ports/episode-actions.ts'
import { type ActionRow, COLUMNS, rowToAction } from './action-columns.ts'
import { IS_SHARED_GUID, SHOWN_MEDIA } from './joined-episodes.ts'

/**
 * The actions that tell the states of some episodes for a user, by the number of the episode. They may be on
 * other media URLs than the feed has now, which the guid tells, or under another address of the podcast
 * (docs/protocol.md#D84, D83).
 */
export function prepareStates(
  db: Database,
): (userId: UserId, episodeIds: readonly number[]) => Map<number, EpisodeAction> {
  const byMedia = 'SELECT x.id FROM user_episodes x WHERE x.user_id = +?1 AND x.episode_id = o.id'
  const byGuid = `SELECT x.id FROM user_episodes x INDEXED BY user_episodes_guid CROSS JOIN episodes y ON y.id = x.episode_id
       WHERE x.user_id = +?1 AND x.guid = d.guid AND NOT (${IS_SHARED_GUID})
         AND (y.podcast_id = d.podcast_id OR EXISTS (
           SELECT 1 FROM address_relations r WHERE r.podcast_id = d.podcast_id AND r.other_id = y.podcast_id)) LIMIT 1`
  const byAddress = `SELECT x.id FROM address_relations r CROSS JOIN episodes y ON y.podcast_id = r.other_id AND y.url = o.url
       CROSS JOIN user_episodes x ON x.user_id = +?1 AND x.episode_id = y.id WHERE r.podcast_id = o.podcast_id LIMIT 1`
  const states = db.prepare<ActionRow & { readonly episodeId: number }, [UserId, string]>(
    `SELECT f.value AS episodeId, ${COLUMNS.replace('d.uid', 'v.uid')}
       FROM json_each(?2) f CROSS JOIN episodes o ON o.id = f.value LEFT JOIN episode_details d ON d.episode_id = o.id
       CROSS JOIN user_episodes ue ON ue.id = COALESCE((${byMedia}), (${byGuid}), (${byAddress}))
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
