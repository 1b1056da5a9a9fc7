import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import type { Database } from '../engine.ts'

/** SQL: the subscribers may decide whether the podcast is private. Repeated in the triggers on `listeners`. */
const MAY_BE_PRIVATE = `(podcasts.is_secret IS NOT 0 OR podcasts.was_hidden = 1
  OR EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = podcasts.id AND d.is_blocked = 1)
  OR EXISTS (SELECT 1 FROM settings s WHERE s.target = podcasts.url AND s.scope = 'podcast'
                AND s.value -> '$.public_subscription' IS NOT NULL))`

/**
 * Reports changes to the indexer that triggers on `listeners` do not see. Hides a podcast that may have become private
 * until the indexer has decided. All functions belong inside the job that makes the change.
 */
export function prepareDirectoryChanges(db: Database) {
  const hideBlocked = db.prepare<undefined, [PodcastId]>(
    `UPDATE podcasts SET is_private = 1 WHERE id = ?1 AND is_private = 0
        AND EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = ?1 AND d.is_blocked = 1)`,
  )
  const addPodcast = db.prepare<undefined, [PodcastId]>(
    `INSERT INTO directory_changes (podcast_id, user_id, subscribers) VALUES (?1, 0, 0)
     ON CONFLICT (podcast_id, user_id) DO NOTHING`,
  )
  const hideOwn = db.prepare<undefined, [UserId, string]>(
    `UPDATE podcasts SET is_private = 1 WHERE podcasts.url = ?2 AND podcasts.is_private = 0
        AND EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = ?1 AND l.podcast_id = podcasts.id)`,
  )
  const addOwn = db.prepare<undefined, [UserId, string]>(
    `INSERT INTO directory_changes (podcast_id, user_id, subscribers)
     SELECT p.id, 0, 0 FROM podcasts p CROSS JOIN listeners l ON l.user_id = ?1 AND l.podcast_id = p.id WHERE p.url = ?2
     ON CONFLICT (podcast_id, user_id) DO NOTHING`,
  )
  const hideAll = db.prepare<undefined, [UserId]>(
    `UPDATE podcasts SET is_private = 1
      WHERE podcasts.id IN (SELECT l.podcast_id FROM listeners l WHERE l.user_id = ?1)
        AND podcasts.is_private = 0 AND ${MAY_BE_PRIVATE}`,
  )
  const addAll = db.prepare<undefined, [UserId, number]>(
    `INSERT INTO directory_changes (podcast_id, user_id, subscribers)
     SELECT l.podcast_id, l.user_id, CASE WHEN l.devices > 0 THEN ?2 ELSE 0 END FROM listeners l WHERE l.user_id = ?1
     ON CONFLICT (podcast_id, user_id) DO UPDATE SET subscribers = directory_changes.subscribers + excluded.subscribers`,
  )

  return {
    /** The feed has changed its details. */
    ofFeed(id: PodcastId): void {
      hideBlocked.run(id)
      addPodcast.run(id)
    },

    /** The user has made a subscription public or private. No effect if the user never had the podcast. */
    ofChoice(userId: UserId, url: string): void {
      hideOwn.run(userId, url)
      addOwn.run(userId, url)
    },

    /** The user has become active or inactive. */
    ofState(userId: UserId, isActive: boolean): void {
      addAll.run(userId, isActive ? 1 : -1)
      hideAll.run(userId)
    },
  }
}
