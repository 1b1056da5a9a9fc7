import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import type { Database } from '../../engine.ts'
import type { EpisodeBooks, EpisodeName } from './episode-books.ts'

interface NamedRow extends EpisodeName {
  readonly id: number
  readonly userId: UserId
  /** The media URL has never been another episode. */
  readonly isOnly: number
}

/** Current and former guid of a media URL in its feed. */
interface FeedGuid {
  readonly url: string
  readonly guid: string
  readonly isShared: boolean
  readonly formerGuid: string
}

/** Limit of guids joined when addresses become one podcast. The rest follow with the user's next new media URL. */
const ROWS_OF_PODCAST = 500

/** Limit of media URLs searched for these guids. */
const MEDIA_OF_PODCAST = 5000

/** Limit of users who get a new guid immediately. The rest get it with their next action. */
const ROWS_OF_FEED = 100

export type FeedGuids = ReturnType<typeof prepareFeedGuids>

/**
 * Joins users' episodes based on feeds and addresses (docs/protocol.md#D84). All functions belong inside a job of the
 * write queue.
 */
export function prepareFeedGuids(db: Database, books: EpisodeBooks) {
  const ofMedia = db.prepare<NamedRow, [PodcastId, string, string, number, string]>(
    `SELECT ue.id, ue.user_id AS userId, ue.guid, ue.joined_id AS joinedId,
            NOT EXISTS (SELECT 1 FROM user_episodes x
                WHERE x.user_id = ue.user_id AND x.episode_id = ue.episode_id AND x.is_former = 1) AS isOnly
       FROM episodes e CROSS JOIN user_episodes ue ON ue.episode_id = e.id
      WHERE e.podcast_id = +?1 AND e.url = +?2
        AND (ue.guid IS NULL OR (ue.guid = +?5 AND ue.guid <> +?3)
             OR (ue.guid = +?3 AND (ue.is_guid_hidden <> +?4 OR (+?4 = 1 AND ue.joined_id IS NOT NULL))))
      LIMIT ${ROWS_OF_FEED}`,
  )
  const guidOfFeed = db.prepare<{ guid: string }, [PodcastId, string]>(
    `SELECT d.guid FROM episodes e CROSS JOIN episode_details d ON d.episode_id = e.id
      WHERE e.podcast_id = +?1 AND e.url = +?2`,
  )
  const ofPodcast = db.prepare<{ userId: UserId; guid: string }, [PodcastId]>(
    `SELECT DISTINCT ue.user_id AS userId, ue.guid FROM episodes e CROSS JOIN user_episodes ue ON ue.episode_id = e.id
      WHERE e.podcast_id = +?1 AND ue.guid IS NOT NULL AND (ue.is_guid_hidden = 1 OR ue.joined_id IS NOT NULL)
      LIMIT ${ROWS_OF_PODCAST}`,
  )

  // Joined media URLs, and those that another address of the podcast has too, unless guids already identify them all.
  const mediaOfPodcast = db.prepare<{ userId: UserId; url: string }, [PodcastId]>(
    `SELECT DISTINCT m.userId, m.url FROM
       (SELECT ue.user_id AS userId, e.url, ue.guid, ue.joined_id AS joinedId
          FROM episodes e CROSS JOIN user_episodes ue ON ue.episode_id = e.id
         WHERE e.podcast_id = +?1 LIMIT ${MEDIA_OF_PODCAST}) m
      WHERE (m.guid IS NULL AND m.joinedId IS NOT NULL)
         OR EXISTS (SELECT 1 FROM address_relations r CROSS JOIN episodes o ON o.podcast_id = r.other_id AND o.url = m.url
             CROSS JOIN user_episodes x ON x.user_id = m.userId AND x.episode_id = o.id
             WHERE r.podcast_id = +?1 AND (x.guid IS NULL OR m.guid IS NULL))
      LIMIT ${ROWS_OF_PODCAST}`,
  )

  return {
    /** Joins or separates episodes after the address has become, or ceased to be, one podcast with others. */
    noteRelations(podcastId: PodcastId): void {
      const media = Map.groupBy(mediaOfPodcast.all(podcastId), ({ userId }) => userId)
      for (const [userId, rows] of media) {
        db.hold(userId)
        books.joinMedia(
          userId,
          podcastId,
          rows.map(({ url }) => url),
        )
      }
      const guids = Map.groupBy(ofPodcast.all(podcastId), ({ userId }) => userId)
      for (const [userId, rows] of guids) {
        db.hold(userId)
        books.join(
          userId,
          rows.map(({ guid }) => guid),
        )
      }
    },

    /** Returns the stored guid of a media URL in the feed, or ''. */
    guidOfFeed: (podcastId: PodcastId, url: string): string => guidOfFeed.get(podcastId, url)?.guid ?? '',

    /**
     * Records the guid that a feed gives a media URL, and whether several of its episodes share it. Users who know the
     * media URL only by the feed's former guid get the new one.
     */
    noteFeed(podcastId: PodcastId, { url, guid, isShared, formerGuid }: FeedGuid): void {
      if (guid === '') return
      for (const row of ofMedia.all(podcastId, url, guid, Number(isShared), formerGuid)) {
        db.hold(row.userId)
        if (row.guid !== guid && row.isOnly === 1) books.rename(row.userId, row.id, guid, isShared)
        else books.mend(row.userId, [row])
      }
    },
  }
}
