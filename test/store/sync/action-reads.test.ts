import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { countedRows } from '../../support/database.ts'
import { action, addUser, listActions, report, T } from '../contract/fixtures.ts'

const NAMES = 500

test('the states that a device has told cost what the device has told, however many media URLs the user has', async () => {
  const db = openMemoryDatabase()
  const rows = countedRows(db)
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  const heard = (name: string, host: string, device: string, position: number) =>
    action({
      ...{ kind: 'play', device, started: 0, position, total: 60, at: T + position },
      ...{ episode: `https://${host}.example/${name}`, guid: name },
    })
  const names = Array.from({ length: NAMES }, (_, n) => `tale-${n}`)
  for (const host of ['one', 'two'])
    await report(
      store,
      ida,
      names.map((name) => heard(name, host, 'phone', 10)),
    )
  await report(store, ida, [heard('tale-0', 'three', 'desk', 30), heard('tale-1', 'three', 'desk', 40)])
  const since = (await report(store, ida, [heard('tale-1', 'four', 'desk', 20)])) + 1
  await report(store, ida, [heard('tale-0', 'one', 'desk', 25)])

  rows.count = 0
  const states = await listActions(store, ida, { since, device: 'desk', aggregated: true })
  // The later one of two media URLs, although only the other one has come since.
  expect(states).toMatchObject([{ position: 30, guid: 'tale-0', episode: 'https://one.example/tale-0' }])
  expect(rows.count).toBeLessThan(30)
  const all = await listActions(store, ida, { device: 'desk', aggregated: true })
  expect(all.map(({ position }) => position)).toEqual([30, 40])
})

test('what a device has told of thousands of episodes by two media URLs each is read in pieces', async () => {
  const store = createSqliteStore(openMemoryDatabase())
  const ida = await addUser(store)
  const heard = (host: string) =>
    Array.from({ length: 2500 }, (_, n) =>
      action({ kind: 'new', device: 'phone', at: T + n, episode: `https://${host}.example/${n}`, guid: `guid-${n}` }),
    )
  await report(store, ida, heard('one'))
  await report(store, ida, heard('two').toReversed())
  const states = await listActions(store, ida, { device: 'phone', aggregated: true })
  expect(states.map(({ at }) => at)).toEqual(Array.from({ length: 2500 }, (_, n) => T + n))
  expect(states.every(({ episode }) => episode.startsWith('https://two.'))).toBe(true)
})
