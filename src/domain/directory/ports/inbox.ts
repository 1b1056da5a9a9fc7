import type { UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'
import type { EpisodeAction } from '../../sync/ports/episode-actions.ts'
import type { Tag } from './directory.ts'
import type { EpisodeObject } from './podcasts.ts'

export interface EpisodeUpdate {
  readonly episode: EpisodeObject
  readonly action: EpisodeAction | undefined
}

export interface MyEpisodesStore {
  /** Newest first, in pages. Unknown and hidden episodes have only their URLs. */
  favorites(userId: UserId): AsyncIterable<readonly EpisodeObject[]>
  podcasts(userId: UserId, urls: readonly string[]): Promise<PodcastObject[]>
  /** Up to `max` of the newest episodes of each podcast since then, in pages; undefined for an unknown device. */
  releasedSince(
    userId: UserId,
    uid: string,
    since: number,
    max: number,
  ): Promise<AsyncIterable<readonly EpisodeUpdate[]> | undefined>
}

export interface Before {
  readonly at: number
  readonly id: number
}

export interface PageBefore {
  readonly before: Before | undefined
  readonly limit: number
}

export interface PageOfTime<T> {
  readonly items: readonly T[]
  readonly next: Before | undefined
}

export interface ListedEpisode {
  readonly podcast: { readonly url: string; readonly title: string; readonly logoUrl: string }
  readonly url: string
  readonly title: string
  readonly website: string
  readonly guid: string
  readonly imageUrl: string
  readonly hasPicture: boolean
  readonly released: number | undefined
  readonly duration: number | undefined
  readonly action: EpisodeAction | undefined
}

export interface UnplayedCount {
  readonly url: string
  readonly unplayed: number
}

export interface MarkableEpisode extends Pick<EpisodeAction, 'podcast' | 'episode' | 'guid'> {
  /** Identifies the user's episode across media URLs and feed addresses (docs/protocol.md#D84). */
  readonly key: string
  /** Seconds, by the last report of an app, else by the feed; undefined if unknown, or hidden from this user. */
  readonly length: number | undefined
  readonly action: EpisodeAction | undefined
}

/** Episodes over all podcasts of a user (docs/protocol.md#D90). */
export interface InboxStore {
  inProgress(userId: UserId, page: PageBefore): Promise<PageOfTime<ListedEpisode>>
  /** Dated episodes of the user's podcasts, newest first. With `onlyUnplayed` a page may hold fewer than `limit`. */
  inbox(
    userId: UserId,
    page: PageBefore & {
      readonly podcast: string | undefined
      readonly tag?: string | undefined
      readonly onlyUnplayed: boolean
    },
  ): Promise<PageOfTime<ListedEpisode>>
  tags(userId: UserId): Promise<Tag[]>
  unplayed(userId: UserId): Promise<UnplayedCount[]>
  /**
   * In the order of `episodes`. The guid only matters for a media URL that is several episodes.
   */
  episodesToMark(
    userId: UserId,
    episodes: readonly Pick<EpisodeAction, 'podcast' | 'episode' | 'guid'>[],
  ): Promise<MarkableEpisode[]>
  /** The newest episodes for which `isWanted`, at most `limit`. Undefined for a podcast that no device has. */
  episodesOfPodcast(
    userId: UserId,
    podcast: string,
    isWanted: (episode: Pick<MarkableEpisode, 'key' | 'action'>) => boolean,
    limit: number,
  ): Promise<MarkableEpisode[] | undefined>
}
