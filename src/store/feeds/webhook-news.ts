import type { FingerprintedEpisode } from '../../domain/feeds/document.ts'
import { isNewEpisode, isReportableFailure } from '../../domain/feeds/news.ts'
import type { FeedFailure, FeedTrace } from '../../domain/feeds/ports.ts'
import type { PodcastId } from '../../domain/shared/ids.ts'
import type { Database } from '../engine.ts'
import { fromRow, type Row } from '../shared/rows.ts'

const WAITING_MAX = 500

const OF_SUBSCRIBERS = `FROM webhooks w CROSS JOIN listeners l ON l.user_id = w.user_id AND l.podcast_id = +?1 AND l.devices > 0`

export type WebhookNews = ReturnType<typeof prepareWebhookNews>

/** Records events for webhooks of subscribers. All functions belong inside a job of the write queue. */
export function prepareWebhookNews(db: Database) {
  // Usually no subscriber has a webhook, and this query is the only cost of a refresh.
  const selectWebhook = db.prepare<{ knownSince: number | null }, [PodcastId]>(
    `SELECT CASE WHEN p.succeeded_at IS NULL OR p.body_hash LIKE '%+' THEN p.created_at END AS knownSince ${OF_SUBSCRIBERS} CROSS JOIN podcasts p ON p.id = l.podcast_id
      WHERE w.tells_episodes = 1 AND w.off_reason IS NULL LIMIT 1`,
  )
  const isKnown = db.prepare<{ one: number }, [PodcastId, string]>(
    `SELECT 1 AS one FROM episodes e CROSS JOIN episode_details d ON d.episode_id = e.id WHERE e.podcast_id = +?1 AND e.url = +?2`,
  )
  const waiting = db.prepare<{ userId: number; count: number }, [PodcastId]>(
    `SELECT w.user_id AS userId, (SELECT COUNT(*) FROM webhook_news n WHERE n.user_id = w.user_id AND n.event = 'new_episode') AS count
       ${OF_SUBSCRIBERS} WHERE w.tells_episodes = 1 AND w.off_reason IS NULL`,
  )
  // A user with two addresses of a podcast gets an episode from the address that is fetched first.
  const addEpisode = db.prepare<undefined, [PodcastId, string, number, string]>(
    `INSERT INTO webhook_news (user_id, event, at, podcast_id, episode_id)
     SELECT CAST(w.value AS INTEGER), 'new_episode', ?3, e.podcast_id, e.id
       FROM episodes e CROSS JOIN json_each(?4) w
      WHERE e.podcast_id = +?1 AND e.url = +?2
        AND NOT EXISTS (
          SELECT 1 FROM address_relations r CROSS JOIN listeners o ON o.user_id = CAST(w.value AS INTEGER) AND o.podcast_id = r.other_id AND o.devices > 0
           CROSS JOIN episodes x ON x.podcast_id = r.other_id AND x.url = e.url
           CROSS JOIN episode_details xd ON xd.episode_id = x.id
           WHERE r.podcast_id = e.podcast_id)`,
  )
  const trace = db.prepare<Row<FeedTrace>, [PodcastId]>(
    `SELECT checked_at AS checkedAt, succeeded_at AS succeededAt, failing_since AS failingSince, error_reason AS reason
       FROM podcasts WHERE id = +?1`,
  )
  const addFailure = db.prepare<undefined, [PodcastId, number]>(
    `INSERT INTO webhook_news (user_id, event, at, podcast_id)
     SELECT w.user_id, 'feed_failing', ?2, l.podcast_id ${OF_SUBSCRIBERS}
      WHERE w.tells_failures = 1 AND w.off_reason IS NULL
        AND (SELECT COUNT(*) FROM webhook_news n WHERE n.user_id = w.user_id AND n.event = 'feed_failing') < ${WAITING_MAX}`,
  )

  return {
    watch(id: PodcastId, at: number) {
      const found = selectWebhook.get(id)
      if (!found) return undefined
      /** Read once for all episodes, since with many users it takes longer than everything else. */
      let counts: { readonly userId: number; readonly count: number }[] | undefined
      let noted = 0
      return {
        isNews: (episode: FingerprintedEpisode): boolean =>
          episode.inPlaceOf === undefined &&
          isNewEpisode(episode, at, found.knownSince ?? undefined) &&
          isKnown.get(id, episode.url) === null,
        note(url: string): void {
          counts ??= waiting.all(id)
          const users = counts.filter(({ count }) => count + noted < WAITING_MAX).map(({ userId }) => userId)
          if (users.length > 0) addEpisode.run(id, url, at, JSON.stringify(users))
          noted += 1
        },
      }
    },

    noteFailure(id: PodcastId, failure: Pick<FeedFailure, 'at' | 'reason'>): void {
      const before = trace.get(id)
      if (before && isReportableFailure(fromRow<FeedTrace>(before), failure)) addFailure.run(id, failure.at)
    },
  }
}
