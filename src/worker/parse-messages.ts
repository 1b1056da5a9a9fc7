import type { EpisodeRequest, FeedOutline, FingerprintedEpisode } from '../domain/feeds/document.ts'
import type { MapOptions } from './parse/mapped-feed.ts'

/* What is said between the parser's thread and the others. */

export interface DocumentRequest {
  /** Of the document; answers bear it, too. */
  readonly number: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  readonly options: MapOptions
}

/** Wants the next few episodes of the document that was parsed last. */
export interface EpisodesRequest {
  readonly number: number
  /** Those that are not wanted, as `unknownEpisodes` takes them; undefined to go on where the last order ended. */
  readonly known: string | undefined
  readonly order: EpisodeRequest
}

export type ParseRequest = DocumentRequest | EpisodesRequest

export type ParseResponse = { readonly number: number } & (
  | { readonly document: FeedOutline }
  /** Fewer than `EPISODES_AT_ONCE` are the last. */
  | { readonly episodes: readonly FingerprintedEpisode[] }
  | { readonly notAFeed: string }
  /** A fault of ours: the stack. */
  | { readonly broken: string }
)
