import { describe, expect, test } from 'bun:test'
import type { FeedEpisode, FingerprintedEpisode } from '../../../../src/domain/feeds/document.ts'
import type { FailingFeed, FeedFailure, FeedSuccess, KnownFeed } from '../../../../src/domain/feeds/ports.ts'
import type { Store } from '../../../../src/store/stores.ts'
import {
  A,
  action,
  addDevices,
  addUser,
  B,
  BY_COMMAND_LINE,
  C,
  change,
  feedEpisode,
  fingerprinted,
  index,
  type OpenStore,
  report,
  T,
  written,
} from '../fixtures.ts'

const HOUR = 3600

export function describeFeeds(open: OpenStore): void {
  describe('a feed', () => {
    test('is found by its exact URL and its ID', async () => {
      const { store } = await subscribed(open(), { phone: [A] })
      const feed = await known(store, A)
      expect(feed).toEqual({ ...NOTHING_KNOWN, id: feed.id, url: A })
      expect(await store.feeds.get(feed.id)).toEqual(feed)
      expect(await store.feeds.find(`${A}/`)).toBeUndefined()
      expect(await store.feeds.find(A.toUpperCase())).toBeUndefined()
      expect(await store.feeds.find('')).toBeUndefined()
    })

    test('lists its subscribers among the given users', async () => {
      const store = open()
      const [ida, ole, lea] = [await addUser(store, 'ida'), await addUser(store, 'ole'), await addUser(store, 'lea')]
      for (const id of [ida, ole, lea]) await addDevices(store, id, 'phone')
      for (const id of [ida, ole]) await change(store, id, 'phone', { add: [A] })
      const { id } = await known(store, A)
      expect(await store.feeds.subscribers(id, [ida, lea])).toEqual({ url: A, userIds: [ida] })
      await change(store, ida, 'phone', { remove: [A] })
      expect((await store.feeds.subscribers(id, [ida, lea])).userIds).toEqual([])
      expect((await store.feeds.subscribers(id, [lea, ole])).userIds).toEqual([ole])
    })

    test('keeps the result of a successful check until the next one', async () => {
      const { store } = await subscribed(open(), { phone: [A, B] })
      const { id } = await known(store, A)
      const left = { etag: '"1"', lastModified: 'today', bodyHash: 'abc', movedTo: C, ttlSeconds: 7200 }
      await store.feeds.succeed(id, success({ ...left, nextCheckAt: T + HOUR }))
      expect(await store.feeds.get(id)).toEqual({ ...NOTHING_KNOWN, id, url: A, ...left, checkedAt: T })
      expect(await known(store, B)).toMatchObject({ etag: undefined, movedTo: undefined })
      await store.feeds.succeed(id, success())
      expect(await store.feeds.get(id)).toEqual({ ...NOTHING_KNOWN, id, url: A, checkedAt: T })
    })

    test('keeps that result when checks fail, and counts the failures', async () => {
      const { store, id } = await withFeed(open)
      const left = { etag: '"1"', lastModified: 'today', bodyHash: 'abc', movedTo: C }
      await store.feeds.succeed(id, success(left))
      for (const failures of [1, 2, 3]) {
        await store.feeds.fail(id, failure())
        expect(await store.feeds.get(id)).toMatchObject({ ...left, failures })
      }
      await store.feeds.succeed(id, success())
      expect(await store.feeds.get(id)).toMatchObject({ failures: 0 })
    })

    test('has the release time of its newest episode', async () => {
      const { store } = await subscribed(open(), { phone: [A, B] })
      const { id } = await known(store, A)
      await store.feeds.saveEpisodes(id, [episode(1, { released: undefined })], T)
      expect(await store.feeds.get(id)).toMatchObject({ newestReleased: undefined })
      await store.feeds.saveEpisodes(id, [episode(2, { released: T - 5 }), episode(3, { released: T - 9 })], T)
      expect(await store.feeds.get(id)).toMatchObject({ newestReleased: T - 5 })
      expect(await known(store, B)).toMatchObject({ newestReleased: undefined })
    })
  })

  describe('feeds that were never fetched', () => {
    const D = 'https://d.example/f'

    test('are those among the given URLs that have subscribers and no check yet', async () => {
      const { store, ida } = await subscribed(open(), { phone: [A, B, C] })
      await succeed(store, A)
      await fail(store, B)
      await report(store, ida, [action({ podcast: D })])
      const { id } = await known(store, C)
      expect(await store.feeds.neverFetched([A, B, C, D, `${A}/`], 10)).toEqual([{ id, url: C }])
      expect(await store.feeds.neverFetched([A, B], 10)).toEqual([])
      await change(store, ida, 'phone', { add: [D], remove: [C] })
      expect(await store.feeds.neverFetched([C, D], 10)).toMatchObject([{ url: D }])
      await change(store, ida, 'phone', { add: [C] })
      expect(await store.feeds.neverFetched([D, C], 1)).toMatchObject([{ url: D }])
    })
  })

  describe('feeds that are due', () => {
    const dueUrls = async (store: Store, at = T, limit = 100) =>
      (await store.feeds.listDue(at, limit)).map(({ url }) => url)

    test.each([
      ['a success', succeed],
      ['a failure', fail],
    ])('include a feed at its next check, after %s', async (_case, note) => {
      const { store } = await subscribed(open(), { phone: [A] })
      await note(store, A, { nextCheckAt: T + 10 })
      expect(await dueUrls(store, T + 9)).toEqual([])
      expect(await dueUrls(store, T + 10)).toEqual([A])
    })

    test('exclude feeds without subscribers', async () => {
      const { store, ida } = await subscribed(open(), { phone: [A, B] })
      await report(store, ida, [action({ podcast: C })])
      await change(store, ida, 'phone', { remove: [A] })
      expect(await dueUrls(store)).toEqual([B])
      expect(await store.feeds.find(A)).toBeDefined()
      expect(await store.feeds.find(C)).toBeDefined()
    })

    test('are sorted by subscribers, then by time overdue, with those never checked last', async () => {
      const store = await withSubscribers(open(), { ida: [A, B, C], ole: [C, B], eva: [C] })
      expect(await dueUrls(store)).toEqual([C, B, A])
      expect(await dueUrls(store, T, 2)).toEqual([C, B])
      await succeed(store, C, { nextCheckAt: T })
      expect(await dueUrls(store)).toEqual([C, B, A])
      const { store: other } = await subscribed(open(), { phone: [A, B, C] })
      await succeed(other, A, { nextCheckAt: T - 1 })
      await succeed(other, B, { nextCheckAt: T - 3 })
      await succeed(other, C, { nextCheckAt: T - 2 })
      expect(await dueUrls(other)).toEqual([B, C, A])
      const third = await withSubscribers(open(), { ida: [A, B], ole: [A] })
      expect((await third.feeds.listDue(T, 1))[0]).toEqual(await known(third, A))
      await fail(third, B, { nextCheckAt: T })
      expect([await dueUrls(third), await dueUrls(third, T, 1)]).toEqual([[B, A], [B]])
    })

    test('exclude feeds of inactive users only', async () => {
      const store = await withSubscribers(open(), { ida: [A, B], ole: [B] })
      await store.users.setActive('ole', false, BY_COMMAND_LINE)
      await index(store)
      expect(await dueUrls(store)).toEqual([A, B])
      await store.users.setActive('ida', false, BY_COMMAND_LINE)
      await index(store)
      expect(await dueUrls(store)).toEqual([])
      await store.users.setActive('ole', true, BY_COMMAND_LINE)
      await index(store)
      expect(await dueUrls(store)).toEqual([B])
    })

    test('and all others with subscribers are listed by number of subscribers', async () => {
      const { store, ida } = await subscribed(open(), { phone: [A, B, C] })
      await withSubscribers(store, { ole: [C] })
      await change(store, ida, 'phone', { remove: [B] })
      await succeed(store, C, { nextCheckAt: T + HOUR })
      expect(await store.feeds.subscribed()).toEqual([(await known(store, C)).id, (await known(store, A)).id])
    })
  })

  describe('the health of feeds', () => {
    test('lists a failing feed with the first and the latest failure, until it succeeds', async () => {
      const { store } = await subscribed(open(), { phone: [A, B] })
      expect(await store.feeds.health(10)).toEqual({ total: 2, failingTotal: 0, failing: [] })
      await fail(store, A, { at: T, reason: 'timeout', message: 'a.example takes too long' })
      const last = { reason: 'gone', message: 'answers 410' } as const
      await fail(store, A, { at: T + HOUR, nextCheckAt: T + 3 * HOUR, ...last })
      const failing: FailingFeed[] = [
        { url: A, isPrivate: false, ...last, failures: 2, since: T, nextCheckAt: T + 3 * HOUR },
      ]
      expect(await store.feeds.health(10)).toEqual({ total: 2, failingTotal: 1, failing })
      await succeed(store, A, { at: T + 2 * HOUR })
      expect(await store.feeds.health(10)).toEqual({ total: 2, failingTotal: 0, failing: [] })
    })

    test('lists the longest failing feeds first, up to a limit, and counts all', async () => {
      const { store } = await subscribed(open(), { phone: [A, B, C] })
      await fail(store, A, { at: T + 2 })
      await fail(store, B, { at: T })
      await fail(store, C, { at: T + 1 })
      const { total, failingTotal, failing } = await store.feeds.health(2)
      expect([total, failingTotal, failing.map(({ url }) => url)]).toEqual([3, 3, [B, C]])
    })

    test('ignores feeds without subscribers', async () => {
      const { store, ida } = await subscribed(open(), { phone: [A, B] })
      await fail(store, A)
      await change(store, ida, 'phone', { remove: [A] })
      expect(await store.feeds.health(10)).toEqual({ total: 1, failingTotal: 0, failing: [] })
    })
  })
}

const NOTHING = {
  etag: undefined,
  lastModified: undefined,
  bodyHash: undefined,
  movedTo: undefined,
  ttlSeconds: undefined,
}
const NOTHING_KNOWN = { ...NOTHING, failures: 0, newestReleased: undefined, checkedAt: undefined }

/** Adds a user with these devices and their subscriptions. */
export async function subscribed(store: Store, devices: Record<string, string[]>) {
  const ida = await addUser(store)
  await addDevices(store, ida, ...Object.keys(devices))
  for (const [device, add] of Object.entries(devices)) await change(store, ida, device, { add })
  return { store, ida }
}

/** Opens a store with a user whose phone has feed A. */
export async function withFeed(open: OpenStore) {
  const { store, ida } = await subscribed(open(), { phone: [A] })
  return { store, ida, id: (await known(store, A)).id }
}

/** Adds users with these feeds on a phone. */
export async function withSubscribers(store: Store, feeds: Record<string, string[]>): Promise<Store> {
  for (const [name, add] of Object.entries(feeds)) {
    const user = await addUser(store, name)
    await addDevices(store, user, 'phone')
    await change(store, user, 'phone', { add })
  }
  return store
}

export async function known(store: Store, url: string): Promise<KnownFeed> {
  const feed = await store.feeds.find(url)
  if (!feed) throw new Error(`${url} is not known`)
  return feed
}

export function episode(n: number, fields: Partial<FeedEpisode> = {}): FingerprintedEpisode {
  return fingerprinted(feedEpisode({ url: `https://cdn.example/${n}.mp3`, guid: String(n), ...fields }))
}

export function success(fields: Partial<FeedSuccess> = {}): FeedSuccess {
  return { at: T, nextCheckAt: T, isInside: false, leads: [], newFeedUrl: undefined, ...NOTHING, ...fields }
}

export function failure(fields: Partial<FeedFailure> = {}): FeedFailure {
  return { at: T, nextCheckAt: T, reason: 'unreachable', message: 'a.example cannot be reached', ...fields }
}

/** Records a successful check of the feed at `url`. */
export async function succeed(store: Store, url: string, fields?: Partial<FeedSuccess>): Promise<void> {
  await written(store, store.feeds.succeed((await known(store, url)).id, success(fields)))
}

/** Records a failed check of the feed at `url`. */
export async function fail(store: Store, url: string, fields?: Partial<FeedFailure>): Promise<void> {
  await written(store, store.feeds.fail((await known(store, url)).id, failure(fields)))
}
