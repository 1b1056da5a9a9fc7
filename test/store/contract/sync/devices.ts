import { describe, expect } from 'bun:test'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import {
  A,
  action,
  addDevices,
  B,
  change,
  expectRefused,
  listActions,
  type OpenStore,
  report,
  T,
  withUsers,
} from '../fixtures.ts'

export function describeDevices(open: OpenStore): void {
  const it = withUsers(open)
  describe('devices', () => {
    it('have their ID as caption and type other until these are set', async ({ store, ida }) => {
      await store.devices.upsert(ida, 'phone', {}, T)
      expect(await store.devices.list(ida)).toEqual([
        { uid: 'phone', caption: 'phone', type: 'other', subscriptions: 0, lastSeenAt: undefined },
      ])
      await store.devices.upsert(ida, 'phone', { caption: "Ida's phone", type: 'mobile' }, T)
      await store.devices.upsert(ida, 'phone', { caption: 'Phone' }, T)
      await store.devices.upsert(ida, 'phone', {}, T)
      expect(await store.devices.list(ida)).toMatchObject([{ caption: 'Phone', type: 'mobile' }])
      await store.devices.upsert(ida, 'phone', { type: 'laptop' }, T)
      expect(await store.devices.list(ida)).toMatchObject([{ caption: 'Phone', type: 'laptop' }])
    })

    it('are listed by user, oldest first, with case-sensitive IDs', async ({ store, ida, ole }) => {
      await addDevices(store, ida, 'phone', 'Phone', 'Øre.2', 'a')
      await addDevices(store, ole, 'phone')
      expect((await store.devices.list(ida)).map(({ uid }) => uid)).toEqual(['phone', 'Phone', 'Øre.2', 'a'])
      expect(await store.devices.list(ole)).toHaveLength(1)
    })

    it('have a time last seen, until they are removed', async ({ store, ida, ole }) => {
      for (const user of [ida, ole]) await addDevices(store, user, 'phone', 'desk')
      await store.devices.noteLastSeen([
        { userId: ida, uid: 'phone', at: T },
        { userId: ole, uid: 'desk', at: T + 1 },
        { userId: ida, uid: 'phone', at: T + 2 },
        { userId: ida, uid: 'Phone', at: T + 3 },
      ])
      const times = async (user: UserId) => (await store.devices.list(user)).map(({ lastSeenAt }) => lastSeenAt)
      expect(await times(ida)).toEqual([T + 2, undefined])
      expect(await times(ole)).toEqual([undefined, T + 1])
      await store.devices.remove(ida, 'phone', T)
      await addDevices(store, ida, 'phone')
      expect(await times(ida)).toEqual([undefined, undefined])
    })
  })

  describe('removing a device', () => {
    it('is refused for an unknown device and another user’s', async ({ store, ida, ole }) => {
      await addDevices(store, ole, 'phone')
      await expectRefused(store.devices.remove(ida, 'phone', T), 'unknown_device')
      expect(await store.devices.list(ole)).toHaveLength(1)
    })

    it('removes its subscriptions and their history, but not its episode actions', async ({ store, ida }) => {
      await change(store, ida, 'phone', { add: [A, B] })
      await change(store, ida, 'phone', { remove: [B] })
      await report(store, ida, [action({ device: 'phone' })])
      expect(await store.devices.list(ida)).toMatchObject([{ uid: 'phone', subscriptions: 1 }])
      await store.devices.remove(ida, 'phone', T)
      expect(await store.subscriptions.listDevice(ida, 'phone')).toBeUndefined()
      expect(await store.subscriptions.listUser(ida)).toEqual([])
      await addDevices(store, ida, 'phone')
      expect(await store.subscriptions.changesSince(ida, 'phone', 1)).toMatchObject({ add: [], remove: [] })
      expect(await listActions(store, ida)).toMatchObject([{ device: 'phone' }])
    })

    it('leaves a sync group of two, or dissolves it', async ({ store, ida }) => {
      await addDevices(store, ida, 'phone', 'desk', 'car')
      await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk', 'car']], stop: [] }, T)
      await store.devices.remove(ida, 'desk', T)
      // A new device with the same ID is in no group.
      await change(store, ida, 'desk', { add: [B] })
      const expected = { synchronized: [['phone', 'car']], notSynchronized: ['desk'] }
      expect(await store.syncGroups.status(ida)).toEqual(expected)
      await change(store, ida, 'phone', { add: [A] })
      expect(await store.subscriptions.listDevice(ida, 'desk')).toEqual([B])
      await store.devices.remove(ida, 'phone', T)
      expect(await store.syncGroups.status(ida)).toEqual({ synchronized: [], notSynchronized: ['car', 'desk'] })
      expect(await store.subscriptions.listDevice(ida, 'car')).toEqual([A])
    })
  })
}
