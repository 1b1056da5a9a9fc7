import { describe, expect, test } from 'bun:test'
import { known } from '../feeds/feeds.ts'
import { A, addAccount, addDevices, B, C, change, type OpenStore, T } from '../fixtures.ts'
import { addressWorlds, D, leads, sorted, X } from './address-world.ts'

export function describeAddresses(open: OpenStore): void {
  const { openWorld, listOf, userList, changesOf, it } = addressWorlds(open)

  describe('a podcast with several addresses', () => {
    it('is added once, by the address that the device sent last', async (world) => {
      const { store, ida } = world
      const clock = await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B)
      expect(await change(store, ida, 'phone', { add: [B], at: T + 9 })).toBe(clock)
      expect(await listOf(world, 'phone')).toEqual([B])
      expect(await listOf(world, 'desk')).toEqual([A])
      expect(await userList(world)).toEqual([B])
      // A repetition in another order has no effect.
      expect(await change(store, ida, 'phone', { add: [A, B], at: T + 10 })).toBe(clock)
      expect(await listOf(world, 'phone')).toEqual([B])
    })

    it('is removed from all devices by an app that has silently followed the redirects', async (world) => {
      const { store, ida } = world
      const since = await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B, C)
      await change(store, ida, 'phone', { remove: [C], at: T + 9 })
      expect(await listOf(world, 'phone')).toEqual([])
      expect(await listOf(world, 'desk')).toEqual([])
      // Each app has it under one of these addresses.
      expect(await changesOf(world, 'desk', since + 1)).toEqual({ add: [], remove: [A, B, C] })
      expect(await changesOf(world, 'desk', 0)).toEqual({ add: [], remove: [] })
      expect(await change(store, ida, 'phone', { remove: [C], at: T + 99 })).toBe(T + 9)
    })

    it('is removed under every address that the device had, and no other', async (world) => {
      const { store, ida } = world
      const since = await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B)
      await change(store, ida, 'phone', { add: [B] })
      await leads(world, X, B)
      await change(store, ida, 'desk', { remove: [A], at: T + 9 })
      expect(await listOf(world, 'phone')).toEqual([])
      expect(await changesOf(world, 'phone', since + 1)).toEqual({ add: [], remove: [A, B] })
    })

    it('stays when a device removes an address that it has replaced', async (world) => {
      const { store, ida } = world
      const clock = await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B)
      await change(store, ida, 'phone', { add: [B] })
      expect(await change(store, ida, 'phone', { remove: [A], at: T + 9 })).toBe(clock)
      expect(await listOf(world, 'phone')).toEqual([B])
      expect(await listOf(world, 'desk')).toEqual([A])
    })

    it('that a device has twice loses only the address that is removed', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A, B] })
      await leads(world, A, B)
      expect(await userList(world)).toEqual([B])
      await change(store, ida, 'desk', { remove: [B], at: T + 9 })
      expect([await listOf(world, 'phone'), await listOf(world, 'desk')]).toEqual([[A], [A]])
      expect(await changesOf(world, 'phone', T + 5)).toEqual({ add: [], remove: [B] })
      await store.syncGroups.regroup(ida, { synchronize: [], stop: ['phone'] }, T)
      await change(store, ida, 'car', { add: [A, B], at: T + 20 })
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'car']], stop: [] }, T)
      expect(await listOf(world, 'car')).toEqual([B])
      await change(store, ida, 'phone', { remove: [A], at: T + 30 })
      expect([await listOf(world, 'phone'), await listOf(world, 'car')]).toEqual([[], []])
    })

    it('is kept by a list that names any of its addresses', async (world) => {
      const { store, ida } = world
      const clock = await change(store, ida, 'phone', { add: [A, X] })
      await leads(world, A, B, C)
      await store.subscriptions.replace(ida, 'phone', [C, X, B], T + 9)
      expect([await listOf(world, 'phone'), await listOf(world, 'desk')]).toEqual([
        [C, X],
        [A, X],
      ])
      expect((await store.subscriptions.changesSince(ida, 'phone', 0)).clock).toBe(clock)
      await store.subscriptions.replace(ida, 'phone', [X], T + 9)
      expect([await listOf(world, 'phone'), await listOf(world, 'desk')]).toEqual([[X], [X]])
      await store.subscriptions.replace(ida, 'phone', [B, A, X], T + 19)
      expect([await listOf(world, 'phone'), await listOf(world, 'desk')]).toEqual([
        [X, B],
        [X, B],
      ])
    })

    it('is added once by a list with several of its addresses, by their common target', async (world) => {
      const { store, ida } = world
      await leads(world, A, B)
      await leads(world, D, C)
      await store.subscriptions.replace(ida, 'phone', [X, A, B], T + 9)
      for (const uid of ['phone', 'desk']) expect(sorted(await listOf(world, uid))).toEqual([B, X])
      // An upload of changes does the same.
      await change(store, ida, 'phone', { add: [D, C], at: T + 19 })
      expect(await listOf(world, 'phone')).toContain(C)
    })

    it('is one podcast for a new sync group, whose members keep their own addresses', async (world) => {
      const { store, ida } = world
      await store.syncGroups.regroup(ida, { synchronize: [], stop: ['phone', 'desk'] }, T)
      await change(store, ida, 'phone', { add: [A] })
      const clock = await change(store, ida, 'desk', { add: [B] })
      await leads(world, A, B)
      await addDevices(store, ida, 'car')
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk']], stop: [] }, T + 9)
      expect((await store.subscriptions.changesSince(ida, 'phone', 0)).clock).toBe(clock)
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'car']], stop: [] }, T + 9)
      expect([await listOf(world, 'phone'), await listOf(world, 'desk'), await listOf(world, 'car')]).toEqual([
        [A],
        [B],
        [B],
      ])
    })

    it('counts subscribers by address; a user with two addresses counts for both', async (world) => {
      const { store, ida } = world
      const subscribers = async (url: string) =>
        (await store.feeds.podcast((await known(store, url)).id))?.podcast.subscribers
      await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B)
      expect([await subscribers(A), await subscribers(B)]).toEqual([2, 1])
      await change(store, ida, 'desk', { add: [B] })
      expect([await subscribers(A), await subscribers(B)]).toEqual([2, 2])
      await change(store, ida, 'phone', { add: [B] })
      expect([await subscribers(A), await subscribers(B)]).toEqual([1, 2])
    })

    it('keeps the settings and the provisional title at a new address', async (world) => {
      const { store, ida } = world
      await store.subscriptions.replace(ida, 'phone', [A], T, { titles: new Map([[A, 'Orbit']]) })
      const choice = { set: { public_subscription: false }, remove: [] }
      await store.settings.change(ida, { scope: 'podcast', target: A }, choice, T)
      await leads(world, A, B)
      await change(store, ida, 'phone', { add: [B] })
      expect(await store.settings.read(ida, { scope: 'podcast', target: B })).toBe('{"public_subscription":false}')
      expect((await store.subscriptions.listUser(ida)).map(({ title }) => title)).toEqual(['Orbit'])
    })

    it('is fetched at a new address', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A] })
      const there = 'https://new.example/f'
      await leads(world, A, there)
      const upload = { add: [there], remove: [] }
      const { hasUnfetched } = await store.subscriptions.applyUpload(ida, 'phone', upload, {
        at: T,
        seenUntil: undefined,
      })
      expect(hasUnfetched).toBe(true)
    })
  })

  test('a long list of the user has each podcast once', async () => {
    const world = await openWorld()
    const { store, ida } = world
    const urls = Array.from({ length: 520 }, (_, n) => `https://many.example/${n}`)
    await change(store, ida, 'phone', { add: [...urls, A, B] })
    await leads(world, A, B)
    await change(store, ida, 'desk', { add: [A] })
    expect(sorted(await userList(world))).toEqual(sorted([...urls, B]))
    const own = await store.myPodcasts.list(ida)
    expect(sorted(own.map(({ url }) => url))).toEqual(sorted([...urls, B]))
    expect(own.find(({ url }) => url === B)?.devices).toEqual(['phone', 'desk'])
    const since = await change(store, ida, 'phone', { add: [X], at: T + 5 })
    await change(store, ida, 'phone', { remove: [A], at: T + 6 })
    await change(store, ida, 'phone', { remove: [...urls, B], at: T + 7 })
    expect((await changesOf(world, 'phone', since + 1)).remove).toEqual(sorted([A, B, ...urls]))
  })

  test('an export contains the addresses that a device has replaced', async () => {
    const world = await openWorld()
    const { store, ida } = world
    await addAccount(store, 'una')
    await change(store, ida, 'phone', { add: [A] })
    await leads(world, A, B)
    await change(store, ida, 'phone', { add: [B] })
    expect((await Array.fromAsync(store.exports.replacedAddresses(ida, 'phone'))).flat()).toEqual([A])
    expect((await Array.fromAsync(store.exports.replacedAddresses(ida, 'desk'))).flat()).toEqual([])
  })
}
