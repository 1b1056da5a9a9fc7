import { expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import type { Answer } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { ACTIONS, media, playedTo } from './inbox-scene.ts'
import { openDirectory, urlOf } from './scene.ts'

type Scene = Awaited<ReturnType<typeof openDirectory>>
let scene: Scene

const episode = (name: string, n: number, title: string, description = '') =>
  feedEpisode({
    ...{ url: media(name, n), guid: `${name}${n}`, title, description },
    released: Date.UTC(2025, 0, 1 + n) / 1000,
  })

const HARBOUR = [
  episode('harbour', 1, 'Café on the quay', '<p>Gulls &amp; <b>lighthouses</b> of Normandy</p>'),
  episode('harbour', 2, 'Gulls', 'Of the quay'),
  episode('harbour', 3, '東京ラジオ'),
  episode('harbour', 4, 'الموسيقى'),
  episode('harbour', 5, '<script>alert(1)</script> {{name}}'),
  episode('harbour', 6, 'The quay again'),
]

async function open() {
  scene = await openDirectory({
    people: { ida: ['harbour'], bob: ['winds'] },
    feeds: {
      harbour: feedDocument({ title: 'Harbour Talk', episodes: HARBOUR }),
      winds: feedDocument({ title: 'Winds', episodes: [episode('winds', 1, 'Quay of winds')] }),
    },
  })
  await scene.app.indexed()
  return async (name: string, query: string) =>
    read(await scene.as(name).get(`/api/2/me/search?q=${encodeURIComponent(query)}`))
}

interface Found {
  readonly podcasts: { title: string }[]
  readonly episodes: { episode: { title: string }; state: string; position?: number }[]
  readonly history: { episode: { title: string }; state: string; position?: number }[]
}

function read({ status, json }: Answer) {
  expect(status).toBe(200)
  const { podcasts, episodes, history } = json as Found
  return {
    podcasts: podcasts.map(({ title }) => title),
    episodes: episodes.map((item) => item.episode.title),
    history: history.map((item) => [item.episode.title, item.state, item.position]),
  }
}

test('finds episodes and podcasts of the user by words, prefixes and mistyped words', async () => {
  const ask = await open()
  for (const [query, titles] of [
    ['quay', ['The quay again', 'Café on the quay', 'Gulls']],
    ['CAFE lighth', ['Café on the quay']],
    ['京', ['東京ラジオ']],
    ['موسيقى', ['الموسيقى']],
    ['script', [HARBOUR[4]?.title ?? '']],
    ['gullls', ['Gulls', 'Café on the quay']],
    ['again" OR "gulls', []],
    ['*', []],
  ] as const)
    expect([query, (await ask('ida', query)).episodes]).toEqual([query, [...titles]])
  expect((await ask('ida', 'harb')).podcasts).toEqual(['Harbour Talk'])
  expect((await ask('ida', 'winds')).podcasts).toEqual([])
  for (const query of ['', '%20'])
    expectError(await scene.as('ida').get(`/api/2/me/search?q=${query}`), 400, 'validation_failed', 'q')
})

test('finds prefixes in notes if there are fewer than five results, or the query has three letters', async () => {
  const ask = await open()
  const titled = [1, 2, 3, 4, 5].map((n) => episode('harbour', n, `Wharfside ${n}`))
  const episodes = [...titled, episode('harbour', 6, 'A', 'wharf'), episode('harbour', 7, 'B', 'wharfinger')]
  await scene.publish('harbour', { title: 'Harbour Talk', episodes })
  await scene.app.indexed()
  const inTitles = titled.map(({ title }) => title).reverse()
  expect((await ask('ida', 'wharf')).episodes).toEqual([...inTitles, 'A'])
  expect((await ask('ida', 'wharfin')).episodes).toEqual(['B'])
  expect((await ask('ida', 'wha')).episodes).toEqual([...inTitles, 'B', 'A'])
})

test('finds listened episodes of unsubscribed podcasts until their publisher blocks directories', async () => {
  const ask = await open()
  const ida = scene.as('ida')
  const heard = { podcast: urlOf('harbour'), episode: media('harbour', 2), device: 'phone', action: 'play' }
  await ida.post(ACTIONS, [{ ...heard, ...playedTo(600) }])
  await scene.change('ida', 'phone', { remove: ['harbour'] })
  expect(await ask('ida', 'gulls')).toEqual({ podcasts: [], episodes: [], history: [['Gulls', 'in_progress', 600]] })
  expect((await ask('bob', 'gulls')).history).toEqual([])
  await scene.publish('harbour', { title: 'Harbour Talk', isBlocked: true, episodes: HARBOUR })
  await scene.app.indexed()
  expect((await ask('ida', 'gulls')).history).toEqual([])
})
