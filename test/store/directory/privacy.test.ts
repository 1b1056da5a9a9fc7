import { expect, test } from 'bun:test'
import type { SettingsScope } from '../../../src/domain/sync/ports/settings.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { A, addUser, B, change, index } from '../contract/fixtures.ts'
import { setSecret } from './listeners-world.ts'

/** Choices about the podcast itself are tested in listeners.property.test.ts. */
test.each<[SettingsScope, string, isPrivate: number]>([
  ['podcast', A, 1],
  ['podcast', B, 0],
  ['podcast', `${A}/`, 0],
  ['account', '', 0],
  ['device', 'phone', 0],
  ['episode', `${A} ${B}`, 0],
])('public_subscription = false for %s "%s" makes the podcast private: %d', async (scope, target, isPrivate) => {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  await change(store, ida, 'phone', { add: [A] })
  setSecret(db, A, false)
  await store.settings.change(ida, { scope, target }, { set: { public_subscription: false }, remove: [] }, 0)
  await index(store)
  expect(db.query('SELECT is_private AS isPrivate FROM podcasts WHERE url = ?1').get(A)).toEqual({ isPrivate })
})
