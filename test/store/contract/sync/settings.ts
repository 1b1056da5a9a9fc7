import { describe, expect, test } from 'bun:test'
import type { UserId } from '../../../../src/domain/shared/ids.ts'
import type { SettingsKey } from '../../../../src/domain/sync/ports/settings.ts'
import type { Store } from '../../../../src/store/stores.ts'
import { A, addDevices, addUser, B, expectRefused, type OpenStore, T, withUsers } from '../fixtures.ts'

const ACCOUNT: SettingsKey = { scope: 'account', target: '' }
const PHONE: SettingsKey = { scope: 'device', target: 'phone' }
/** Two of them have the same target. */
const KEYS: readonly SettingsKey[] = [
  ACCOUNT,
  PHONE,
  { scope: 'device', target: 'desk' },
  { scope: 'podcast', target: A },
  { scope: 'podcast', target: B },
  { scope: 'episode', target: `${A} ${B}` },
  { scope: 'episode', target: `${B} ${A}` },
  { scope: 'episode', target: A },
]

const put = (store: Store, userId: UserId, key: SettingsKey, set: Record<string, unknown>) =>
  store.settings.change(userId, key, { set, remove: [] }, T)

export function describeSettings(open: OpenStore): void {
  const it = withUsers(open)
  describe('settings', () => {
    test('are separate for each user, scope and target', async () => {
      const store = open()
      const users = [await addUser(store, 'ida'), await addUser(store, 'ole')]
      for (const id of users) await addDevices(store, id, 'phone', 'desk')
      const all = users.flatMap((id) => KEYS.map((key) => ({ id, key })))
      for (const [n, { id, key }] of all.entries()) {
        expect(await store.settings.read(id, key)).toBe('{}')
        expect(await put(store, id, key, { n })).toBe(`{"n":${n}}`)
      }
      for (const [n, { id, key }] of all.entries()) expect(await store.settings.read(id, key)).toBe(`{"n":${n}}`)
    })

    it('are changed by one concurrent request after the other', async ({ store, ida }) => {
      const answers = await Promise.all([
        put(store, ida, ACCOUNT, { a: 1 }),
        store.settings.change(ida, ACCOUNT, { set: { b: 2 }, remove: ['a'] }, T),
        put(store, ida, ACCOUNT, { c: 3 }),
      ])
      expect(answers).toEqual(['{"a":1}', '{"b":2}', '{"b":2,"c":3}'])
      expect(await store.settings.read(ida, ACCOUNT)).toBe('{"b":2,"c":3}')
    })

    it('are refused for another user’s device', async ({ store, ida, ole }) => {
      await addDevices(store, ole, 'phone')
      await expectRefused(store.settings.read(ida, PHONE), 'unknown_device')
      await expectRefused(put(store, ida, PHONE, { a: 1 }), 'unknown_device')
    })

    it('of a device are removed with it, and no others', async ({ store, ida, ole }) => {
      for (const id of [ida, ole]) {
        await addDevices(store, id, 'phone', 'desk')
        for (const key of KEYS) await put(store, id, key, { a: 1 })
      }
      await store.devices.remove(ida, 'phone', T)
      await addDevices(store, ida, 'phone')
      for (const key of KEYS) {
        expect(await store.settings.read(ida, key)).toBe(key === PHONE ? '{}' : '{"a":1}')
        expect(await store.settings.read(ole, key)).toBe('{"a":1}')
      }
    })
  })
}
