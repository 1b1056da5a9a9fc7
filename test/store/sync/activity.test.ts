import { expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import type { UserActivity } from '../../../src/domain/sync/activity/ports.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { planOf } from '../../support/database.ts'
import { T } from '../contract/fixtures.ts'

const IDA = 1 as UserId
const DAY = 24 * 3600

function open() {
  const db = openMemoryDatabase()
  const { activity } = createSqliteStore(db)
  db.run(`INSERT INTO users (id, username, username_key, state, created_at) VALUES (1, 'ida', 'ida', 'active', ${T})`)
  db.run(`INSERT INTO devices (user_id, uid, caption, type, created_at) VALUES (1, 'phone', 'Pixel', 'mobile', ${T})`)
  const list = async (since = 0) => (await activity.list(IDA, since)).rows
  const count = () => db.query<{ n: number }, []>('SELECT COUNT(*) AS n FROM activity').get()?.n
  return { db, activity, list, count }
}

const row = (rest: Partial<UserActivity> = {}): UserActivity => ({
  userId: IDA,
  ...{ kind: 'fetched_changes', reason: undefined, device: 'phone', app: 'AntennaPod', isBrowser: false },
  ...{ firstAt: T, lastAt: T, count: 1, added: 1, removed: 2, items: 3 },
  ...rest,
})

test('a row is merged into the one that it continues, or else stored separately', async () => {
  const { activity, list } = open()
  const { userId: _, ...first } = row()
  await activity.save([row(), row({ firstAt: T + 3600, lastAt: T + 3700, count: 4 })])
  const joined = { ...first, lastAt: T + 3700, count: 5, added: 2, removed: 4, items: 6 }
  expect(await list()).toEqual([joined])
  const others: Partial<UserActivity>[] = [
    { kind: 'sent_changes' },
    { device: undefined },
    { app: undefined },
    { isBrowser: true },
    { kind: 'refused', reason: 'forbidden' },
    { kind: 'refused', reason: 'rate_limited' },
    { firstAt: T + 9000, lastAt: T + 9000 },
  ]
  await activity.save(others.map((other) => row({ firstAt: T + 5000, lastAt: T + 5000, ...other })))
  expect(await list()).toHaveLength(1 + others.length)
  expect(await list(T + 9000)).toHaveLength(1)
  expect((await activity.list(IDA, 0)).captions).toEqual(new Map([['phone', 'Pixel']]))
})

test('keeps the newest rows of a user; refused requests do not displace others', async () => {
  const { activity, list, count } = open()
  const at = (n: number) => ({ firstAt: T + n, lastAt: T + n, device: `d${n}` })
  for (const kind of ['fetched_changes', 'refused'] as const)
    await activity.save(Array.from({ length: 1001 }, (_, n) => row({ kind, ...at(n) })))
  expect(count()).toBe(1000)
  const rows = await list()
  const oldest = (kind: string) => rows.filter((each) => each.kind === kind).at(-1)?.lastAt
  expect([oldest('fetched_changes'), oldest('refused')]).toEqual([T + 201, T + 801])
})

test('activity of a removed user is not saved, and is removed with the user', async () => {
  const { db, activity, count } = open()
  await activity.save([row({ userId: 7 as UserId }), row()])
  expect(count()).toBe(1)
  expect((await activity.list(7 as UserId, 0)).rows).toEqual([])
  db.run('DELETE FROM users')
  expect(count()).toBe(0)
})

test.each([
  ['false', false],
  ['true', true],
  ['null', true],
  ['"false"', true],
  [undefined, true],
])('with store_user_agent = %p, the app is named: %p', async (value, isNamed) => {
  const { db, activity, list } = open()
  await activity.save([row()])
  const settings = value === undefined ? '{}' : `{"store_user_agent":${value}}`
  db.run(`INSERT INTO settings (user_id, scope, target, value) VALUES (1, 'account', '', ?)`, [settings])
  await activity.save([row({ firstAt: T + 1, lastAt: T + 1 })])
  expect((await activity.list(IDA, 0)).namesApps).toBe(isNamed)
  expect((await list()).map(({ app, count: times }) => [app, times])).toEqual([[isNamed ? 'AntennaPod' : undefined, 2]])
})

test('removes old rows in batches', async () => {
  const { activity, list, count } = open()
  await activity.save(Array.from({ length: 10 }, (_, n) => row({ firstAt: T + n * DAY, lastAt: T + n * DAY })))
  expect(await activity.removeOld(T + 5 * DAY, 3)).toBe(3)
  expect(await activity.removeOld(T + 5 * DAY, 3)).toBe(2)
  expect(await activity.removeOld(T + 5 * DAY, 3)).toBe(0)
  expect(count()).toBe(5)
  expect((await list()).at(-1)?.lastAt).toBe(T + 5 * DAY)
})

test('reading and counting the rows of a user uses the index', () => {
  const { db } = open()
  const plan = (sql: string) => planOf(db, sql)
  const kept = `SELECT id FROM activity WHERE user_id = 1 AND (kind = 'refused') = 0`
  expect(plan(`${kept} ORDER BY last_at DESC, id DESC LIMIT -1 OFFSET 9`)).toContain(
    'USING COVERING INDEX activity_user (user_id=? AND <expr>=?)',
  )
  expect(plan(`${kept} AND last_at >= 5 ORDER BY last_at DESC LIMIT 1`)).not.toContain('TEMP B-TREE')
})
