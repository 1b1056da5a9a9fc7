import type { FeedFailureReason } from './feed-ports.ts'
import type { PodcastId } from './ids.ts'

/*
 * What the pages of administrators need from the database beyond accounts. As in ports.ts, times are whole Unix seconds.
 */

/** Bytes on the disk. */
export interface DiskUse {
  readonly database: number
  /** What has been written since it was last moved into the database. */
  readonly writeAheadLog: number
  /** Left where the database is; undefined if nobody knows. */
  readonly free: number | undefined
}

export interface DiskStore {
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
  /** Its URL may be a secret of its subscribers (protocol.md D56). */
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
  /** Part of a URL or title, in upper or lower case; of a private feed part of its origin, or it could be guessed bit by bit. */
  readonly text: string
}

export type FeedCounts = Readonly<Record<FeedState, number>>

export interface FeedHealthStore {
  /** `counts` are of all that have the text, whatever their state. Longest failing first, then those not asked for yet, then most wanted. */
  list(
    query: FeedQuery,
    offset: number,
    limit: number,
  ): Promise<{ readonly counts: FeedCounts; readonly feeds: FeedHealth[] }>
  /** Undefined if nobody is subscribed to it. */
  get(id: PodcastId): Promise<FeedHealth | undefined>
}
