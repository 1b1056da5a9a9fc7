import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Client, signUp } from '../../support/client.ts'
import { episodeOf, openPrivateFeeds, PRIVATE, PUBLIC, TRACE } from '../directory/private-feeds-scene.ts'

const HISTORY = '/api/2/me/history'
const FEED = 'https://feeds.example/harbour'

const episodeUrl = (n: number) => `https://cdn.example/${n}.mp3`

/** Play action `n`, one second after the previous one. */
function play(n: number, fields: Record<string, unknown> = {}) {
  const timestamp = new Date((1_740_000_000 + n) * 1000).toISOString().slice(0, 19)
  return { podcast: FEED, episode: episodeUrl(n), action: 'play', timestamp, ...fields }
}

async function open(actions: readonly unknown[]) {
  const ida = await signUp(startTestApp())
  expect((await ida.post('/api/2/episodes/ida.json', actions)).status).toBe(200)
  return ida
}

const pageOf = async (client: Client, query = '') => Object((await client.get(HISTORY + query)).json)

test('the history lists plays only, without keys for unknown values', async () => {
  const ida = await open([
    play(1, { device: 'phone', started: 0, position: 61, total: 1800 }),
    play(2, { position: 5 }),
    play(3),
    ...['download', 'new', 'delete', 'flattr'].map((action, n) => play(n + 4, { action })),
  ])
  const event = (n: number) => ({
    ...{ podcast: FEED, podcast_title: FEED, episode: episodeUrl(n), episode_title: episodeUrl(n), has_picture: false },
    timestamp: `2025-02-19T21:20:0${n}`,
  })
  expect((await pageOf(ida)).events).toEqual([
    event(3),
    { ...event(2), position: 5 },
    { ...event(1), device: 'phone', started: 0, position: 61, total: 1800 },
  ])
})

test('the history has pages of the newest 10,000 plays, newest first', async () => {
  // Each number occurs once, in mixed order.
  const ida = await open(Array.from({ length: 10_050 }, (_, n) => play((n * 7) % 10_050)))
  for (const [query, page, perPage, first, last] of [
    ['?page=1', 1, 20, 10_029, 10_010],
    ['?per_page=1000', 0, 100, 10_049, 9950],
    ['?per_page=100&page=99', 99, 100, 149, 50],
  ] as const) {
    const { events, ...rest } = await pageOf(ida, query)
    const total_pages = Math.ceil(10_000 / perPage)
    expect([query, rest]).toEqual([query, { page, per_page: perPage, total: 10_000, total_pages }])
    const numbers = Array.from({ length: first - last + 1 }, (_, n) => episodeUrl(first - n))
    expect(events.map(({ episode }: { episode: string }) => episode)).toEqual(numbers)
  }
  expect((await pageOf(ida, '?per_page=100&page=100')).events).toEqual([])
})

test('the history hides titles of private podcasts from other users', async () => {
  const [secret = ''] = PRIVATE
  const { ida, bob } = await openPrivateFeeds([secret, PUBLIC])
  const actions = [
    play(1, { podcast: secret, episode: episodeOf(secret) }),
    play(2, { podcast: PUBLIC, episode: 'https://cdn.tidewater.example/1.mp3' }),
  ]
  await bob.post('/api/2/episodes/bob.json', actions)
  await ida.post('/api/2/episodes/ida.json', actions)
  const [, hidden] = (await pageOf(bob)).events
  expect(hidden).toMatchObject({ podcast_title: secret, episode_title: episodeOf(secret) })
  expect(JSON.stringify(hidden).replaceAll(secret, '').replaceAll(episodeOf(secret), '')).not.toMatch(TRACE)
  expect((await pageOf(ida)).events).toMatchObject([
    { podcast_title: 'Harbour Talk' },
    { podcast_title: 'Quillwort 0', episode_title: 'Quillwort fog' },
  ])
})
