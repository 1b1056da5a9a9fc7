import type { Database } from 'bun:sqlite'
import type { PodcastId } from '../../../domain/shared/ids.ts'

/** Notes a change of details for the directory; a feed that blocks listing is hidden at once (D56). In a job. */
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
