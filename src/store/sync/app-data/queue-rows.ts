import type { UserId } from '../../../domain/shared/ids.ts'
import type { Database } from '../../engine.ts'
import { IS_SHARED_GUID } from '../actions/joined-episodes.ts'

/** Changes of the queue as a side effect of other writes. All functions belong inside a job. */
export function prepareQueueRows(db: Database) {
  const hasAny = db.prepare<{ one: number }, [UserId]>('SELECT 1 AS one FROM queue_items WHERE user_id = ?1 LIMIT 1')
  // An episode may be in the queue with another of its media URLs (docs/protocol.md#D84).
  const removeItems = db.prepare<undefined, [UserId, string]>(
    `DELETE FROM queue_items WHERE user_id = +?1 AND episode_id IN
       (SELECT ue.episode_id FROM json_each(?2) j CROSS JOIN user_episodes ue ON ue.id = CAST(j.value AS INTEGER)
        UNION
        SELECT m.episode_id FROM json_each(?2) j CROSS JOIN user_episodes ue ON ue.id = CAST(j.value AS INTEGER)
          CROSS JOIN user_episodes m ON m.joined_id = ue.joined_id
        UNION
        SELECT d.episode_id FROM json_each(?2) j CROSS JOIN user_episodes ue ON ue.id = CAST(j.value AS INTEGER) AND ue.guid IS NOT NULL
          CROSS JOIN episodes h ON h.id = ue.episode_id CROSS JOIN queue_items q ON q.user_id = +?1
          CROSS JOIN episode_details d ON d.episode_id = q.episode_id AND d.guid = ue.guid AND NOT (${IS_SHARED_GUID})
          WHERE d.podcast_id = h.podcast_id OR EXISTS
            (SELECT 1 FROM address_relations r WHERE r.podcast_id = h.podcast_id AND r.other_id = d.podcast_id))`,
  )
  const queuedOf = `SELECT e.id FROM podcasts f CROSS JOIN queue_items q CROSS JOIN episodes e ON e.id = q.episode_id AND e.podcast_id = f.id
      WHERE q.user_id = +?1 AND f.url = +?2`
  const copyMedia = db.prepare<undefined, [UserId, string, string]>(
    `INSERT INTO episodes (podcast_id, url)
     SELECT t.id, e.url FROM podcasts t CROSS JOIN episodes e WHERE t.url = +?3 AND e.id IN (${queuedOf}) ORDER BY e.url
     ON CONFLICT DO NOTHING`,
  )
  // The same media URL may be in the queue at both addresses.
  const dropDuplicates = db.prepare<undefined, [UserId, string, string]>(
    `DELETE FROM queue_items WHERE user_id = +?1 AND episode_id IN (${queuedOf}) AND EXISTS
       (SELECT 1 FROM podcasts t CROSS JOIN episodes e CROSS JOIN episodes n ON n.podcast_id = t.id AND n.url = e.url
         CROSS JOIN queue_items o ON o.user_id = +?1 AND o.episode_id = n.id
         WHERE t.url = +?3 AND e.id = queue_items.episode_id)`,
  )
  const move = db.prepare<undefined, [UserId, string, string]>(
    `UPDATE queue_items SET episode_id =
       (SELECT n.id FROM podcasts t CROSS JOIN episodes e CROSS JOIN episodes n ON n.podcast_id = t.id AND n.url = e.url
         WHERE t.url = +?3 AND e.id = queue_items.episode_id)
      WHERE user_id = +?1 AND episode_id IN (${queuedOf})`,
  )

  return {
    /** Removes finished episodes, by their row numbers in `user_episodes`. */
    dropFinished(userId: UserId, userEpisodes: readonly number[]): void {
      if (userEpisodes.length > 0 && hasAny.get(userId)) removeItems.run(userId, JSON.stringify(userEpisodes))
    },

    /** Moves episodes to the new address of their podcast (docs/protocol.md#D74). */
    move(userId: UserId, from: string, to: string): void {
      if (!hasAny.get(userId)) return
      copyMedia.run(userId, from, to)
      dropDuplicates.run(userId, from, to)
      move.run(userId, from, to)
    },
  }
}
