import { expect, test } from 'bun:test'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { countedDatabase, planOf } from '../../support/database.ts'
import { episode, known } from '../contract/feeds/feeds.ts'
import { A, addDevices, addUser, change, feedDocument, T } from '../contract/fixtures.ts'

const COUNT = 300

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
    let before: { at: number; id: number } | undefined
    do {
      const page = await store.inbox.inbox(ida, {
        before,
        limit: 100,
        podcast: undefined,
        tag: undefined,
        onlyUnplayed: false,
      })
      found.push(...page.items.map(({ url }) => url))
      before = page.next
    } while (before)
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
  let before: { at: number; id: number } | undefined
  do {
    const page = await store.inbox.inbox(ida, {
      before,
      limit: 1,
      podcast: undefined,
      tag: undefined,
      onlyUnplayed: false,
    })
    found.push(...page.items.map(({ released }) => released))
    before = page.next
  } while (before)
  expect(found).toEqual(dates)
})
