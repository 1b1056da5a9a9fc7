import type { QueueStore } from '../../domain/directory/ports/queue.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import { slices } from '../../domain/shared/lists.ts'
import type { EpisodeAction } from '../../domain/sync/ports/episode-actions.ts'
import { nextTurn } from '../../platform/clock.ts'
import type { StoreParts } from '../parts.ts'
import { prepareStates } from '../sync/actions/episode-states.ts'
import { preparePodcastIds } from '../sync/podcast-rows.ts'
import { LISTED_COLUMNS, LISTED_JOINS, type ListedRow, toListedEpisode } from './listed-episodes.ts'

const STATES_AT_ONCE = 250

export function createQueueStore({ db, snapshot, queue }: Pick<StoreParts, 'db' | 'snapshot' | 'queue'>): QueueStore {
  const podcastIds = preparePodcastIds(db)
  const statesOf = prepareStates(db)
  const queued = db.prepare<{ id: number }, [UserId]>(
    'SELECT episode_id AS id FROM queue_items WHERE user_id = ?1 ORDER BY position',
  )
  const listed = db.prepare<ListedRow & { episodeId: number }, [UserId]>(
    `SELECT q.episode_id AS episodeId, ${LISTED_COLUMNS}
       FROM queue_items q CROSS JOIN episodes e ON e.id = q.episode_id CROSS JOIN podcasts p ON p.id = e.podcast_id
       ${LISTED_JOINS} WHERE q.user_id = +?1 ORDER BY q.position`,
  )
  const ensureMedia = db.prepare<undefined, [string]>(
    `INSERT INTO episodes (podcast_id, url)
     SELECT p.id, j.value ->> 1 FROM json_each(?1) j CROSS JOIN podcasts p ON p.url = j.value ->> 0 WHERE true ORDER BY 1, 2
     ON CONFLICT DO NOTHING`,
  )
  const idsOf = db.prepare<{ id: number }, [string]>(
    `SELECT e.id FROM json_each(?1) j CROSS JOIN podcasts p ON p.url = j.value ->> 0
      CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value ->> 1 ORDER BY j.key`,
  )
  const clear = db.prepare<undefined, [UserId]>('DELETE FROM queue_items WHERE user_id = ?1')
  const insert = db.prepare<undefined, [UserId, string]>(
    'INSERT INTO queue_items (user_id, position, episode_id) SELECT ?1, j.key, CAST(j.value AS INTEGER) FROM json_each(?2) j',
  )
  const remove = db.prepare<undefined, [UserId, string, string]>(
    `DELETE FROM queue_items WHERE user_id = +?1 AND episode_id =
       (SELECT e.id FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = +?3 WHERE p.url = +?2)`,
  )

  const removeUnknown = db.prepare<undefined, [string]>(
    `DELETE FROM episodes WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(?1))
        AND NOT EXISTS (SELECT 1 FROM episode_details d WHERE d.episode_id = episodes.id)
        AND NOT EXISTS (SELECT 1 FROM user_episodes u WHERE u.episode_id = episodes.id)
        AND NOT EXISTS (SELECT 1 FROM queue_items q WHERE q.episode_id = episodes.id)`,
  )

  /** Removes media URLs known only from the queue, otherwise replacing it repeatedly would fill the disk. */
  function forget(ids: readonly number[]): void {
    if (ids.length > 0) removeUnknown.run(JSON.stringify(ids))
  }

  return {
    async list(userId) {
      const rows = await snapshot.read(() => listed.all(userId))
      const states = new Map<number, EpisodeAction>()
      for (const batch of slices(rows, STATES_AT_ONCE)) {
        if (states.size > 0) await nextTurn()
        const ids = batch.map(({ episodeId }) => episodeId)
        for (const [id, action] of await snapshot.read(() => statesOf(userId, ids))) states.set(id, action)
      }
      return rows.map((row) => toListedEpisode(row, states.get(row.episodeId)))
    },

    update: (userId, episodes, at, plan) =>
      queue.run(userId, () => {
        const pairs = JSON.stringify(episodes.map(({ podcast, episode }) => [podcast, episode]))
        podcastIds.ensureAddresses([...new Set(episodes.map(({ podcast }) => podcast))], at)
        ensureMedia.run(pairs)
        const named = [...new Set(idsOf.all(pairs).map(({ id }) => id))]
        const before = queued.all(userId).map(({ id }) => id)
        const after = plan(before, named)
        if (JSON.stringify(after) === JSON.stringify(before)) return
        clear.run(userId)
        insert.run(userId, JSON.stringify(after))
        forget(before.filter((id) => !after.includes(id)))
      }),

    remove: (userId, episode) =>
      queue.run(userId, () => {
        const before = queued.all(userId).map(({ id }) => id)
        if (episode) remove.run(userId, episode.podcast, episode.episode)
        else clear.run(userId)
        forget(before)
      }),
  }
}
