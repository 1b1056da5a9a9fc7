import { expect, test } from 'bun:test'
import { FEEDS_PER_REQUEST, ROWS_PER_REQUEST } from '../../../src/domain/shared/limits.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addDevices, change, listActions, T } from '../contract/fixtures.ts'
import { actions, feeds, open, rowsOf, type World } from './full-account.ts'

/** A request is one transaction, so its size is limited (docs/protocol.md#limits). */

const GROUP = Array.from({ length: 7 }, (_, n) => `device${n}`)
const WITHOUT_QUOTAS = { subscriptions: 1_000_000, devices: 100 }
/** Feeds on each device before they are grouped; their union would be just too large. */
const EACH = Math.ceil((ROWS_PER_REQUEST + 1) / GROUP.length / (GROUP.length - 1))

async function openGroup(isJoined: boolean): Promise<World> {
  const world = await open(WITHOUT_QUOTAS)
  const { store, ida } = world
  await addDevices(store, ida, ...GROUP)
  if (isJoined) await store.syncGroups.regroup(ida, { synchronize: [GROUP], stop: [] }, T + 5)
  return world
}

const LIMIT = Math.floor(ROWS_PER_REQUEST / GROUP.length)

const REFUSED: [string, boolean, (world: World) => Promise<unknown>][] = [
  [
    'an upload of too many feeds for a group',
    true,
    ({ store, ida }) => change(store, ida, 'device0', { add: feeds(0, LIMIT), remove: feeds(9000, 9001) }),
  ],
  [
    'a list of too many feeds for a group',
    true,
    ({ store, ida }) => store.subscriptions.replace(ida, 'device0', feeds(0, LIMIT + 1), T + 10),
  ],
  [
    'a group whose devices have too many feeds in total',
    false,
    ({ store, ida }) => store.syncGroups.regroup(ida, { synchronize: [GROUP], stop: [] }, T + 10),
  ],
]

test('a group accepts as many changes as the limit, and refuses a list that replaces more', async () => {
  const { db, store, ida } = await openGroup(true)
  await change(store, ida, 'device0', { add: feeds(0, LIMIT) })
  for (const uid of GROUP) expect(await store.subscriptions.listDevice(ida, uid)).toHaveLength(LIMIT)
  const before = rowsOf(db)
  const replacing = store.subscriptions.replace(ida, 'device0', feeds(LIMIT, 2 * LIMIT), T + 20)
  await expect(replacing).rejects.toMatchObject({ code: 'payload_too_large' })
  expect(rowsOf(db)).toBe(before)
  // Unchanged feeds do not count.
  await store.subscriptions.replace(ida, 'device0', feeds(1, LIMIT + 1), T + 30)
  expect(await store.subscriptions.listDevice(ida, 'device6')).toHaveLength(LIMIT)
  await store.subscriptions.replace(ida, 'radio', feeds(0, FEEDS_PER_REQUEST), T + 10)
  expect(await store.subscriptions.listDevice(ida, 'radio')).toHaveLength(FEEDS_PER_REQUEST)
})

test.each(REFUSED)('refuses %s, and changes nothing', async (_, isJoined, run) => {
  const world = await openGroup(isJoined)
  const { db, store, ida } = world
  if (!isJoined)
    for (const [n, uid] of GROUP.entries()) await change(store, ida, uid, { add: feeds(n * EACH, (n + 1) * EACH) })
  const before = rowsOf(db)
  await expect(run(world)).rejects.toMatchObject({ code: 'payload_too_large' })
  expect(rowsOf(db)).toBe(before)
})

test('refuses a restore of too many feeds for a group, and changes nothing', async () => {
  const { db, store, ida } = await openGroup(true)
  for (const list of [feeds(0, LIMIT), feeds(LIMIT, LIMIT + 9)])
    await change(store, ida, 'device0', { add: list, at: T + 10 })
  for (const list of [feeds(0, LIMIT), feeds(LIMIT, LIMIT + 9)])
    await change(store, ida, 'device0', { remove: list, at: T + 20 })
  const before = rowsOf(db)
  const restoring = store.listChanges.restore(ida, { uid: 'device0', time: T + 15 }, { at: T + 30, app: undefined })
  await expect(restoring).rejects.toMatchObject({ code: 'payload_too_large' })
  expect(rowsOf(db)).toBe(before)
})

test('refuses an upload beyond the quota, and changes nothing', async () => {
  const { db, store, ida } = await open()
  const before = rowsOf(db)
  await expect(change(store, ida, 'phone', { add: feeds(0, 5000) })).rejects.toMatchObject({ code: 'quota_exceeded' })
  expect(rowsOf(db)).toBe(before)
})

const MANY = actions(12_000).map((each, n) => ({ ...each, at: T + 100 + n }))

test('12,000 actions take three transactions; repeating an upload that was cut off stores nothing twice', async () => {
  const { db, store, ida } = await open()
  const sum = () => db.query<{ n: number }, []>('SELECT action_count AS n FROM users').get()?.n ?? 0
  const start = sum()
  const left: Uint8Array[] = []
  let seen = start
  const writing = store.episodeActions.applyUpload(ida, MANY, { at: T + 50_000, seenUntil: undefined })
  while (Bun.peek.status(writing) === 'pending') {
    await new Promise((resolve) => setImmediate(resolve))
    if (sum() !== seen) left.push(db.serialize())
    seen = sum()
  }
  const { added, clock, missed } = await writing
  expect([added, missed, sum()]).toEqual([12_000, false, start + 12_000])
  const all = await listActions(store, ida)
  expect(left.length).toBeGreaterThanOrEqual(3)
  for (const bytes of left) {
    const copy = openMemoryDatabase(Buffer.from(bytes))
    const next = createSqliteStore(copy)
    await next.episodeActions.applyUpload(ida, MANY, { at: T + 60_000, seenUntil: undefined })
    expect(await listActions(next, ida)).toEqual(all)
    expect(copy.query('SELECT action_count AS n FROM users').get()).toEqual({ n: start + 12_000 })
  }
  // An app that had read everything before gets none of its own actions back.
  expect(await listActions(store, ida, { since: clock + 1 })).toEqual([])
})

test('an upload in several transactions tells its own actions from those of others', async () => {
  const { store, ida } = await open()
  const { clock } = await store.episodeActions.list(ida, { since: 0, aggregated: false })
  const context = { at: T + 50_000, seenUntil: clock + 1 }
  expect((await store.episodeActions.applyUpload(ida, MANY, context)).missed).toBe(false)
  const [first, second] = await Promise.all([
    store.episodeActions.applyUpload(
      ida,
      MANY.map((each) => ({ ...each, at: each.at + 50_000 })),
      context,
    ),
    store.episodeActions.applyUpload(
      ida,
      actions(1).map((each) => ({ ...each, at: T + 99_999 })),
      context,
    ),
  ])
  expect([first.missed, second.missed]).toEqual([true, true])
})
