import type { PodcastId, UserId } from '../shared/ids.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import type { Service } from '../shared/service.ts'
import type { ClaimEnd } from './addresses.ts'
import type {
  FeedContents,
  FeedDetails,
  FeedOutline,
  FingerprintedEpisode,
  PageLink,
  WantedEpisodes,
} from './document.ts'

/*
 * What refreshing feeds needs from the database and from the internet.
 */

export interface KnownFeed {
  readonly id: PodcastId
  readonly url: string
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  /** Says which document the feed worker has read, and how; `hasUnreadPages` tells whether all of the feed. */
  readonly bodyHash: string | undefined
  readonly movedTo: string | undefined
  readonly failures: number
  readonly newestReleased: number | undefined
  readonly ttlSeconds: number | undefined
  readonly checkedAt: number | undefined
}

export type AskedFeed = Omit<KnownFeed, 'id'>

export function neverAsked(url: string): AskedFeed {
  return {
    url,
    etag: undefined,
    lastModified: undefined,
    bodyHash: undefined,
    movedTo: undefined,
    failures: 0,
    newestReleased: undefined,
    ttlSeconds: undefined,
    checkedAt: undefined,
  }
}

/** Drops the validators of a feed, so that it is fetched unconditionally: some servers answer 304 to everything. */
export function askedInFull<Feed extends AskedFeed>(feed: Feed): Feed {
  return { ...feed, etag: undefined, lastModified: undefined }
}

/** Whether pages of the feed could not be read yet. Also asked in SQL (`store/feeds/webhook-news.ts`). */
export function hasUnreadPages({ bodyHash }: Pick<KnownFeed, 'bodyHash'>): boolean {
  return bodyHash?.endsWith('+') === true
}

export interface FeedSuccess {
  readonly at: number
  readonly nextCheckAt: number
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  readonly bodyHash: string | undefined
  readonly movedTo: string | undefined
  readonly ttlSeconds: number | undefined
  readonly isInside: boolean
  readonly leads: readonly string[]
  /** Where the document says that it is; undefined if it was not read, and `''` if it says nothing. */
  readonly newFeedUrl: string | undefined
}

export interface FeedFailure {
  readonly at: number
  readonly nextCheckAt: number
  readonly reason: FeedFailureReason
  readonly message: string
}

export type FeedFailureReason =
  | 'forbidden'
  | 'unreachable'
  | 'timeout'
  | 'tls'
  | 'too_large'
  | 'not_a_feed'
  | 'gone'
  | 'not_found'
  /** 401: the feed asks for a password. */
  | 'denied'
  /** 403: this server or its address is kept out, but perhaps no app. */
  | 'blocked'
  | 'refused'
  | 'server_error'
  | 'internal'

export interface FailingFeed {
  readonly url: string
  /** Its URL may be a secret of its subscribers (docs/protocol.md#D56). */
  readonly isPrivate: boolean
  readonly reason: FeedFailureReason
  readonly message: string
  readonly failures: number
  readonly since: number
  readonly nextCheckAt: number
}

export interface FeedStore {
  find(url: string): Promise<KnownFeed | undefined>
  /** Makes the podcast, unless there is one: of an address without secrets that nobody here has. */
  add(url: string, at: number): Promise<PodcastId>
  neverFetched(urls: readonly string[], limit: number): Promise<{ readonly id: PodcastId; readonly url: string }[]>
  due(at: number, limit: number): Promise<KnownFeed[]>
  subscribed(): Promise<PodcastId[]>
  subscribers(
    id: PodcastId,
    among: readonly UserId[],
  ): Promise<{ readonly url: string; readonly userIds: readonly UserId[] }>
  get(id: PodcastId): Promise<KnownFeed | undefined>
  saveDetails(id: PodcastId, details: FeedDetails): Promise<boolean>
  markInternal(id: PodcastId): Promise<void>
  /** Remembers the guids of what is stored, which an answer from elsewhere is about to replace; once, until it answers itself again. */
  keepGuids(id: PodcastId): Promise<void>
  fingerprints(id: PodcastId): Promise<string>
  /** Stores new and changed episodes; returns how many. Dates ahead of `at` count from when they were first seen. */
  saveEpisodes(id: PodcastId, episodes: readonly FingerprintedEpisode[], at: number): Promise<number>
  forgetEpisodes(id: PodcastId, urls: readonly string[], guids: readonly string[]): Promise<void>
  prune(id: PodcastId, keep: number): Promise<void>
  succeed(id: PodcastId, success: FeedSuccess): Promise<void>
  fail(id: PodcastId, failure: FeedFailure): Promise<void>
  newestCheck(): Promise<number>
  podcast(id: PodcastId): Promise<{ readonly podcast: PodcastObject; readonly episodes: number } | undefined>
  health(
    limit: number,
  ): Promise<{ readonly total: number; readonly failing: FailingFeed[]; readonly failingTotal: number }>
  /** Feeds with subscribers whose claim was never tried or last before then, so many at most. */
  claimsToTry(before: number, limit: number): Promise<ClaimingFeed[]>
  noteClaim(feed: Pick<ClaimingFeed, 'id' | 'newFeedUrl'>, at: number, isTrue: boolean): Promise<void>
}

export interface ClaimingFeed extends ClaimEnd {
  readonly id: PodcastId
  readonly isPrivate: boolean
  readonly newFeedUrl: string
}

export type FeedAnswer =
  | ({ readonly kind: 'unchanged' } & FeedAnswerHead)
  | ({ readonly kind: 'feed' } & FeedAnswerHead & {
        readonly document: FeedOutline
      })
  | {
      readonly kind: 'failed'
      readonly reason: FeedFailureReason
      readonly message: string
      /** Seconds the feed's server wants to be left alone for. */
      readonly retryAfter: number | undefined
      readonly links?: readonly PageLink[]
    }

interface FeedAnswerHead {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  readonly bodyHash: string | undefined
  readonly movedTo: string | undefined
  /** Where its server leads for good, hop by hop: the edges of docs/protocol.md#D83. */
  readonly leads: readonly string[]
  readonly ttlSeconds: number | undefined
  /** Seconds for which the answer says that it will not change. */
  readonly freshFor: number
  /** It came from the private network, or by way of it, which the settings allow for people with an account alone. */
  readonly isInside: boolean
}

export interface FeedSource {
  /** Failures of the feed are answers; rejects for a fault of ours, and as `store` does, which gets the document. */
  ask(
    feed: AskedFeed,
    at: number,
    wanted: WantedEpisodes,
    store: (contents: FeedContents) => Promise<void>,
  ): Promise<FeedAnswer>
  close(): void
}

/*
 * What the pages of administrators need from the database beyond accounts.
 */

/** Bytes on the disk. */
export interface DiskUse {
  readonly database: number
  readonly writeAheadLog: number
  /** Left where the database is; undefined if nobody knows. */
  readonly free: number | undefined
}

export interface DiskStore extends Service {
  use(): Promise<DiskUse>
}

/** `gone`: its server says that it will not come back. `new`: it has not been asked for yet. */
export type FeedState = 'ok' | 'failing' | 'gone' | 'new'

export interface FeedHealth {
  readonly id: PodcastId
  readonly url: string
  readonly title: string
  readonly isPrivate: boolean
  readonly subscribers: number
  readonly state: FeedState
  readonly failure: FeedTrouble | undefined
  readonly checkedAt: number | undefined
  readonly succeededAt: number | undefined
  readonly nextCheckAt: number | undefined
  readonly movedTo: string | undefined
}

export interface FeedTrouble {
  readonly reason: FeedFailureReason
  readonly message: string
  readonly count: number
  readonly since: number
}

export interface FeedQuery {
  readonly state: FeedState | undefined
  /** Part of a URL or title, in upper or lower case; of a private feed only of its origin, or it could be guessed. */
  readonly text: string
}

export type FeedCounts = Readonly<Record<FeedState, number>>

export interface FeedHealthStore {
  list(
    query: FeedQuery,
    offset: number,
    limit: number,
  ): Promise<{ readonly counts: FeedCounts; readonly feeds: FeedHealth[] }>
  get(id: PodcastId): Promise<FeedHealth | undefined>
}

export interface FeedTrace {
  readonly checkedAt: number | undefined
  readonly succeededAt: number | undefined
  readonly failingSince: number | undefined
  readonly reason: FeedFailureReason | undefined
}
