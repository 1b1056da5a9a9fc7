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

/** A feed with so many episodes, one an hour, the last one being the newest. */
const daily = (name: string, count: number) =>
  feedDocument({
    title: `Podcast ${name}`,
    description: `About ${name}`,
    episodes: Array.from({ length: count }, (_, n) =>
      feedEpisode({ url: media(name, n), guid: `${name}${n}`, title: `${name} ${n}`, released: RELEASED + 3600 * n }),
    ),
  })

/** Ida has feeds named by letters, with so many episodes each. */
async function open(feeds: Record<string, number>) {
  const documents = Object.fromEntries(Object.entries(feeds).map(([name, count]) => [name, daily(name, count)]))
  const scene = await openDirectory({ people: { ida: Object.keys(feeds) }, feeds: documents })
  const ida = scene.as('ida')
  const mark = (name: string, n: number, body: object = { set: { is_favorite: true } }) =>
    ida.post(settingsOf(urlOf(name), media(name, n)), body)
  return { ...scene, ida, mark, favorites: async () => valuesOf(await ida.get(FAVORITES), 'url') }
}

test('favorites are listed newest first, however fast they came, and each once (D54)', async () => {
  const { app, ida, mark, favorites } = await open({ a: 3, b: 1 })
  expect(await favorites()).toEqual([])
  for (const [name, n] of [
    ['b', 0],
    ['a', 2],
    ['a', 0],
  ] as const)
    await mark(name, n)
  await mark('b', 0)
  await mark('b', 0, { set: { speed: 2 } })
  expect(await favorites()).toEqual([media('a', 0), media('a', 2), media('b', 0)])
  app.clock.advance(60)
  await mark('a', 2, { set: { is_favorite: false } })
  await mark('a', 2)
  expect(await favorites()).toEqual([media('a', 2), media('a', 0), media('b', 0)])
  expect((await ida.get(FAVORITES)).json).toMatchObject([
    { title: 'a 2', podcast_title: 'Podcast a', podcast_url: urlOf('a'), released: '2025-03-01T02:00:00' },
    { title: 'a 0' },
    { title: 'b 0' },
  ])
})

test.each([
  ['false', { set: { is_favorite: false } }],
  ['its removal', { remove: ['is_favorite'] }],
  ['both at once', { set: { is_favorite: true }, remove: ['is_favorite'] }],
  ['a word', { set: { is_favorite: 'true' } }],
  ['a number', { set: { is_favorite: 1 } }],
  ['true further inside', { set: { is_favorite: { is_favorite: true } } }],
])('a favorite is one no more by %s', async (_what, change) => {
  const { mark, favorites } = await open({ a: 2 })
  await mark('a', 0)
  await mark('a', 1)
  expect((await mark('a', 1, change)).status).toBe(200)
  expect(await favorites()).toEqual([media('a', 0)])
})

test('a favorite of which nothing is known has its addresses, and a setting of another scope makes none', async () => {
  const { ida, favorites } = await open({ a: 1 })
  await ida.post(`/api/2/settings/ida/podcast.json?podcast=${urlOf('a')}`, { set: { is_favorite: true } })
  expect(await favorites()).toEqual([])
  const [feed, url] = ['https://nobody.example/feed', 'https://nobody.example/1.mp3?a=1&b=2']
  await ida.post(settingsOf(feed, url), { set: { is_favorite: true } })
  const { json, headers } = await ida.get(FAVORITES)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(json).toEqual([
    {
      ...{ title: url, url, podcast_title: feed, podcast_url: feed, description: '', website: '', released: '' },
      ...{ guid: '', duration: null, size: null, mime_type: '', image_url: '', chapters_url: '', transcript_url: '' },
      has_picture: false,
      mygpo_link: `http://localhost/episode?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(url)}`,
    },
  ])
})

test('a favorite tells nothing of a private feed that somebody else has (D56)', async () => {
  const [secret] = SECRET
  const { ida, bob } = await openPrivateFeeds([secret, PUBLIC])
  const mark = (client: typeof bob, name: string) =>
    client.post(settingsOf(secret, episodeOf(secret)).replace('ida', name), { set: { is_favorite: true } })
  await mark(bob, 'bob')
  await mark(ida, 'ida')
  const ofBob = await bob.get('/api/2/favorites/bob.json')
  expect(ofBob.json).toMatchObject([{ title: episodeOf(secret), podcast_title: secret, description: '', released: '' }])
  expect((await ida.get(FAVORITES)).json).toMatchObject([{ title: 'Quillwort fog', description: 'Zanzibar' }])
})

test('hundreds of favorites are all listed, in order', async () => {
  const { mark, favorites } = await open({ a: 3 })
  const all = Array.from({ length: 230 }, (_, n) => n)
  for (const n of all) await mark('a', n)
  expect(await favorites()).toEqual(all.map((n) => media('a', n)).reverse())
})

test('an exchange of addresses takes a favorite along, which stays one', async () => {
  const { app, ida, mark, favorites } = await open({ a: 1 })
  app.db.run("UPDATE podcasts SET moved_to = 'https://new.example/a'")
  await mark('a', 0)
  const moved = { url: urlOf('a'), new_url: 'https://new.example/a' }
  expect((await ida.post('/api/2/me/moves', moved)).status).toBe(200)
  expect(valuesOf(await ida.get(FAVORITES), 'podcast_url')).toEqual(['https://new.example/a'])
  expect(await favorites()).toEqual([media('a', 0)])
})

interface Updates {
  readonly add: { readonly url: string }[]
  readonly rem: string[]
  readonly remove: string[]
  readonly updates: { readonly url: string; readonly status: string; readonly action?: unknown }[]
}

function updatesIn(answer: Answer): Updates {
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^application\/json/),
  ])
  return answer.json as Updates
}

test('updates of a device have what was subscribed, and of each podcast the five newest episodes', async () => {
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

test('updates since a timestamp have what came after it, in logical and in real time (D33)', async () => {
  const { app, ida, change, publish } = await open({ a: 2, b: 1 })
  const since = timestampOf(await ida.get(UPDATES))
  app.clock.advance(3600)
  const quiet = updatesIn(await ida.get(`${UPDATES}?since=${since}`))
  expect([quiet.add, quiet.rem, quiet.updates]).toEqual([[], [], []])
  await publish('a', {
    episodes: [
      feedEpisode({ url: media('a', 8), released: since }),
      feedEpisode({ url: media('a', 9), guid: 'a9', released: since + 1 }),
    ],
  })
  await change('ida', 'phone', { add: ['c'], remove: ['b'] })
  const { add, rem, remove, updates } = updatesIn(await ida.get(`${UPDATES}?since=${since}`))
  expect(add.map(({ url }) => url)).toEqual([urlOf('c')])
  expect([rem, remove]).toEqual([[urlOf('b')], [urlOf('b')]])
  expect(updates.map(({ url }) => url)).toEqual([media('a', 9)])
})

test('updates tell the state of episodes, and with include_actions the action that tells it', async () => {
  const { ida } = await open({ a: 5 })
  const at = { podcast: urlOf('a'), device: 'phone' }
  const play = { ...at, episode: media('a', 0), action: 'play', timestamp: '2025-03-02T09:00:00', position: 61 }
  const download = { ...at, episode: media('a', 1), action: 'download', timestamp: '2025-03-02T09:00:00' }
  await ida.post('/api/2/episodes/ida.json', [
    play,
    // A later download does not hide a position (D45).
    { ...play, action: 'download', timestamp: '2025-03-02T09:30:00' },
    download,
    { ...download, episode: media('a', 2), action: 'flattr' },
    { ...download, episode: media('a', 3), action: 'new' },
  ])
  const statusOf = (answer: Answer) => updatesIn(answer).updates.map(({ status }) => status)
  const plain = await ida.get(UPDATES)
  expect(statusOf(plain)).toEqual(['new', 'new', 'new', 'download', 'play'])
  expect(plain.text).not.toContain('"action"')
  for (const include of ['true', 'TRUE']) {
    const answer = await ida.get(`${UPDATES}?include_actions=${include}`)
    expect(statusOf(answer)).toEqual(statusOf(plain))
    expect(updatesIn(answer).updates.map(({ action }) => action)).toEqual([
      ...[undefined, undefined, undefined],
      ...[
        { ...download, guid: 'a1' },
        { ...play, guid: 'a0' },
      ],
    ])
  }
  for (const include of ['', '1', 'yes'])
    expect((await ida.get(`${UPDATES}?include_actions=${include}`)).text).toBe(plain.text)
})

test('updates tell the state of an episode whose media URL has changed since, by its guid (D84)', async () => {
  const { ida, publish } = await open({ a: 1 })
  const play = {
    podcast: urlOf('a'),
    episode: media('a', 0),
    action: 'play',
    timestamp: '2025-03-02T09:00:00',
    position: 61,
  }
  await ida.post('/api/2/episodes/ida.json', [play])
  await publish('a', { episodes: [feedEpisode({ url: media('new', 0), guid: 'a0', released: RELEASED })] })
  const { updates } = updatesIn(await ida.get(`${UPDATES}?include_actions=true`))
  expect(updates).toMatchObject([
    { url: media('new', 0), status: 'play', action: { episode: media('a', 0), position: 61 } },
  ])
})

test('updates are those of one device and one user', async () => {
  const { app, ida, change } = await open({ a: 1, b: 1 })
  const ole = await signUp(app, 'ole')
  await change('ida', 'desk', { add: ['b'] })
  await ole.post('/api/2/subscriptions/ole/phone.json', { add: [urlOf('b')] })
  await ole.post('/api/2/episodes/ole.json', [{ podcast: urlOf('b'), episode: media('b', 0), action: 'play' }])
  const { add, updates } = updatesIn(await ida.get('/api/2/updates/ida/desk.json?include_actions=true'))
  expect(add.map(({ url }) => url)).toEqual([urlOf('b')])
  expect(updates).toMatchObject([{ url: media('b', 0), status: 'new' }])
})

test.each([
  ['an unknown device', '/api/2/updates/ida/car.json', 404, 'unknown_device', undefined],
  ['no device ID', '/api/2/updates/ida/a%20b.json', 400, 'validation_failed', 'device'],
  ['a negative since', `${UPDATES}?since=-1`, 400, 'validation_failed', 'since'],
  ['a since that is no number', `${UPDATES}?since=today`, 400, 'validation_failed', 'since'],
  ['another format', '/api/2/updates/ida/phone.xml', 404, 'not_found', undefined],
  ['favorites in another format', '/api/2/favorites/ida.opml', 404, 'not_found', undefined],
])('updates with %s are refused, and no device is made', async (_what, path, status, code, field) => {
  const { ida } = await open({ a: 1 })
  expectError(await ida.get(path), status, code, field)
  expect(valuesOf(await ida.get('/api/2/devices/ida.json'), 'id')).toEqual(['phone'])
})

test('updates of many podcasts lack nothing', async () => {
  const { app, ida } = await open({ a: 1, b: 1, z: 6 })
  const others = Array.from({ length: 60 }, (_, n) => urlOf(`many${n}`))
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: others })
  await ida.post('/api/2/subscriptions/ida/phone.json', { remove: others.slice(0, 30) })
  await app.services.feeds.refresh(urlOf('many40'))
  const { add, rem, updates } = updatesIn(await ida.get(UPDATES))
  expect(new Set(add.map(({ url }) => url))).toEqual(new Set([...['a', 'b', 'z'].map(urlOf), ...others.slice(30)]))
  expect([rem.length, updates.length]).toEqual([0, 7])
  const later = updatesIn(await ida.get(`${UPDATES}?since=${app.clock.seconds() + 1}`))
  expect([later.add.length, later.rem.length, later.updates.length]).toEqual([30, 30, 0])
})

test('an upload after updates hides nothing that others wrote in between (D14b)', async () => {
  const { app, ida } = await open({ a: 1 })
  const since = timestampOf(await ida.get(UPDATES))
  app.clock.advance(60)
  const other = { headers: { 'user-agent': 'another' } }
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [urlOf('b')] }, other)
  const uploaded = await ida.post('/api/2/subscriptions/ida/phone.json', { add: [urlOf('c')] })
  expect(timestampOf(uploaded)).toBe(since)
})
