import { parseDeviceId } from '../accounts/identifiers.ts'
import { DomainError } from '../shared/errors.ts'
import type { UserId } from '../shared/ids.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import type { Subscriptions, SyncClient } from '../sync/subscriptions.ts'
import type { EpisodeUpdate, MyEpisodesStore } from './ports/inbox.ts'
import type { EpisodeObject } from './ports/podcasts.ts'

export interface DeviceUpdates {
  readonly add: readonly PodcastObject[]
  readonly remove: readonly string[]
  readonly episodes: AsyncIterable<readonly EpisodeUpdate[]>
  readonly timestamp: number
}

const EPISODES_MAX = 5

/** Favorites and device updates (docs/protocol.md#favorites, #device-updates). */
export function createMyEpisodes(store: MyEpisodesStore, subscriptions: Subscriptions) {
  return {
    favorites: (userId: UserId): AsyncIterable<readonly EpisodeObject[]> => store.favorites(userId),

    /** `since` is logical time for subscriptions and real time for episodes. Throws `unknown_device`. */
    async updates(syncClient: SyncClient, device: string, since: number): Promise<DeviceUpdates> {
      const { userId } = syncClient
      const uid = parseDeviceId(device)
      const episodes = await store.releasedSince(userId, uid, since, EPISODES_MAX)
      if (!episodes) throw new DomainError('unknown_device', 'unknown device')
      const { add, remove, timestamp } = await subscriptions.changesSince(syncClient, uid, since)
      return { add: await store.podcasts(userId, add), remove, episodes, timestamp }
    },
  }
}
