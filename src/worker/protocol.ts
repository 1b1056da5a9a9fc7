import type { EpisodeSelection, FingerprintedEpisode } from '../domain/feeds/document.ts'
import type { FeedAnswer, FeedSource, FeedToFetch } from '../domain/feeds/ports.ts'
import type { AskedTranscript, TranscriptAnswer } from '../domain/feeds/transcripts.ts'

/* Messages between server and feed worker: slices of episodes without acknowledgement, then an answer or a fault. */

export interface FeedSources {
  readonly scheduled: FeedSource
  readonly authenticated: FeedSource
  /** Source for anonymous users, which never reaches a private address. */
  readonly anonymous: FeedSource
}

/** Counts of processes since the start. Idle processes end, so many starts are not a fault. */
export interface WorkerCounts {
  readonly starts: number
  readonly failures: number
}

export interface FeedSettings {
  readonly version: string
  readonly feedAllowPrivate: readonly string[]
  readonly feedTimeoutSeconds: number
  readonly feedMaxBytes: number
  readonly feedMaxEpisodes: number
}

export interface FetchRequest {
  readonly number: number
  readonly audience: keyof FeedSources
  readonly feed: FeedToFetch
  /** The server's time, in Unix seconds. */
  readonly at: number
  readonly wanted: EpisodeSelection
  readonly maxBytes: number | undefined
}

export interface TranscriptRequest {
  readonly number: number
  readonly transcript: AskedTranscript
}

export type FeedRequest = { readonly settings: FeedSettings } | FetchRequest | TranscriptRequest

/** Sent every few seconds, so that silence means that the process is stuck. */
export interface Heartbeat {
  readonly isAlive: true
}

export type FeedResponse = { readonly number: number } & (
  | {
      /** Parsing begins; no other document is parsed until it ends. Sent for each page of a feed. */
      readonly isParsing: true
    }
  | { readonly episodes: readonly FingerprintedEpisode[] }
  | { readonly answer: FeedAnswer | TranscriptAnswer }
  | { readonly fault: string }
)
