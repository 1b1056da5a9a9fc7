import { type Clock, nextTurn } from '../../platform/clock.ts'
import { parseDeviceId } from '../accounts/identifiers.ts'
import { DomainError } from '../shared/errors.ts'
import { createUrlRewriter, isBlank } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { FEEDS_PER_REQUEST, tooManyFeeds } from '../shared/limits.ts'
import { slices } from '../shared/lists.ts'
import type { ListedFeed, PodcastObject } from '../shared/podcast.ts'
import type { Cursors } from './cursors.ts'
import type { FetchNew, SubscriptionStore } from './ports/subscriptions.ts'
import type { ByApp } from './ports/written.ts'
import { planTitles } from './provisional-titles.ts'

/** A client of a user. `client` tells a user's clients apart for the cursors of docs/protocol.md#D14b. */
export interface SyncClient extends ByApp {
  readonly userId: UserId
  readonly client: string
  readonly isReader?: boolean
  readonly isBrowser?: boolean
}

export type Subscriptions = ReturnType<typeof createSubscriptions>

/** Methods with a device throw `validation_failed` for an ID that breaks docs/protocol.md#D13. */
export function createSubscriptions(store: SubscriptionStore, cursors: Cursors, fetchNew: FetchNew, clock: Clock) {
  const streamOf = (userId: UserId, uid: string) => `subscriptions ${userId} ${uid}`

  return {
    /** Feed URLs of a device; undefined if there is no such device (docs/protocol.md#D38). */
    listDevice: (userId: UserId, device: string): Promise<string[] | undefined> =>
      store.listDevice(userId, parseDeviceId(device)),
    listDevicePodcasts: (userId: UserId, device: string): Promise<PodcastObject[] | undefined> =>
      store.listDevicePodcasts(userId, parseDeviceId(device)),
    listUser: (userId: UserId): Promise<PodcastObject[]> => store.listUser(userId),

    async changesSince(
      { userId, client, app, isReader }: SyncClient,
      device: string,
      since: number,
    ): Promise<{ add: string[]; remove: string[]; timestamp: number }> {
      const uid = parseDeviceId(device)
      const contact = isReader ? undefined : { at: clock.seconds(), app }
      const changes = await store.changesSince(userId, uid, since, contact)
      const timestamp = cursors.afterFetch(client, streamOf(userId, uid), changes.clock)
      return { add: changes.add, remove: changes.remove, timestamp }
    },

    async upload(
      { userId, client, app, isBrowser }: SyncClient,
      device: string,
      change: UploadedChange & {
        readonly titled?: readonly ListedFeed[] | undefined
      },
    ): Promise<{ timestamp: number; updateUrls: [string, string][] }> {
      const uid = parseDeviceId(device)
      const { add, remove, updateUrls } = planChange(change)
      const stream = streamOf(userId, uid)
      const seenUntil = cursors.seenUntil(client, stream)
      const written = await store.applyUpload(
        userId,
        uid,
        { add, remove, titles: planTitles(change.titled ?? []) },
        { at: clock.seconds(), seenUntil, app, isBrowser },
      )
      if (written.hasUnfetched) fetchNew(userId, add)
      return { timestamp: cursors.afterUpload(client, stream, written, seenUntil), updateUrls }
    },

    /** Replaces the whole list (docs/protocol.md#replacing-a-list). Returns the number of feeds in it. */
    async replace(
      userId: UserId,
      device: string,
      pieces: Iterable<readonly ListedFeed[]>,
      by: ByApp = {},
    ): Promise<{ readonly count: number }> {
      const uid = parseDeviceId(device)
      const rewriter = createUrlRewriter()
      const unique = new Set<string>()
      const titles = new Map<string, string>()
      let isFirst = true
      for (const feeds of short(pieces)) {
        if (!isFirst) await nextTurn()
        isFirst = false
        for (const { url: raw } of feeds) {
          const url = rewriter.rewrite(raw)
          if (url !== undefined) unique.add(url)
        }
        for (const [url, title] of planTitles(feeds)) if (!titles.has(url)) titles.set(url, title)
      }
      const urls = [...unique]
      const { hasUnfetched } = await store.replace(userId, uid, urls, clock.seconds(), { titles, ...by })
      if (hasUnfetched) fetchNew(userId, urls)
      return { count: urls.length }
    },
  }
}

/** Feeds processed in one turn, which takes a few milliseconds. */
const FEEDS_IN_ONE_GO = 1000

function* short(pieces: Iterable<readonly ListedFeed[]>): Generator<readonly ListedFeed[]> {
  for (const feeds of pieces) {
    // A piece without feeds may have taken just as long to read.
    if (feeds.length === 0) yield feeds
    yield* slices(feeds, FEEDS_IN_ONE_GO)
  }
}

export interface UploadedChange {
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

export interface ChangePlan {
  add: string[]
  remove: string[]
  updateUrls: [string, string][]
}

/** Plans an upload (docs/protocol.md#uploading-changes). Throws `validation_failed`, `payload_too_large`. */
export function planChange(body: UploadedChange): ChangePlan {
  if (body.add.length + body.remove.length > FEEDS_PER_REQUEST) throw tooManyFeeds()
  const removed = new Set(body.remove)
  // Blank entries are dropped first, so they never conflict.
  if (body.add.some((raw) => removed.has(raw) && !isBlank(raw))) {
    throw new DomainError('validation_failed', 'the same URL must not be in add and remove')
  }
  const urls = createUrlRewriter()
  const add = distinct(body.add, urls.rewrite)
  const remove = distinct(body.remove, urls.rewrite)
  for (const url of add) remove.delete(url)
  return { add: [...add], remove: [...remove], updateUrls: urls.updateUrls() }
}

function distinct(raws: readonly string[], rewrite: (raw: string) => string | undefined): Set<string> {
  const found = new Set<string>()
  for (const raw of raws) {
    const url = rewrite(raw)
    if (url !== undefined) found.add(url)
  }
  return found
}
