import type { UserId } from '../../shared/ids.ts'
import type { PodcastObject } from '../../shared/podcast.ts'
import type { OwnPodcast } from './podcasts.ts'

export interface SubscribedPodcast extends OwnPodcast {
  readonly podcast: PodcastObject
  readonly devices: readonly string[]
}

export interface DeviceOfPodcast {
  readonly uid: string
  readonly caption: string
  readonly type: string
  readonly isSubscribed: boolean
}

export interface MyPodcastsStore {
  list(userId: UserId, onlyNew?: boolean): Promise<SubscribedPodcast[]>
  /** Includes all devices of the user, oldest first. Undefined if none was ever subscribed to the podcast. */
  find(userId: UserId, url: string): Promise<(OwnPodcast & { readonly devices: DeviceOfPodcast[] }) | undefined>
}
