import { expect, test } from 'bun:test'
import { SHORT_LIST } from '../../../src/domain/shared/lists.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { whole } from '../../support/values.ts'
import { succeed } from '../contract/feeds/feeds.ts'
import { A, addUser, B, change, T } from '../contract/fixtures.ts'
import { feeds } from './user-writes-world.ts'

test('a long list tells the address that a device has sent since the list was read last', async () => {
  const store = createSqliteStore(openMemoryDatabase())
  const ida = await addUser(store)
  await change(store, ida, 'phone', { add: [A, ...feeds(0, SHORT_LIST + 10)] })
  await succeed(store, A, { leads: [B] })
  const lists = async () => {
    const { add } = await store.subscriptions.changesSince(ida, 'phone', 0)
    const ofUser = whole(await store.subscriptions.listUser(ida)).map(({ url }) => url)
    const ofDevice = whole((await store.subscriptions.listDevice(ida, 'phone')) ?? [])
    return [ofUser, ofDevice, whole(add)].map((urls) => [A, B].filter((url) => urls.includes(url)))
  }
  expect(await lists()).toEqual([[A], [A], [A]])
  await change(store, ida, 'phone', { add: [B], at: T + 9 })
  expect(await lists()).toEqual([[B], [B], [B]])
  await store.subscriptions.replace(ida, 'phone', [A, ...feeds(0, SHORT_LIST + 10)], T + 99)
  expect(await lists()).toEqual([[A], [A], [A]])
})
