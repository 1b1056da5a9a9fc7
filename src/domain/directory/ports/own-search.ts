import type { UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'
import type { SearchQuery } from './directory.ts'
import type { ListedEpisode } from './inbox.ts'

export interface OwnHits {
  readonly podcasts: readonly PodcastObject[]
  /** Episodes of podcasts that the user is subscribed to. */
  readonly episodes: readonly ListedEpisode[]
  /** Episodes that the user has begun or heard, unless their podcast is hidden from this user. */
  readonly history: readonly ListedEpisode[]
}

export interface OwnSearchStore {
  /** At most so many of each: matches in titles first, then the newest. */
  find(userId: UserId, query: SearchQuery, most: Record<keyof OwnHits, number>): Promise<OwnHits>
}
