import type { UserId } from '../shared/ids.ts'
import type { ProvisionalTitles } from '../sync/provisional-titles.ts'

/** A feed of an archive, with the logical time at which the device got or lost it. */
export interface ArchivedFeed {
  readonly url: string
  readonly seq: number
}

/**
 * What an import writes that no upload could. Each method is one transaction and one job, and rejects with `unavailable`
 * and, if the user is gone, `unauthorized`.
 */
export interface TransferStore {
  /** Which of the feeds the device has, or with `isSubscribed` false, has or had. */
  heldOf(userId: UserId, uid: string, urls: readonly string[], isSubscribed: boolean): Promise<ReadonlySet<string>>
  /**
   * Writes feeds of a device with the logical times that they had elsewhere, but only while the user's logical clock has
   * never moved: nobody can have been told a `since` then that these times would be hidden from. Tells the number of
   * those that were not there, or undefined, having written nothing, for an account that has been used. Creates the
   * device. Rejects with `quota_exceeded`.
   */
  placeFeeds(
    userId: UserId,
    uid: string,
    feeds: readonly ArchivedFeed[],
    isSubscribed: boolean,
    at: number,
  ): Promise<number | undefined>
  /** Moves a clock that has never moved past all that `placeFeeds` has written. */
  startClock(userId: UserId): Promise<void>
  /** Addresses that the device has replaced by others; tells how many are new. Nothing for a device that is not there. */
  addReplaced(userId: UserId, uid: string, urls: readonly string[], at: number): Promise<number>
  /** As `keepTitles` of uploads, but leaves titles that there are. Tells how many are new. */
  addTitles(userId: UserId, titles: ProvisionalTitles): Promise<number>
  /** The addresses in a podcast list of the user, in its order; undefined if there is none. */
  listUrls(userId: UserId, name: string): Promise<readonly string[] | undefined>
  /** Dates a favorite back; never forward. `target` is feed URL and media URL with a space in between. */
  dateFavorite(userId: UserId, target: string, at: number): Promise<boolean>
}
