import { describe, expect, test } from 'bun:test'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/domain/store.ts'
import { whole } from '../../../support/values.ts'
import { episode, known, succeed } from '../feeds/feeds.ts'
import {
  A,
  addAccount,
  addDevices,
  B,
  BY_COMMAND_LINE,
  C,
  change,
  feedDocument,
  type OpenStore,
  T,
  withTwo,
} from '../fixtures.ts'

const D = 'https://d.example/f'
const X = 'https://x.example/f'

export interface World {
  readonly store: Store
  readonly ida: UserId
  readonly ole: UserId
}

/** A feed whose server leads there now, hop by hop; nowhere without. */
export async function leads({ store }: Pick<World, 'store'>, from: string, ...to: string[]): Promise<void> {
  await succeed(store, from, { leads: to })
}

async function give(store: Store, url: string, ...guids: number[]): Promise<void> {
  const { id } = await known(store, url)
  await store.feeds.saveDetails(id, feedDocument())
  await store.feeds.saveEpisodes(
    id,
    guids.map((n) => episode(n, { guid: `guid ${n}` })),
    T,
  )
  await succeed(store, url)
}

const sorted = (urls: readonly string[]) => urls.toSorted((one, other) => one.localeCompare(other))

export function describeAddresses(open: OpenStore): void {
  /** Ole has all addresses, so that the server knows them; ida's devices are in one group if `group`. */
  async function openWorld(group: readonly string[] = []): Promise<World> {
    const world = await withTwo(open)
    const { store, ida, ole } = world
    await change(store, ole, 'old', { add: [A, B, C, D, X] })
    await addDevices(store, ida, ...group)
    if (group.length > 1) await store.syncGroups.regroup(ida, { synchronize: [[...group]], stop: [] }, T)
    return world
  }

  const listOf = async ({ store, ida }: World, uid: string) =>
    whole((await store.subscriptions.listDevice(ida, uid)) ?? [])
  const userList = async ({ store, ida }: World) => whole(await store.subscriptions.listUser(ida)).map(({ url }) => url)
  async function changesOf({ store, ida }: World, uid: string, since: number) {
    const { add, remove } = await store.subscriptions.changesSince(ida, uid, since)
    return { add: [...whole(add)], remove: sorted(whole(remove)) }
  }

  const it = (title: string, body: (world: World) => Promise<void>) =>
    test(title, async () => body(await openWorld(['phone', 'desk'])))

  describe('a podcast with several addresses', () => {
    it('is added once, and the address that a device sent last is its own', async (world) => {
      const { store, ida } = world
      const clock = await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B)
      expect(await change(store, ida, 'phone', { add: [B], at: T + 9 })).toBe(clock)
      expect(await listOf(world, 'phone')).toEqual([B])
      expect(await listOf(world, 'desk')).toEqual([A])
      expect(await userList(world)).toEqual([B])
      // However often it is repeated, and in whatever order.
      expect(await change(store, ida, 'phone', { add: [A, B], at: T + 10 })).toBe(clock)
      expect(await listOf(world, 'phone')).toEqual([B])
    })

    it('is another podcast while nothing leads there', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A, B] })
      expect(await listOf(world, 'desk')).toEqual([A, B])
      expect(await userList(world)).toEqual([A, B])
    })

    it('goes from all devices when an app removes it where it has silently followed the feed to', async (world) => {
      const { store, ida } = world
      const since = await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B, C)
      await change(store, ida, 'phone', { remove: [C], at: T + 9 })
      expect(await listOf(world, 'phone')).toEqual([])
      expect(await listOf(world, 'desk')).toEqual([])
      // Each app has it under one of these.
      expect(await changesOf(world, 'desk', since + 1)).toEqual({ add: [], remove: [A, B, C] })
      expect(await changesOf(world, 'desk', 0)).toEqual({ add: [], remove: [] })
      expect(await change(store, ida, 'phone', { remove: [C], at: T + 99 })).toBe(T + 9)
    })

    it('is removed under every address that the device had, but not under those of others', async (world) => {
      const { store, ida } = world
      const since = await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B)
      await change(store, ida, 'phone', { add: [B] })
      await leads(world, X, B)
      await change(store, ida, 'desk', { remove: [A], at: T + 9 })
      expect(await listOf(world, 'phone')).toEqual([])
      expect(await changesOf(world, 'phone', since + 1)).toEqual({ add: [], remove: [A, B] })
    })

    it('stays when a device cleans up an address that it has replaced', async (world) => {
      const { store, ida } = world
      const clock = await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B)
      await change(store, ida, 'phone', { add: [B] })
      expect(await change(store, ida, 'phone', { remove: [A], at: T + 9 })).toBe(clock)
      expect(await listOf(world, 'phone')).toEqual([B])
      expect(await listOf(world, 'desk')).toEqual([A])
    })

    it('goes by an address that was replaced when the feed lives there again', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B)
      await change(store, ida, 'phone', { add: [B] })
      await leads(world, B, A)
      await leads(world, A)
      await change(store, ida, 'phone', { remove: [A], at: T + 9 })
      expect(await listOf(world, 'phone')).toEqual([])
      expect(await listOf(world, 'desk')).toEqual([])
    })

    it('is exchanged by one upload for the device that asks, and for nobody else', async (world) => {
      const { store, ida } = world
      const clock = await change(store, ida, 'desk', { add: [A] })
      await leads(world, A, B)
      expect(await change(store, ida, 'phone', { add: [B], remove: [A], at: T + 9 })).toBe(clock)
      expect([await listOf(world, 'phone'), await listOf(world, 'desk')]).toEqual([[B], [A]])
    })

    it('that a device has twice goes only where it is named, and the group keeps it', async (world) => {
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

    it('is got by a list that names several of its addresses at the one that the others lead to', async (world) => {
      const { store, ida } = world
      await leads(world, A, B)
      await leads(world, D, C)
      await store.subscriptions.replace(ida, 'phone', [X, A, B], T + 9)
      for (const uid of ['phone', 'desk']) expect(sorted(await listOf(world, uid))).toEqual([B, X])
      // As by an upload of changes.
      await change(store, ida, 'phone', { add: [D, C], at: T + 19 })
      expect(await listOf(world, 'phone')).toContain(C)
    })

    it('is one for a group that is formed, and each member keeps its own address', async (world) => {
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

    it('has the subscribers of each address there, of whom a user with two is one of each', async (world) => {
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

    it('comes with what its user had set and called it', async (world) => {
      const { store, ida } = world
      await store.subscriptions.replace(ida, 'phone', [A], T, { titles: new Map([[A, 'Orbit']]) })
      const choice = { set: { public_subscription: false }, remove: [] }
      await store.settings.change(ida, { scope: 'podcast', target: A }, choice, T)
      await leads(world, A, B)
      await change(store, ida, 'phone', { add: [B] })
      expect(await store.settings.read(ida, { scope: 'podcast', target: B })).toBe('{"public_subscription":false}')
      expect(whole(await store.subscriptions.listUser(ida)).map(({ title }) => title)).toEqual(['Orbit'])
    })

    it('is fetched at an address that is new', async (world) => {
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

  describe('addresses', () => {
    it('of a chain are one podcast from end to end, and two that only lead to the same place are not', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A, D] })
      await leads(world, A, B)
      await leads(world, B, C)
      await leads(world, D, C)
      expect(await userList(world)).toEqual([A, D])
      await change(store, ida, 'phone', { remove: [C] })
      expect(await listOf(world, 'phone')).toEqual([])
    })

    it('that lead to the same place are one podcast if their documents shared a guid', async (world) => {
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
      // No longer when one of them is there again.
      await leads(world, A)
      await change(store, ida, 'phone', { add: [A], at: T + 19 })
      expect(await listOf(world, 'phone')).toEqual([D, X, A])
    })

    it('are not one for what their documents are elsewhere', async (world) => {
      const { store, ida } = world
      await leads(world, A, C)
      await leads(world, D, C)
      for (const url of [A, D]) {
        // The page that both lead to.
        await store.feeds.keepGuids((await known(store, url)).id)
        await give(store, url, 1, 2)
        await leads(world, url, C)
      }
      await change(store, ida, 'phone', { add: [A, D] })
      expect(await listOf(world, 'phone')).toEqual([A, D])
    })

    it('that lead to each other in a loop are one podcast', async (world) => {
      const { store, ida } = world
      await leads(world, A, B)
      await leads(world, B, C)
      await leads(world, C, A)
      await change(store, ida, 'phone', { add: [A, B, C] })
      expect(await listOf(world, 'phone')).toEqual([A])
      await change(store, ida, 'desk', { remove: [B] })
      expect(await listOf(world, 'phone')).toEqual([])
    })

    it('are one no longer when a later fetch says so; each device keeps its own', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A] })
      await leads(world, A, B)
      await change(store, ida, 'phone', { add: [B] })
      await leads(world, A)
      expect([await listOf(world, 'phone'), await listOf(world, 'desk')]).toEqual([[B], [A]])
      await change(store, ida, 'desk', { remove: [A], at: T + 9 })
      expect(await listOf(world, 'phone')).toEqual([B])
    })

    test('are no more than a podcast has: a page that everything leads to is none', async () => {
      const world = await openWorld()
      const { store, ida } = world
      const urls = Array.from({ length: 60 }, (_, n) => `https://closed.example/${n}`)
      await change(store, ida, 'phone', { add: urls })
      for (const url of urls) await leads(world, url, X)
      await change(store, ida, 'phone', { remove: [X], at: T + 9 })
      expect((await listOf(world, 'phone')).length).toBe(10)
    })

    test('of other users do not keep true ones out of a podcast', async () => {
      const world = await openWorld(['phone'])
      const { store, ida, ole } = world
      const strange = Array.from({ length: 60 }, (_, n) => `https://strange.example/${n}`)
      await change(store, ole, 'old', { add: strange })
      for (const url of strange) await leads(world, url, X)
      await change(store, ole, 'old', { remove: [A, B, C, D] })
      await change(store, ida, 'phone', { add: [A] })
      const clock = await change(store, ida, 'desk', { add: [B] })
      // One that somebody else has, another one, and one that the podcast itself leads to.
      await leads(world, A, X)
      expect(await change(store, ida, 'phone', { add: [X], at: T + 9 })).toBe(clock)
      await leads(world, B, X)
      expect(await change(store, ida, 'desk', { add: [X], at: T + 9 })).toBe(clock)
      await leads(world, X, C)
      expect(await change(store, ida, 'desk', { add: [C], at: T + 9 })).toBe(clock)
      // Those of the other user have the rest of the room, and no more.
      await change(store, ole, 'other', { add: strange })
      await change(store, ole, 'other', { remove: [X], at: T + 9 })
      const left = await store.subscriptions.listDevice(ole, 'other')
      expect(whole(left ?? [])).toHaveLength(13)
    })

    test('of a chain without an end are followed so far and no further', async () => {
      const world = await openWorld()
      const { store, ida } = world
      const urls = Array.from({ length: 60 }, (_, n) => `https://chain.example/${n}`)
      await change(store, ida, 'phone', { add: urls })
      for (const [n, url] of urls.entries()) await leads(world, url, urls[n + 1] ?? A)
      expect((await userList(world)).length).toBeLessThan(60)
    }, 60_000)

    test('that a feed is led to are kept though nobody has them, and others forgotten', async () => {
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

    test('of which nobody has any are forgotten, and what is left is related to nothing', async () => {
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
      // Numbers may be given again.
      const ids = await Promise.all([one, two, there].map((url) => store.feeds.add(url, T)))
      expect(ids).toHaveLength(3)
      const clock = await change(store, world.ida, 'phone', { add: [one] })
      expect(await change(store, world.ida, 'phone', { add: [there], at: T + 9 })).toBeGreaterThan(clock)
      expect(sorted(await listOf(world, 'phone'))).toEqual(sorted([one, there]))
    })

    test('that nobody could subscribe to, or that are the feed’s own, lead nowhere', async () => {
      const world = await openWorld()
      await leads(world, A, 'ftp://a.example/', `https://a.example/${'x'.repeat(3000)}`, A)
      await change(world.store, world.ida, 'phone', { add: [A] })
      expect(await listOf(world, 'phone')).toEqual([A])
    })

    it('by https are one with those by http once the same podcast was found there', async (world) => {
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

  describe('a feed that says to be elsewhere', () => {
    const claim = (url: string) => ({ newFeedUrl: url })

    test('is to be tried there once in a while, as long as it says so and somebody has it', async () => {
      const { store, ole } = await openWorld()
      await give(store, A, 1)
      await succeed(store, A, claim(B))
      const { id } = await known(store, A)
      const feed = { id, newFeedUrl: B, guid: '', episodeGuids: ['guid 1'], isSecret: false, isBlocked: false }
      expect(await store.claims.toTry(T, 10)).toEqual([{ ...feed, isPrivate: true }])
      await store.claims.noteClaim(feed, T, false)
      expect(await store.claims.toTry(T, 10)).toEqual([])
      await store.indexStore.indexBatch(10)
      expect(await store.claims.toTry(T + 1, 10)).toEqual([{ ...feed, isPrivate: false }])
      // A document that was not read again says what it said.
      await succeed(store, A)
      expect(await store.claims.toTry(T + 1, 10)).toHaveLength(1)
      await change(store, ole, 'old', { remove: [A] })
      expect(await store.claims.toTry(T + 1, 10)).toEqual([])
      await change(store, ole, 'old', { add: [A] })
      await succeed(store, A, claim(''))
      expect(await store.claims.toTry(T + 1, 10)).toEqual([])
    })

    it('is one podcast with that from when it was found true until it says something else', async (world) => {
      const { store, ida } = world
      await give(store, A, 1)
      await succeed(store, A, claim(B))
      const { id } = await known(store, A)
      await store.claims.noteClaim({ id, newFeedUrl: C }, T, true)
      await change(store, ida, 'phone', { add: [A, B] })
      expect(await userList(world)).toEqual([A, B])
      await store.claims.noteClaim({ id, newFeedUrl: B }, T, true)
      expect(await store.claims.toTry(T + 1, 10)).toEqual([])
      expect(await userList(world)).toEqual([B])
      await succeed(store, A, claim(B))
      expect(await userList(world)).toEqual([B])
      await succeed(store, A, claim(D))
      expect(await userList(world)).toEqual([A, B])
    })
  })

  describe('a removal of an address that leads nowhere yet', () => {
    /** What the job does each minute. */
    const applyLate = async ({ store }: World, at = T + 50) => {
      for (const removal of await store.lateRemovals.due(100)) await store.lateRemovals.apply(removal, at)
    }
    const there = 'https://there.example/f'

    for (const [what, address] of [
      ['that nobody has named before', there],
      ['that others have', B],
    ] as const) {
      it(`${what} is remembered, and done once the server has learned that the podcast is there`, async (world) => {
        const { store, ida } = world
        const since = await change(store, ida, 'phone', { add: [A, X] })
        expect(await change(store, ida, 'phone', { remove: [address], at: T + 9 })).toBe(since)
        await applyLate(world)
        expect([await listOf(world, 'phone'), await listOf(world, 'desk')]).toEqual([
          [A, X],
          [A, X],
        ])
        await leads(world, A, address)
        await applyLate(world)
        expect([await listOf(world, 'phone'), await listOf(world, 'desk')]).toEqual([[X], [X]])
        expect(await changesOf(world, 'desk', since + 1)).toEqual({ add: [], remove: sorted([A, address]) })
        // Once: what comes afterwards stays.
        const clock = await change(store, ida, 'phone', { add: [A], at: T + 60 })
        await leads(world, A)
        await leads(world, A, address)
        await applyLate(world, T + 90)
        expect([await listOf(world, 'desk'), await store.lateRemovals.due(100)]).toEqual([[X, A], []])
        expect((await store.subscriptions.changesSince(ida, 'desk', 0)).clock).toBe(clock)
      })
    }

    it('waits until one of the addresses that the device has leads there', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A] })
      await change(store, ida, 'phone', { remove: [C], at: T + 9 })
      await leads(world, B, C)
      await applyLate(world)
      expect(await listOf(world, 'desk')).toEqual([A])
      await leads(world, A, B)
      await applyLate(world)
      expect(await listOf(world, 'desk')).toEqual([])
    })

    for (const [what, add, uid] of [
      ['the podcast has been added again by the same device, under the address that it has', A, 'phone'],
      ['the podcast has been added again by the same device, under the other one', B, 'phone'],
      ['the other address has been added by another device', B, 'desk'],
    ] as const) {
      it(`is forgotten if ${what}`, async (world) => {
        const { store, ida } = world
        await change(store, ida, 'phone', { add: [A] })
        await change(store, ida, 'phone', { remove: [B], at: T + 9 })
        await change(store, ida, uid, { add: [add], at: T + 19 })
        const before = await listOf(world, 'desk')
        await leads(world, A, B)
        await applyLate(world)
        expect(await listOf(world, 'desk')).toEqual(before)
        await leads(world, A)
        await leads(world, A, B)
        await applyLate(world)
        expect(await listOf(world, 'desk')).toEqual(before)
      })
    }

    it('counts again after the podcast was added again', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A] })
      for (const [n, body] of [{ remove: [B] }, { add: [A] }, { remove: [B] }].entries())
        await change(store, ida, 'phone', { ...body, at: T + 10 * (n + 1) })
      await leads(world, A, B)
      await applyLate(world)
      expect(await listOf(world, 'desk')).toEqual([])
    })

    it('is forgotten where a device sends all that it has', async (world) => {
      const { store, ida } = world
      const many = Array.from({ length: 60 }, (_, n) => `https://many.example/${n}`)
      await change(store, ida, 'phone', { add: [A, X] })
      await change(store, ida, 'phone', { remove: [B, C], at: T + 9 })
      await change(store, ida, 'phone', { add: [...many, A], at: T + 19 })
      await leads(world, A, B)
      await applyLate(world)
      await change(store, ida, 'phone', { remove: [C], at: T + 59 })
      await store.subscriptions.replace(ida, 'phone', [A, X], T + 69)
      await leads(world, X, C)
      await applyLate(world)
      expect(await listOf(world, 'desk')).toEqual([A, X])
    })

    it('that a device had once means nothing more than it did', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A, B] })
      await change(store, ida, 'phone', { remove: [B], at: T + 9 })
      await change(store, ida, 'phone', { remove: [B], at: T + 19 })
      await leads(world, A, B)
      await applyLate(world)
      expect(await listOf(world, 'desk')).toEqual([A])
    })

    it('is no matter for a list that lacks both addresses: it goes at once', async (world) => {
      const { store, ida } = world
      await change(store, ida, 'phone', { add: [A, X] })
      await store.subscriptions.replace(ida, 'phone', [X], T + 9)
      expect([await listOf(world, 'phone'), await listOf(world, 'desk')]).toEqual([[X], [X]])
    })

    it('is remembered for a month, and so are the latest hundred of a user', async (world) => {
      const { store, ida } = world
      const [first, last] = ['https://first.example/', 'https://last.example/']
      const others = Array.from({ length: 150 }, (_, n) => `https://many.example/${n}`)
      await change(store, ida, 'phone', { add: [A, X] })
      await change(store, ida, 'phone', { remove: [first], at: T + 9 })
      for (const [n, remove] of [others.slice(0, 75), others.slice(75), [last]].entries())
        await change(store, ida, 'phone', { remove, at: T + 19 + n })
      await leads(world, A, first)
      await leads(world, X, last)
      expect(await store.lateRemovals.due(1000)).toHaveLength(1)
      await applyLate(world)
      expect(await listOf(world, 'desk')).toEqual([A])
      await change(store, ida, 'phone', { remove: [first], at: T + 9999 })
      await change(store, ida, 'phone', { remove: ['https://next.example/'], at: T + 9999 })
      expect(await store.lateRemovals.forget(T + 9998, 500)).toBe(99)
      expect(await store.lateRemovals.forget(T + 9999, 500)).toBe(1)
      await leads(world, A, 'https://next.example/')
      expect(await store.lateRemovals.due(1000)).toEqual([])
    })

    it('goes with its account and its device', async (world) => {
      const { store, ida, ole } = world
      await change(store, ida, 'phone', { add: [A] })
      await change(store, ole, 'old', { remove: [there], at: T + 9 })
      for (const uid of ['phone', 'desk']) await change(store, ida, uid, { remove: [there], at: T + 9 })
      await store.devices.remove(ida, 'desk', T)
      await leads(world, A, there)
      const [one, two] = await store.lateRemovals.due(100)
      expect([await store.lateRemovals.due(100), two?.userId]).toEqual([[one, two].flatMap((each) => each ?? []), ida])
      await store.devices.remove(ida, 'phone', T)
      if (two) await store.lateRemovals.apply(two, T + 9)
      expect(await store.lateRemovals.due(100)).toEqual([one].flatMap((each) => each ?? []))
    })
  })

  test('a list of the user, however long, counts a podcast once', async () => {
    const world = await openWorld()
    const { store, ida } = world
    const urls = Array.from({ length: 1200 }, (_, n) => `https://many.example/${n}`)
    await change(store, ida, 'phone', { add: [...urls, A, B] })
    await leads(world, A, B)
    await change(store, ida, 'desk', { add: [A] })
    expect(sorted(await userList(world))).toEqual(sorted([...urls, B]))
    const own = whole(await store.myPodcasts.list(ida))
    expect(sorted(own.map(({ url }) => url))).toEqual(sorted([...urls, B]))
    expect(own.find(({ url }) => url === B)?.devices).toEqual(['phone', 'desk'])
    const since = await change(store, ida, 'phone', { add: [X], at: T + 5 })
    await change(store, ida, 'phone', { remove: [A], at: T + 6 })
    await change(store, ida, 'phone', { remove: [...urls, B], at: T + 7 })
    expect((await changesOf(world, 'phone', since + 1)).remove).toEqual(sorted([A, B, ...urls]))
  })

  test('an account’s export has the addresses that a device has replaced', async () => {
    const world = await openWorld()
    const { store, ida } = world
    await addAccount(store, 'una')
    await change(store, ida, 'phone', { add: [A] })
    await leads(world, A, B)
    await change(store, ida, 'phone', { add: [B] })
    expect([...store.exports.replacedAddresses(ida, 'phone')].flat()).toEqual([A])
    expect([...store.exports.replacedAddresses(ida, 'desk')].flat()).toEqual([])
  })
}
