import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { countedRows } from '../../support/database.ts'
import { action, addUser, listActions, report, T } from '../contract/fixtures.ts'

const NAMES = 500

test('the cost of reading a device’s states depends on its own actions, not on the user’s history', async () => {
  const db = openMemoryDatabase()
  const rows = countedRows(db)
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  const play = (name: string, host: string, device: string, position: number) =>
    action({
      ...{ kind: 'play', device, started: 0, position, total: 60, at: T + position },
      ...{ episode: `https://${host}.example/${name}`, guid: name },
    })
  const names = Array.from({ length: NAMES }, (_, n) => `tale-${n}`)
  for (const host of ['one', 'two'])
    await report(
      store,
      ida,
      names.map((name) => play(name, host, 'phone', 10)),
    )
  await report(store, ida, [play('tale-0', 'three', 'desk', 30), play('tale-1', 'three', 'desk', 40)])
  const since = (await report(store, ida, [play('tale-1', 'four', 'desk', 20)])) + 1
  await report(store, ida, [play('tale-0', 'one', 'desk', 25)])

  rows.count = 0
  const states = await listActions(store, ida, { since, device: 'desk', aggregated: true })
  // The state is that of the later media URL, although only the other one is recent.
  expect(states).toMatchObject([{ position: 30, guid: 'tale-0', episode: 'https://one.example/tale-0' }])
  expect(rows.count).toBeLessThan(30)
  const all = await listActions(store, ida, { device: 'desk', aggregated: true })
  expect(all.map(({ position }) => position)).toEqual([30, 40])
})

test('states of thousands of episodes with two media URLs each are read in chunks', async () => {
  const store = createSqliteStore(openMemoryDatabase())
  const ida = await addUser(store)
  const unplayed = (host: string) =>
    Array.from({ length: 2500 }, (_, n) =>
      action({ kind: 'new', device: 'phone', at: T + n, episode: `https://${host}.example/${n}`, guid: `guid-${n}` }),
    )
  await report(store, ida, unplayed('one'))
  await report(store, ida, unplayed('two').toReversed())
  const states = await listActions(store, ida, { device: 'phone', aggregated: true })
  expect(states.map(({ at }) => at)).toEqual(Array.from({ length: 2500 }, (_, n) => T + n))
  expect(states.every(({ episode }) => episode.startsWith('https://two.'))).toBe(true)
})

test('no state is listed twice if media URLs are joined while states are read', async () => {
  const store = createSqliteStore(openMemoryDatabase())
  const ida = await addUser(store)
  const episodeOf = (n: number) => `https://one.example/${n}`
  const unplayed = (n: number) => action({ kind: 'new', device: 'phone', at: T - n, episode: episodeOf(n) })
  await report(
    store,
    ida,
    Array.from({ length: 1500 }, (_, n) => unplayed(n)),
  )
  const answer = store.episodeActions.list(ida, { since: 0, aggregated: true })
  // One of these two has been read by now, the other has not.
  const named = (n: number) => action({ device: 'phone', at: T - 9999, episode: episodeOf(n), guid: 'one' })
  await report(store, ida, [named(0), named(1400)])
  const states = (await Array.fromAsync((await answer).chunks)).flat()
  expect(states.filter(({ at }) => at === T)).toHaveLength(1)
  expect(states.some(({ at }) => at === T - 9999)).toBe(false)
})

test('an action uploaded during a read does not add its episode to the answer', async () => {
  const store = createSqliteStore(openMemoryDatabase())
  const ida = await addUser(store)
  const old = { device: 'phone', episode: 'https://one.example/old' }
  const since = (await report(store, ida, [action({ ...old, kind: 'play' })])) + 1
  const news = Array.from({ length: 5500 }, (_, n) =>
    action({ kind: 'new', device: 'phone', episode: `https://one.example/${n}` }),
  )
  await report(store, ida, news)
  const answer = store.episodeActions.list(ida, { since, aggregated: true })
  await report(store, ida, [action({ ...old, kind: 'download' })])
  const { clock, chunks } = await answer
  expect((await Array.fromAsync(chunks)).flat()).toHaveLength(news.length)
  expect(await listActions(store, ida, { since: clock + 1, aggregated: true })).toMatchObject([{ kind: 'play' }])
})
