import { expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/stores.ts'
import { countedDatabase, planOf } from '../../support/database.ts'
import { episode, known } from '../contract/feeds/feeds.ts'
import { A, addDevices, addUser, change, feedDocument, T } from '../contract/fixtures.ts'

const COUNT = 300
const DAY = 86_400

/** The items of a user's inbox, read page by page. */
async function* itemsOf(store: Store, userId: UserId, limit: number) {
  let before: { at: number; id: number } | undefined
  do {
    const page = await store.inbox.inbox(userId, {
      before,
      limit,
      onlyUnplayed: false,
    })
    yield* page.items
    before = page.next
  } while (before)
}

test('the index finds the next page of a feed whose episodes all have the same date', async () => {
  const { db, during } = countedDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  await addDevices(store, ida, 'phone')
  await change(store, ida, 'phone', { add: [A] })
  const { id } = await known(store, A)
  await store.feeds.saveDetails(id, feedDocument())
  const episodes = Array.from({ length: COUNT }, (_, n) => episode(n))
  await store.feeds.saveEpisodes(id, episodes, T)

  const found: string[] = []
  const statements = await during(async () => {
    for await (const { url } of itemsOf(store, ida, 100)) found.push(url)
  })
  expect(found).toEqual(episodes.map(({ url }) => url).reverse())
  const plans = statements.map((sql) => planOf(db, sql)).filter((plan) => plan.includes('episode_details_released'))
  expect(plans.length).toBeGreaterThan(COUNT / 100)
  for (const plan of plans) expect(plan).toContain('released=? AND rowid<?')
})

test('pages go on before 1970', async () => {
  const { db } = countedDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  await addDevices(store, ida, 'phone')
  await change(store, ida, 'phone', { add: [A] })
  const { id } = await known(store, A)
  await store.feeds.saveDetails(id, feedDocument())
  const dates = [5, -5, -305_131_499, -36_000_000_000]
  const episodes = dates.map((released, n) => episode(n, { released }))
  await store.feeds.saveEpisodes(id, episodes, T)
  const found: (number | undefined)[] = []
  for await (const { released } of itemsOf(store, ida, 1)) found.push(released)
  expect(found).toEqual(dates)
})

test('a podcast that has moved has the new episodes that it had (D118)', async () => {
  const { db } = countedDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  await addDevices(store, ida, 'phone')
  const [httpUrl, httpsUrl] = ['http://d.example/f', 'https://d.example/f']
  await change(store, ida, 'phone', { add: [httpUrl], at: T })
  const { id: former } = await known(store, httpUrl)
  await store.upgrades.noteProbe(former, T, true)
  await store.upgrades.apply(ida, { httpUrl, httpsUrl }, T + 40 * DAY)
  const { id } = await known(store, httpsUrl)
  await store.feeds.saveDetails(id, feedDocument())
  const episodes = [-1, 1, 2].map((day, n) => episode(n, { released: T + day * DAY }))
  await store.feeds.saveEpisodes(id, episodes, T + 41 * DAY)
  const page = { before: undefined, limit: 9, onlyUnplayed: true, onlyNew: true }
  const { items } = await store.inbox.inbox(ida, page)
  expect(items.map(({ released = 0 }) => (released - T) / DAY)).toEqual([2, 1])
})

test('a page of new episodes reads a few podcasts, however many there are', async () => {
  const { db, during } = countedDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  await addDevices(store, ida, 'phone')
  const urls = Array.from({ length: 300 }, (_, n) => `https://feeds.example/${n}`)
  await change(store, ida, 'phone', { add: urls })
  for (const [n, url] of urls.entries()) {
    const { id } = await known(store, url)
    await store.feeds.saveEpisodes(
      id,
      [episode(n, { released: T - n * DAY }), episode(n + 300, { released: T - 900 * DAY })],
      T,
    )
  }
  const page = { before: undefined, limit: 12, onlyUnplayed: true, onlyNew: true }
  let found: (number | undefined)[] = []
  const statements = await during(async () => {
    const { items } = await store.inbox.inbox(ida, page)
    found = items.map(({ released }) => released)
  })
  expect(found).toEqual(Array.from({ length: 12 }, (_, n) => T - n * DAY))
  expect(statements.length).toBeLessThan(80)
})
