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
  /** How many of these are new (docs/protocol.md#D118). */
  readonly fresh: number
}

/** Which podcasts of a user: all unless given. */
export interface InboxFilter {
  /** Feed URLs. */
  readonly podcasts?: readonly string[] | undefined
  readonly tag?: string | undefined
  /** ID of a folder; one that is not the user's has no podcasts. */
  readonly folder?: number | undefined
}

export interface MarkableEpisode extends Pick<EpisodeAction, 'podcast' | 'episode' | 'guid'> {
  /** Identifies the user's episode across media URLs and feed addresses (docs/protocol.md#D84). */
  readonly key: string
  /** Seconds, by the last report of an app, else by the feed; undefined if unknown, or hidden from this user. */
  readonly length: number | undefined
  readonly action: EpisodeAction | undefined
}

/** An episode whose state is a mark. */
export interface MarkedEpisode extends MarkableEpisode {
  /** The state without the mark; undefined if there was none. */
  readonly before: Pick<EpisodeAction, 'kind' | 'position' | 'total'> | undefined
}

export interface MarkFilter extends InboxFilter {
  /** This episode and all that are older; those without a date are the oldest. */
  readonly newest?: Pick<EpisodeAction, 'podcast' | 'episode'> | undefined
  /** Only new episodes, or only those that are not new (docs/protocol.md#D118). */
  readonly isNew?: boolean | undefined
}

/** Episodes over all podcasts of a user (docs/protocol.md#D90). */
export interface InboxStore {
  inProgress(userId: UserId, page: PageBefore): Promise<PageOfTime<ListedEpisode>>
  /** Dated episodes of the user's podcasts, newest first. With `onlyUnplayed` a page may hold fewer than `limit`. */
  inbox(
    userId: UserId,
    page: PageBefore & InboxFilter & { readonly onlyUnplayed: boolean; readonly onlyNew?: boolean },
  ): Promise<PageOfTime<ListedEpisode>>
  tags(userId: UserId): Promise<Tag[]>
  unplayed(userId: UserId): Promise<UnplayedCount[]>
}

/** Reads for marks (docs/protocol.md#D91). */
export interface MarkStore {
  /** In the order of `episodes`. The guid only matters for a media URL that is several episodes. */
  named(
    userId: UserId,
    episodes: readonly Pick<EpisodeAction, 'podcast' | 'episode' | 'guid'>[],
  ): Promise<MarkableEpisode[]>
  /** All episodes of the feeds, in pieces, newest first in each podcast. Undefined if no device has any of the podcasts. */
  inFilter(userId: UserId, filter: MarkFilter): Promise<AsyncIterable<readonly MarkableEpisode[]> | undefined>
  /** Whether the feed of one of the user's podcasts has the episode. */
  has(userId: UserId, episode: Pick<EpisodeAction, 'podcast' | 'episode'>): Promise<boolean>
  /** Episodes whose state is an action of these logical times without a device, in pieces. */
  marked(userId: UserId, times: readonly number[]): AsyncIterable<readonly MarkedEpisode[]>
}
