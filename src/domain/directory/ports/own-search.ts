import type { UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'
import type { SearchQuery } from './directory.ts'
import type { ListedEpisode } from './inbox.ts'

export interface OwnHits {
  readonly podcasts: readonly PodcastObject[]
  /** Episodes of podcasts that the user is subscribed to. */
  readonly episodes: readonly ListedEpisode[]
  /** Episodes that the user has started or finished, except those of podcasts hidden from this user. */
  readonly history: readonly ListedEpisode[]
}

export interface OwnSearchStore {
  /** Returns at most as many of each kind as `limits` says. Title matches come first, then newer episodes. */
  find(userId: UserId, query: SearchQuery, limits: Record<keyof OwnHits, number>): Promise<OwnHits>
}
