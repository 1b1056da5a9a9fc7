import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Client, clientOf, signIn, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { LENGTH, media as ofFeed, open as openFeeds, playedTo } from './inbox-scene.ts'
import { urlOf } from './scene.ts'

/** docs/protocol.md#D114 */

const QUEUE = '/api/2/me/queue'
const SHOW = 'https://feeds.example/show'
const MOVED = 'https://feeds.example/moved'

const media = (n: number) => `https://cdn.example/${n}.mp3`
const urls = (...numbers: number[]) => numbers.map(media)
const named = (...numbers: number[]) => numbers.map((n) => ({ podcast: SHOW, episode: media(n) }))

interface Queue {
  readonly items: readonly { readonly podcast: { url: string }; readonly episode: { url: string } }[]
}

const itemsOf = async (client: Client) => ((await client.get(QUEUE)).json as Queue).items
const queueOf = async (client: Client) => (await itemsOf(client)).map(({ episode }) => episode.url)

async function open(...numbers: number[]) {
  const app = startTestApp()
  const ida = await signUp(app)
  if (numbers.length > 0) expect(await ida.put(QUEUE, { episodes: named(...numbers) })).toMatchObject({ status: 200 })
  const play = (n: number, position: number, more: object = {}) =>
    ida.post('/api/2/episodes/ida.json', [
      { podcast: SHOW, episode: media(n), action: 'play', started: 0, position, total: 100, ...more },
    ])
  return { app, ida, play }
}

test('the queue of a user is replaced, shortened and emptied (D114)', async () => {
  const { app, ida } = await open()
  expect((await ida.get(QUEUE)).json).toEqual({ items: [] })
  expect(await ida.put(QUEUE, { episodes: named(3, 2, 1) })).toMatchObject({
    status: 200,
    json: { items: [3, 2, 1].map((n) => ({ podcast: { url: SHOW }, episode: { url: media(n) }, state: 'new' })) },
  })
  const ole = await signUp(app, 'ole')
  expect(await queueOf(ole)).toEqual([])
  await ole.put(QUEUE, { episodes: named(5) })
  const one = new URLSearchParams({ podcast: SHOW, episode: media(2) })
  for (let again = 0; again < 2; again++) {
    expect(await ida.delete(`${QUEUE}?${one}`)).toMatchObject({ status: 200 })
    expect(await queueOf(ida)).toEqual(urls(3, 1))
  }
  expect((await ida.delete(QUEUE)).json).toEqual({ items: [] })
  expect(await queueOf(ole)).toEqual(urls(5))
})

test.each<['next' | 'last', number[], number[]]>([
  ['next', [8, 9], [8, 9, 1, 2, 3]],
  ['last', [8, 9], [1, 2, 3, 8, 9]],
  ['next', [3], [3, 1, 2]],
  ['last', [1], [2, 3, 1]],
  ['last', [8, 8, 1], [2, 3, 8, 1]],
  ['next', [], [1, 2, 3]],
])('episodes are queued as %p: %p', async (at, episodes, expected) => {
  const { ida } = await open(1, 2, 3)
  expect(await ida.post(QUEUE, { at, episodes: named(...episodes) })).toMatchObject({ status: 200 })
  expect(await queueOf(ida)).toEqual(urls(...expected))
})

test('the queue holds 1,000 episodes', async () => {
  const { ida } = await open()
  const thousand = Array.from({ length: 1000 }, (_, n) => n)
  expect((await ida.put(QUEUE, { episodes: named(...thousand) })).status).toBe(200)
  expectError(await ida.post(QUEUE, { at: 'next', episodes: named(1000) }), 409, 'quota_exceeded')
  expect(await queueOf(ida)).toEqual(urls(...thousand))
  expect((await ida.post(QUEUE, { at: 'next', episodes: named(999) })).status).toBe(200)
  expectError(await ida.put(QUEUE, { episodes: named(...thousand, 1000) }), 400, 'validation_failed', 'episodes')
})

test('invalid requests do not change the queue', async () => {
  const { ida } = await open(1, 2)
  for (const answer of [
    await ida.put(QUEUE, { episodes: [{ podcast: SHOW, episode: 'x y' }] }),
    await ida.post(QUEUE, { at: 'last', episodes: [{ podcast: '', episode: media(1) }] }),
    await ida.post(QUEUE, { at: 'first', episodes: named(1) }),
    await ida.put(QUEUE, { episodes: [{ episode: media(1) }] }),
    await ida.delete(`${QUEUE}?podcast=${SHOW}`),
    await ida.delete(`${QUEUE}?podcast=${SHOW}&episode=`),
  ])
    expect(answer).toMatchObject({ status: 400, json: { error: 'validation_failed' } })
  expect(await queueOf(ida)).toEqual(urls(1, 2))
})

test('a finished episode leaves the queue, and can be queued again', async () => {
  const { ida, play } = await open(1, 2, 3)
  await play(2, 60, { timestamp: '2025-03-02T09:00:00' })
  // An older action does not count.
  await play(2, 100, { timestamp: '2025-03-01T09:00:00' })
  expect(await queueOf(ida)).toEqual(urls(1, 2, 3))
  await play(2, 100, { device: 'phone' })
  expect(await queueOf(ida)).toEqual(urls(1, 3))
  await ida.post(QUEUE, { at: 'next', episodes: named(2) })
  await play(2, 50, { timestamp: '2025-03-02T11:00:00' })
  expect(await queueOf(ida)).toEqual(urls(2, 1, 3))
  await play(2, 100, { timestamp: '2025-03-02T12:00:00' })
  expect(await queueOf(ida)).toEqual(urls(1, 3))
})

type Play = Awaited<ReturnType<typeof open>>['play']
test.each<[string, (ida: Client, play: Play) => Promise<unknown>]>([
  ['a mark', (ida) => ida.post('/api/2/me/episodes/mark', { as: 'played', episodes: named(1) })],
  [
    'an action of a Nextcloud app',
    (ida) => {
      const action = { ...named(1)[0], action: 'PLAY', started: 0, position: 100, total: 100, guid: null }
      const path = '/index.php/apps/gpoddersync/episode_action/create'
      return ida.post(path, [{ ...action, timestamp: '2025-03-02T09:00:00' }])
    },
  ],
  [
    'an action with another media URL of the episode',
    async (_, play) => {
      await play(1, 10, { guid: 'one' })
      await play(7, 100, { guid: 'one' })
    },
  ],
])('an episode leaves the queue by %s', async (_case, finish) => {
  const { ida, play } = await open(1, 2)
  await finish(ida, play)
  expect(await queueOf(ida)).toEqual(urls(2))
})

test('an episode leaves the queue by an action with another media URL and the guid of its feed', async () => {
  const { ida, tell } = await openFeeds({ a: 3 })
  const both = [0, 1].map((n) => ({ podcast: urlOf('a'), episode: ofFeed('a', n) }))
  await ida.put(QUEUE, { episodes: both })
  await tell('a', 0, { ...playedTo(LENGTH), episode: 'https://elsewhere.example/0.mp3', guid: 'a0' })
  expect(await queueOf(ida)).toEqual([ofFeed('a', 1)])
})

test('the queue follows a feed that moves, without duplicates', async () => {
  const { app, ida } = await open(1, 2)
  const other = { podcast: 'https://feeds.example/other', episode: media(9) }
  await ida.post(QUEUE, { at: 'next', episodes: [other, { podcast: MOVED, episode: media(1) }] })
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [SHOW] })
  await app.rowsOf('UPDATE podcasts SET moved_to = $1 WHERE url = $2', MOVED, SHOW)
  expect((await ida.post('/api/2/me/moves', { url: SHOW, new_url: MOVED })).status).toBe(200)
  expect((await itemsOf(ida)).map(({ podcast, episode }) => [podcast.url, episode.url])).toEqual([
    [other.podcast, media(9)],
    [MOVED, media(1)],
    [MOVED, media(2)],
  ])
})

test('media URLs that only the queue names are removed with it', async () => {
  const { app, ida, play } = await open(1, 2, 3)
  const stored = async () =>
    (await app.rowsOf<{ url: string }>('SELECT url FROM episodes ORDER BY url')).map(({ url }) => url)
  await play(2, 10)
  await ida.put(QUEUE, { episodes: named(3, 4) })
  expect(await stored()).toEqual(urls(2, 3, 4))
  await ida.delete(QUEUE)
  expect(await stored()).toEqual(urls(2))
})

test('the queue is available as a private feed in its order', async () => {
  const { app } = await open(2, 1)
  const { json } = await (await signIn(app)).post('/api/2/me/app-passwords', { name: 'Car', scope: 'feeds' })
  const { addresses } = json as { addresses: { queue: string } }
  const { status, text } = await clientOf(app).get(new URL(addresses.queue).pathname)
  expect(status).toBe(200)
  expect([...text.matchAll(/<enclosure url="([^"]+)"/g)].map(([, url]) => url)).toEqual(urls(2, 1))
  expect(text).toContain('<title>Queue (ida)</title>')
})
