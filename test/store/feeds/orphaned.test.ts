import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { episode, success } from '../contract/feeds/feeds.ts'
import { A, addUser, B, BY_COMMAND_LINE, change, feedDocument, index, T } from '../contract/fixtures.ts'

const EPISODES = 500
const KEEP = 10

/** An orphaned podcast with many episodes, and another with none. */
async function open() {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const id = await store.feeds.add(A, T)
  await store.feeds.saveDetails(id, feedDocument())
  await store.feeds.saveEpisodes(
    id,
    Array.from({ length: EPISODES }, (_, n) => episode(n)),
    T,
  )
  await store.feeds.succeed(id, success({ etag: '"1"', lastModified: 'today', bodyHash: 'abc' }))
  await store.feeds.add(B, T + 1)
  await index(store)
  const count = (table: string) =>
    db.query<{ n: number }, []>(`SELECT COUNT(*) AS n FROM ${table}`).get()?.n ?? Number.NaN
  return { store, count, remove: () => store.indexStore.removeOrphaned(T + 2, KEEP) }
}

test('orphaned podcasts are removed in small steps, with requests served in between', async () => {
  const { count, remove } = await open()
  let before = EPISODES
  for (let podcasts = 2; podcasts > 0; ) {
    podcasts -= (await remove()) ?? Number.NaN
    expect(count('podcasts')).toBe(podcasts)
    expect(before - count('episodes')).toBeLessThanOrEqual(200)
    before = count('episodes')
    expect(count('episode_details')).toBe(before)
  }
  expect(await remove()).toBeUndefined()
})

test('a partly removed podcast counts as never fetched, and stays if a user subscribes', async () => {
  const { store, count, remove } = await open()
  expect(await remove()).toBe(0)
  expect(await store.podcastStore.find(A, undefined)).toBeUndefined()
  const feed = await store.feeds.find(A)
  expect(feed).toMatchObject({ etag: undefined, lastModified: undefined, bodyHash: undefined })
  await change(store, await addUser(store), 'phone', { add: [A] })
  const some = count('episodes')
  expect(some).toBeGreaterThan(0)
  expect(await remove()).toBe(1)
  expect(await remove()).toBeUndefined()
  expect([count('podcasts'), count('episodes')]).toEqual([1, some])
  expect(await store.podcastStore.find(A, undefined)).toMatchObject({ isFetched: false })
})

test('a podcast with current or former subscribers cannot be removed', async () => {
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
