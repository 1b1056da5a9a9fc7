import { describe, expect, test } from 'bun:test'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { failure, known } from '../feeds/feeds.ts'
import {
  A,
  addAccount,
  addDevices,
  addUser,
  B,
  BY_COMMAND_LINE,
  C,
  change,
  index,
  type OpenStore,
  T,
  withTwo,
  withUsers,
} from '../fixtures.ts'

export function describeSubscriptions(open: OpenStore): void {
  const it = withUsers(open)
  describe('subscription changes', () => {
    test('follow the worked sequence of the protocol', async () => {
      const store = open()
      const { subscriptions } = store
      const ida = await addUser(store)
      expect(await change(store, ida, 'phone', { add: [A], at: T })).toBe(T)
      expect(await subscriptions.changesSince(ida, 'phone', 0)).toEqual({ add: [A], remove: [], clock: T })
      expect(await subscriptions.changesSince(ida, 'phone', T + 1)).toEqual({ add: [], remove: [], clock: T })
      await addDevices(store, ida, 'desk')
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk']], stop: [] }, T + 2)
      expect(await subscriptions.changesSince(ida, 'desk', 0)).toEqual({ add: [A], remove: [], clock: T + 2 })
      expect(await change(store, ida, 'desk', { remove: [A], at: T + 4 })).toBe(T + 4)
      expect(await subscriptions.changesSince(ida, 'phone', T + 1)).toEqual({ add: [], remove: [A], clock: T + 4 })
      expect(await subscriptions.changesSince(ida, 'phone', 0)).toEqual({ add: [], remove: [], clock: T + 4 })
    })

    test.each([
      ['in the same second', T, T, T + 2],
      ['a second later', T, T + 1, T + 2],
      ['much later', T, T + 100, T + 100],
      ['after the clock was set back', T, T - 5000, T + 2],
      ['after the clock was set back by ten years', T, T - 10 * 365 * 86_400, T + 2],
    ])('%s get a logical time of their own', async (_case, first, second, clock) => {
      const { store, ida } = await withTwo(open)
      await change(store, ida, 'phone', { add: [A], at: first })
      expect(await change(store, ida, 'phone', { add: [B], at: second })).toBe(clock)
      for (const kept of [first + 1, first + 2])
        expect((await store.subscriptions.changesSince(ida, 'phone', kept)).add).toEqual([B])
    })

    it('that change nothing do not tick', async ({ store, ida }) => {
      const clock = await change(store, ida, 'phone', { add: [A], at: T })
      expect(await change(store, ida, 'phone', { add: [A], remove: [B], at: T + 50 })).toBe(clock)
      expect(await change(store, ida, 'phone', { at: T + 50 })).toBe(clock)
      await store.subscriptions.replace(ida, 'phone', [A], T + 50)
      expect(await store.subscriptions.changesSince(ida, 'phone', clock + 1)).toEqual({ add: [], remove: [], clock })
    })

    it('list a feed that came back as added, one that went again as removed', async ({ store, ida }) => {
      const since = await change(store, ida, 'phone', { add: [A] })
      await change(store, ida, 'phone', { remove: [A] })
      await change(store, ida, 'phone', { add: [A, B] })
      await change(store, ida, 'phone', { remove: [B] })
      expect(await store.subscriptions.changesSince(ida, 'phone', since)).toMatchObject({ add: [A], remove: [B] })
    })

    it('make an unknown device, empty uploads too; fetches do not', async ({ store, ida }) => {
      expect(await store.subscriptions.changesSince(ida, 'radio', 0)).toEqual({ add: [], remove: [], clock: 0 })
      expect(await store.devices.list(ida)).toEqual([])
      await change(store, ida, 'phone', {})
      await store.subscriptions.replace(ida, 'desk', [], T)
      expect(await store.devices.list(ida)).toMatchObject([
        { uid: 'phone', caption: 'phone', type: 'other' },
        { uid: 'desk', caption: 'desk', type: 'other' },
      ])
    })

    it('of one device are not seen by another outside a group', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [A] })
      await addDevices(store, ida, 'desk')
      expect((await store.subscriptions.changesSince(ida, 'desk', 0)).add).toEqual([])
    })
  })

  describe('what an upload says about changes its client has not read (D14b)', () => {
    test.each([
      ['nobody wrote', [], false],
      ['nothing was read yet', ['desk'], false],
      ['another device of the group wrote', ['desk'], true],
      ['a device outside the group wrote', ['car'], false],
    ])('%s', async (what, writers, missed) => {
      const { store, ida } = await withTwo(open)
      await addDevices(store, ida, 'phone', 'desk', 'car')
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk']], stop: [] }, T)
      const clock = await change(store, ida, 'phone', { add: [A] })
      const seenUntil = what === 'nothing was read yet' ? undefined : clock + 1
      for (const uid of writers) await change(store, ida, uid, { add: [B] })
      const upload = { add: [C], remove: [] }
      const written = await store.subscriptions.applyUpload(ida, 'phone', upload, { at: T, seenUntil })
      expect(written.missed).toBe(missed)
      expect((await store.subscriptions.changesSince(ida, 'phone', written.clock)).add).toEqual([C])
    })

    it('counts although the upload itself changes nothing', async ({ store, ida }) => {
      const seenUntil = (await change(store, ida, 'phone', { add: [A] })) + 1
      const clock = await change(store, ida, 'phone', { add: [B] })
      const empty = { add: [], remove: [] }
      expect(await store.subscriptions.applyUpload(ida, 'phone', empty, { at: T, seenUntil })).toEqual({
        clock,
        missed: true,
        hasUnfetched: false,
      })
    })
  })

  describe('whether a feed was added that has never been fetched', () => {
    const upload = (store: Store, ida: UserId, add: string[], remove: string[] = []) =>
      store.subscriptions.applyUpload(ida, 'phone', { add, remove }, { at: T, seenUntil: undefined })

    it('is told of an upload: of what was not there, though it may have been before', async ({ store, ida }) => {
      expect(await upload(store, ida, [A])).toMatchObject({ hasUnfetched: true })
      expect(await upload(store, ida, [A])).toMatchObject({ hasUnfetched: false })
      expect(await upload(store, ida, [], [A])).toMatchObject({ hasUnfetched: false })
      expect(await upload(store, ida, [A])).toMatchObject({ hasUnfetched: true })
    })

    it('is no longer so once it has been tried', async ({ store, ida }) => {
      await upload(store, ida, [A])
      await store.feeds.fail((await known(store, A)).id, failure())
      expect(await upload(store, ida, [], [A])).toMatchObject({ hasUnfetched: false })
      expect(await upload(store, ida, [A])).toMatchObject({ hasUnfetched: false })
      expect(await upload(store, ida, [B], [A])).toMatchObject({ hasUnfetched: true })
    })

    it('is told of a whole list', async ({ store, ida }) => {
      expect(await store.subscriptions.replace(ida, 'phone', [A, B], T)).toEqual({ hasUnfetched: true })
      expect(await store.subscriptions.replace(ida, 'phone', [B], T)).toEqual({ hasUnfetched: false })
      expect(await store.subscriptions.replace(ida, 'phone', [B, C], T)).toEqual({ hasUnfetched: true })
    })
  })

  describe('whole lists', () => {
    it('are in order of addition, then of URL; a feed added again goes to the end', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [C, B] })
      await change(store, ida, 'phone', { add: [A] })
      expect(await store.subscriptions.listDevice(ida, 'phone')).toEqual([B, C, A])
      await change(store, ida, 'phone', { remove: [B] })
      await change(store, ida, 'phone', { add: [B] })
      expect(await store.subscriptions.listDevice(ida, 'phone')).toEqual([C, A, B])
      expect((await store.subscriptions.listDevicePodcasts(ida, 'phone'))?.map(({ url }) => url)).toEqual([C, A, B])
    })

    it('of an unknown device do not exist', async ({ store, ida, ole }) => {
      await change(store, ole, 'phone', { add: [A] })
      expect(await store.subscriptions.listDevice(ida, 'phone')).toBeUndefined()
      expect(await store.subscriptions.listDevicePodcasts(ida, 'phone')).toBeUndefined()
    })

    it('of a user name each feed of any device once, by its first addition', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [C] })
      await change(store, ida, 'desk', { add: [A, B] })
      await change(store, ida, 'car', { add: [C] })
      await change(store, ida, 'desk', { remove: [B] })
      expect((await store.subscriptions.listUser(ida)).map(({ url }) => url)).toEqual([C, A])
    })

    test('count active users with at least one device subscribed', async () => {
      const store = open()
      const [ida, ole, eva] = [await addUser(store, 'ida'), await addUser(store, 'ole'), await addUser(store, 'eva')]
      await addAccount(store, 'kai')
      for (const user of [ida, ole, eva]) await change(store, user, 'phone', { add: [A] })
      await change(store, ida, 'desk', { add: [A] })
      await change(store, eva, 'phone', { remove: [A] })
      const [podcast] = await store.subscriptions.listUser(ida)
      expect(podcast).toMatchObject({ url: A, title: A, subscribers: 2, subscribersLastWeek: 2 })
      await store.users.setActive('ole', false, BY_COMMAND_LINE)
      await index(store)
      expect(await store.subscriptions.listDevicePodcasts(ida, 'phone')).toMatchObject([{ subscribers: 1 }])
    })

    it('become exactly what replaces them, in one tick', async ({ store, ida }) => {
      const since = await change(store, ida, 'phone', { add: [A, B], at: T })
      await store.subscriptions.replace(ida, 'phone', [C, B], T + 10)
      expect(await store.subscriptions.listDevice(ida, 'phone')).toEqual([B, C])
      expect(await store.subscriptions.changesSince(ida, 'phone', since + 1)).toEqual({
        add: [C],
        remove: [A],
        clock: T + 10,
      })
      await store.subscriptions.replace(ida, 'phone', [], T + 10)
      expect(await store.subscriptions.listDevice(ida, 'phone')).toEqual([])
    })
  })
}
