import type { FeedFailureReason } from './feed-ports.ts'
import type { UserId } from './ids.ts'
import type { List } from './lists.ts'
import type { PodcastObject } from './podcast.ts'

/*
 * What people are told of their own podcasts. As in ports.ts, times are whole Unix seconds.
 */

/** How asking for a feed went. */
export interface FeedTrace {
  /** Undefined as long as nobody has asked. */
  readonly checkedAt: number | undefined
  readonly succeededAt: number | undefined
  readonly failingSince: number | undefined
  readonly reason: FeedFailureReason | undefined
}

/** What there is to tell of a podcast beside what its feed says. */
export interface OwnPodcast {
  /** Feed URL. */
  readonly url: string
  /** Logical time at which the first of the devices that have it got it; undefined if none has it. */
  readonly addedSeq: number | undefined
  readonly newestRelease: number | undefined
  /** protocol.md D56: hidden from people who do not have it. */
  readonly isPrivate: boolean
  readonly trace: FeedTrace
}

export interface SubscribedPodcast extends OwnPodcast {
  /** Of a long description only the beginning. */
  readonly podcast: PodcastObject
  /** IDs of those that have it, oldest first. */
  readonly devices: readonly string[]
}

export interface DeviceOfPodcast {
  readonly uid: string
  readonly caption: string
  readonly type: string
  readonly isSubscribed: boolean
}

export interface LibraryStore {
  /** What the user's devices are subscribed to, longest held first; with `onlyNew` those alone of which nobody has asked the feed yet. */
  list(userId: UserId, onlyNew?: boolean): Promise<List<SubscribedPodcast>>
  /** With all of the user's devices, oldest first; undefined if none has or had it. */
  find(userId: UserId, url: string): Promise<(OwnPodcast & { readonly devices: DeviceOfPodcast[] }) | undefined>
}
