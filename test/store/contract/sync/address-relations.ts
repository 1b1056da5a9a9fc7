import { describe, expect, test } from 'bun:test'
import { known, succeed } from '../feeds/feeds.ts'
import { A, addAccount, B, BY_COMMAND_LINE, C, change, type OpenStore, T } from '../fixtures.ts'
import { addressWorlds, D, give, leads, sorted, X } from './address-world.ts'

export function describeAddressRelations(open: OpenStore): void {
  const { openWorld, listOf, userList, it } = addressWorlds(open)

  describe('addresses', () => {
    it('in a chain of redirects are one podcast, but not two with a common target', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A, D] })
      await leads(world, A, B)
      await leads(world, B, C)
      await leads(world, D, C)
      expect(await userList(world)).toEqual([A, D])
      await change(store, ida, 'phone', { remove: [C] })
      expect(await listOf(world, 'phone')).toEqual([])
    })

    it('with a common target are one podcast if their documents shared a guid', async (world) => {
      const { store, ida } = world
      await give(store, A, 1, 2)
      await give(store, D, 2, 3)
      await give(store, X, 4)
      for (const url of [A, D, X]) {
        await store.feeds.keepGuids((await known(store, url)).id)
        await leads(world, url, C)
      }
      const clock = await change(store, ida, 'phone', { add: [A] })
      expect(await change(store, ida, 'phone', { add: [D], at: T + 9 })).toBe(clock)
      expect(await listOf(world, 'phone')).toEqual([D])
      await change(store, ida, 'phone', { add: [X], at: T + 9 })
      expect(await listOf(world, 'phone')).toEqual([D, X])
      // No longer once A stops redirecting.
      await leads(world, A)
      await change(store, ida, 'phone', { add: [A], at: T + 19 })
      expect(await listOf(world, 'phone')).toEqual([D, X, A])
    })

    it('are not one podcast because of documents after the redirect', async (world) => {
      const { store, ida } = world
      await leads(world, A, C)
      await leads(world, D, C)
      for (const url of [A, D]) {
        // The document at the common target.
        await store.feeds.keepGuids((await known(store, url)).id)
        await give(store, url, 1, 2)
        await leads(world, url, C)
      }
      await change(store, ida, 'phone', { add: [A, D] })
      expect(await listOf(world, 'phone')).toEqual([A, D])
    })

    it('in a redirect loop are one podcast', async (world) => {
      const { store, ida } = world
      await leads(world, A, B)
      await leads(world, B, C)
      await leads(world, C, A)
      await change(store, ida, 'phone', { add: [A, B, C] })
      expect(await listOf(world, 'phone')).toEqual([A])
      await change(store, ida, 'desk', { remove: [B] })
      expect(await listOf(world, 'phone')).toEqual([])
    })

    test('of one podcast are limited, for pages to which many feeds redirect', async () => {
      const world = await openWorld()
      const { store, ida } = world
      const urls = Array.from({ length: 60 }, (_, n) => `https://closed.example/${n}`)
      await change(store, ida, 'phone', { add: urls })
      for (const url of urls) await leads(world, url, X)
      await change(store, ida, 'phone', { remove: [X], at: T + 9 })
      expect((await listOf(world, 'phone')).length).toBe(10)
    })

    test('of other users do not displace addresses of one’s own podcast', async () => {
      const world = await openWorld(['phone'])
      const { store, ida, ole } = world
      const others = Array.from({ length: 60 }, (_, n) => `https://other.example/${n}`)
      await change(store, ole, 'old', { add: others })
      for (const url of others) await leads(world, url, X)
      await change(store, ole, 'old', { remove: [A, B, C, D] })
      await change(store, ida, 'phone', { add: [A] })
      const clock = await change(store, ida, 'desk', { add: [B] })
      // First an address that other users have, then another, then one to which the podcast itself redirects.
      await leads(world, A, X)
      expect(await change(store, ida, 'phone', { add: [X], at: T + 9 })).toBe(clock)
      await leads(world, B, X)
      expect(await change(store, ida, 'desk', { add: [X], at: T + 9 })).toBe(clock)
      await leads(world, X, C)
      expect(await change(store, ida, 'desk', { add: [C], at: T + 9 })).toBe(clock)
      // The other user's addresses get what is left of the limit.
      await change(store, ole, 'other', { add: others })
      await change(store, ole, 'other', { remove: [X], at: T + 9 })
      const left = await store.subscriptions.listDevice(ole, 'other')
      expect(left ?? []).toHaveLength(13)
    })

    test('are kept without subscribers while a feed redirects there', async () => {
      const world = await openWorld()
      const { store } = world
      const there = ['https://there.example/1', 'https://there.example/2']
      await leads(world, A, there[0] ?? '')
      await leads(world, B, there[1] ?? '')
      await leads(world, B)
      await store.indexStore.indexBatch(100)
      expect(await store.indexStore.removeOrphaned(T + 1, 0)).toBeDefined()
      await store.indexStore.removeOrphaned(T + 1, 0)
      expect([await store.feeds.find(there[0] ?? ''), await store.feeds.find(there[1] ?? '')]).toEqual([
        expect.objectContaining({ url: there[0] }),
        undefined,
      ])
    })

    test('without subscribers are removed, with their relations', async () => {
      const world = await openWorld()
      const { store } = world
      const [one, two, there] = ['https://one.example/', 'https://two.example/', 'https://there.example/']
      const { id: eve } = await addAccount(store, 'eve')
      await change(store, eve, 'phone', { add: [one, two] })
      await leads(world, one, there)
      await leads(world, two, there)
      await store.users.remove('eve', BY_COMMAND_LINE)
      await store.indexStore.indexBatch(100)
      for (let removed = 0; removed < 3; ) removed += (await store.indexStore.removeOrphaned(T + 1, 0)) ?? Number.NaN
      for (const url of [one, two, there]) expect(await store.feeds.find(url)).toBeUndefined()
      // Row numbers may be reused.
      const ids = await Promise.all([one, two, there].map((url) => store.feeds.add(url, T)))
      expect(ids).toHaveLength(3)
      const clock = await change(store, world.ida, 'phone', { add: [one] })
      expect(await change(store, world.ida, 'phone', { add: [there], at: T + 9 })).toBeGreaterThan(clock)
      expect(sorted(await listOf(world, 'phone'))).toEqual(sorted([one, there]))
    })

    test('that are invalid, or the feed’s own, are ignored as targets', async () => {
      const world = await openWorld()
      await leads(world, A, 'ftp://a.example/', `https://a.example/${'x'.repeat(3000)}`, A)
      await change(world.store, world.ida, 'phone', { add: [A] })
      expect(await listOf(world, 'phone')).toEqual([A])
    })

    it('with http and https are one podcast once a probe has confirmed it', async (world) => {
      const { store, ida } = world
      const [http, https] = ['http://tide.example/f', 'https://tide.example/f']
      const clock = await change(store, ida, 'phone', { add: [http] })
      const { id } = await known(store, http)
      await store.upgrades.noteProbe(id, T, true)
      expect(await change(store, ida, 'phone', { add: [https], at: T + 9 })).toBe(clock)
      await store.upgrades.noteProbe(id, T, false)
      expect([await listOf(world, 'phone'), await listOf(world, 'desk')]).toEqual([[https], [http]])
    })
  })

  describe('a feed that announces a new address', () => {
    const claim = (url: string) => ({ newFeedUrl: url })

    test('is due for a probe while it does so and has subscribers', async () => {
      const { store, ole } = await openWorld()
      await give(store, A, 1)
      await succeed(store, A, claim(B))
      const { id } = await known(store, A)
      const feed = { id, newFeedUrl: B, guid: '', episodeGuids: ['guid 1'], isSecret: false, isBlocked: false }
      expect(await store.feeds.claimsToTry(T, 10)).toEqual([{ ...feed, isPrivate: false }])
      await store.feeds.noteClaim(feed, T, false)
      expect(await store.feeds.claimsToTry(T, 10)).toEqual([])
      await store.indexStore.indexBatch(10)
      expect(await store.feeds.claimsToTry(T + 1, 10)).toEqual([{ ...feed, isPrivate: false }])
      // An unchanged document was not parsed again.
      await succeed(store, A)
      expect(await store.feeds.claimsToTry(T + 1, 10)).toHaveLength(1)
      await change(store, ole, 'old', { remove: [A] })
      expect(await store.feeds.claimsToTry(T + 1, 10)).toEqual([])
      await change(store, ole, 'old', { add: [A] })
      await succeed(store, A, claim(''))
      expect(await store.feeds.claimsToTry(T + 1, 10)).toEqual([])
    })

    it('is one podcast with it from a successful probe until it announces another', async (world) => {
      const { store, ida } = world
      await give(store, A, 1)
      await succeed(store, A, claim(B))
      const { id } = await known(store, A)
      await store.feeds.noteClaim({ id, newFeedUrl: C }, T, true)
      await change(store, ida, 'phone', { add: [A, B] })
      expect(await userList(world)).toEqual([A, B])
      await store.feeds.noteClaim({ id, newFeedUrl: B }, T, true)
      expect(await store.feeds.claimsToTry(T + 1, 10)).toEqual([])
      expect(await userList(world)).toEqual([B])
      await succeed(store, A, claim(B))
      expect(await userList(world)).toEqual([B])
      await succeed(store, A, claim(D))
      expect(await userList(world)).toEqual([A, B])
    })
  })
}
