import { expect, test } from 'bun:test'
import openapi from '../../../docs/openapi.json'
import type { Client } from '../../support/client.ts'
import { openDirectory, urlOf } from './scene.ts'

/** What lists podcasts, by the operation of the API, for the viewer `name`. */
const PATHS: Readonly<Record<string, (name: string) => readonly string[]>> = {
  listOwnSubscriptions: () => ['/api/2/me/subscriptions'],
  listUserSubscriptions: (name) => [`/subscriptions/${name}.json`, `/subscriptions/${name}.xml`],
  getDeviceUpdates: (name) => [`/api/2/updates/${name}/phone.json?since=0`],
  listToplist: () => ['/toplist/100.json', '/toplist/100.xml'],
  listUsualToplist: () => ['/toplist.json'],
  listPodcastsOfTag: () => ['/api/2/tag/sea/100.json'],
  listSuggestions: () => ['/suggestions/100.json'],
  search: () => ['/search.json?q=show', '/search.xml?q=show'],
  searchAll: () => ['/api/2/search/all?q=show'],
  getPodcast: () => NAMES.map((name) => `/api/2/data/podcast.json?url=${urlOf(name)}`),
  getPodcastPage: () => NAMES.map((name) => `/api/2/me/podcast/about?url=${urlOf(name)}`),
  getPodcastList: () => ['/api/2/lists/ida/list/all.json', '/api/2/lists/ida/list/all.xml'],
}

/** Who has them, least listeners first; titles are in the opposite order. */
const LISTENERS = { left: 0, one: 1, two: 2, three: 3, four: 4 }
const NAMES = Object.keys(LISTENERS)
const SHOWN = { left: 0, one: 0, two: 0, three: 3, four: 4 }
const USERS = ['ida', 'bob', 'eva', 'tom'] as const

async function open(listeners: Readonly<Record<string, number>> = LISTENERS) {
  const feeds = Object.fromEntries(NAMES.map((name, n) => [name, { title: `Show ${9 - n}`, tags: ['Sea'] }]))
  const people = { ida: NAMES, bob: [], eva: [], tom: [], una: ['other'] }
  const scene = await openDirectory({ people, feeds: { ...feeds, other: { title: 'Other', tags: ['Sea'] } } })
  for (const [podcast, count] of Object.entries(listeners))
    for (const [n, user] of USERS.entries())
      await scene.change(user, 'phone', n < count ? { add: [podcast] } : { remove: [podcast] })
  await scene.as('ida').post('/api/2/lists/ida/create.json?title=all', NAMES.map(urlOf))
  await scene.run('directory')
  return scene
}

/** Every number of listeners that an answer names, by podcast; none of an answer that is refused. */
async function countsIn(client: Client, path: string): Promise<[podcast: string, count: number][]> {
  const { status, text, json } = await client.get(path)
  if (status !== 200) return []
  if (!path.includes('.xml')) return countsOf(json)
  return [...text.matchAll(/<url>([^<]*)<.*?<subscribers>(\d+)</gs)].map(([, url = '', count]) => [url, Number(count)])
}

function countsOf(json: unknown): [podcast: string, count: number][] {
  if (typeof json !== 'object' || json === null) return []
  const { url, subscribers, subscribers_last_week: before } = json as Record<string, unknown>
  const own = [subscribers, before].filter((count) => typeof count === 'number')
  return [...own.map((count): [string, number] => [String(url), count]), ...Object.values(json).flatMap(countsOf)]
}

test('the paths below are all that tells numbers of listeners to others than administrators', () => {
  const telling = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.values(methods)
      .filter((operation) => !path.includes('/admin/') && JSON.stringify(operation).includes('"subscribers_last_week"'))
      .map(({ operationId }) => operationId),
  )
  expect(new Set(telling)).toEqual(new Set(Object.keys(PATHS)))
})

test.each(Object.entries(PATHS))('%s shows one listener or two to nobody, and three to everybody', async (_, paths) => {
  const { as, anyone } = await open()
  const seen = new Map<string, Set<number>>()
  for (const [name, client] of [
    ...[...USERS, 'una'].map((user) => [user, as(user)] as const),
    ['ida', anyone] as const,
  ])
    for (const path of paths(name))
      for (const [podcast, count] of await countsIn(client, path))
        seen.set(podcast, (seen.get(podcast) ?? new Set()).add(count))
  expect(seen.size).toBeGreaterThan(1)
  const shown = new Map(Object.entries({ ...SHOWN, other: 0 }).map(([name, count]) => [urlOf(name), count]))
  for (const [podcast, counts] of seen) expect([podcast, ...counts]).toEqual([podcast, shown.get(podcast) ?? -1])
})

test('no answer to others differs by whether one listens or two', async () => {
  const answersOf = async (listeners: Readonly<Record<string, number>>) => {
    const { as, anyone } = await open(listeners)
    const answers = []
    for (const [who, client] of [['anyone', anyone] as const, ['una', as('una')] as const])
      for (const [operation, paths] of Object.entries(PATHS))
        for (const path of paths('una')) answers.push([who, operation, path, (await client.get(path)).text])
    return answers
  }
  const first = await answersOf(LISTENERS)
  expect(await answersOf({ ...LISTENERS, one: 2, two: 1 })).toEqual(first)
  expect(await answersOf({ ...LISTENERS, three: 4 })).not.toEqual(first)
})

test('administrators see all numbers where they look after feeds', async () => {
  const { admin } = await open()
  const { json } = await admin.get('/api/admin/feeds')
  const { feeds } = json as { feeds: readonly { readonly title: string; readonly subscribers: number }[] }
  const numbers = Object.fromEntries(feeds.map(({ title, subscribers }) => [title, subscribers]))
  expect(numbers).toMatchObject({ 'Show 8': 1, 'Show 7': 2, 'Show 6': 3, 'Show 5': 4 })
})
