import type { Clock } from '../platform/clock.ts'
import type { Cursors } from './cursors.ts'
import { createUrlRewriter } from './feed-url.ts'
import type { FetchNew } from './feeds.ts'
import { parseDeviceId } from './identifiers.ts'
import type { UserId } from './ids.ts'
import type { PodcastObject } from './podcast.ts'
import type { SubscriptionStore } from './ports.ts'
import { type ListedFeed, planTitles } from './provisional-titles.ts'
import { planChange, type UploadedChange } from './subscription-rules.ts'

/** Who asks: the account, and what tells its clients apart for the cursors of protocol.md D14b. */
export interface Requester {
  readonly userId: UserId
  readonly client: string
}

export interface Subscriptions {
  /** Feed URLs of a device; undefined if there is no such device (protocol.md D38). */
  listDevice(userId: UserId, device: string): Promise<string[] | undefined>
  listDevicePodcasts(userId: UserId, device: string): Promise<PodcastObject[] | undefined>
  listUser(userId: UserId): Promise<PodcastObject[]>
  changesSince(
    requester: Requester,
    device: string,
    since: number,
  ): Promise<{ add: string[]; remove: string[]; timestamp: number }>
  upload(
    requester: Requester,
    device: string,
    change: UploadedChange & {
      /** What the user calls some of the feeds, shown to them alone until the feeds say so themselves. */
      readonly titled?: readonly ListedFeed[] | undefined
    },
  ): Promise<{ timestamp: number; updateUrls: [string, string][] }>
  /** Makes the list exactly `feeds`; blank, rejected and repeated ones are skipped (protocol.md 8.3). Titles as in `upload`. */
  replace(userId: UserId, device: string, feeds: readonly ListedFeed[]): Promise<void>
}

/** All methods throw `validation_failed` for a device ID that breaks protocol.md D13. */
export function createSubscriptions(
  store: SubscriptionStore,
  cursors: Cursors,
  fetchNew: FetchNew,
  clock: Clock,
): Subscriptions {
  const streamOf = (userId: UserId, uid: string) => `subscriptions ${userId} ${uid}`

  return {
    listDevice: (userId, device) => store.listDevice(userId, parseDeviceId(device)),
    listDevicePodcasts: (userId, device) => store.listDevicePodcasts(userId, parseDeviceId(device)),
    listUser: (userId) => store.listUser(userId),

    async changesSince({ userId, client }, device, since) {
      const uid = parseDeviceId(device)
      const { add, remove, clock } = await store.changesSince(userId, uid, since)
      return { add, remove, timestamp: cursors.afterFetch(client, streamOf(userId, uid), clock) }
    },

    async upload({ userId, client }, device, change) {
      const uid = parseDeviceId(device)
      const { add, remove, updateUrls } = planChange(change)
      const stream = streamOf(userId, uid)
      const seenUntil = cursors.seenUntil(client, stream)
      const written = await store.applyUpload(
        userId,
        uid,
        { add, remove, titles: planTitles(change.titled ?? []) },
        { at: clock.seconds(), seenUntil },
      )
      if (written.hasAdded) fetchNew(userId, add)
      return { timestamp: cursors.afterUpload(client, stream, written, seenUntil), updateUrls }
    },

    async replace(userId, device, feeds) {
      const uid = parseDeviceId(device)
      const rewriter = createUrlRewriter()
      const kept = [...new Set(feeds.flatMap(({ url }) => rewriter.rewrite(url) ?? []))]
      const { hasAdded } = await store.replace(userId, uid, kept, clock.seconds(), planTitles(feeds))
      if (hasAdded) fetchNew(userId, kept)
    },
  }
}
