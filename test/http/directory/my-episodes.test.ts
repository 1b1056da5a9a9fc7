import { expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { type Answer, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { timestampOf } from '../sync/scene.ts'
import { episodeOf, openPrivateFeeds, PUBLIC, SECRET } from './private-feeds-scene.ts'
import { openDirectory, urlOf, valuesOf } from './scene.ts'

const FAVORITES = '/api/2/favorites/ida.json'
const UPDATES = '/api/2/updates/ida/phone.json'
const RELEASED = Date.UTC(2025, 2, 1) / 1000

const media = (name: string, n: number) => `https://cdn.example/${name}${n}.mp3`
const settingsOf = (feed: string, episode: string) =>
  `/api/2/settings/ida/episode.json?${new URLSearchParams({ podcast: feed, episode })}`

/** A feed with hourly episodes, the last one being the newest. */
const hourly = (name: string, count: number) =>
  feedDocument({
    title: `Podcast ${name}`,
    description: `About ${name}`,
    episodes: Array.from({ length: count }, (_, n) =>
      feedEpisode({ url: media(name, n), guid: `${name}${n}`, title: `${name} ${n}`, released: RELEASED + 3600 * n }),
    ),
  })

/** Ida subscribes to these feeds with so many episodes. */
async function open(feeds: Record<string, number>) {
  const documents = Object.fromEntries(Object.entries(feeds).map(([name, count]) => [name, hourly(name, count)]))
  const scene = await openDirectory({ people: { ida: Object.keys(feeds) }, feeds: documents })
  const ida = scene.as('ida')
  const mark = (name: string, n: number, body: object = { set: { is_favorite: true } }) =>
    ida.post(settingsOf(urlOf(name), media(name, n)), body)
  return { ...scene, ida, mark, favorites: async () => valuesOf(await ida.get(FAVORITES), 'url') }
}

test('favorites are listed once, newest first (D54)', async () => {
  const { app, ida, mark, favorites } = await open({ a: 3, b: 1 })
  expect(await favorites()).toEqual([])
  await mark('b', 0)
  for (const n of [2, 0]) await mark('a', n)
  await mark('b', 0)
  await mark('b', 0, { set: { speed: 2 } })
  expect(await favorites()).toEqual([media('a', 0), media('a', 2), media('b', 0)])
  app.clock.advance(60)
  await mark('a', 2, { set: { is_favorite: false } })
  await mark('a', 2)
  expect((await ida.get(FAVORITES)).json).toMatchObject([
    { title: 'a 2', podcast_title: 'Podcast a', podcast_url: urlOf('a'), released: '2025-03-01T02:00:00' },
    { title: 'a 0' },
    { title: 'b 0' },
  ])
  const all = Array.from({ length: 101 }, (_, n) => n)
  for (const n of all) await mark('c', n)
  expect((await favorites()).slice(0, 101)).toEqual(all.map((n) => media('c', n)).reverse())
})

test('any value of is_favorite but true removes a favorite', async () => {
  const { mark, favorites } = await open({ a: 2 })
  await mark('a', 0)
  for (const change of [
    { set: { is_favorite: false } },
    { remove: ['is_favorite'] },
    { set: { is_favorite: true }, remove: ['is_favorite'] },
    { set: { is_favorite: 'true' } },
    { set: { is_favorite: 1 } },
    { set: { is_favorite: { is_favorite: true } } },
  ]) {
    await mark('a', 1)
    expect(await favorites()).toEqual([media('a', 1), media('a', 0)])
    expect((await mark('a', 1, change)).status).toBe(200)
    expect([change, await favorites()]).toEqual([change, [media('a', 0)]])
  }
})

test('a favorite of an unknown feed has only URLs, and other scopes have no favorites', async () => {
  const { ida, favorites } = await open({ a: 1 })
  await ida.post(`/api/2/settings/ida/podcast.json?podcast=${urlOf('a')}`, { set: { is_favorite: true } })
  expect(await favorites()).toEqual([])
  const [feed, url] = ['https://nobody.example/feed', 'https://nobody.example/1.mp3?a=1&b=2']
  await ida.post(settingsOf(feed, url), { set: { is_favorite: true } })
  expect((await ida.get(FAVORITES)).json).toEqual([
    {
      ...{ title: url, url, podcast_title: feed, podcast_url: feed, description: '', website: '', released: '' },
      ...{ guid: '', duration: null, size: null, mime_type: '', image_url: '', chapters_url: '', transcript_url: '' },
      has_picture: false,
      mygpo_link: `http://localhost/episode?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(url)}`,
    },
  ])
})

test('a favorite reveals nothing of a private feed of another user (D56)', async () => {
  const [secret] = SECRET
  const { ida, bob } = await openPrivateFeeds([secret, PUBLIC])
  for (const [client, name] of [[bob, 'bob'] as const, [ida, 'ida'] as const])
    await client.post(settingsOf(secret, episodeOf(secret)).replace('ida', name), { set: { is_favorite: true } })
  const ofBob = await bob.get('/api/2/favorites/bob.json')
  expect(ofBob.json).toMatchObject([{ title: episodeOf(secret), podcast_title: secret, description: '', released: '' }])
  expect((await ida.get(FAVORITES)).json).toMatchObject([{ title: 'Quillwort fog', description: 'Zanzibar' }])
})

test('a favorite of a feed that moved is listed once, with the new URL', async () => {
  const { app, ida, mark } = await open({ a: 1 })
  await app.rowsOf("UPDATE podcasts SET moved_to = 'https://new.example/a'")
  await mark('a', 0)
  const moved = { url: urlOf('a'), new_url: 'https://new.example/a' }
  expect((await ida.post('/api/2/me/moves', moved)).status).toBe(200)
  expect((await ida.get(FAVORITES)).json).toMatchObject([{ podcast_url: 'https://new.example/a', url: media('a', 0) }])
})

interface Updates {
  readonly add: { readonly url: string }[]
  readonly rem: string[]
  readonly remove: string[]
  readonly updates: { readonly url: string; readonly status: string; readonly action?: unknown }[]
}

function updatesIn({ status, headers, json }: Answer): Updates {
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)])
  return json as Updates
}

test('device updates list subscriptions and the five newest episodes of each podcast', async () => {
  const { ida, change } = await open({ a: 7, b: 1 })
  await change('ida', 'phone', { add: ['c'] })
  await change('ida', 'phone', { remove: ['c'] })
  const { add, rem, remove, updates } = updatesIn(await ida.get(UPDATES))
  expect(add).toMatchObject([
    { url: urlOf('a'), title: 'Podcast a', subscribers_last_week: 1 },
    { url: urlOf('b'), title: 'Podcast b', subscribers_last_week: 1 },
  ])
  expect([rem, remove]).toEqual([[], []])
  const newest = [6, 5, 4, 3, 2].map((n) => media('a', n))
  expect(updates.map(({ url }) => url)).toEqual([...newest, media('b', 0)])
  expect(updates[0]).toMatchObject({ title: 'a 6', podcast_title: 'Podcast a', status: 'new' })
})

test('device updates since a timestamp list later changes, in logical and in real time (D33)', async () => {
  const { app, ida, change, publish } = await open({ a: 2, b: 1 })
  const since = timestampOf(await ida.get(UPDATES))
  app.clock.advance(3600)
  expect(updatesIn(await ida.get(`${UPDATES}?since=${since}`))).toMatchObject({ add: [], rem: [], updates: [] })
  await publish('a', {
    episodes: [
      feedEpisode({ url: media('a', 8), released: since }),
      feedEpisode({ url: media('a', 9), guid: 'a9', released: since + 1 }),
    ],
  })
  await change('ida', 'phone', { add: ['c'], remove: ['b'] })
  const { add, rem, remove, updates } = updatesIn(await ida.get(`${UPDATES}?since=${since}`))
  expect([add.map(({ url }) => url), rem, remove]).toEqual([[urlOf('c')], [urlOf('b')], [urlOf('b')]])
  expect(updates.map(({ url }) => url)).toEqual([media('a', 9)])
  // The timestamp of an upload does not skip changes of other clients (D14b).
  const other = { headers: { 'user-agent': 'another' } }
  const seen = timestampOf(await ida.get(UPDATES))
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [urlOf('d')] }, other)
  expect(timestampOf(await ida.post('/api/2/subscriptions/ida/phone.json', { add: [urlOf('e')] }))).toBe(seen)
})

test('device updates have the state of episodes, and with include_actions its action', async () => {
  const { ida, publish } = await open({ a: 5 })
  const at = { podcast: urlOf('a'), device: 'phone', timestamp: '2025-03-02T09:00:00' }
  const play = { ...at, episode: media('a', 0), action: 'play', position: 61 }
  const download = { ...at, episode: media('a', 1), action: 'download' }
  await ida.post('/api/2/episodes/ida.json', [
    play,
    // A later download does not hide a position (D45).
    { ...play, action: 'download', timestamp: '2025-03-02T09:30:00' },
    download,
    { ...download, episode: media('a', 2), action: 'flattr' },
    { ...download, episode: media('a', 3), action: 'new' },
  ])
  const plain = await ida.get(UPDATES)
  const statuses = ['new', 'new', 'new', 'download', 'play']
  expect(updatesIn(plain).updates.map(({ status }) => status)).toEqual(statuses)
  expect(plain.text).not.toContain('"action"')
  const actions = [...Array(3).fill(undefined), { ...download, guid: 'a1' }, { ...play, guid: 'a0' }]
  for (const include of ['true', 'TRUE']) {
    const { updates } = updatesIn(await ida.get(`${UPDATES}?include_actions=${include}`))
    expect(updates.map(({ status, action }) => [status, action])).toEqual(
      actions.map((action, n) => [statuses[n], action]),
    )
  }
  for (const include of ['', '1', 'yes'])
    expect((await ida.get(`${UPDATES}?include_actions=${include}`)).text).toBe(plain.text)
  // The guid keeps the state when the media URL changes (D84).
  await publish('a', { episodes: [feedEpisode({ url: media('new', 0), guid: 'a0', released: RELEASED + 9e4 })] })
  expect(updatesIn(await ida.get(`${UPDATES}?include_actions=true`)).updates[0]).toMatchObject({
    ...{ url: media('new', 0), status: 'play', action: { episode: media('a', 0), position: 61 } },
  })
})

test('device updates are for one device of one user, and create no device', async () => {
  const { app, ida, change } = await open({ a: 1, b: 1 })
  const ole = await signUp(app, 'ole')
  await change('ida', 'desk', { add: ['b'] })
  await ole.post('/api/2/subscriptions/ole/phone.json', { add: [urlOf('b')] })
  await ole.post('/api/2/episodes/ole.json', [{ podcast: urlOf('b'), episode: media('b', 0), action: 'play' }])
  expect(updatesIn(await ida.get('/api/2/updates/ida/desk.json?include_actions=true'))).toMatchObject({
    ...{ add: [{ url: urlOf('b') }], updates: [{ url: media('b', 0), status: 'new' }] },
  })
  for (const [path, status, code, field] of [
    ['/api/2/updates/ida/car.json', 404, 'unknown_device', undefined],
    ['/api/2/updates/ida/a%20b.json', 400, 'validation_failed', 'device'],
    [`${UPDATES}?since=-1`, 400, 'validation_failed', 'since'],
    [`${UPDATES}?since=today`, 400, 'validation_failed', 'since'],
    ['/api/2/updates/ida/phone.xml', 404, 'not_found', undefined],
    ['/api/2/favorites/ida.opml', 404, 'not_found', undefined],
  ] as const)
    expectError(await ida.get(path), status, code, field)
  expect(valuesOf(await ida.get('/api/2/devices/ida.json'), 'id')).toEqual(['phone', 'desk'])
})

test('device updates of many podcasts are complete', async () => {
  const { app, ida } = await open({ a: 1, b: 1, z: 6 })
  const others = Array.from({ length: 30 }, (_, n) => urlOf(`many${n}`))
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: others })
  await ida.post('/api/2/subscriptions/ida/phone.json', { remove: others.slice(0, 15) })
  await app.services.feeds.refresh(urlOf('many20'))
  const { add, rem, updates } = updatesIn(await ida.get(UPDATES))
  expect(new Set(add.map(({ url }) => url))).toEqual(new Set([...['a', 'b', 'z'].map(urlOf), ...others.slice(15)]))
  expect([rem.length, updates.length]).toEqual([0, 7])
  const later = updatesIn(await ida.get(`${UPDATES}?since=${app.clock.seconds() + 1}`))
  expect([later.add.length, later.rem.length, later.updates.length]).toEqual([15, 15, 0])
})
