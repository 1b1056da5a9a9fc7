import type { EpisodeRequest, FeedOutline, FingerprintedEpisode } from '../domain/feeds/document.ts'
import type { AskedFeed, FeedAnswer, FeedSource } from '../domain/feeds/ports.ts'

/* What is said between the server and the process that has feeds fetched and read. */

/** One for each kind of people who want feeds. */
export interface FeedSources {
  /** For the feeds people are subscribed to. */
  readonly loop: FeedSource
  /** For what people with an account look at, who wait for it. */
  readonly users: FeedSource
  /** The same for anybody: never reaches a private address. */
  readonly anyone: FeedSource
}

/** All that the process is told of the settings; it comes first. */
export interface FeedSettings {
  readonly version: string
  /** As in the setting of the same name, each. */
  readonly feedAllowPrivate: readonly string[]
  readonly feedTimeoutSeconds: number
  readonly feedMaxBytes: number
  readonly feedMaxEpisodes: number
}

export type FeedRequest =
  | { readonly settings: FeedSettings }
  /** The beginning; whatever concerns this feed bears its number. */
  | { readonly number: number; readonly of: keyof FeedSources; readonly feed: AskedFeed; readonly at: number }
  /** Wants the next few episodes of an open document; `known` begins anew, undefined goes on. */
  | { readonly number: number; readonly known: string | undefined; readonly order: EpisodeRequest }
  /** The open document is needed no more. */
  | { readonly number: number; readonly isRead: true }

/** Said again and again, so that silence means something. */
export interface Heartbeat {
  readonly isAlive: true
}

export type FeedResponse = { readonly number: number } & (
  | { readonly open: { readonly document: FeedOutline; readonly isInside: boolean } }
  /** Fewer than `EPISODES_AT_ONCE` are the last. */
  | { readonly episodes: readonly FingerprintedEpisode[] }
  /** In the place of episodes: why there are none. */
  | { readonly notAFeed: string }
  /** The end. */
  | { readonly answer: FeedAnswer }
  /** The end as well, by a fault of ours: the stack. */
  | { readonly broken: string }
)
