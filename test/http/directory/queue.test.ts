import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, signIn, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { LENGTH, media as ofFeed, open as openFeeds, playedTo } from './inbox-scene.ts'
import { urlOf } from './scene.ts'

const QUEUE = '/api/2/me/queue'
const SHOW = 'https://feeds.example/show'
const OTHER = 'https://feeds.example/other'

const media = (n: number) => `https://cdn.example/${n}.mp3`
const named = (...numbers: number[]) => numbers.map((n) => ({ podcast: SHOW, episode: media(n) }))

interface Answer {
  readonly items: readonly { readonly podcast: { url: string }; readonly episode: { url: string }; state: string }[]
}

async function queueOf(client: Client): Promise<readonly string[]> {
  const { items } = (await client.get(QUEUE)).json as Answer
  return items.map(({ episode }) => episode.url)
}

const urls = (...numbers: number[]) => numbers.map(media)

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

describe('the queue (D114)', () => {
  test('is empty, and then what was put into it', async () => {
    const { ida } = await open()
    expect((await ida.get(QUEUE)).json).toEqual({ items: [] })
    const { status, json } = await ida.put(QUEUE, { episodes: named(2, 1) })
    expect([status, json]).toMatchObject([
      200,
      { items: [2, 1].map((n) => ({ podcast: { url: SHOW }, episode: { url: media(n) }, state: 'new' })) },
    ])
    expect(await queueOf(ida)).toEqual(urls(2, 1))
  })

  test.each<[string, 'next' | 'last', number[], number[]]>([
    ['before all others', 'next', [8, 9], [8, 9, 1, 2, 3]],
    ['behind all others', 'last', [8, 9], [1, 2, 3, 8, 9]],
    ['again, to the front', 'next', [3], [3, 1, 2]],
    ['again, to the end', 'last', [1], [2, 3, 1]],
    ['twice in one request', 'last', [8, 8, 1], [2, 3, 8, 1]],
    ['that are none', 'next', [], [1, 2, 3]],
  ])('takes episodes %s', async (_case, at, episodes, expected) => {
    const { ida } = await open(1, 2, 3)
    expect(await ida.post(QUEUE, { at, episodes: named(...episodes) })).toMatchObject({ status: 200 })
    expect(await queueOf(ida)).toEqual(urls(...expected))
  })

  test('loses one episode, or all', async () => {
    const { ida } = await open(1, 2, 3)
    const one = new URLSearchParams({ podcast: SHOW, episode: media(2) })
    for (let again = 0; again < 2; again++) {
      expect(await ida.delete(`${QUEUE}?${one}`)).toMatchObject({ status: 200 })
      expect(await queueOf(ida)).toEqual(urls(1, 3))
    }
    expect((await ida.delete(QUEUE)).json).toEqual({ items: [] })
  })

  test('holds 1,000 episodes', async () => {
    const { ida } = await open()
    const thousand = Array.from({ length: 1000 }, (_, n) => n)
    expect((await ida.put(QUEUE, { episodes: named(...thousand) })).status).toBe(200)
    expectError(await ida.post(QUEUE, { at: 'next', episodes: named(1000) }), 409, 'quota_exceeded')
    expect(await queueOf(ida)).toEqual(urls(...thousand))
    expect((await ida.post(QUEUE, { at: 'next', episodes: named(999) })).status).toBe(200)
    expectError(await ida.put(QUEUE, { episodes: named(...thousand, 1000) }), 400, 'validation_failed', 'episodes')
  })

  test.each<[string, (ida: Client) => ReturnType<Client['get']>]>([
    ['a media URL that is none', (ida) => ida.put(QUEUE, { episodes: [{ podcast: SHOW, episode: 'x y' }] })],
    [
      'a feed URL that is none',
      (ida) => ida.post(QUEUE, { at: 'last', episodes: [{ podcast: '', episode: media(1) }] }),
    ],
    ['no place', (ida) => ida.post(QUEUE, { episodes: named(1) })],
    ['another place', (ida) => ida.post(QUEUE, { at: 'first', episodes: named(1) })],
    ['no list', (ida) => ida.put(QUEUE, {})],
    ['an episode without a podcast', (ida) => ida.put(QUEUE, { episodes: [{ episode: media(1) }] })],
    ['half an episode', (ida) => ida.delete(`${QUEUE}?podcast=${SHOW}`)],
    ['an episode that is none', (ida) => ida.delete(`${QUEUE}?podcast=${SHOW}&episode=`)],
  ])('refuses %s, and stays as it was', async (_case, ask) => {
    const { ida } = await open(1, 2)
    expect(await ask(ida)).toMatchObject({ status: 400, json: { error: 'validation_failed' } })
    expect(await queueOf(ida)).toEqual(urls(1, 2))
  })

  test('is for its user alone', async () => {
    const { app, ida } = await open(1)
    const ole = await signUp(app, 'ole')
    expect(await queueOf(ole)).toEqual([])
    await ole.put(QUEUE, { episodes: named(5) })
    expect(await queueOf(ida)).toEqual(urls(1))
  })
})

describe('an episode leaves the queue', () => {
  test('when it was heard to its end, on whatever device', async () => {
    const { ida, play } = await open(1, 2, 3)
    await play(2, 60)
    expect(await queueOf(ida)).toEqual(urls(1, 2, 3))
    await play(2, 100, { device: 'phone' })
    expect(await queueOf(ida)).toEqual(urls(1, 3))
  })

  test('when it is marked as played', async () => {
    const { ida } = await open(1, 2)
    await ida.post('/api/2/me/episodes/mark', { as: 'played', episodes: named(1) })
    expect(await queueOf(ida)).toEqual(urls(2))
  })

  test('by an app for Nextcloud', async () => {
    const { ida } = await open(1, 2)
    const action = { podcast: SHOW, episode: media(1), action: 'PLAY', started: 0, position: 100, total: 100 }
    await ida.post('/index.php/apps/gpoddersync/episode_action/create', [
      { ...action, timestamp: '2025-03-02T09:00:00', guid: null },
    ])
    expect(await queueOf(ida)).toEqual(urls(2))
  })

  test('by another of its media URLs', async () => {
    const { ida, play } = await open(1, 2)
    await play(1, 10, { guid: 'one' })
    await play(7, 100, { guid: 'one' })
    expect(await queueOf(ida)).toEqual(urls(2))
  })

  test('by another media URL of which its feed tells the guid, before anything of it was heard', async () => {
    const { ida, tell } = await openFeeds({ a: 3 })
    const both = [0, 1].map((n) => ({ podcast: urlOf('a'), episode: ofFeed('a', n) }))
    await ida.put(QUEUE, { episodes: both })
    await tell('a', 0, { ...playedTo(LENGTH), episode: 'https://elsewhere.example/0.mp3', guid: 'a0' })
    expect(await queueOf(ida)).toEqual([ofFeed('a', 1)])
  })

  test('not by a report that is older than another', async () => {
    const { ida, play } = await open(1)
    await play(1, 10, { timestamp: '2025-03-02T09:00:00' })
    await play(1, 100, { timestamp: '2025-03-01T09:00:00' })
    expect(await queueOf(ida)).toEqual(urls(1))
  })

  test('and comes back to be heard once more', async () => {
    const { ida, play } = await open(1)
    await play(1, 100)
    await ida.post(QUEUE, { at: 'next', episodes: named(1) })
    await play(1, 50, { timestamp: '2025-03-02T11:00:00' })
    expect(await queueOf(ida)).toEqual(urls(1))
    await play(1, 100, { timestamp: '2025-03-02T12:00:00' })
    expect(await queueOf(ida)).toEqual([])
  })
})

test('an exchange of addresses takes the queue along', async () => {
  const { app, ida } = await open(1, 2)
  await ida.post(QUEUE, { at: 'next', episodes: [{ podcast: OTHER, episode: media(9) }] })
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [SHOW] })
  const moved = 'https://feeds.example/moved'
  app.db.run('UPDATE podcasts SET moved_to = ?1 WHERE url = ?2', [moved, SHOW])
  expect((await ida.post('/api/2/me/moves', { url: SHOW, new_url: moved })).status).toBe(200)
  const { items } = (await ida.get(QUEUE)).json as Answer
  expect(items.map(({ podcast, episode }) => [podcast.url, episode.url])).toEqual([
    [OTHER, media(9)],
    [moved, media(1)],
    [moved, media(2)],
  ])
})

test('an episode that is queued at both addresses is there once after an exchange', async () => {
  const { app, ida } = await open(1)
  const moved = 'https://feeds.example/moved'
  await ida.post(QUEUE, { at: 'last', episodes: [{ podcast: moved, episode: media(1) }] })
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [SHOW] })
  app.db.run('UPDATE podcasts SET moved_to = ?1 WHERE url = ?2', [moved, SHOW])
  expect((await ida.post('/api/2/me/moves', { url: SHOW, new_url: moved })).status).toBe(200)
  expect(await queueOf(ida)).toEqual(urls(1))
})

test('media URLs that only the queue has named go with it', async () => {
  const { app, ida, play } = await open(1, 2, 3)
  const stored = () =>
    app.db
      .query<{ url: string }, []>('SELECT url FROM episodes ORDER BY url')
      .all()
      .map(({ url }) => url)
  await play(2, 10)
  await ida.put(QUEUE, { episodes: named(3, 4) })
  expect(stored()).toEqual(urls(2, 3, 4))
  await ida.delete(QUEUE)
  expect(stored()).toEqual(urls(2))
})

test('the queue is a private feed, in its order', async () => {
  const { app } = await open(2, 1)
  const browser = await signIn(app)
  const { json } = await browser.post('/api/2/me/app-passwords', { name: 'Car', scope: 'feeds' })
  const { addresses } = json as { addresses: { queue: string } }
  const { status, text } = await clientOf(app).get(new URL(addresses.queue).pathname)
  expect(status).toBe(200)
  expect([...text.matchAll(/<enclosure url="([^"]+)"/g)].map(([, url]) => url)).toEqual(urls(2, 1))
  expect(text).toContain('<title>Queue (ida)</title>')
})

test('app passwords read and change the queue as their scopes let them', async () => {
  const { app } = await open(1)
  const browser = await signIn(app)
  async function appWith(scope: string): Promise<Client> {
    const { json } = await browser.post('/api/2/me/app-passwords', { name: scope, scope })
    return clientOf(app, basic('ida', (json as { password: string }).password))
  }
  const [all, read] = [await appWith('sync'), await appWith('read')]
  expect(await queueOf(read)).toEqual(urls(1))
  expectError(await read.put(QUEUE, { episodes: [] }), 403, 'forbidden')
  expect((await all.put(QUEUE, { episodes: named(4) })).status).toBe(200)
  expect(await queueOf(read)).toEqual(urls(4))
})
