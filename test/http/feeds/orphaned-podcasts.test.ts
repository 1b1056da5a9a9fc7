import { expect, test } from 'bun:test'
import { signUp } from '../../support/client.ts'
import { podcastPath } from '../directory/scene.ts'
import { FOG, NEW, openOnDemand } from './on-demand-scene.ts'

type Scene = Awaited<ReturnType<typeof open>>

const MONTH = 30 * 24 * 3600
const PLAY = { podcast: NEW, episode: FOG, action: 'play', position: 1 }

/** A podcast that somebody has looked at and nobody has. */
async function open() {
  const scene = await openOnDemand({}, [])
  const { app, ida, anyone, sortOut } = scene
  await anyone.get(podcastPath(NEW))
  return {
    ...scene,
    subscribe: (change: Record<string, string[]>) => ida.post('/api/2/subscriptions/ida/phone.json', change),
    play: (action: object) => ida.post('/api/2/episodes/ida.json', [action]),
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

test.each<[string, (scene: Scene) => Promise<unknown>]>([
  ['somebody subscribes to it', ({ subscribe }) => subscribe({ add: [NEW] })],
  ['somebody did', ({ subscribe }) => subscribe({ add: [NEW] }).then(() => subscribe({ remove: [NEW] }))],
  ['somebody has listened to it', ({ play }) => play(PLAY)],
  ['somebody has listened to what it does not list', ({ play }) => play({ ...PLAY, episode: `${FOG}?x` })],
])('a podcast that was looked at stays if %s', async (_case, act) => {
  const scene = await open()
  await act(scene)
  await scene.pass(10 * MONTH)
  expect(scene.left().slice(0, 2)).toEqual([1, 1])
})

test('a podcast goes when everybody has left who had it or listened to it', async () => {
  const { app, ida, pass, left } = await open()
  const bob = await signUp(app, 'bob')
  await bob.post('/api/2/subscriptions/bob/phone.json', { add: [NEW] })
  await bob.post('/api/2/episodes/bob.json', [PLAY])
  await pass(MONTH + 1)
  expect(left()).toEqual([1, 1, 1, 1])
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
