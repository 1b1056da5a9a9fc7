import { describe, expect } from 'bun:test'
import { A, B, C, change, type OpenStore, T } from '../fixtures.ts'
import { addressWorlds, leads, sorted, type World, X } from './address-world.ts'

export function describeLateRemovals(open: OpenStore): void {
  const { listOf, changesOf, it } = addressWorlds(open)

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
}
