import type { PodcastId, UserId } from '../../shared/ids.ts'

/** A play action that says from where to where somebody listened. */
export interface Play {
  /** Of the user, whatever its media URL (docs/protocol.md#D84). */
  readonly episodeId: number
  readonly podcastId: PodcastId
  /** The client's event time, Unix seconds. */
  readonly at: number
  /** Seconds from the beginning of the episode, as the next two. */
  readonly started: number
  readonly position: number
  readonly total: number | undefined
}

/** What may be told about a podcast; nothing but the URL of one that is private to others (docs/protocol.md#D56). */
export interface HeardPodcast {
  readonly id: PodcastId
  readonly url: string
  /** The URL if unknown. */
  readonly title: string
  /** '' if unknown, as other text. */
  readonly logoUrl: string
}

/** A play action as people read it. */
export interface PlayEvent {
  readonly podcast: string
  /** The URL if unknown, as the next. */
  readonly podcastTitle: string
  readonly episode: string
  readonly episodeTitle: string
  /** As in `EpisodeObject`. */
  readonly hasPicture: boolean
  readonly at: number
  readonly device: string | undefined
  readonly started: number | undefined
  readonly position: number | undefined
  readonly total: number | undefined
}

export interface ListeningStore {
  /**
   * By event time, `from` <= at < `until`, in pages that are read as they are asked for: no history is ever whole in
   * memory.
   */
  plays(userId: UserId, from: number, until: number): AsyncIterable<readonly Play[]>
  podcasts(userId: UserId, ids: readonly PodcastId[]): Promise<HeardPodcast[]>
  /** The newest 10,000 at the most, newest first. */
  history(
    userId: UserId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly events: PlayEvent[] }>
}
