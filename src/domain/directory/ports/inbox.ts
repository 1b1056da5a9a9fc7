import type { UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'
import type { EpisodeAction } from '../../sync/ports/episode-actions.ts'
import type { Tag } from './directory.ts'
import type { EpisodeObject } from './podcasts.ts'

/** An episode that is new to a device. */
export interface EpisodeUpdate {
  readonly episode: EpisodeObject
  /** What tells the state of it for the user (docs/protocol.md#D45); undefined if there is no action. */
  readonly action: EpisodeAction | undefined
}

export interface MyEpisodesStore {
  /**
   * Newest first, in pages that are read as they are asked for. Of an episode that is not known here, or hidden from the
   * user, only the URLs.
   */
  favorites(userId: UserId): AsyncIterable<readonly EpisodeObject[]>
  /** What is known of podcasts, in the order of their URLs. */
  podcasts(userId: UserId, urls: readonly string[]): Promise<PodcastObject[]>
  /**
   * Of each podcast that the device has, so many of the newest episodes that were released after `since`, in pages that
   * are read as they are asked for; undefined for an unknown device.
   */
  releasedSince(
    userId: UserId,
    uid: string,
    since: number,
    max: number,
  ): Promise<AsyncIterable<readonly EpisodeUpdate[]> | undefined>
}

/** Where a page of a list that is sorted by time begins: with what comes after this one, newest first. */
export interface Before {
  readonly at: number
  /** Tells apart what has the same time. */
  readonly id: number
}

export interface PageBefore {
  /** The first page unless given. */
  readonly before: Before | undefined
  readonly limit: number
}

export interface PageOfTime<T> {
  readonly items: readonly T[]
  /** Where the next page begins; undefined after the last one. */
  readonly next: Before | undefined
}

/** An episode as a user is told of it in a list over several podcasts: without its notes. Unknown text is ''. */
export interface ListedEpisode {
  readonly podcast: { readonly url: string; readonly title: string; readonly logoUrl: string }
  readonly url: string
  readonly title: string
  readonly website: string
  readonly guid: string
  readonly imageUrl: string
  /** As in `EpisodeObject`. */
  readonly hasPicture: boolean
  readonly released: number | undefined
  readonly duration: number | undefined
  /** What tells the state of it (docs/protocol.md#D45); undefined if there is no action. */
  readonly action: EpisodeAction | undefined
}

export interface UnplayedCount {
  readonly url: string
  readonly unplayed: number
}

/** An episode that may be marked as played or new. */
export interface MarkableEpisode extends Pick<EpisodeAction, 'podcast' | 'episode' | 'guid'> {
  /** Identifies the user's episode across media URLs and feed addresses (docs/protocol.md#D84). */
  readonly key: string
  /** Seconds, by the last report of an app, else by the feed; undefined if unknown, or hidden from this user. */
  readonly length: number | undefined
  /** As in `ListedEpisode`. */
  readonly action: EpisodeAction | undefined
}

/** Episodes over all podcasts of a user (docs/protocol.md#D90). */
export interface InboxStore {
  /** Begun and not finished, last heard first. */
  inProgress(userId: UserId, page: PageBefore): Promise<PageOfTime<ListedEpisode>>
  /**
   * Of the podcasts that any device has, each one once whatever its addresses, or of one of them, or of those with a tag
   * (its slug): dated episodes, newest first. With `onlyUnplayed` a page may hold fewer than it could, since so many
   * episodes are looked at and no more.
   */
  inbox(
    userId: UserId,
    page: PageBefore & {
      readonly podcast: string | undefined
      readonly tag?: string | undefined
      readonly onlyUnplayed: boolean
    },
  ): Promise<PageOfTime<ListedEpisode>>
  /** Of the podcasts that any device has, each one once: most used first, with how many of them carry it. */
  tags(userId: UserId): Promise<Tag[]>
  /** Of each of these podcasts, how many of its newest 100 episodes have not been played to the end. */
  unplayed(userId: UserId): Promise<UnplayedCount[]>
  /**
   * In the order of `episodes`. The guid only matters for a media URL that is several episodes.
   */
  episodesToMark(
    userId: UserId,
    episodes: readonly Pick<EpisodeAction, 'podcast' | 'episode' | 'guid'>[],
  ): Promise<MarkableEpisode[]>
  /**
   * The newest episodes in the feed of a podcast for which `isWanted`, so many at most. Undefined for one that no device
   * of the user has.
   */
  episodesOfPodcast(
    userId: UserId,
    podcast: string,
    isWanted: (episode: Pick<MarkableEpisode, 'key' | 'action'>) => boolean,
    limit: number,
  ): Promise<MarkableEpisode[] | undefined>
}
