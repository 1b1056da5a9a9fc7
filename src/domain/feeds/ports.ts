import type { PodcastId, UserId } from '../shared/ids.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import type { Service } from '../shared/service.ts'
import type { ClaimEnd } from './addresses.ts'
import type {
  EpisodeSelection,
  FeedContents,
  FeedDetails,
  FeedOutline,
  FingerprintedEpisode,
  PageLink,
} from './document.ts'

/* Ports for refreshing feeds. */

export interface KnownFeed {
  readonly id: PodcastId
  readonly url: string
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  /** Identifies the document last read and how it was parsed, including whether pages are missing. */
  readonly bodyHash: string | undefined
  readonly movedTo: string | undefined
  readonly failures: number
  readonly newestReleased: number | undefined
  readonly ttlSeconds: number | undefined
  readonly checkedAt: number | undefined
}

export type FeedToFetch = Omit<KnownFeed, 'id'>

export function unfetchedFeed(url: string): FeedToFetch {
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
export function withoutValidators<Feed extends FeedToFetch>(feed: Feed): Feed {
  return { ...feed, etag: undefined, lastModified: undefined }
}

/** Whether some pages of the feed have not been read yet. SQL has the same rule (`store/feeds/webhook-news.ts`). */
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
  /** New address named in the document; `''` for none, undefined if no document was read. */
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
  /** 403: the feed blocks this server or its address, but perhaps not apps. */
  | 'blocked'
  | 'refused'
  | 'server_error'
  | 'internal'

export interface FailingFeed {
  readonly url: string
  /** Whether the URL may be a secret of the subscribers (docs/protocol.md#D56). */
  readonly isPrivate: boolean
  readonly reason: FeedFailureReason
  readonly message: string
  readonly failures: number
  readonly since: number
  readonly nextCheckAt: number
}

export interface FeedStore {
  find(url: string): Promise<KnownFeed | undefined>
  /** Creates the podcast, if missing, as a public one: the URL must not contain secrets. */
  add(url: string, at: number): Promise<PodcastId>
  neverFetched(urls: readonly string[], limit: number): Promise<{ readonly id: PodcastId; readonly url: string }[]>
  listDue(at: number, limit: number): Promise<KnownFeed[]>
  subscribed(): Promise<PodcastId[]>
  subscribers(
    id: PodcastId,
    among: readonly UserId[],
  ): Promise<{ readonly url: string; readonly userIds: readonly UserId[] }>
  get(id: PodcastId): Promise<KnownFeed | undefined>
  saveDetails(id: PodcastId, details: FeedDetails): Promise<boolean>
  markInternal(id: PodcastId): Promise<void>
  /** Saves the guids of stored episodes before a redirect target replaces them. No effect while the feed redirects. */
  keepGuids(id: PodcastId): Promise<void>
  fingerprints(id: PodcastId): Promise<string>
  /** Stores new and changed episodes; returns how many. Dates after `at` become the time when they were first seen. */
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
  /** Subscribed feeds whose claim was never checked, or last before `before`. */
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
      /** Seconds to wait, as requested by the feed's server. */
      readonly retryAfter: number | undefined
      readonly links?: readonly PageLink[]
    }

interface FeedAnswerHead {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  readonly bodyHash: string | undefined
  readonly movedTo: string | undefined
  /** Permanent redirects, hop by hop: the edges of docs/protocol.md#D83. */
  readonly leads: readonly string[]
  readonly ttlSeconds: number | undefined
  /** Seconds for which the response declares itself fresh. */
  readonly freshFor: number
  /** Whether it came from or through the private network, which only users with an account may reach. */
  readonly isInside: boolean
}

export interface FeedSource {
  /** Failures of the feed are answers. Rejects for internal errors and those of `store`, which gets the document. */
  ask(
    feed: FeedToFetch,
    at: number,
    wanted: EpisodeSelection,
    store: (contents: FeedContents) => Promise<void>,
  ): Promise<FeedAnswer>
  close(): void
}

/* Ports for the pages of administrators. */

/** Sizes in bytes. */
export interface DiskUse {
  readonly database: number
  readonly writeAheadLog: number
  /** Free space on the file system of the database; undefined if unknown. */
  readonly free: number | undefined
}

export interface DiskStore extends Service {
  use(): Promise<DiskUse>
}

/** `gone`: removed permanently, according to its server. `new`: not fetched yet. */
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
  /** Part of a URL or title in any case. Matches only the origin of a private feed, or its URL could be guessed. */
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
