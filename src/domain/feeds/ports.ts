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

/** A feed as its last check left it. */
export interface KnownFeed {
  readonly id: PodcastId
  readonly url: string
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  /** Says which document the feed worker has read, and how; `hasUnreadPages` tells whether all of the feed. */
  readonly bodyHash: string | undefined
  /** Where it has moved to for good, as far as is known. */
  readonly movedTo: string | undefined
  /** In a row. */
  readonly failures: number
  readonly newestReleased: number | undefined
  /** Seconds for which the feed itself says that nothing will change. */
  readonly ttlSeconds: number | undefined
  /** Time of the last fetch, successful or not. */
  readonly checkedAt: number | undefined
}

/** What its server and the feed itself have said before, to be asked for what has changed since. */
export type AskedFeed = Omit<KnownFeed, 'id'>

/** A feed nobody has asked for yet. */
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

/** Whether pages of the feed could not be read yet. Also asked in SQL (`store/sqlite/feeds/webhook-news.ts`). */
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
  /** It is not for anonymous requests: see `FeedAnswer`. */
  readonly isInside: boolean
  /** As `FeedAnswer` has it. */
  readonly leads: readonly string[]
  /** Where the document says that it is; undefined if it was not read, and `''` if it says nothing. */
  readonly newFeedUrl: string | undefined
}

export interface FeedFailure {
  readonly at: number
  readonly nextCheckAt: number
  readonly reason: FeedFailureReason
  /** For administrators. */
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
  /** A fault of ours. */
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
  /** Those of the addresses that somebody is subscribed to and that were never tried; not more than `limit`. */
  neverFetched(urls: readonly string[], limit: number): Promise<{ readonly id: PodcastId; readonly url: string }[]>
  /** Feeds that somebody is subscribed to and that are due, most wanted first; those that were never tried are last. */
  due(at: number, limit: number): Promise<KnownFeed[]>
  /** All feeds that somebody is subscribed to, most wanted first. */
  subscribed(): Promise<PodcastId[]>
  /** Who of these users is subscribed to the feed, and by which address they know it. */
  subscribers(
    id: PodcastId,
    among: readonly UserId[],
  ): Promise<{ readonly url: string; readonly userIds: readonly UserId[] }>
  get(id: PodcastId): Promise<KnownFeed | undefined>
  /** What the feed says of the podcast. Tells whether that is something new. */
  saveDetails(id: PodcastId, details: FeedDetails): Promise<boolean>
  /** What is stored from now on came from the private network, and is not told to anonymous clients. */
  markInternal(id: PodcastId): Promise<void>
  /** Remembers the guids of what is stored, which an answer from elsewhere is about to replace; once, until it answers itself again. */
  keepGuids(id: PodcastId): Promise<void>
  /** Of the episodes that are stored and listed, by their numbers, as a JSON object. */
  fingerprints(id: PodcastId): Promise<string>
  /**
   * Those of the episodes that are new or have changed; tells how many. What is dated later than `at`, which is now,
   * came out when it was first seen; if it is later by more than a day, only until its date has come. Where the same episode is stored at another address, that one's row is changed,
   * unless somebody knows it by that address: then it stays for those, unlisted.
   */
  saveEpisodes(id: PodcastId, episodes: readonly FingerprintedEpisode[], at: number): Promise<number>
  /** Forgets what is known of the episodes with these media files or guids. */
  forgetEpisodes(id: PodcastId, urls: readonly string[], guids: readonly string[]): Promise<void>
  /** Forgets a bounded number of the oldest episodes beyond `keep`, not those that episode actions name. */
  prune(id: PodcastId, keep: number): Promise<void>
  succeed(id: PodcastId, success: FeedSuccess): Promise<void>
  fail(id: PodcastId, failure: FeedFailure): Promise<void>
  /** Time of the latest fetch of any feed; 0 without any. */
  newestCheck(): Promise<number>
  podcast(id: PodcastId): Promise<{ readonly podcast: PodcastObject; readonly episodes: number } | undefined>
  /** Of the feeds somebody is subscribed to: their number, and those whose last check failed, longest failing first. */
  health(
    limit: number,
  ): Promise<{ readonly total: number; readonly failing: FailingFeed[]; readonly failingTotal: number }>
}

/** A feed that says to be at another address, for `MoveProbe`. */
export interface ClaimingFeed extends ClaimEnd {
  readonly id: PodcastId
  readonly isPrivate: boolean
  readonly newFeedUrl: string
}

export interface ClaimStore {
  /** Feeds with subscribers whose claim was never tried or last before then, so many at most. */
  toTry(before: number, limit: number): Promise<ClaimingFeed[]>
  /** Whether the feed there bears out the claim, which is an edge from then on. Nothing if the feed claims something else by now. */
  noteClaim(feed: Pick<ClaimingFeed, 'id' | 'newFeedUrl'>, at: number, isTrue: boolean): Promise<void>
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
      /** The feeds that it names, if it is a web page. */
      readonly links?: readonly PageLink[]
    }

interface FeedAnswerHead {
  readonly etag: string | undefined
  readonly lastModified: string | undefined
  readonly bodyHash: string | undefined
  /** Where the feed has moved to for good, by its server's or its own word. */
  readonly movedTo: string | undefined
  /** Where its server leads for good, hop by hop: the edges of docs/protocol.md#D83. */
  readonly leads: readonly string[]
  /** Seconds for which the feed itself says that nothing will change. */
  readonly ttlSeconds: number | undefined
  /** Seconds for which the answer says that it will not change. */
  readonly freshFor: number
  /** It came from the private network, or by way of it, which the settings allow for people with an account alone. */
  readonly isInside: boolean
}

export interface FeedSource {
  /**
   * What goes wrong with the feed is an answer. Rejects by a fault of ours, and with what `store` rejects. `store` is
   * called with the document of an answer of kind `feed`, and the answer comes when it is done; a large document may
   * keep others waiting until then.
   */
  ask(
    feed: AskedFeed,
    at: number,
    wanted: WantedEpisodes,
    store: (contents: FeedContents) => Promise<void>,
  ): Promise<FeedAnswer>
  /** Ends what is under way, for good. */
  close(): void
}

/*
 * What the pages of administrators need from the database beyond accounts.
 */

/** Bytes on the disk. */
export interface DiskUse {
  readonly database: number
  /** What has been written since it was last moved into the database. */
  readonly writeAheadLog: number
  /** Left where the database is; undefined if nobody knows. */
  readonly free: number | undefined
}

export interface DiskStore extends Service {
  use(): Promise<DiskUse>
}

/** `gone`: its server says that it will not come back. `new`: it has not been asked for yet. */
export type FeedState = 'ok' | 'failing' | 'gone' | 'new'

/** A feed that somebody is subscribed to, and how fetching it goes. */
export interface FeedHealth {
  readonly id: PodcastId
  readonly url: string
  /** `''` if unknown. */
  readonly title: string
  /** Its URL may be a secret of its subscribers (docs/protocol.md#D56). */
  readonly isPrivate: boolean
  readonly subscribers: number
  readonly state: FeedState
  readonly failure: FeedTrouble | undefined
  /** Of the last check, and of the last that succeeded. */
  readonly checkedAt: number | undefined
  readonly succeededAt: number | undefined
  /** Undefined as long as it has not been asked for. */
  readonly nextCheckAt: number | undefined
  /** Where it says that it has gone for good. */
  readonly movedTo: string | undefined
}

export interface FeedTrouble {
  readonly reason: FeedFailureReason
  readonly message: string
  /** In a row. */
  readonly count: number
  readonly since: number
}

export interface FeedQuery {
  /** All unless given. */
  readonly state: FeedState | undefined
  /** Part of a URL or title, in upper or lower case; of a private feed only of its origin, or it could be guessed. */
  readonly text: string
}

export type FeedCounts = Readonly<Record<FeedState, number>>

export interface FeedHealthStore {
  /** `counts` are of all with the text, whatever their state. Longest failing first, then new, then most wanted. */
  list(
    query: FeedQuery,
    offset: number,
    limit: number,
  ): Promise<{ readonly counts: FeedCounts; readonly feeds: FeedHealth[] }>
  /** Undefined if nobody is subscribed to it. */
  get(id: PodcastId): Promise<FeedHealth | undefined>
}

export interface FeedTrace {
  /** Undefined as long as nobody has asked. */
  readonly checkedAt: number | undefined
  readonly succeededAt: number | undefined
  readonly failingSince: number | undefined
  readonly reason: FeedFailureReason | undefined
}
