import { describe, expect, test } from 'bun:test'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import {
  A,
  action,
  addDevices,
  B,
  change,
  domainError,
  listActions,
  type OpenStore,
  report,
  T,
  withIda,
  withTwo,
} from '../fixtures.ts'

export function describeDevices(open: OpenStore): void {
  describe('devices', () => {
    test('are made with their ID as caption and type other', async () => {
      const { store, ida } = await withIda(open)
      await store.devices.upsert(ida, 'phone', {}, T)
      expect(await store.devices.list(ida)).toEqual([
        { uid: 'phone', caption: 'phone', type: 'other', subscriptions: 0, lastSeenAt: undefined },
      ])
    })

    test('change only in what is given', async () => {
      const { store, ida } = await withIda(open)
      await store.devices.upsert(ida, 'phone', { caption: "Ida's phone", type: 'mobile' }, T)
      await store.devices.upsert(ida, 'phone', { caption: 'Phone' }, T)
      await store.devices.upsert(ida, 'phone', {}, T)
      expect(await store.devices.list(ida)).toMatchObject([{ caption: 'Phone', type: 'mobile' }])
      await store.devices.upsert(ida, 'phone', { type: 'laptop' }, T)
      expect(await store.devices.list(ida)).toMatchObject([{ caption: 'Phone', type: 'laptop' }])
    })

    test('are listed oldest first, by IDs in which case matters, each user having their own', async () => {
      const { store, ida, ole } = await withTwo(open)
      await addDevices(store, ida, 'phone', 'Phone', 'Øre.2', 'a')
      await addDevices(store, ole, 'phone')
      expect((await store.devices.list(ida)).map(({ uid }) => uid)).toEqual(['phone', 'Phone', 'Øre.2', 'a'])
      expect(await store.devices.list(ole)).toHaveLength(1)
    })

    test('count the feeds they have, not those they had', async () => {
      const { store, ida } = await withIda(open)
      await change(store, ida, 'phone', { add: [A, B] })
      await change(store, ida, 'phone', { remove: [A] })
      expect(await store.devices.list(ida)).toMatchObject([{ uid: 'phone', subscriptions: 1 }])
    })

    test('remember when an app last used them, each user’s for himself', async () => {
      const { store, ida, ole } = await withTwo(open)
      for (const user of [ida, ole]) await addDevices(store, user, 'phone', 'desk')
      await store.devices.noteLastSeen([
        { userId: ida, uid: 'phone', at: T },
        { userId: ole, uid: 'desk', at: T + 1 },
        { userId: ida, uid: 'phone', at: T + 2 },
        { userId: ida, uid: 'Phone', at: T + 3 },
      ])
      const times = async (user: UserId) => (await store.devices.list(user)).map(({ lastSeenAt }) => lastSeenAt)
      expect([await times(ida), await times(ole)]).toEqual([
        [T + 2, undefined],
        [undefined, T + 1],
      ])
      expect(await store.devices.list(ida)).toHaveLength(2)
    })

    test('made anew have not been used yet', async () => {
      const { store, ida } = await withIda(open)
      await addDevices(store, ida, 'phone')
      await store.devices.noteLastSeen([{ userId: ida, uid: 'phone', at: T }])
      await store.devices.remove(ida, 'phone')
      await addDevices(store, ida, 'phone')
      expect(await store.devices.list(ida)).toMatchObject([{ uid: 'phone', lastSeenAt: undefined }])
    })
  })

  describe('removing a device', () => {
    test('refuses an unknown one, another user’s included', async () => {
      const { store, ida, ole } = await withTwo(open)
      await addDevices(store, ole, 'phone')
      await expect(store.devices.remove(ida, 'phone')).rejects.toMatchObject(domainError('unknown_device'))
      expect(await store.devices.list(ole)).toHaveLength(1)
    })

    test('takes its subscriptions and their history along, so that it starts anew', async () => {
      const { store, ida } = await withIda(open)
      await change(store, ida, 'phone', { add: [A, B] })
      await change(store, ida, 'phone', { remove: [B] })
      await store.devices.remove(ida, 'phone')
      expect(await store.subscriptions.listDevice(ida, 'phone')).toBeUndefined()
      expect(await store.subscriptions.listUser(ida)).toEqual([])
      await addDevices(store, ida, 'phone')
      expect(await store.subscriptions.changesSince(ida, 'phone', 1)).toMatchObject({ add: [], remove: [] })
    })

    test('leaves its episode actions, which go on naming it', async () => {
      const { store, ida } = await withIda(open)
      await report(store, ida, [action({ device: 'phone' })])
      await store.devices.remove(ida, 'phone')
      expect(await listActions(store, ida)).toMatchObject([{ device: 'phone' }])
    })

    test('dissolves a group of two; the other keeps its subscriptions', async () => {
      const { store, ida } = await withIda(open)
      await addDevices(store, ida, 'phone', 'desk')
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk']], stop: [] }, T)
      await change(store, ida, 'phone', { add: [A] })
      await store.devices.remove(ida, 'phone')
      expect(await store.syncGroups.status(ida)).toEqual({ synchronized: [], notSynchronized: ['desk'] })
      expect(await store.subscriptions.listDevice(ida, 'desk')).toEqual([A])
    })

    test('leaves a group of three as a group of two', async () => {
      const { store, ida } = await withIda(open)
      await addDevices(store, ida, 'phone', 'desk', 'car')
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk', 'car']], stop: [] }, T)
      await store.devices.remove(ida, 'desk')
      expect(await store.syncGroups.status(ida)).toEqual({ synchronized: [['phone', 'car']], notSynchronized: [] })
      await change(store, ida, 'phone', { add: [A] })
      expect(await store.subscriptions.listDevice(ida, 'car')).toEqual([A])
    })

    test('a device made anew is in no group', async () => {
      const { store, ida } = await withIda(open)
      await addDevices(store, ida, 'phone', 'desk', 'car')
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk', 'car']], stop: [] }, T)
      await store.devices.remove(ida, 'car')
      await change(store, ida, 'car', { add: [A] })
      expect(await store.subscriptions.listDevice(ida, 'phone')).toEqual([])
      expect((await store.syncGroups.status(ida)).notSynchronized).toEqual(['car'])
    })
  })
}
