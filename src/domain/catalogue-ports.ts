import type { Tag } from './directory-ports.ts'
import type { PodcastId, UserId } from './ids.ts'
import type { PodcastObject } from './podcast.ts'

/** What we tell about an episode (protocol.md 3.2, D21). Unknown text is ''. */
export interface EpisodeObject {
  /** Of the media file. */
  readonly url: string
  /** '' if unknown; writers then show the URL. */
  readonly title: string
  readonly podcastTitle: string
  readonly podcastUrl: string
  /** Plain text. */
  readonly description: string
  readonly website: string
  /** Unix seconds. */
  readonly released: number | undefined
  readonly guid: string
  /** Seconds. */
  readonly duration: number | undefined
  /** Bytes. */
  readonly size: number | undefined
  readonly mimeType: string
  readonly imageUrl: string
  readonly chaptersUrl: string
  readonly transcriptUrl: string
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
export interface CatalogueEntry {
  readonly id: PodcastId
  readonly podcast: PodcastObject
  /** protocol.md D56: for its subscribers alone. */
  readonly isPrivate: boolean
  /** Not for this person: private, or from the private network, which is for people with an account unless somebody here has it. */
  readonly isHidden: boolean
  /** Whether anything is known but its URL. */
  readonly isFetched: boolean
  /** When it was last asked for, Unix seconds. */
  readonly checkedAt: number | undefined
}

export interface CatalogueStore {
  /** What somebody is subscribed to or was, or has looked at. */
  find(url: string, userId: UserId | undefined): Promise<CatalogueEntry | undefined>
  details(id: PodcastId): Promise<PodcastDetails>
  episode(id: PodcastId, url: string): Promise<DetailedEpisode | undefined>
  /** Newest first, those without a date last (protocol.md D80). */
  episodes(
    id: PodcastId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly episodes: EpisodeObject[] }>
}
