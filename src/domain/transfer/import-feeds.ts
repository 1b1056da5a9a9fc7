import type { Clock } from '../../platform/clock.ts'
import { DomainError } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { slices } from '../shared/lists.ts'
import type { FetchNew, SubscriptionStore } from '../sync/ports/subscriptions.ts'
import { planTitles } from '../sync/provisional-titles.ts'
import type { TransferStore } from './ports.ts'
import type { CountedKind, FeedRecord, FeedsRecord } from './records.ts'
import type { ImportTally } from './report.ts'

/** Feeds or actions per write job, so that an import delays other writes by a few milliseconds at most. */
export const ITEMS_PER_JOB = 100

export const QUOTA_REACHED = 'the account has as many as the server lets it'
const NO_URL = 'not an http or https address'
const NO_DEVICE = 'their device was not imported'

export function prepareFeeds(parts: {
  readonly store: TransferStore
  readonly subscriptions: SubscriptionStore
  readonly fetchNew: FetchNew
  readonly clock: Clock
  readonly userId: UserId
  readonly tally: ImportTally
  readonly fullKinds: Set<CountedKind>
  readonly devicesHere: () => Promise<ReadonlySet<string>>
  readonly ensureDevice: (id: string) => Promise<boolean>
}) {
  const { store, subscriptions, fetchNew, clock, userId, tally, fullKinds, devicesHere, ensureDevice } = parts

  function readFeeds(kind: CountedKind, feeds: readonly FeedRecord[]): Map<string, FeedRecord> {
    const read = new Map<string, FeedRecord>()
    const unreadable: string[] = []
    for (const feed of feeds) {
      const url = sanitizeUrl(feed.url)
      if (url === undefined) unreadable.push(feed.url)
      else if (!read.has(url)) read.set(url, feed)
    }
    tally.skip(kind, NO_URL, unreadable)
    return read
  }

  async function add({ device, feeds }: FeedsRecord): Promise<void> {
    const read = readFeeds('subscriptions', feeds)
    if (read.size === 0) return
    if (!(await ensureDevice(device))) {
      tally.skip('subscriptions', NO_DEVICE, [...read.keys()])
      return
    }
    for (const batch of slices([...read], ITEMS_PER_JOB)) await subscribe(device, new Map(batch))
  }

  async function subscribe(device: string, feeds: ReadonlyMap<string, FeedRecord>): Promise<void> {
    const subscribed = await subscriptions.heldOf(userId, device, [...feeds.keys()], true)
    tally.add('subscriptions', 0, subscribed.size)
    const fresh = [...feeds].filter(([url]) => !subscribed.has(url))
    // Feeds that are already subscribed may still lack a title.
    await store.addTitles(userId, titlesOf([...feeds].filter(([url]) => subscribed.has(url))))
    await subscribeUpTo(device, fresh)
  }

  async function subscribeUpTo(device: string, feeds: readonly [string, FeedRecord][]): Promise<void> {
    if (feeds.length === 0) return
    const urls = feeds.map(([url]) => url)
    if (fullKinds.has('subscriptions')) {
      tally.skip('subscriptions', QUOTA_REACHED, urls)
      return
    }
    try {
      if (!(await addWithTimes(device, feeds, true))) {
        const change = { add: urls, remove: [], titles: titlesOf(feeds) }
        const context = { at: clock.seconds(), seenUntil: undefined, kind: 'import' } as const
        const { hasUnfetched } = await subscriptions.applyUpload(userId, device, change, context)
        if (hasUnfetched) fetchNew(userId, urls)
      }
      tally.add('subscriptions', urls.length, 0)
    } catch (error) {
      if (!isQuota(error)) throw error
      if (feeds.length === 1) {
        fullKinds.add('subscriptions')
        tally.skip('subscriptions', QUOTA_REACHED, urls)
        return
      }
      const half = Math.ceil(feeds.length / 2)
      await subscribeUpTo(device, feeds.slice(0, half))
      await subscribeUpTo(device, feeds.slice(half))
    }
  }

  /** Keeps the original times if every feed has one and the account has never been used; returns whether it did. */
  async function addWithTimes(
    device: string,
    feeds: readonly [string, FeedRecord][],
    isSubscribed: boolean,
  ): Promise<boolean> {
    const now = clock.seconds()
    const archived = feeds.flatMap(([url, { at }]) =>
      at === undefined ? [] : [{ url, seq: Math.min(now, Math.max(1, Math.floor(at))) }],
    )
    if (archived.length < feeds.length) return false
    const added = await store.placeFeeds(userId, device, archived, isSubscribed, now)
    if (added === undefined) return false
    if (isSubscribed) {
      await store.addTitles(userId, titlesOf(feeds))
      fetchNew(
        userId,
        archived.map(({ url }) => url),
      )
    }
    return true
  }

  async function addUnsubscribed({ device, feeds }: FeedsRecord): Promise<void> {
    const kind = 'removed_subscriptions'
    const read = readFeeds(kind, feeds)
    if (read.size === 0) return
    if (!(await ensureDevice(device))) {
      tally.skip(kind, NO_DEVICE, [...read.keys()])
      return
    }
    for (const batch of slices([...read], ITEMS_PER_JOB)) {
      const subscribed = await subscriptions.heldOf(
        userId,
        device,
        batch.map(([url]) => url),
        false,
      )
      tally.add(kind, 0, subscribed.size)
      const fresh = batch.filter(([url]) => !subscribed.has(url))
      if (fresh.length === 0) continue
      if (await addWithTimes(device, fresh, false)) tally.add(kind, fresh.length, 0)
      else
        tally.skip(
          kind,
          'removed podcasts are imported only into an account that was never used',
          fresh.map(([url]) => url),
        )
    }
  }

  async function addReplaced({ device, feeds }: FeedsRecord): Promise<void> {
    const kind = 'replaced_addresses'
    const urls = [...readFeeds(kind, feeds).keys()]
    if (!(await devicesHere()).has(device)) {
      tally.skip(kind, NO_DEVICE, urls)
      return
    }
    for (const batch of slices(urls, ITEMS_PER_JOB)) {
      const added = await subscriptions.addReplaced(userId, device, batch, clock.seconds())
      tally.add(kind, added, batch.length - added)
    }
  }

  return { add, addUnsubscribed, addReplaced }
}

export function isQuota(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'quota_exceeded'
}

function titlesOf(feeds: readonly [string, FeedRecord][]) {
  return planTitles(feeds.map(([url, { title }]) => ({ url, title })))
}
