import type { Clock } from '../platform/clock.ts'
import { nextTurn } from '../platform/next-turn.ts'
import type { Cursors } from './cursors.ts'
import { createUrlRewriter } from './feed-url.ts'
import type { FetchNew } from './feeds.ts'
import { parseDeviceId } from './identifiers.ts'
import type { UserId } from './ids.ts'
import { type List, slices } from './lists.ts'
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
  listDevice(userId: UserId, device: string): Promise<List<string> | undefined>
  listDevicePodcasts(userId: UserId, device: string): Promise<List<PodcastObject> | undefined>
  listUser(userId: UserId): Promise<List<PodcastObject>>
  changesSince(
    requester: Requester,
    device: string,
    since: number,
  ): Promise<{ add: List<string>; remove: List<string>; timestamp: number }>
  upload(
    requester: Requester,
    device: string,
    change: UploadedChange & {
      /** What the user calls some of the feeds, shown to them alone until the feeds say so themselves. */
      readonly titled?: readonly ListedFeed[] | undefined
    },
  ): Promise<{ timestamp: number; updateUrls: [string, string][] }>
  /**
   * Makes the list exactly what comes in pieces; blank, rejected and repeated feeds are skipped (protocol.md 8.3). Titles as in `upload`.
   * Throws what reading the pieces throws.
   */
  replace(userId: UserId, device: string, pieces: Iterable<readonly ListedFeed[]>): Promise<void>
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

    async replace(userId, device, pieces) {
      const uid = parseDeviceId(device)
      const rewriter = createUrlRewriter()
      const kept = new Set<string>()
      const titles = new Map<string, string>()
      let isFirst = true
      for (const feeds of short(pieces)) {
        if (!isFirst) await nextTurn()
        isFirst = false
        for (const { url: raw } of feeds) {
          const url = rewriter.rewrite(raw)
          if (url !== undefined) kept.add(url)
        }
        for (const [url, title] of planTitles(feeds)) if (!titles.has(url)) titles.set(url, title)
      }
      const urls = [...kept]
      const { hasAdded } = await store.replace(userId, uid, urls, clock.seconds(), titles)
      if (hasAdded) fetchNew(userId, urls)
    },
  }
}

/** Feeds that are looked at in one go: a few milliseconds' work. */
const FEEDS_IN_ONE_GO = 1000

function* short(pieces: Iterable<readonly ListedFeed[]>): Generator<readonly ListedFeed[]> {
  for (const feeds of pieces) {
    // A piece without feeds may have been as much work to read.
    if (feeds.length === 0) yield feeds
    yield* slices(feeds, FEEDS_IN_ONE_GO)
  }
}
