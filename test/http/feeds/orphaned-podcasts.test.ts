import { expect, test } from 'bun:test'
import { signUp } from '../../support/client.ts'
import { podcastPath } from '../directory/scene.ts'
import { FOG, NEW, openOnDemand } from './on-demand-scene.ts'

const MONTH = 30 * 24 * 3600
const PLAY = { podcast: NEW, episode: FOG, action: 'play', position: 1 }

/** A podcast that somebody has looked at and nobody has. */
async function open() {
  const scene = await openOnDemand({}, [])
  const { app, anyone, sortOut } = scene
  await anyone.get(podcastPath(NEW))
  return {
    ...scene,
    async pass(seconds: number) {
      app.clock.advance(seconds)
      await sortOut()
    },
    /** How many rows there are of podcasts and episodes. */
    left: () =>
      ['podcasts', 'podcast_details', 'episodes', 'episode_details'].map(
        (table) => app.db.query<{ n: number }, []>(`SELECT COUNT(*) AS n FROM ${table}`).get()?.n,
      ),
  }
}

test('a podcast that nobody has is gone after 30 days with its episodes, and not before (D51)', async () => {
  const { pass, left, logged } = await open()
  await pass(MONTH)
  expect(left()).toEqual([1, 1, 1, 1])
  await pass(1)
  expect(left()).toEqual([0, 0, 0, 0])
  expect(logged('removed orphaned podcasts')).toMatchObject([{ level: 'info', podcasts: 1 }])
})

const SUBSCRIPTIONS = '/api/2/subscriptions/bob/phone.json'
const ACTIONS = '/api/2/episodes/bob.json'

test.each<[string, [path: string, body: unknown][]]>([
  [
    'was subscribed to',
    [
      [SUBSCRIPTIONS, { add: [NEW] }],
      [SUBSCRIPTIONS, { remove: [NEW] }],
    ],
  ],
  ['has episodes that were played', [[ACTIONS, [PLAY]]]],
  ['has unlisted episodes that were played', [[ACTIONS, [{ ...PLAY, episode: `${FOG}?x` }]]]],
])('a podcast that %s stays as long as that user', async (_case, requests) => {
  const { app, ida, pass, left } = await open()
  const bob = await signUp(app, 'bob')
  for (const [path, body] of requests) await bob.post(path, body)
  await pass(10 * MONTH)
  expect(left().slice(0, 2)).toEqual([1, 1])
  expect(await ida.delete('/api/admin/users/bob')).toMatchObject({ status: 200 })
  await pass(0)
  expect(left()).toEqual([0, 0, 0, 0])
})

test('of podcasts that nobody has there are 2000 at most, the newest', async () => {
  const { app, sortOut } = await openOnDemand({}, [])
  app.db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100)
     INSERT INTO podcasts (url, created_at, is_secret, is_private)
     SELECT 'https://feeds.example/' || i, ? - 2100 + i, 0, 0 FROM n`,
    [app.clock.seconds()],
  )
  for (let round = 0; round < 2; round++) {
    await sortOut()
    const urls = app.db.query<{ url: string }, []>('SELECT url FROM podcasts ORDER BY id').values().flat()
    expect(urls).toEqual(Array.from({ length: 2000 }, (_, n) => `https://feeds.example/${n + 101}`))
  }
})
