import { expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/stores.ts'
import { countedDatabase, planOf } from '../../support/database.ts'
import { episode, known } from '../contract/feeds/feeds.ts'
import { A, addUser, change, T, written } from '../contract/fixtures.ts'

const COUNT = 300
const DAY = 86_400

async function open(...add: string[]) {
  const { db, during } = countedDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  await change(store, ida, 'phone', { add })
  /** Saves an episode for each date. */
  const save = async (url: string, dates: readonly number[], at = T) => {
    const { id } = await known(store, url)
    const episodes = dates.map((released, n) => episode(n, { released }))
    await written(store, store.feeds.saveEpisodes(id, episodes, at))
    return episodes
  }
  return { db, during, store, ida, save }
}

/** The items of a user's inbox, read page by page. */
async function* itemsOf(store: Store, userId: UserId, limit: number) {
  let before: { at: number; id: number } | undefined
  do {
    const page = await store.inbox.inbox(userId, { before, limit, onlyUnplayed: false })
    yield* page.items
    before = page.next
  } while (before)
}

test('the next page is found by the index even if all episodes have the same date', async () => {
  const { db, during, store, ida, save } = await open(A)
  const episodes = await save(A, Array(COUNT).fill(T))
  const found: string[] = []
  const statements = await during(async () => {
    for await (const { url } of itemsOf(store, ida, 100)) found.push(url)
  })
  expect(found).toEqual(episodes.map(({ url }) => url).reverse())
  const plans = statements.map((sql) => planOf(db, sql)).filter((plan) => plan.includes('episode_details_released'))
  expect(plans.length).toBeGreaterThan(COUNT / 100)
  for (const plan of plans) expect(plan).toContain('released=? AND rowid<?')
})

test('paging continues before 1970', async () => {
  const { store, ida, save } = await open(A)
  const dates = [5, -5, -305_131_499, -36_000_000_000]
  await save(A, dates)
  const found: (number | undefined)[] = []
  for await (const { released } of itemsOf(store, ida, 1)) found.push(released)
  expect(found).toEqual(dates)
})

test('a moved podcast keeps its new episodes (D118)', async () => {
  const [httpUrl, httpsUrl] = ['http://d.example/f', 'https://d.example/f']
  const { store, ida, save } = await open(httpUrl)
  await store.upgrades.noteProbe((await known(store, httpUrl)).id, T, true)
  await store.upgrades.apply(ida, { httpUrl, httpsUrl }, T + 40 * DAY)
  const dates = [-1, 1, 2].map((day) => T + day * DAY)
  await save(httpsUrl, dates, T + 41 * DAY)
  const page = { before: undefined, limit: 9, onlyUnplayed: true, onlyNew: true }
  const { items } = await store.inbox.inbox(ida, page)
  expect(items.map(({ released = 0 }) => (released - T) / DAY)).toEqual([2, 1])
})

test('a page of new episodes reads few podcasts, regardless of their number', async () => {
  const urls = Array.from({ length: 150 }, (_, n) => `https://feeds.example/${n}`)
  const { during, store, ida, save } = await open(...urls)
  for (const [n, url] of urls.entries()) await save(url, [T - n * DAY, T - 900 * DAY])
  const page = { before: undefined, limit: 12, onlyUnplayed: true, onlyNew: true }
  let found: (number | undefined)[] = []
  const statements = await during(async () => {
    found = (await store.inbox.inbox(ida, page)).items.map(({ released }) => released)
  })
  expect(found).toEqual(Array.from({ length: 12 }, (_, n) => T - n * DAY))
  expect(statements.length).toBeLessThan(80)
})
