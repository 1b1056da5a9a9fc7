import type { Database } from 'bun:sqlite'
import type { PodcastId } from '../../../domain/shared/ids.ts'

/**
 * Tells the directory that what a feed says of its podcast has changed. A podcast whose feed does not want to be listed
 * is hidden at once, until the indexer has decided (docs/protocol.md#D56). Belongs inside the job that writes the change.
 */
export function prepareDetailsChange(db: Database): (id: PodcastId) => void {
  const hide = db.prepare<undefined, [PodcastId]>(
    `UPDATE podcasts SET is_private = 1 WHERE id = ?1 AND is_private = 0
        AND EXISTS (SELECT 1 FROM podcast_details d WHERE d.podcast_id = ?1 AND d.is_blocked = 1)`,
  )
  const enqueue = db.prepare<undefined, [PodcastId]>(
    'INSERT INTO directory_changes (podcast_id, subscribers) VALUES (?1, 0)',
  )
  return (id) => {
    hide.run(id)
    enqueue.run(id)
  }
}
