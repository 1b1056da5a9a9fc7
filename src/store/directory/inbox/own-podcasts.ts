import type { InboxFilter } from '../../../domain/directory/ports/inbox.ts'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { nextTurn } from '../../../platform/clock.ts'
import type { StoreParts } from '../../parts.ts'
import { filedPodcasts } from '../../sync/app-data/folders.ts'
import { createTagReader } from '../podcast-tags.ts'

/** SQL: whether the feed still has the episode `n`; the few that it dropped are found by their index. */
export const IS_LISTED = `NOT EXISTS (SELECT 1 FROM episode_details u INDEXED BY episode_details_unlisted
    WHERE u.podcast_id = n.podcast_id AND u.episode_id = n.episode_id AND u.is_listed = 0)`

const PODCASTS_AT_ONCE = 1000

/** Podcasts of a user, and the time since which their episodes count as new (docs/protocol.md#D118). */
export function createOwnPodcasts({ db, snapshot, addresses }: Pick<StoreParts, 'db' | 'snapshot' | 'addresses'>) {
  const tagReader = createTagReader(db, snapshot)
  const podcastsOfUser = db.prepare<{ id: PodcastId }, [UserId]>(
    'SELECT podcast_id AS id FROM listeners WHERE user_id = ?1 AND devices > 0 ORDER BY podcast_id',
  )
  const withUrls = db.prepare<{ id: PodcastId }, [UserId, string]>(
    `SELECT DISTINCT l.podcast_id AS id
       FROM (SELECT p.id FROM json_each(?2) j CROSS JOIN podcasts p ON p.url = j.value
             UNION SELECT r.other_id FROM json_each(?2) j CROSS JOIN podcasts q ON q.url = j.value
               CROSS JOIN address_relations r ON r.podcast_id = q.id) a
       CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = a.id AND l.devices > 0 ORDER BY 1`,
  )
  const inFolder = db.prepare<{ id: PodcastId }, [UserId, number]>(filedPodcasts('a.id', 'f.id = +?2'))
  const newSince = db.prepare<{ id: PodcastId; since: number }, [UserId, string]>(
    `SELECT id, min(since, IFNULL(newest, since)) AS since FROM (
       SELECT CAST(j.value AS INTEGER) AS id,
              IFNULL((SELECT MIN(l.since)
                 FROM (SELECT CAST(j.value AS INTEGER) AS id UNION ALL
                       SELECT r.other_id FROM address_relations r WHERE r.podcast_id = CAST(j.value AS INTEGER)) a
                 CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = a.id AND l.devices > 0), 0) AS since,
              (SELECT n.released FROM episode_details n INDEXED BY episode_details_released
                WHERE n.podcast_id = CAST(j.value AS INTEGER) AND n.released IS NOT NULL AND ${IS_LISTED}
                ORDER BY n.released DESC NULLS LAST LIMIT 1) AS newest
         FROM json_each(?2) j) own`,
  )

  return {
    /** Returns each podcast once, at one of its addresses. */
    async list(userId: UserId, { podcasts, tag, folder }: InboxFilter = {}): Promise<readonly PodcastId[]> {
      const all = await snapshot.read(() => {
        const rows = podcasts ? withUrls.all(userId, JSON.stringify(podcasts)) : podcastsOfUser.all(userId)
        const filed = folder === undefined ? undefined : new Set(inFolder.all(userId, folder).map(({ id }) => id))
        return addresses.onePerPodcast(rows.map(({ id }) => id).filter((id) => filed?.has(id) ?? true))
      })
      return tag === undefined ? all : tagReader.withTag(all, tag)
    },

    /** Unix seconds: episodes released then or later are new. Never later than the newest episode. */
    async newSince(userId: UserId, podcasts: readonly PodcastId[]): Promise<Map<PodcastId, number>> {
      const found = new Map<PodcastId, number>()
      for (const batch of slices(podcasts, PODCASTS_AT_ONCE)) {
        if (found.size > 0) await nextTurn()
        const rows = await snapshot.read(() => newSince.all(userId, JSON.stringify(batch)))
        for (const { id, since } of rows) found.set(id, since)
      }
      return found
    },

    tagsOfMany: tagReader.tagsOfMany,
  }
}
