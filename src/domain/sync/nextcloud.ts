import { sanitizeUrl } from '../shared/feed-url.ts'
import { NEXTCLOUD_DEVICE } from './devices.ts'
import type { EpisodeActions } from './episode-actions.ts'
import type { Chunks, EpisodeAction } from './ports/episode-actions.ts'
import type { Subscriptions, SyncClient, UploadedChange } from './subscriptions.ts'

/** Nextcloud's gpoddersync API (docs/protocol.md#nextcloud) over a device of ours (D61) and the shared actions. */
export function createNextcloud(subscriptions: Subscriptions, episodeActions: EpisodeActions) {
  return {
    changesSince: (
      syncClient: SyncClient,
      since: number,
    ): Promise<{ add: string[]; remove: string[]; timestamp: number }> =>
      subscriptions.changesSince(syncClient, NEXTCLOUD_DEVICE, since),

    /** What is in both lists is removed: Nextcloud adds first. Unusable URLs are passed over (D62). */
    async upload(syncClient: SyncClient, { add, remove }: UploadedChange): Promise<{ timestamp: number }> {
      const removed = new Set(remove.map(sanitizeUrl))
      const added = add.filter((raw) => {
        const url = sanitizeUrl(raw)
        return url !== undefined && !removed.has(url)
      })
      const { timestamp } = await subscriptions.upload(syncClient, NEXTCLOUD_DEVICE, { add: added, remove })
      return { timestamp }
    },

    /** Of each episode with a `play` or `new` since, the one that tells its state (D64). */
    listActions: (
      syncClient: SyncClient,
      since: number,
    ): Promise<{ chunks: Chunks<EpisodeAction>; timestamp: number }> =>
      episodeActions.list(syncClient, { since, aggregated: true, onlyStates: true }),

    async uploadActions(
      syncClient: SyncClient,
      pieces: Iterable<readonly unknown[]>,
    ): Promise<{ timestamp: number; count: number }> {
      const { timestamp, count } = await episodeActions.upload(syncClient, pieces, NEXTCLOUD_DEVICE)
      return { timestamp, count }
    },
  }
}
