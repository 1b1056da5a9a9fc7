import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { MIGRATIONS, migrate } from '../../../src/store/sqlite/core/migrate.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { A, addUser, B, BY_COMMAND_LINE, C, change, T } from '../contract/fixtures.ts'

const OPTIONS = { version: 'test', now: 0, beforeChange: () => undefined }
const BEFORE = MIGRATIONS.slice(0, 14)

/** Ida's phone has A and had B, which her desk has. */
function fillOld(db: Database): UserId {
  db.run(`INSERT INTO users (id, username, username_key, is_admin, state, clock, created_at)
          VALUES (1, 'ida', 'ida', 0, 'active', ${T + 4}, 0)`)
  for (const uid of ['phone', 'desk'])
    db.query(`INSERT INTO devices (user_id, uid, caption, type, created_at) VALUES (1, ?1, ?1, 'other', 0)`).run(uid)
  for (const url of [A, B]) db.query('INSERT INTO podcasts (url, created_at) VALUES (?1, 0)').run(url)
  const subscribe = db.query(
    'INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (?1, ?2, 1, ?3)',
  )
  for (const [device, podcast, seq] of [
    [1, 1, T],
    [1, 2, T],
    [2, 2, T + 4],
  ])
    subscribe.run(device ?? 0, podcast ?? 0, seq ?? 0)
  db.run(
    `UPDATE subscriptions SET subscribed = 0, seq = ${T + 2}, previous_seq = seq WHERE device_id = 1 AND podcast_id = 2`,
  )
  return 1 as UserId
}

test('subscriptions come through the change of their layout, and are counted as before', async () => {
  const db = new Database(':memory:', { strict: true })
  migrate(db, { ...OPTIONS, migrations: BEFORE })
  db.run('PRAGMA foreign_keys = ON')
  // By hand: the store of today needs the layout of today.
  const ida = fillOld(db)
  const rows = (sql: string) => db.query(sql).values()
  const ALL = 'SELECT device_id, podcast_id, subscribed, seq, previous_seq FROM subscriptions'
  const COUNTS = 'SELECT podcast_id, devices FROM listeners ORDER BY podcast_id'
  const before = { subscriptions: rows(ALL), counts: rows(COUNTS) }
  expect(before.subscriptions).toHaveLength(3)

  expect(migrate(db, { ...OPTIONS, migrations: MIGRATIONS })).toContain('0014_subscriptions')
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
  await store.devices.remove(ida, 'desk', T)
  expect(rows('SELECT subscription_count FROM users')).toEqual([[1]])
  await store.users.remove('ida', BY_COMMAND_LINE)
  expect(rows(ALL)).toEqual([])
})

test('devices with subscriptions count as having sent them, devices that were only named do not', () => {
  const db = new Database(':memory:', { strict: true })
  migrate(db, { ...OPTIONS, migrations: MIGRATIONS.slice(0, 32) })
  fillOld(db)
  db.run(`INSERT INTO devices (user_id, uid, caption, type, created_at) VALUES (1, 'car', 'car', 'other', 0)`)
  expect(migrate(db, { ...OPTIONS, migrations: MIGRATIONS })).toContain('0032_has_sent')
  expect(db.query('SELECT uid, has_sent FROM devices ORDER BY id').values()).toEqual([
    ['phone', 1],
    ['desk', 1],
    ['car', 0],
  ])
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
