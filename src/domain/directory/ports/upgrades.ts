import type { PodcastId, UserId } from '../../shared/ids.ts'
import type { ByApp } from '../../sync/ports/written.ts'

/** Feed by http that is known to be available by https (docs/protocol.md#D73). */
export interface Upgrade {
  readonly httpUrl: string
  readonly httpsUrl: string
  readonly title: string
}

export interface FeedMove {
  readonly url: string
  readonly newUrl: string
  readonly title: string
}

export interface ProbedFeed {
  readonly id: PodcastId
  readonly httpsUrl: string
  readonly guid: string
  readonly title: string
  readonly newest: readonly { readonly guid: string; readonly url: string }[]
}

export interface Exchange {
  readonly devices: string[]
  readonly clock: number
  readonly inherited: Inheritance | undefined
}

export interface Inheritance {
  readonly to: PodcastId
  readonly logoUrl: string
  readonly episodes: readonly number[]
  readonly isProven: boolean
}

export interface UpgradeStore {
  list(userId: UserId): Promise<Upgrade[]>
  moves(userId: UserId): Promise<FeedMove[]>
  /** Exchanges the URL on each device and in its sync group. Rejects with `unknown_podcast`, `validation_failed`. */
  apply(
    userId: UserId,
    pair: { readonly httpUrl: string; readonly httpsUrl: string },
    at: number,
    by?: ByApp,
  ): Promise<Exchange>
  applyMove(
    userId: UserId,
    pair: { readonly url: string; readonly newUrl: string },
    at: number,
    by?: ByApp,
  ): Promise<Exchange>
  /** Copies some of the inherited episodes. The write is deferred, so a power cut may lose it. */
  inheritEpisodes(inheritance: Inheritance, episodes: readonly number[]): Promise<void>
  moveActions(userId: UserId, urls: { readonly from: string; readonly to: string }, at: number): Promise<void>
  toProbe(before: number, limit: number): Promise<ProbedFeed[]>
  noteProbe(id: PodcastId, at: number, works: boolean): Promise<void>
}
