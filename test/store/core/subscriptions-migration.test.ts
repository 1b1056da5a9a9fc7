import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { MIGRATIONS, migrate } from '../../../src/store/sqlite/core/migrate.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { A, addDevices, addUser, B, BY_COMMAND_LINE, C, change } from '../contract/fixtures.ts'

const OPTIONS = { version: 'test', now: 0, beforeChange: () => undefined }
const BEFORE = MIGRATIONS.slice(0, 14)

test('subscriptions come through the change of their layout, and are counted as before', async () => {
  const db = new Database(':memory:', { strict: true })
  migrate(db, { ...OPTIONS, migrations: BEFORE })
  db.run('PRAGMA foreign_keys = ON')
  const old = createSqliteStore(db)
  const ida = await addUser(old, 'ida')
  await addDevices(old, ida, 'phone', 'desk')
  await change(old, ida, 'phone', { add: [A, B] })
  await change(old, ida, 'phone', { remove: [B] })
  await change(old, ida, 'desk', { add: [B] })
  const rows = (sql: string) => db.query(sql).values()
  const ALL = 'SELECT device_id, podcast_id, subscribed, seq, previous_seq FROM subscriptions'
  const COUNTS = 'SELECT podcast_id, devices FROM listeners ORDER BY podcast_id'
  const before = { subscriptions: rows(ALL), counts: rows(COUNTS) }
  expect(before.subscriptions).toHaveLength(3)

  expect(migrate(db, { ...OPTIONS, migrations: MIGRATIONS.slice(0, 15) })).toEqual(['0014_subscriptions'])
  expect({ subscriptions: rows(ALL), counts: rows(COUNTS) }).toEqual(before)

  const store = createSqliteStore(db)
  expect(await store.subscriptions.changesSince(ida, 'phone', 1)).toMatchObject({ add: [A], remove: [B] })
  await change(store, ida, 'desk', { add: [A, C], remove: [B] })
  expect(rows(COUNTS)).toEqual([
    [1, 2],
    [2, 0],
    [3, 1],
  ])
  expect(rows('SELECT subscription_count FROM users')).toEqual([[3]])
  await store.devices.remove(ida, 'desk')
  expect(rows('SELECT subscription_count FROM users')).toEqual([[1]])
  await store.users.remove('ida', BY_COMMAND_LINE)
  expect(rows(ALL)).toEqual([])
})

test('a podcast that somebody has or had cannot be removed', async () => {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store, 'ida')
  await change(store, ida, 'phone', { add: [A] })
  await change(store, ida, 'phone', { remove: [A] })
  expect(() => db.run('DELETE FROM podcasts')).toThrow('a podcast with listeners cannot be removed')
  await store.users.remove('ida', BY_COMMAND_LINE)
  db.run('DELETE FROM podcasts')
  expect(db.query('SELECT * FROM podcasts').values()).toEqual([])
})
