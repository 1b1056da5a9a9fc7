import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { PodcastId } from '../../../src/domain/shared/ids.ts'
import { describeChange } from '../../../src/domain/sync/list-changes/list-changes.ts'
import { createEngine } from '../../../src/store/sqlite/core/engine.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { prepareAccountChoices } from '../../../src/store/sync/app-data/account-choices.ts'
import { type ChangeSection, decodeSections, encodeSections } from '../../../src/store/sync/list-changes/encoding.ts'
import { ChangeRecord, prepareListChanges } from '../../../src/store/sync/list-changes/list-changes.ts'
import { A, addDevices, addUser, B, C, change, T } from '../contract/fixtures.ts'
import { actions, feeds, MOVED, open, rowsOf } from './full-account.ts'

const number = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 2 ** 40 }))
const numbers = fc.uniqueArray(number, { maxLength: 20 })
const ids = numbers.map((found) => found as PodcastId[])
const section: fc.Arbitrary<ChangeSection> = fc.record({
  devices: numbers,
  added: ids,
  removed: ids,
  renamed: fc.array(fc.tuple(number, number).map((pair) => pair as [PodcastId, PodcastId])),
})

test('an encoded change is decoded unchanged, with unordered lists sorted', () => {
  const ascending = (found: readonly number[]) => found.toSorted((one, other) => one - other) as PodcastId[]
  fc.assert(
    fc.property(fc.array(section), (sections) => {
      expect([...decodeSections(encodeSections(sections))]).toEqual(
        sections.map(({ devices, added, removed, renamed }) => ({
          ...{ devices: ascending(devices), added: ascending(added) },
          ...{ removed: ascending(removed), renamed },
        })),
      )
    }),
  )
})

async function openStore() {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  const rows = () =>
    db.query<{ kind: string; bytes: number }, []>('SELECT kind, LENGTH(changes) AS bytes FROM list_changes').all()
  return {
    db,
    store,
    ida,
    rows,
    list: async (uid: string) => new Set((await store.subscriptions.listDevice(ida, uid)) ?? []),
    restore: (uid: string | undefined, time: number, at: number) =>
      store.listChanges.restore(ida, { uid, time }, { at, app: undefined }),
  }
}

test('a change of one podcast takes about ten bytes, and a long list at most two bytes per podcast', async () => {
  const { store, ida, rows } = await openStore()
  await addDevices(store, ida, 'a', 'b', 'c', 'd', 'e')
  await store.syncGroups.regroup(ida, { synchronize: [['a', 'b', 'c', 'd', 'e']], stop: [] }, T)
  await change(store, ida, 'a', { add: [A] })
  await change(store, ida, 'a', { add: feeds(0, 2000) })
  expect(rows()[0]?.bytes).toBeLessThan(12)
  expect(rows()[1]?.bytes).toBeLessThan(2 * 2000 + 20)
})

test.each([
  ['5,000 changes', 5600, 1, 'COUNT(*)', 5000, 5500],
  ['a megabyte of changes', 70, 20_000, 'SUM(LENGTH(changes))', 800_000, 1_200_000],
])('keeps at most about %s per user', async (_limit, count, podcasts, measure, min, max) => {
  const { db, store, ida, restore } = await openStore()
  await change(store, ida, 'phone', { add: [A] })
  const listChanges = prepareListChanges(createEngine(db), prepareAccountChoices(createEngine(db)))
  for (let n = 1; n <= count; n++) {
    const record = new ChangeRecord()
    for (let id = 1; id <= podcasts; id++) record[n % 2 === 0 ? 'add' : 'remove'](1, id as PodcastId)
    listChanges.write({ userId: ida, kind: 'upload', at: T + n }, record)
  }
  const kept = db.query<{ n: number }, []>(`SELECT ${measure} AS n FROM list_changes`).get()?.n
  expect(kept).toBeWithin(min, max)
  const start = db.query<{ at: number }, []>('SELECT at FROM list_change_starts').get()?.at ?? 0
  expect(start).toBeGreaterThan(T)
  await expect(restore(undefined, start - 1, T + 9999)).rejects.toMatchObject({ code: 'validation_failed' })
  expect((await store.listChanges.list(ida, { before: undefined, limit: 1 })).start).toBe(start)
  if (podcasts === 1) await restore(undefined, start, T + 9999)
})

test('changes are forgotten in the order in which they were made, even if the clock was set back', async () => {
  const { store, ida, rows } = await openStore()
  await change(store, ida, 'phone', { add: [A], at: T + 100 })
  await change(store, ida, 'phone', { add: [B], at: T })
  await change(store, ida, 'phone', { add: [C], at: T + 200 })
  // Never leaves a gap: the second change is older by the clock, but stays until the first is forgotten.
  expect(await store.listChanges.forget(ida, T + 50, 10)).toBe(0)
  expect(await store.listChanges.forget(ida, T + 150, 1)).toBe(1)
  expect(await store.listChanges.forget(ida, T + 150, 10)).toBe(1)
  expect(rows()).toHaveLength(1)
  expect(await store.listChanges.oldest(0, 10)).toEqual([{ userId: ida, at: T + 200 }])
  expect(await store.listChanges.oldest(ida, 10)).toEqual([])
  expect((await store.listChanges.list(ida, { before: undefined, limit: 9 })).start).toBe(T + 100)
})

test('a restore does not bring back changes of a removed device with the same row number', async () => {
  const { store, ida, list, restore } = await openStore()
  await change(store, ida, 'phone', { add: [A], at: T + 1 })
  await change(store, ida, 'phone', { remove: [A], at: T + 20 })
  await store.devices.remove(ida, 'phone', T + 21)
  // The clock was set back, so this change is older than those of the removed device.
  await change(store, ida, 'other', { add: [B], at: T + 5 })
  await restore('other', T + 6, T + 30)
  expect(await list('other')).toEqual(new Set())
})

test('imports and upgrades of addresses are recorded as changes', async () => {
  const { store, ida, rows, list, restore } = await openStore()
  await store.transfer.placeFeeds(ida, 'phone', [{ url: A, seq: 5 }], true, T + 1)
  await store.transfer.startClock(ida)
  await change(store, ida, 'phone', { remove: [A], at: T + 20 })
  await change(store, ida, 'phone', { add: ['http://d.example/f'], at: T + 30 })
  await store.upgrades.noteProbe((await store.feeds.find('http://d.example/f'))?.id ?? (0 as PodcastId), T, true)
  await store.upgrades.apply(ida, { httpUrl: 'http://d.example/f', httpsUrl: 'https://d.example/f' }, T + 40)
  expect(rows().map(({ kind }) => kind)).toEqual(['import', 'upload', 'upload', 'exchange'])
  await restore('phone', T + 19, T + 50)
  expect(await list('phone')).toEqual(new Set([A]))
})

test('a restore of a long list applies to the whole sync group', async () => {
  const { store, ida } = await open()
  await store.subscriptions.replace(ida, 'phone', [...feeds(0, 1500), ...MOVED.map(({ to }) => to)], T + 10)
  await store.subscriptions.replace(ida, 'phone', [], T + 20)
  const restored = await store.listChanges.restore(ida, { uid: 'phone', time: T + 15 }, { at: T + 30, app: undefined })
  expect(restored.devices).toEqual(['phone', 'desk'])
  for (const uid of ['phone', 'desk']) expect(await store.subscriptions.listDevice(ida, uid)).toHaveLength(1560)
})

async function openSharing() {
  const { db, store, ida } = await open()
  const account = { scope: 'account', target: '' } as const
  await store.settings.change(ida, account, { set: { auto_sync: true }, remove: [] }, T + 5)
  return { db, store, ida, before: rowsOf(db) }
}

test('two new devices join at the same time under auto_sync', async () => {
  const { store, ida } = await openSharing()
  const read = (uid: string) => store.subscriptions.changesSince(ida, uid, 0, { at: T + 9 })
  const [one, other] = await Promise.all([read('new'), read('two')])
  expect(one.add.length).toBeGreaterThan(1000)
  expect(other.add).toHaveLength(one.add.length)
  expect((await store.syncGroups.status(ida)).synchronized).toEqual([['phone', 'desk', 'radio', 'new', 'two']])
})

describe('devices named by episode actions under auto_sync', () => {
  const from = (...devices: string[]) =>
    actions(1500).map((each, n) => ({ ...each, device: devices[n % devices.length] ?? '' }))
  const context = { at: T + 9, seenUntil: undefined }

  test('are not created if their lists would exceed the quota', async () => {
    const { db, store, ida, before } = await openSharing()
    const many = store.episodeActions.applyUpload(ida, from('a', 'b', 'c', 'd', 'e', 'f', 'g'), context)
    await expect(many).rejects.toMatchObject({ code: 'quota_exceeded' })
    expect(rowsOf(db)).toBe(before)
  })

  test('join the sync group, which is mentioned in the list of changes', async () => {
    const { store, ida } = await openSharing()
    const latest = async () => {
      const [change] = (await store.listChanges.list(ida, { before: undefined, limit: 1 })).items
      return change && describeChange(change)
    }
    await store.episodeActions.applyUpload(ida, from('new'), context)
    expect(await latest()).toMatch(/^new joined the other devices, which added \d+ podcasts$/)
    await store.episodeActions.applyUpload(ida, from('one', 'two'), context)
    expect(await latest()).toMatch(/^Devices joined the others, which added \d+ podcasts$/)
    const { synchronized } = await store.syncGroups.status(ida)
    expect(synchronized).toEqual([['phone', 'desk', 'radio', 'new', 'one', 'two']])
  })
})
