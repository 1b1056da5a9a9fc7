import { expect, test } from 'bun:test'
import { type Feeds, namesIn, openDirectory, urlOf } from './scene.ts'

/** lists.test.ts tests what all lists have in common. */

const DAY = 24 * 3600
const NAMES = ['ida', 'bob', 'eva'] as const

const HIDDEN = { set: { public_subscription: false } }
const settingsOf = (podcast: string, name = 'ida') => `/api/2/settings/${name}/podcast.json?podcast=${urlOf(podcast)}`

const titled = (a: string, b: string, c: string): Feeds => ({ a: { title: a }, b: { title: b }, c: { title: c } })
const ONE = { ida: ['c', 'b', 'a'] }

test.each<[string, Record<string, string[]>, Feeds, string[]]>([
  ['subscribers', { ...ONE, bob: ['b', 'c'], eva: ['b'] }, {}, ['b', 'c', 'a']],
  ['titles, if equal', ONE, titled('Winds', 'Fog', 'Gulls'), ['b', 'c', 'a']],
  ['titles, ignoring case and accents', ONE, titled('gulls', 'Érik', 'Fog'), ['b', 'c', 'a']],
  ['URLs, if titles are equal', ONE, titled('Fog', 'Fog', 'Fog'), ['a', 'b', 'c']],
])('the toplist is ordered by %s', async (_case, people, feeds, expected) => {
  const { anyone } = await openDirectory({ people, feeds })
  for (const count of [1, 2, 100])
    expect(namesIn(await anyone.get(`/toplist/${count}.json`))).toEqual(expected.slice(0, count))
})

test('the toplist has 1 to 100 podcast objects, by default 50 (D19, D20)', async () => {
  const { anyone, change } = await openDirectory({ people: { ida: [], bob: ['f7'] } })
  await change('ida', 'phone', { add: Array.from({ length: 101 }, (_, n) => `f${n}`) })
  for (const [count, expected] of [
    ['/1', 1],
    ['/101', 100],
    ['/99999999999999999999999999', 100],
    ['/0', 1],
    ['/-99999999999999999999999999', 1],
    ['/007', 7],
    ['', 50],
  ] as const)
    expect([count, namesIn(await anyone.get(`/toplist${count}.json`)).length]).toEqual([count, expected])
  const before = { scaled_logo_url: '', position_last_week: 0 }
  expect((await anyone.get('/toplist/2.json')).json).toMatchObject([
    { ...before, url: urlOf('f7'), subscribers: 2, subscribers_last_week: 2 },
    { ...before, url: urlOf('f0'), subscribers: 1, subscribers_last_week: 1 },
  ])
})

/** Users without subscriptions, after the first day of the statistics. */
async function openDays() {
  const scene = await openDirectory({ people: { ida: [], bob: [], eva: [] } })
  await scene.run('directory')
  return {
    ...scene,
    /** Lets days pass, each with two runs of the hourly job. */
    async days(count: number): Promise<void> {
      for (let day = 0; day < count; day++) {
        scene.app.clock.advance(DAY)
        for (let n = 0; n < 2; n++) await scene.run('directory')
      }
    },
    /** Sets the number of subscribers of a podcast. */
    async have(podcast: string, people: number): Promise<void> {
      for (const [index, name] of NAMES.entries())
        await scene.change(name, 'phone', index < people ? { add: [podcast] } : { remove: [podcast] })
    },
    /** For each podcast: subscribers now and a week ago, and the position then. */
    async list(): Promise<string[]> {
      const list = [(await scene.anyone.get('/toplist/100.json')).json].flat().map(Object)
      return list.map(
        ({ url, subscribers, subscribers_last_week: before, position_last_week: place }) =>
          `${url.replace(urlOf(''), '')} ${subscribers} was ${before} at ${place}`,
      )
    },
  }
}

test('positions of last week are those of the toplist then, without podcasts that are private now (D56)', async () => {
  const { as, have, list, days, publish } = await openDays()
  for (const [name, people] of Object.entries({ d: 1, c: 2, b: 2, a: 2, e: 3, 'x?token=1': 3 }))
    await have(name, people)
  await publish('a', { title: 'Winds' })
  for (const name of ['b', 'c']) await publish(name, { title: 'Fog' })
  await days(1)
  for (const name of ['a', 'b', 'c', 'd']) await have(name, 1)
  await days(7)
  const places = ['e 3 was 3 at 1', 'b 1 was 2 at 2', 'c 1 was 2 at 3', 'd 1 was 1 at 5', 'a 1 was 2 at 4']
  expect(await list()).toEqual(places)
  for (const name of NAMES) await as(name).post(settingsOf('e', name), HIDDEN)
  await days(1)
  expect((await list())[0]).toBe('b 1 was 1 at 1')
})

test('days on which the server is down or its clock is wrong count as days without changes', async () => {
  const { app, run, have, list, days } = await openDays()
  await have('a', 1)
  await days(1)
  await have('a', 2)
  await days(1)
  app.clock.advance(4 * DAY)
  await run('directory')
  expect(await list()).toEqual(['a 2 was 2 at 0'])
  app.clock.advance(2 * DAY)
  await run('directory')
  expect(await list()).toEqual(['a 2 was 1 at 1'])
  await have('a', 3)
  const now = app.clock.seconds()
  app.clock.jump(-now + 60)
  await run('directory')
  expect(await list()).toEqual(['a 3 was 1 at 1'])
  app.clock.jump(now)
  app.clock.advance(20 * DAY)
  await run('directory')
  expect(await list()).toEqual(['a 3 was 2 at 1'])
})

test('dead feeds are not in popular lists until they recover (D110)', async () => {
  const people = { ida: ['own'], bob: ['a', 'b', 'c', 'd'], eva: ['c', 'd'] }
  const feeds = Object.fromEntries(['own', 'a', 'b', 'c', 'd'].map((name) => [name, { title: name, tags: ['Sea'] }]))
  const { as, anyone, fail, publish, run } = await openDirectory({ people, feeds })
  await fail('a', 'unreachable', 12)
  await fail('c', 'not_found', 13)
  await fail('d', 'gone', 1)
  const lists = async () => [
    namesIn(await anyone.get('/toplist/10.json')),
    namesIn(await anyone.get('/api/2/tag/sea/10.json')),
    namesIn(await as('ida').get('/suggestions/10.json')),
  ]
  const alive = ['a', 'b', 'own']
  expect(await lists()).toEqual([alive, alive, ['b', 'a']])
  expect(namesIn(await anyone.get('/search.json?q=d'))).toEqual(['d'])
  for (const name of ['c', 'd']) await publish(name, { title: name, tags: ['Sea'] })
  await run('directory')
  const all = ['c', 'd', 'a', 'b', 'own']
  expect(await lists()).toEqual([all, all, ['d', 'c', 'b', 'a']])
})

test('dead feeds take no position of last week (D110)', async () => {
  const { have, list, days, publish, fail } = await openDays()
  await have('a', 2)
  await have('b', 1)
  await publish('b', { title: 'Fog' })
  await fail('a', 'gone', 1)
  await days(8)
  expect(await list()).toEqual(['b 1 was 1 at 1'])
})
