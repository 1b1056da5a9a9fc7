import type { EpisodeOrder, FeedOutline, FingerprintedEpisode } from '../domain/feed-document.ts'
import type { MapOptions } from './mapped-feed.ts'

/* What is said between the parser's thread and the others. */

export interface DocumentOrder {
  /** Of the document; answers bear it, too. */
  readonly number: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  readonly options: MapOptions
}

/** Wants the next few episodes of the document that was parsed last. */
export interface EpisodesOrder {
  readonly number: number
  /** Those that are not wanted, as `unknownEpisodes` takes them; undefined to go on where the last order ended. */
  readonly known: string | undefined
  readonly order: EpisodeOrder
}

export type ParseOrder = DocumentOrder | EpisodesOrder

export type ParseReply = { readonly number: number } & (
  | { readonly document: FeedOutline }
  /** Fewer than `EPISODES_AT_ONCE` are the last. */
  | { readonly episodes: readonly FingerprintedEpisode[] }
  | { readonly notAFeed: string }
  /** A fault of ours: the stack. */
  | { readonly broken: string }
)
