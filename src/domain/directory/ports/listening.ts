import type { PodcastId, UserId } from '../../shared/ids.ts'

export interface Play {
  readonly episodeId: number
  readonly podcastId: PodcastId
  readonly at: number
  /** Seconds, like `position` and `total`. */
  readonly started: number
  readonly position: number
  readonly total: number | undefined
}

export interface HeardPodcast {
  readonly id: PodcastId
  readonly url: string
  readonly title: string
  readonly logoUrl: string
}

export interface PlayEvent {
  readonly podcast: string
  readonly podcastTitle: string
  readonly episode: string
  readonly episodeTitle: string
  readonly hasPicture: boolean
  readonly at: number
  readonly device: string | undefined
  readonly started: number | undefined
  readonly position: number | undefined
  readonly total: number | undefined
}

export interface ListeningStore {
  /** Returns pages of plays in order of time, with `from` <= `at` < `until`. */
  plays(userId: UserId, from: number, until: number): AsyncIterable<readonly Play[]>
  podcasts(userId: UserId, ids: readonly PodcastId[]): Promise<HeardPodcast[]>
  history(
    userId: UserId,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<{ readonly total: number; readonly events: PlayEvent[] }>
}
