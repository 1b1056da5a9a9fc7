import type { FeedEpisode } from '../../feeds/document.ts'
import type { FeedTrace } from '../../feeds/ports.ts'
import type { PodcastId, UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'
import type { EpisodeAction } from '../../sync/ports/episode-actions.ts'
import type { Tag } from './directory.ts'

/** What we tell about an episode (docs/protocol.md#episode-object, D21). Unknown text is '', also an unknown title. */
export interface EpisodeObject extends FeedEpisode {
  readonly podcastTitle: string
  readonly podcastUrl: string
  /** Whether it has a picture of its own: many feeds repeat that of the podcast for each episode. */
  readonly hasPicture: boolean
  /** Plain text. */
  readonly description: string
}

/** With what only pages show. */
export interface DetailedEpisode extends EpisodeObject {
  /** The description as sanitised HTML. */
  readonly notes: string
}

/** What a feed says of its podcast beyond the podcast object; `''` is unknown. */
export interface PodcastDetails {
  /** The description as sanitised HTML. */
  readonly notes: string
  /** In the order and in the words of the feed. */
  readonly tags: readonly Tag[]
  /** Where people can give money for it. */
  readonly fundingUrl: string
}

/** A podcast of the server, as one person may see it. */
export interface StoredPodcast {
  readonly id: PodcastId
  readonly podcast: PodcastObject
  /** docs/protocol.md#D56: for its subscribers alone. */
  readonly isPrivate: boolean
  /** Not for this person: private, or from the private network, which is for users unless somebody here has it. */
  readonly isHidden: boolean
  /** It has a subscriber, possibly one that the directory has not counted yet. */
  readonly isWanted: boolean
  /** Whether anything is known but its URL. */
  readonly isFetched: boolean
  /** When it was last asked for, Unix seconds. */
  readonly checkedAt: number | undefined
}

export interface PodcastStore {
  /** What somebody is subscribed to or was, or has looked at. */
  find(url: string, userId: UserId | undefined): Promise<StoredPodcast | undefined>
  details(id: PodcastId): Promise<PodcastDetails>
  episode(id: PodcastId, url: string): Promise<DetailedEpisode | undefined>
  /** Where the feed says that the picture of an episode is, or ''; undefined if there is no such episode. */
  episodePicture(id: PodcastId, url: string): Promise<string | undefined>
  /** Newest first, those without a date last (docs/protocol.md#D80). */
  episodes(
    id: PodcastId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly episodes: EpisodeObject[] }>
  /** With what the user has heard of them. Of a long description only the beginning. */
  ownEpisodes(
    userId: UserId,
    id: PodcastId,
    wanted: WantedOwnEpisodes,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<OwnEpisodes>
}

export interface WantedOwnEpisodes {
  /** What the title contains, whatever the case and the accents; '' for all. */
  readonly text: string
  readonly season: number | undefined
  readonly onlyUnplayed: boolean
  /** Otherwise the newest comes first. */
  readonly isOldestFirst: boolean
}

export interface OwnEpisode extends EpisodeObject {
  /** What tells the state of it (docs/protocol.md#D45); undefined if there is no action. */
  readonly action: EpisodeAction | undefined
  readonly isFavorite: boolean
}

export interface OwnEpisodes {
  readonly total: number
  /** All of the podcast, latest first. */
  readonly seasons: readonly number[]
  readonly episodes: readonly OwnEpisode[]
}

/** What the server knows of a podcast besides what its feed says. */
export interface OwnPodcast {
  readonly url: string
  /** Logical time at which the first of the devices that have it got it; undefined if none has it. */
  readonly addedSeq: number | undefined
  readonly newestRelease: number | undefined
  /** docs/protocol.md#D56: hidden from people who do not have it. */
  readonly isPrivate: boolean
  readonly trace: FeedTrace
}
