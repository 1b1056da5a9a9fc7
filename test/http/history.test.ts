import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'
import { episodeOf, openPrivateFeeds, PRIVATE, PUBLIC, TRACE } from './directory/private-feeds-scene.ts'

const HISTORY = '/api/2/me/history'
const FEED = 'https://feeds.example/harbour'

/** Play action number `n`, a second after the one before. */
function play(n: number, fields: Record<string, unknown> = {}) {
  const timestamp = new Date((1_740_000_000 + n) * 1000).toISOString().slice(0, 19)
  return { podcast: FEED, episode: `https://cdn.example/${n}.mp3`, action: 'play', timestamp, ...fields }
}

const upload = (client: Client, actions: readonly unknown[], name = 'ida') =>
  client.post(`/api/2/episodes/${name}.json`, actions)

async function open(actions: readonly unknown[]) {
  const app = startTestApp({ settings: { rate_limit: 'false' } })
  const ida = await signUp(app)
  if (actions.length > 0) expect(await upload(ida, actions)).toMatchObject({ status: 200 })
  return { app, ida }
}

const eventsOf = async (client: Client, query = '') => Object((await client.get(HISTORY + query)).json).events
const numbersOf = async (client: Client, query = '') =>
  (await eventsOf(client, query)).map(({ episode }: { episode: string }) => Number(/(\d+)\.mp3/.exec(episode)?.[1]))

describe('the history', () => {
  test('says what was played, as far as it is known', async () => {
    const { ida } = await open([
      play(1, { device: 'phone', started: 0, position: 61, total: 1800 }),
      play(2, { position: 5 }),
      play(3),
    ])
    const known = { podcast: FEED, podcast_title: FEED }
    const episode = (n: number) => ({
      episode: `https://cdn.example/${n}.mp3`,
      episode_title: `https://cdn.example/${n}.mp3`,
    })
    expect(await eventsOf(ida)).toEqual([
      { ...known, ...episode(3), timestamp: '2025-02-19T21:20:03' },
      { ...known, ...episode(2), timestamp: '2025-02-19T21:20:02', position: 5 },
      {
        ...{ ...known, ...episode(1), timestamp: '2025-02-19T21:20:01' },
        ...{ device: 'phone', started: 0, position: 61, total: 1800 },
      },
    ])
  })

  test('is about what was played, and nothing else', async () => {
    const { ida } = await open([
      play(1),
      ...['download', 'new', 'delete', 'flattr'].map((action, n) => play(n + 2, { action })),
    ])
    expect(await numbersOf(ida)).toEqual([1])
  })

  test.each([
    ['', 0, 20, [45, 26]],
    ['?page=1', 1, 20, [25, 6]],
    ['?page=2', 2, 20, [5, 1]],
    ['?per_page=45', 0, 45, [45, 1]],
    ['?per_page=1000', 0, 100, [45, 1]],
    ['?per_page=1&page=44', 44, 1, [1, 1]],
  ])('comes newest first, in pages: %p', async (query, page, perPage, [first, last]) => {
    const { ida } = await open(Array.from({ length: 45 }, (_, n) => play(((n * 7) % 45) + 1)))
    const numbers = await numbersOf(ida, query)
    expect([numbers.at(0), numbers.at(-1)]).toEqual([first, last])
    expect(numbers).toEqual(numbers.toSorted((a: number, b: number) => b - a))
    const { json } = await ida.get(HISTORY + query)
    expect(json).toMatchObject({ page, per_page: perPage, total: 45, total_pages: Math.ceil(45 / perPage) })
  })

  test('is that of the newest ten thousand', async () => {
    const { ida } = await open(Array.from({ length: 10_050 }, (_, n) => play(n)))
    const { json } = await ida.get(`${HISTORY}?per_page=100&page=99`)
    expect(json).toMatchObject({ total: 10_000, total_pages: 100 })
    expect((await numbersOf(ida, '?per_page=100&page=99')).at(-1)).toBe(50)
    expect(await eventsOf(ida, '?per_page=100&page=100')).toEqual([])
  })
})

describe('the history of others', () => {
  test('does not show what a private podcast and its episodes are called', async () => {
    const { ida, bob } = await openPrivateFeeds()
    const [secret = ''] = PRIVATE
    const actions = [
      play(1, { podcast: secret, episode: episodeOf(secret) }),
      play(2, { podcast: PUBLIC, episode: 'https://cdn.tidewater.example/1.mp3' }),
    ]
    await upload(bob, actions, 'bob')
    await upload(ida, actions)
    const [, hidden] = await eventsOf(bob)
    expect(hidden).toMatchObject({ podcast_title: secret, episode_title: episodeOf(secret) })
    expect(JSON.stringify(hidden).replaceAll(secret, '').replaceAll(episodeOf(secret), '')).not.toMatch(TRACE)
    expect(await eventsOf(ida)).toMatchObject([
      { podcast_title: 'Harbour Talk' },
      { podcast_title: 'Quillwort 0', episode_title: 'Quillwort fog' },
    ])
  })
})
