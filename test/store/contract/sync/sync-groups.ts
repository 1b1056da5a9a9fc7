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

/** Lists of devices with one-letter IDs, one list per word. */
const lists = (words: string) => words.split(' ').flatMap((word) => (word === '' ? [] : [[...word]]))

export function describeSyncGroups(open: OpenStore): void {
  /** A user with devices a, b, c and d; each of `groups` was formed by a separate request. */
  async function withGroups(...groups: string[]) {
    const { store, ida, ole } = await withTwo(open)
    await addDevices(store, ida, ...'abcd')
    const regroup = (synchronize: string, stop = '', at = T) =>
      store.syncGroups.regroup(ida, { synchronize: lists(synchronize), stop: [...stop] }, at)
    for (const group of groups) await regroup(group)
    /** The subscriptions of each device, sorted by URL. */
    const held = async (uids: string) => {
      const found = await Promise.all([...uids].map((uid) => store.subscriptions.listDevice(ida, uid)))
      return found.map((urls) => urls?.toSorted((one, other) => (one < other ? -1 : 1)))
    }
    return { store, ida, ole, regroup, held }
  }

  // test/domain/sync/sync-groups.test.ts has all cases of the planned groups.
  describe('sync groups', () => {
    test.each([
      ['two pairs', '', 'db ca', '', 'ac bd', ''],
      ['members of two groups: whole groups merge', 'ab cd', 'ac', '', 'abcd', ''],
      ['a device leaves a group of three', 'abc', '', 'b', 'ac', 'bd'],
      ['a device leaves a pair, which dissolves it', 'ab', '', 'b', '', 'abcd'],
      ['devices join before they leave', 'ab', 'bc', 'b', 'ac', 'bd'],
    ])('%s', async (_case, before, synchronize, stop, groups, alone) => {
      const { store, ida, regroup } = await withGroups(...before.split(' '))
      const expected = { synchronized: lists(groups), notSynchronized: [...alone] }
      expect(await regroup(synchronize, stop)).toEqual(expected)
      expect(await store.syncGroups.status(ida)).toEqual(expected)
    })

    test.each([
      ['in a later group', 'ab cx', ''],
      ['among those to leave', 'ab', 'x'],
    ])('a request with another user’s device %s is refused as a whole', async (_case, groups, stop) => {
      const { store, ida, ole, regroup, held } = await withGroups()
      await addDevices(store, ole, 'x')
      await change(store, ida, 'a', { add: [A] })
      await expectRefused(regroup(groups, stop), 'unknown_device')
      expect((await store.syncGroups.status(ida)).synchronized).toEqual([])
      expect(await held('b')).toEqual([[]])
    })

    test('are separate for users with the same device IDs, and do not affect actions', async () => {
      const { store, ida, ole, regroup } = await withGroups('ab')
      await addDevices(store, ole, 'a', 'b')
      await change(store, ida, 'a', { add: [A] })
      expect((await store.syncGroups.status(ole)).synchronized).toEqual([])
      expect(await store.subscriptions.listDevice(ole, 'b')).toEqual([])
      await report(store, ida, [action({ device: 'a' })])
      await regroup('', 'a')
      expect(await listActions(store, ida)).toMatchObject([{ device: 'a' }])
    })
  })

  describe('the subscriptions of a group', () => {
    test('become the union, and each member gets what is new to it in its next delta', async () => {
      const { store, ida, regroup, held } = await withGroups()
      await change(store, ida, 'a', { add: [A, C], at: T })
      await change(store, ida, 'b', { add: [B, C], at: T + 1 })
      await change(store, ida, 'c', { add: [A] })
      // Removed by a third device, which joins later.
      const before = await change(store, ida, 'c', { remove: [A] })
      await regroup('ab', '', T + 10)
      for (const [uid, add] of [
        ['a', B],
        ['b', A],
      ] as const)
        expect(await store.subscriptions.changesSince(ida, uid, before + 1)).toEqual({
          ...{ add: [add], remove: [], clock: T + 10 },
        })
      // A device keeps the union even if it joins and leaves in the same request.
      await regroup('acd', 'd', T + 20)
      expect(await held('abcd')).toEqual(Array(4).fill([A, B, C]))
    })

    test('are changed by any member for all members, and for no other device', async () => {
      const { store, ida, held, regroup } = await withGroups('abc')
      const added = await change(store, ida, 'a', { add: [A, B] })
      const removed = await change(store, ida, 'c', { remove: [A] })
      for (const uid of 'abc') {
        expect(await store.subscriptions.changesSince(ida, uid, added)).toMatchObject({ add: [B], remove: [A] })
        expect(await store.subscriptions.changesSince(ida, uid, removed)).toMatchObject({ add: [], remove: [A] })
      }
      await store.subscriptions.replace(ida, 'b', [B, C], T)
      expect(await held('abcd')).toEqual([[B, C], [B, C], [B, C], []])
      await regroup('', 'b')
      await change(store, ida, 'a', { add: [A], remove: [B, C] })
      expect(await held('abc')).toEqual([[A], [B, C], [A]])
    })

    test('do not advance the clock if the group changes none of them', async () => {
      const { store, ida, regroup } = await withGroups()
      const before = await change(store, ida, 'a', { add: [A] })
      await regroup('bc', '', T + 100)
      expect((await store.subscriptions.changesSince(ida, 'b', 0)).clock).toBe(before)
    })
  })
}
