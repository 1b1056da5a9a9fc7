import { expect, test } from 'bun:test'
import { createFeedGuids } from '../../../src/domain/sync/feed-guids.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { known } from '../contract/feeds/feeds.ts'
import { A, action, addUser, feedEpisode, fingerprinted, listActions, report, T } from '../contract/fixtures.ts'

const media = (n: number) => `https://cdn.example/${n}.mp3`

/** A history of so many episodes by two media URLs each, as it was stored before guids of feeds counted. */
async function openOld(episodes: number) {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  const played = Array.from({ length: 2 * episodes }, (_, n) =>
    action({ kind: 'play', started: 0, position: n + 1, total: 9999, episode: media(n), at: T + n }),
  )
  await report(store, ida, played)
  const { id } = await known(store, A)
  const told = played.map(({ episode: url }, n) =>
    fingerprinted(feedEpisode({ url, guid: n === 0 ? '' : `guid ${n % episodes}` })),
  )
  await store.feeds.saveEpisodes(id, told, T)
  db.run('UPDATE user_episodes SET guid = NULL, joined_id = NULL')
  db.run('DELETE FROM joined_episodes')
  const states = async () => (await listActions(store, ida, { aggregated: true })).length
  expect(await states()).toBe(2 * episodes)
  return { db, store, states }
}

test('an old history gets the guids that feeds tell, in many small parts, and meets', async () => {
  const { store, states } = await openOld(1200)
  await createFeedGuids(store.feedGuids).run()
  // The feed tells none of the first one.
  expect(await states()).toBe(1201)
  expect(await store.feedGuids.isDone()).toBe(true)
})

test('it is done once, in as many runs as that takes', async () => {
  const { db, store, states } = await openOld(100)
  db.run('PRAGMA query_only = ON')
  const guids = createFeedGuids(store.feedGuids)
  await guids.run()
  db.run('PRAGMA query_only = OFF')
  expect([await states(), await store.feedGuids.isDone()]).toEqual([200, false])
  await Promise.all([guids.run(), guids.run()])
  expect([await states(), await store.feedGuids.isDone()]).toEqual([101, true])

  db.run('UPDATE user_episodes SET guid = NULL, joined_id = NULL')
  await guids.run()
  await createFeedGuids(store.feedGuids).run()
  expect(await states()).toBe(200)
})

test('a server that stops leaves the rest for the next start', async () => {
  const { store, states } = await openOld(100)
  const guids = createFeedGuids(store.feedGuids)
  const running = guids.run()
  guids.stop()
  await running
  expect([await states(), await store.feedGuids.isDone()]).toEqual([200, false])
  await createFeedGuids(store.feedGuids).run()
  expect(await states()).toBe(101)
})
