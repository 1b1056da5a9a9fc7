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
  /** Returns pages, latest favorite first. Unknown and hidden episodes have only their URLs. */
  favorites(userId: UserId): AsyncIterable<readonly EpisodeObject[]>
  podcasts(userId: UserId, urls: readonly string[]): Promise<PodcastObject[]>
  /** Returns pages with the `max` newest episodes of each podcast after `since`; undefined for an unknown device. */
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
  /** Number of these episodes that are new (docs/protocol.md#D118). */
  readonly fresh: number
}

/** Selects among the podcasts of a user. Omitted fields select all. */
export interface InboxFilter {
  /** Feed URLs. */
  readonly podcasts?: readonly string[] | undefined
  readonly tag?: string | undefined
  /** Folder ID. The folder of another user selects no podcasts. */
  readonly folder?: number | undefined
}

export interface MarkableEpisode extends Pick<EpisodeAction, 'podcast' | 'episode' | 'guid'> {
  /** Identifies the episode across media URLs and feed URLs (docs/protocol.md#D84). */
  readonly key: string
  /** Seconds, from the latest actions or else from the feed; undefined if unknown or hidden from this user. */
  readonly length: number | undefined
  readonly action: EpisodeAction | undefined
}

/** Episode whose current state comes from a mark. */
export interface MarkedEpisode extends MarkableEpisode {
  /** State before the mark; undefined if there was no action. */
  readonly before: Pick<EpisodeAction, 'kind' | 'position' | 'total'> | undefined
}

export interface MarkFilter extends InboxFilter {
  /** Selects this episode and older ones. Undated episodes are the oldest. */
  readonly newest?: Pick<EpisodeAction, 'podcast' | 'episode'> | undefined
  /** Selects only new episodes, or only the others (docs/protocol.md#D118). */
  readonly isNew?: boolean | undefined
}

/** Episodes of all podcasts of a user (docs/protocol.md#D90). */
export interface InboxStore {
  inProgress(userId: UserId, page: PageBefore): Promise<PageOfTime<ListedEpisode>>
  /** Returns dated episodes, newest first. With `onlyUnplayed`, any page may have fewer than `limit`. */
  inbox(
    userId: UserId,
    page: PageBefore & InboxFilter & { readonly onlyUnplayed: boolean; readonly onlyNew?: boolean },
  ): Promise<PageOfTime<ListedEpisode>>
  tags(userId: UserId): Promise<Tag[]>
  unplayed(userId: UserId): Promise<UnplayedCount[]>
}

/** Reads for marks (docs/protocol.md#D91). */
export interface MarkStore {
  /** Returns `episodes` in their order. The guid matters only if several episodes have used the media URL. */
  named(
    userId: UserId,
    episodes: readonly Pick<EpisodeAction, 'podcast' | 'episode' | 'guid'>[],
  ): Promise<MarkableEpisode[]>
  /** Returns pages, newest first in each podcast; undefined if the user is subscribed to none of the podcasts. */
  inFilter(userId: UserId, filter: MarkFilter): Promise<AsyncIterable<readonly MarkableEpisode[]> | undefined>
  /** Returns true if the feed of one of the user's podcasts has the episode. */
  has(userId: UserId, episode: Pick<EpisodeAction, 'podcast' | 'episode'>): Promise<boolean>
  /** Returns pages of the episodes whose state is an action without a device at one of these logical times. */
  marked(userId: UserId, times: readonly number[]): AsyncIterable<readonly MarkedEpisode[]>
}
