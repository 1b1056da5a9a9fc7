import { describe, expect, test } from 'bun:test'
import type { FeedHealth, FeedQuery } from '../../../../src/domain/feeds/ports.ts'
import type { PodcastId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { A, B, C, change, feedDocument, index, type OpenStore, T } from '../fixtures.ts'
import { fail, failure, known, subscribed, succeed, success, withFeed, withSubscribers } from './feeds.ts'

const HOUR = 3600
const D = 'https://d.example:8443/f'

export function describeFeedHealth(open: OpenStore): void {
  describe('the state of a feed', () => {
    test('is new until its first check', async () => {
      const { store, id } = await withFeed(open)
      const feed: FeedHealth = {
        ...{ id, url: A, title: '', isPrivate: false, subscribers: 1, state: 'new', failure: undefined },
        ...{ checkedAt: undefined, succeededAt: undefined, nextCheckAt: undefined, movedTo: undefined },
      }
      expect(await store.feedHealth.get(id)).toEqual(feed)
      expect((await list(store)).feeds).toEqual([feed])
    })

    test('is ok after a success, and failing since the first of its failures, for the latest reason', async () => {
      const { store, id } = await withFeed(open)
      await store.feeds.saveDetails(id, feedDocument({ title: 'Harbour Talk' }))
      await store.feeds.succeed(id, success({ at: T, nextCheckAt: T + HOUR, movedTo: B }))
      expect(await store.feedHealth.get(id)).toMatchObject({
        ...{ title: 'Harbour Talk', state: 'ok', failure: undefined, movedTo: B },
        ...{ checkedAt: T, succeededAt: T, nextCheckAt: T + HOUR },
      })
      await store.feeds.fail(id, failure({ at: T + 10, reason: 'timeout' }))
      await store.feeds.fail(id, failure({ at: T + 20, nextCheckAt: T + HOUR, reason: 'tls', message: 'is old' }))
      expect(await store.feedHealth.get(id)).toMatchObject({
        state: 'failing',
        failure: { reason: 'tls', message: 'is old', count: 2, since: T + 10 },
        checkedAt: T + 20,
        succeededAt: T,
        nextCheckAt: T + HOUR,
      })
      await store.feeds.succeed(id, success({ at: T + 30 }))
      expect(await store.feedHealth.get(id)).toMatchObject({ state: 'ok', failure: undefined, checkedAt: T + 30 })
    })

    test('is gone while its server says so', async () => {
      const { store, id } = await withFeed(open)
      for (const [reason, state, count] of [
        ['gone', 'gone', 1],
        ['server_error', 'failing', 2],
      ] as const) {
        await store.feeds.fail(id, failure({ reason }))
        expect(await store.feedHealth.get(id)).toMatchObject({ state, failure: { reason, count } })
      }
    })

    test('is not shown without subscribers', async () => {
      const { store, ida } = await subscribed(open(), { phone: [A, B] })
      const { id } = await known(store, A)
      await change(store, ida, 'phone', { remove: [A] })
      expect(await store.feedHealth.get(id)).toBeUndefined()
      expect(await list(store)).toMatchObject({ counts: { new: 1 }, feeds: [{ url: B }] })
      expect(await store.feedHealth.get(999 as PodcastId)).toBeUndefined()
    })
  })

  describe('the list of feeds', () => {
    /** A is ok, B is failing, C is gone, D is new. */
    async function four(store: Store): Promise<Store> {
      await subscribed(store, { phone: [A, B, C, D] })
      await succeed(store, A)
      await fail(store, B, { at: T + 1 })
      await fail(store, C, { at: T, reason: 'gone' })
      return store
    }

    test('begins with the longest failing feeds, then new ones, then those with most subscribers', async () => {
      const store = await four(open())
      expect(await urls(store)).toEqual([C, B, D, A])
      const E = 'https://e.example/f'
      await withSubscribers(store, { ole: [A, E] })
      await succeed(store, E)
      await succeed(store, D)
      expect(await urls(store)).toEqual([C, B, A, D, E])
    })

    test.each([
      [undefined, [C, B, D, A]],
      ['ok', [A]],
      ['failing', [B]],
      ['gone', [C]],
      ['new', [D]],
    ] as const)('with state %s has %j, and counts all states', async (state, expected) => {
      const store = await four(open())
      const { counts, feeds } = await list(store, { state })
      expect(feeds.map(({ url }) => url)).toEqual([...expected])
      expect(counts).toEqual({ ok: 1, failing: 1, gone: 1, new: 1 })
    })

    test('is returned in pages, and empty without feeds', async () => {
      const store = await four(open())
      const page = async (offset: number, limit: number) =>
        (await store.feedHealth.list({ state: undefined, text: '' }, offset, limit)).feeds.map(({ url }) => url)
      expect([await page(0, 3), await page(3, 3), await page(6, 3)]).toEqual([[C, B, D], [A], []])
      expect(await list(open())).toEqual({ counts: { ok: 0, failing: 0, gone: 0, new: 0 }, feeds: [] })
    })
  })

  describe('a search for feeds', () => {
    const PUBLIC = 'https://feeds.example/Harbour_Talk/100%25.xml'
    const SECRET = 'https://patreon.example:8443/rss/harbour?auth=hunter2'

    /** A public feed called Die Ärzte, and a private one called Harbour Whispers. */
    async function two(store: Store): Promise<Store> {
      await subscribed(store, { phone: [PUBLIC, SECRET] })
      await index(store)
      await store.feeds.saveDetails((await known(store, PUBLIC)).id, feedDocument({ title: 'Die Ärzte' }))
      await store.feeds.saveDetails((await known(store, SECRET)).id, feedDocument({ title: 'Harbour Whispers' }))
      return store
    }

    test.each([
      ['part of a URL', 'harbour_talk', [PUBLIC]],
      ['a title in capitals', 'DIE ÄRZTE', [PUBLIC]],
      ['an origin', 'https://patreon.example:8443', [SECRET]],
      ['a part of both URLs', 'EXAMPLE', [PUBLIC, SECRET]],
      ['a scheme', 'https:', [PUBLIC, SECRET]],
      ['a secret', 'hunter2', []],
      ['the path of a private URL', '8443/', []],
      ['the title of a private feed', 'whispers', []],
      ['the wildcard for one character', '_', [PUBLIC]],
      ['the wildcard for any text', '%', [PUBLIC]],
      ['a backslash', '\\', []],
      ['a quote', "'", []],
    ])('compares public text only: by %s, %s', async (_case, text, expected) => {
      const store = await two(open())
      const { counts, feeds } = await list(store, { text })
      expect(new Set(feeds.map(({ url }) => url))).toEqual(new Set(expected))
      expect(counts.new).toBe(expected.length)
    })
  })
}

function list(store: Store, query: Partial<FeedQuery> = {}) {
  return store.feedHealth.list({ state: undefined, text: '', ...query }, 0, 100)
}

async function urls(store: Store): Promise<string[]> {
  return (await list(store)).feeds.map(({ url }) => url)
}
