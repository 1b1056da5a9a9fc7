import { describe, expect, test } from 'bun:test'
import { failure, known } from '../feeds/feeds.ts'
import {
  A,
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
    it('follow the example in the protocol', async ({ store, ida }) => {
      const { subscriptions } = store
      expect(await change(store, ida, 'phone', { add: [A], at: T })).toBe(T)
      expect(await subscriptions.changesSince(ida, 'phone', 0)).toEqual({ add: [A], remove: [], clock: T })
      expect(await subscriptions.changesSince(ida, 'phone', T + 1)).toEqual({ add: [], remove: [], clock: T })
      await addDevices(store, ida, 'desk')
      expect((await subscriptions.changesSince(ida, 'desk', 0)).add).toEqual([])
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk']], stop: [] }, T + 2)
      expect(await subscriptions.changesSince(ida, 'desk', 0)).toEqual({ add: [A], remove: [], clock: T + 2 })
      expect(await change(store, ida, 'desk', { remove: [A], at: T + 4 })).toBe(T + 4)
      expect(await subscriptions.changesSince(ida, 'phone', T + 1)).toEqual({ add: [], remove: [A], clock: T + 4 })
      expect(await subscriptions.changesSince(ida, 'phone', 0)).toEqual({ add: [], remove: [], clock: T + 4 })
    })

    test.each([
      ['in the same second', T, T + 2],
      ['much later', T + 100, T + 100],
      ['after the clock was set back by ten years', T - 10 * 365 * 86_400, T + 2],
    ])('%s have different logical times', async (_case, second, clock) => {
      const { store, ida } = await withTwo(open)
      await change(store, ida, 'phone', { add: [A], at: T })
      expect(await change(store, ida, 'phone', { add: [B], at: second })).toBe(clock)
      for (const kept of [T + 1, T + 2])
        expect((await store.subscriptions.changesSince(ida, 'phone', kept)).add).toEqual([B])
    })

    it('without an effect do not advance the clock', async ({ store, ida }) => {
      const clock = await change(store, ida, 'phone', { add: [A], at: T })
      expect(await change(store, ida, 'phone', { add: [A], remove: [B], at: T + 50 })).toBe(clock)
      await store.subscriptions.replace(ida, 'phone', [A], T + 50)
      expect(await store.subscriptions.changesSince(ida, 'phone', clock + 1)).toEqual({ add: [], remove: [], clock })
    })

    it('are listed by the latest change of each feed', async ({ store, ida }) => {
      const since = await change(store, ida, 'phone', { add: [A] })
      await change(store, ida, 'phone', { remove: [A] })
      await change(store, ida, 'phone', { add: [A, B] })
      await change(store, ida, 'phone', { remove: [B] })
      expect(await store.subscriptions.changesSince(ida, 'phone', since)).toMatchObject({ add: [A], remove: [B] })
    })

    it('create an unknown device, even if empty; reads do not', async ({ store, ida }) => {
      expect(await store.subscriptions.changesSince(ida, 'radio', 0)).toEqual({ add: [], remove: [], clock: 0 })
      expect(await store.devices.list(ida)).toEqual([])
      await change(store, ida, 'phone', {})
      await store.subscriptions.replace(ida, 'desk', [], T)
      const made = ['phone', 'desk'].map((uid) => ({ uid, caption: uid, type: 'other' }))
      expect(await store.devices.list(ida)).toMatchObject(made)
    })
  })

  describe('missed changes that an upload reports (D14b)', () => {
    test.each([
      ['none without other uploads', [], false],
      ['none before the first read', ['desk'], false],
      ['those of another device in the sync group', ['desk'], true],
      ['none of a device outside the sync group', ['car'], false],
    ])('%s', async (what, writers, missed) => {
      const { store, ida } = await withTwo(open)
      await addDevices(store, ida, 'phone', 'desk', 'car')
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk']], stop: [] }, T)
      const clock = await change(store, ida, 'phone', { add: [A] })
      const seenUntil = what === 'none before the first read' ? undefined : clock + 1
      for (const uid of writers) await change(store, ida, uid, { add: [B] })
      const upload = (add: string[]) =>
        store.subscriptions.applyUpload(ida, 'phone', { add, remove: [] }, { at: T, seenUntil })
      // An upload without changes reports them as well.
      expect(await upload([])).toMatchObject({ missed, hasUnfetched: false })
      const written = await upload([C])
      expect(written.missed).toBe(missed)
      expect((await store.subscriptions.changesSince(ida, 'phone', written.clock)).add).toEqual([C])
    })
  })

  it('uploads and lists report whether they added a feed that was never fetched', async ({ store, ida }) => {
    const upload = async (add: string[], remove: string[] = []) =>
      (await store.subscriptions.applyUpload(ida, 'phone', { add, remove }, { at: T, seenUntil: undefined }))
        .hasUnfetched
    expect([await upload([A]), await upload([A]), await upload([], [A]), await upload([A])]).toEqual([
      ...[true, false, false, true],
    ])
    await store.feeds.fail((await known(store, A)).id, failure())
    expect([await upload([], [A]), await upload([A]), await upload([B], [A])]).toEqual([false, false, true])
    const lists = [[A, B], [B], [B, C]]
    const answers = []
    for (const urls of lists) answers.push(await store.subscriptions.replace(ida, 'desk', urls, T))
    expect(answers).toEqual([true, false, true].map((hasUnfetched) => ({ hasUnfetched })))
  })

  describe('whole lists', () => {
    it('are sorted by addition, then by URL; a feed added again goes to the end', async ({ store, ida }) => {
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

    it('of a user have each feed once, by its first addition', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [C] })
      await change(store, ida, 'desk', { add: [A, B] })
      await change(store, ida, 'car', { add: [C] })
      await change(store, ida, 'desk', { remove: [B] })
      expect((await store.subscriptions.listUser(ida)).map(({ url }) => url)).toEqual([C, A])
    })

    it('count active users with at least one device subscribed', async ({ store, ida, ole }) => {
      const eva = await addUser(store, 'eva')
      for (const user of [ida, ole, eva]) await change(store, user, 'phone', { add: [A] })
      await change(store, ida, 'desk', { add: [A] })
      await change(store, eva, 'phone', { remove: [A] })
      const [podcast] = await store.subscriptions.listUser(ida)
      expect(podcast).toMatchObject({ url: A, title: A, subscribers: 2, subscribersLastWeek: 2 })
      await store.users.setActive('ole', false, BY_COMMAND_LINE)
      await index(store)
      expect(await store.subscriptions.listDevicePodcasts(ida, 'phone')).toMatchObject([{ subscribers: 1 }])
    })

    it('are replaced in one change', async ({ store, ida }) => {
      const since = await change(store, ida, 'phone', { add: [A, B], at: T })
      await store.subscriptions.replace(ida, 'phone', [C, B], T + 10)
      expect(await store.subscriptions.listDevice(ida, 'phone')).toEqual([B, C])
      const changes = { add: [C], remove: [A], clock: T + 10 }
      expect(await store.subscriptions.changesSince(ida, 'phone', since + 1)).toEqual(changes)
    })
  })
}
