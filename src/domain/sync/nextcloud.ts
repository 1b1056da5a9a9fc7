import { sanitizeUrl } from '../shared/feed-url.ts'
import { NEXTCLOUD_DEVICE } from './devices.ts'
import type { EpisodeActions } from './episode-actions.ts'
import type { Chunks, EpisodeAction } from './ports/episode-actions.ts'
import type { Subscriptions, SyncClient, UploadedChange } from './subscriptions.ts'

/** Nextcloud's gpoddersync API (docs/protocol.md#nextcloud), with a virtual device (D61) and the user's action log. */
export function createNextcloud(subscriptions: Subscriptions, episodeActions: EpisodeActions) {
  return {
    changesSince: (
      syncClient: SyncClient,
      since: number,
    ): Promise<{ add: string[]; remove: string[]; timestamp: number }> =>
      subscriptions.changesSince(syncClient, NEXTCLOUD_DEVICE, since),

    /** Removes URLs that are in both lists, since Nextcloud adds first. Skips unusable URLs (D62). */
    async upload(syncClient: SyncClient, { add, remove }: UploadedChange): Promise<{ timestamp: number }> {
      const removed = new Set(remove.map(sanitizeUrl))
      const added = add.filter((raw) => {
        const url = sanitizeUrl(raw)
        return url !== undefined && !removed.has(url)
      })
      const { timestamp } = await subscriptions.upload(syncClient, NEXTCLOUD_DEVICE, { add: added, remove })
      return { timestamp }
    },

    /** Lists one action per episode with a new `play` or `new`: the one that sets its state (D64). */
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
