import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Client, signUp } from '../../support/client.ts'
import { openPrivateFeeds, PRIVATE, PUBLIC, TRACE } from './private-feeds-scene.ts'

const LISTENING = '/api/2/me/listening'
const FEED = 'https://feeds.example/harbour'
const MINUTE = 60

/** By default, ten minutes in the morning of 2 March. */
function play({ episode = 'fog', ...fields }: { episode?: string; [key: string]: unknown } = {}) {
  return {
    ...{ podcast: FEED, episode: `https://cdn.example/${episode}.mp3`, device: 'phone', action: 'play' },
    ...{ timestamp: '2025-03-02T08:00:00', started: 0, position: 10 * MINUTE, total: 30 * MINUTE },
    ...fields,
  }
}

const upload = (client: Client, actions: readonly unknown[], name = 'ida') =>
  client.post(`/api/2/episodes/${name}.json`, actions)

/** Listening statistics after these actions. */
async function statistics(actions: readonly unknown[]): Promise<unknown> {
  const ida = await signUp(startTestApp())
  await upload(ida, actions)
  const { status, json } = await ida.get(LISTENING)
  expect(status).toBe(200)
  return json
}

test('listening statistics are by day, weekday and podcast', async () => {
  const other = 'https://feeds.example/winds'
  const actions = [
    play(),
    play({ episode: 'gale', position: 20 * MINUTE }),
    play({ timestamp: '2025-02-28T23:59:59', started: 600, position: 900 }),
    play({ timestamp: '2025-02-21T12:00:00', podcast: other, position: 30 * MINUTE }),
  ]
  expect(await statistics(actions)).toEqual({
    ...{ from: '2025-02-01', to: '2025-03-02', minutes: 65, episodes: 3 },
    days: [
      { date: '2025-02-21', minutes: 30 },
      { date: '2025-02-28', minutes: 5 },
      { date: '2025-03-02', minutes: 30 },
    ],
    weekdays: [0, 0, 0, 0, 35, 0, 30],
    podcasts: [
      { url: FEED, title: FEED, logo_url: '', minutes: 35, episodes: 2 },
      { url: other, title: other, logo_url: '', minutes: 30, episodes: 1 },
    ],
  })
})

test('listening statistics include thousands of actions, also of one second', async () => {
  const actions = Array.from({ length: 2100 }, (_, n) =>
    play({ started: n, position: n + 2, total: 10_000, timestamp: `2025-03-0${n < 1800 ? 1 : 2}T10:00:00` }),
  )
  expect(await statistics(actions)).toMatchObject({
    minutes: Math.round(2102 / 60),
    days: [{ minutes: 30 }, { minutes: 5 }],
  })
})

test('listening statistics do not reveal titles of private podcasts of others', async () => {
  const { ida, bob } = await openPrivateFeeds()
  const [secret = ''] = PRIVATE
  const actions = [play({ podcast: secret }), play({ podcast: PUBLIC, position: 5 * MINUTE })]
  await upload(bob, actions, 'bob')
  await upload(ida, actions)
  const { json, text } = await bob.get(LISTENING)
  expect(json).toMatchObject({ podcasts: [{ url: secret, title: secret, logo_url: '' }, { url: PUBLIC }] })
  expect(text.replaceAll(secret, '')).not.toMatch(TRACE)
  const logo_url = 'https://bramblewick.example/logo.png'
  expect((await ida.get(LISTENING)).json).toMatchObject({
    podcasts: [
      { url: secret, title: 'Quillwort 0', logo_url },
      { url: PUBLIC, title: 'Harbour Talk' },
    ],
  })
})
