import { describe, expect, test } from 'bun:test'
import {
  A,
  action,
  addDevices,
  B,
  C,
  change,
  expectRefused,
  listActions,
  type OpenStore,
  report,
  T,
  withTwo,
} from '../fixtures.ts'

/** Devices of one letter, those of one word together. */
const lists = (words: string) => words.split(' ').flatMap((word) => (word === '' ? [] : [[...word]]))

export function describeSyncGroups(open: OpenStore): void {
  /** A user with devices a, b, c and d; `groups` are made one request each. */
  async function withGroups(...groups: string[][]) {
    const world = await withTwo(open)
    const { store, ida } = world
    await addDevices(store, ida, 'a', 'b', 'c', 'd')
    for (const group of groups) await store.syncGroups.regroup(ida, { synchronize: [group], stop: [] }, T)
    return world
  }

  describe('sync groups', () => {
    test.each([
      ['nothing asked', '', '', '', '', 'abcd'],
      ['a pair', '', 'ca', '', 'ac', 'bd'],
      ['two pairs', '', 'db ca', '', 'ac bd', ''],
      ['one device alone', '', 'a', '', '', 'abcd'],
      ['one device twice', '', 'aa', '', '', 'abcd'],
      ['a newcomer', 'ab', 'bc', '', 'abc', 'd'],
      ['members of two groups: whole groups merge', 'ab cd', 'ac', '', 'abcd', ''],
      ['stop in a group of three', 'abc', '', 'b', 'ac', 'bd'],
      ['stop in a pair dissolves it', 'ab', '', 'b', '', 'abcd'],
      ['stop of all', 'abc', '', 'abc', '', 'abcd'],
      ['stop of a device in no group', 'ab', '', 'c', 'ab', 'cd'],
      ['joins come before leaves', 'ab', 'bc', 'b', 'ac', 'bd'],
    ])('%s', async (_case, before, synchronize, stop, groups, alone) => {
      const { store, ida } = await withGroups(...lists(before))
      const expected = { synchronized: lists(groups), notSynchronized: [...alone] }
      const request = { synchronize: lists(synchronize), stop: [...stop] }
      expect(await store.syncGroups.regroup(ida, request, T)).toEqual(expected)
      expect(await store.syncGroups.status(ida)).toEqual(expected)
    })

    test('a list of no device has no effect', async () => {
      const { store, ida } = await withGroups()
      const expected = { synchronized: [], notSynchronized: [...'abcd'] }
      expect(await store.syncGroups.regroup(ida, { synchronize: [[]], stop: [] }, T)).toEqual(expected)
    })

    test.each([
      ['in a later group', 'ab cx', ''],
      ['alone in a list without effect', 'ab x', ''],
      ['among those to stop', 'ab', 'x'],
    ])('an unknown device %s means that nothing is applied', async (_case, synchronize, stop) => {
      const { store, ida } = await withGroups()
      await change(store, ida, 'a', { add: [A] })
      const request = { synchronize: lists(synchronize), stop: [...stop] }
      await expectRefused(store.syncGroups.regroup(ida, request, T), 'unknown_device')
      expect((await store.syncGroups.status(ida)).synchronized).toEqual([])
      expect(await store.subscriptions.listDevice(ida, 'b')).toEqual([])
    })

    test('another user’s device is an unknown one', async () => {
      const { store, ida, ole } = await withGroups()
      await addDevices(store, ole, 'radio')
      const request = { synchronize: [['a', 'radio']], stop: [] }
      await expectRefused(store.syncGroups.regroup(ida, request, T), 'unknown_device')
    })

    test('users with the same device IDs do not meet', async () => {
      const { store, ida, ole } = await withGroups(['a', 'b'])
      await addDevices(store, ole, 'a', 'b')
      await change(store, ida, 'a', { add: [A] })
      expect((await store.syncGroups.status(ole)).synchronized).toEqual([])
      expect(await store.subscriptions.listDevice(ole, 'b')).toEqual([])
    })
  })

  describe('the subscriptions of a group', () => {
    test('become the union at once, each member seeing what is new to it in its next delta', async () => {
      const { store, ida } = await withGroups()
      await change(store, ida, 'a', { add: [A, C], at: T })
      await change(store, ida, 'b', { add: [B, C], at: T + 1 })
      const before = (await store.subscriptions.changesSince(ida, 'a', 0)).clock
      await store.syncGroups.regroup(ida, { synchronize: [['a', 'b']], stop: [] }, T + 10)
      const ofA = await store.subscriptions.changesSince(ida, 'a', before + 1)
      expect(ofA).toEqual({ add: [B], remove: [], clock: T + 10 })
      const ofB = await store.subscriptions.changesSince(ida, 'b', before + 1)
      expect(ofB).toEqual({ add: [A], remove: [], clock: T + 10 })
      for (const uid of ['a', 'b'])
        expect(new Set(await store.subscriptions.listDevice(ida, uid))).toEqual(new Set([A, B, C]))
    })

    test('hold what one member has, even if another removed it long ago', async () => {
      const { store, ida } = await withGroups()
      await change(store, ida, 'a', { add: [A] })
      await change(store, ida, 'b', { add: [A] })
      await change(store, ida, 'b', { remove: [A] })
      await store.syncGroups.regroup(ida, { synchronize: [['a', 'b']], stop: [] }, T)
      expect(await store.subscriptions.listDevice(ida, 'b')).toEqual([A])
    })

    test('become the union of the whole groups that merge', async () => {
      const { store, ida } = await withGroups(['a', 'b'], ['c', 'd'])
      await change(store, ida, 'b', { add: [A] })
      await change(store, ida, 'd', { add: [B] })
      await store.syncGroups.regroup(ida, { synchronize: [['a', 'c']], stop: [] }, T)
      for (const uid of ['a', 'b', 'c', 'd'])
        expect(new Set(await store.subscriptions.listDevice(ida, uid))).toEqual(new Set([A, B]))
    })

    test('stay with a device that leaves in the request that let it join', async () => {
      const { store, ida } = await withGroups()
      await change(store, ida, 'a', { add: [A] })
      await store.syncGroups.regroup(ida, { synchronize: [['a', 'b', 'c']], stop: ['b'] }, T)
      expect(await store.subscriptions.listDevice(ida, 'b')).toEqual([A])
    })

    test('travel both ways, additions and removals, to every member and nobody else', async () => {
      const { store, ida } = await withGroups(['a', 'b', 'c'])
      const added = await change(store, ida, 'a', { add: [A, B] })
      const removed = await change(store, ida, 'c', { remove: [A] })
      for (const uid of ['a', 'b', 'c']) {
        expect(await store.subscriptions.changesSince(ida, uid, added)).toMatchObject({ add: [B], remove: [A] })
        expect(await store.subscriptions.changesSince(ida, uid, removed)).toMatchObject({ add: [], remove: [A] })
      }
      expect(await store.subscriptions.listDevice(ida, 'd')).toEqual([])
    })

    test('are replaced in every member', async () => {
      const { store, ida } = await withGroups(['a', 'b'])
      await change(store, ida, 'a', { add: [A, B] })
      await store.subscriptions.replace(ida, 'b', [B, C], T)
      for (const uid of ['a', 'b'])
        expect(new Set(await store.subscriptions.listDevice(ida, uid))).toEqual(new Set([B, C]))
    })

    test('no longer travel to a device that left, which keeps what it had', async () => {
      const { store, ida } = await withGroups(['a', 'b', 'c'])
      await change(store, ida, 'a', { add: [A] })
      await store.syncGroups.regroup(ida, { synchronize: [], stop: ['b'] }, T)
      await change(store, ida, 'a', { add: [B], remove: [A] })
      expect(await store.subscriptions.listDevice(ida, 'b')).toEqual([A])
      expect(await store.subscriptions.listDevice(ida, 'c')).toEqual([B])
    })

    test('do not move the clock when nothing is to be united', async () => {
      const { store, ida } = await withGroups()
      const before = await change(store, ida, 'a', { add: [A] })
      await store.syncGroups.regroup(ida, { synchronize: [['b', 'c']], stop: [] }, T + 100)
      expect((await store.subscriptions.changesSince(ida, 'b', 0)).clock).toBe(before)
    })
  })

  test('episode actions are the same in and out of groups', async () => {
    const { store, ida } = await withGroups(['a', 'b'])
    await report(store, ida, [action({ device: 'a' })])
    await store.syncGroups.regroup(ida, { synchronize: [], stop: ['a'] }, T)
    expect(await listActions(store, ida)).toMatchObject([{ device: 'a' }])
  })
}
