import type { FeedEpisode } from '../../feeds/document.ts'
import type { FeedTrace } from '../../feeds/ports.ts'
import type { PodcastId, UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'
import type { EpisodeAction } from '../../sync/ports/episode-actions.ts'
import type { Tag } from './directory.ts'

/** Episode in API responses (docs/protocol.md#episode-object, D21). Unknown texts, including the title, are ''. */
export interface EpisodeObject extends FeedEpisode {
  readonly podcastTitle: string
  readonly podcastUrl: string
  readonly hasPicture: boolean
  readonly description: string
}

export interface DetailedEpisode extends EpisodeObject {
  readonly notes: string
}

export interface PodcastDetails {
  readonly notes: string
  readonly tags: readonly Tag[]
  readonly fundingUrl: string
}

export interface StoredPodcast {
  readonly id: PodcastId
  readonly podcast: PodcastObject
  readonly isPrivate: boolean
  /** Result of `isHiddenFrom` for the viewer. */
  readonly isHidden: boolean
  readonly isWanted: boolean
  readonly isFetched: boolean
  readonly checkedAt: number | undefined
}

export interface PodcastStore {
  find(url: string, userId: UserId | undefined): Promise<StoredPodcast | undefined>
  details(id: PodcastId): Promise<PodcastDetails>
  episode(id: PodcastId, url: string): Promise<DetailedEpisode | undefined>
  episodePicture(id: PodcastId, url: string): Promise<string | undefined>
  /** Newest first, undated episodes last (docs/protocol.md#D80). */
  episodes(
    id: PodcastId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly episodes: EpisodeObject[] }>
  ownEpisodes(
    userId: UserId,
    id: PodcastId,
    wanted: OwnEpisodeFilter,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<OwnEpisodes>
}

export interface OwnEpisodeFilter {
  readonly text: string
  readonly season: number | undefined
  readonly onlyUnplayed: boolean
  readonly isOldestFirst: boolean
}

export interface OwnEpisode extends EpisodeObject {
  readonly action: EpisodeAction | undefined
  readonly isFavorite: boolean
}

export interface OwnEpisodes {
  readonly total: number
  readonly seasons: readonly number[]
  readonly episodes: readonly OwnEpisode[]
}

export interface OwnPodcast {
  readonly url: string
  /** Logical time of the earliest current subscription; undefined if no device is subscribed. */
  readonly addedSeq: number | undefined
  readonly newestRelease: number | undefined
  readonly isPrivate: boolean
  readonly trace: FeedTrace
}
