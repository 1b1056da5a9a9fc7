import type { UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'
import type { ListChangeKind } from '../list-changes/ports.ts'
import type { ProvisionalTitles } from '../provisional-titles.ts'
import type { ByApp, Written } from './written.ts'

export interface WrittenSubscriptions extends Written {
  /** Whether a device got a feed that has never been fetched or tried. */
  readonly hasUnfetched: boolean
}

export interface SubscriptionChanges {
  readonly add: string[]
  readonly remove: string[]
  readonly clock: number
}

export interface SubscriptionStore {
  /** Feed URLs by `added_seq`, then URL; undefined for an unknown device. */
  listDevice(userId: UserId, uid: string): Promise<string[] | undefined>
  listDevicePodcasts(userId: UserId, uid: string): Promise<PodcastObject[] | undefined>
  listUser(userId: UserId): Promise<PodcastObject[]>
  /** Rows with `seq >= since`, without removals for `since` 0 (D36). A `contact` may create the device (auto-sync). */
  changesSince(
    userId: UserId,
    uid: string,
    since: number,
    contact?: ByApp & { at: number },
  ): Promise<SubscriptionChanges>
  /** Adds and removes feeds on the device, created if missing, and on its group. URLs are sanitised and disjoint. */
  applyUpload(
    userId: UserId,
    uid: string,
    change: { add: readonly string[]; remove: readonly string[]; titles?: ProvisionalTitles },
    context: ByApp & {
      at: number
      seenUntil: number | undefined
      kind?: Extract<ListChangeKind, 'upload' | 'import'>
      isBrowser?: boolean | undefined
    },
  ): Promise<WrittenSubscriptions>
  replace(
    userId: UserId,
    uid: string,
    urls: readonly string[],
    at: number,
    context?: ByApp & { titles?: ProvisionalTitles },
  ): Promise<Pick<WrittenSubscriptions, 'hasUnfetched'>>
  /** Feeds among `urls` that the device has or, unless `isSubscribed`, had before. */
  heldOf(userId: UserId, uid: string, urls: readonly string[], isSubscribed: boolean): Promise<ReadonlySet<string>>
  /** Imports addresses that the device has replaced by others; returns how many are new. */
  addReplaced(userId: UserId, uid: string, urls: readonly string[], at: number): Promise<number>
}

/** Starts fetching feeds that a user just subscribed to and that have never been tried; returns at once. */
export type FetchNew = (userId: UserId, urls: readonly string[]) => void
