import { describe, expect, test } from 'bun:test'
import type { Store } from '../../../src/domain/store.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { ROWS_PER_JOB } from '../../../src/store/sqlite/sync/user-writes.ts'
import { succeed } from '../contract/feeds/feeds.ts'
import { A, addDevices, addUser, B, C, change, T } from '../contract/fixtures.ts'
import { afterJobs, copiesOf, rowsOf, type World } from './user-writes-world.ts'

/* A sync group of more devices than one job writes rows for, which one feed is written for as well. */

const UIDS = Array.from({ length: 3 * ROWS_PER_JOB + 1 }, (_, n) => `device-${n}`)
const FIRST = 'device-0'
const LAST = UIDS.at(-1) ?? ''
const D = 'https://d.example/f'
const QUOTAS = { subscriptions: 20_000, devices: 5000, settings: 10 }

/** All have A, which has moved to C, and B; nobody has D. */
async function fill(): Promise<Buffer> {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db, { quotas: QUOTAS })
  const ida = await addUser(store)
  await addDevices(store, ida, ...UIDS)
  await store.syncGroups.regroup(ida, { synchronize: [UIDS], stop: [] }, T)
  await change(store, ida, FIRST, { add: [A, B] })
  await succeed(store, A, { leads: [C] })
  return db.serialize()
}

const open = copiesOf(fill, QUOTAS)

async function listsOf(store: Store, ida: World['ida']): Promise<string[][]> {
  const lists: string[][] = []
  for (const uid of UIDS) lists.push((await store.subscriptions.listDevice(ida, uid)) ?? [])
  return lists
}

const CHANGES: [string, { add?: string[]; remove?: string[] }, string[], string[]][] = [
  ['a feed', { add: [D] }, [A, B, D], [A, B, D]],
  ['the removal of a feed', { remove: [B] }, [A], [A]],
  ['a feed and the removal of two', { add: [D], remove: [A, B] }, [D], [D]],
  // Each device has it by the address that its app knows.
  ['another address of a feed', { add: [C] }, [C, B], [A, B]],
  ['the removal of a feed by another address', { add: [D], remove: [C] }, [B, D], [B, D]],
]

describe.each(CHANGES)('%s, for a group of devices', (_, sent, first, others) => {
  test('is written in parts, between which others have their turn', async () => {
    const { store, ida } = await open()
    const bo = await addUser(store, 'bo')
    await addDevices(store, bo, 'phone')
    const writing = change(store, ida, LAST, sent)
    let turns = 0
    while (Bun.peek.status(writing) === 'pending') {
      await change(store, bo, 'phone', { add: [`https://bo.example/${turns}`] })
      turns++
    }
    await writing
    expect(turns).toBeGreaterThanOrEqual(3)
    const lists = await listsOf(store, ida)
    // The last one is the one that has sent it.
    expect(new Set(lists.pop())).toEqual(new Set(first))
    for (const list of lists) expect(new Set(list)).toEqual(new Set(others))
  })

  test('is taken back if the process ends in between', async () => {
    const { db, store, ida } = await open()
    const before = rowsOf(db)
    const writing = change(store, ida, FIRST, sent)
    expect(await afterJobs(db, 1, writing)).toBe(true)
    const left = openMemoryDatabase(db.serialize())
    await writing
    expect(rowsOf(left)).not.toBe(before)
    await createSqliteStore(left).recover()
    expect(rowsOf(left)).toBe(before)
  })
})

test('a feed that is one too many for each of a large group changes nothing', async () => {
  const { db, ida } = await open()
  const before = rowsOf(db)
  const full = createSqliteStore(db, { quotas: { ...QUOTAS, subscriptions: 2 * UIDS.length + ROWS_PER_JOB } })
  await expect(change(full, ida, FIRST, { add: [D] })).rejects.toMatchObject({ code: 'quota_exceeded' })
  expect(rowsOf(db)).toBe(before)
})
