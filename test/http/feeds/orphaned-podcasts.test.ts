import { expect, test } from 'bun:test'
import { signUp } from '../../support/client.ts'
import { podcastPath } from '../directory/scene.ts'
import { FOG, NEW, openOnDemand } from './on-demand-scene.ts'

const MONTH = 30 * 24 * 3600
const PLAY = { podcast: NEW, episode: FOG, action: 'play', position: 1 }

/** A podcast that was looked up and has no subscribers. */
async function open() {
  const scene = await openOnDemand({}, [])
  const { app, anyone, runDirectoryJob } = scene
  await anyone.get(podcastPath(NEW))
  return {
    ...scene,
    async pass(seconds: number) {
      app.clock.advance(seconds)
      await runDirectoryJob()
    },
    /** Numbers of rows of podcasts and episodes. */
    rowCounts: () =>
      Promise.all(
        ['podcasts', 'podcast_details', 'episodes', 'episode_details'].map(
          async (table) => (await app.rowsOf(`SELECT 1 FROM ${table}`)).length,
        ),
      ),
  }
}

test('an orphaned podcast is removed after 30 days, with its episodes (D51)', async () => {
  const { pass, rowCounts, logged } = await open()
  await pass(MONTH)
  expect(await rowCounts()).toEqual([1, 1, 1, 1])
  await pass(1)
  expect(await rowCounts()).toEqual([0, 0, 0, 0])
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
])('an orphaned podcast that %s is kept until that user is deleted', async (_case, requests) => {
  const { app, ida, pass, rowCounts } = await open()
  const bob = await signUp(app, 'bob')
  for (const [path, body] of requests) await bob.post(path, body)
  await pass(10 * MONTH)
  expect((await rowCounts()).slice(0, 2)).toEqual([1, 1])
  expect(await ida.delete('/api/admin/users/bob')).toMatchObject({ status: 200 })
  await pass(0)
  expect(await rowCounts()).toEqual([0, 0, 0, 0])
})

test('only the 2,000 newest orphaned podcasts are kept', async () => {
  const { app, runDirectoryJob } = await openOnDemand({}, [])
  await app.rowsOf(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2100)
     INSERT INTO podcasts (url, created_at, is_secret, is_private)
     SELECT 'https://feeds.example/' || i, CAST($1 AS INTEGER) - 2100 + i, 0, 0 FROM n`,
    app.clock.seconds(),
  )
  for (let round = 0; round < 2; round++) {
    await runDirectoryJob()
    const rows = await app.rowsOf<{ url: string }>('SELECT url FROM podcasts ORDER BY id')
    expect(rows.map(({ url }) => url)).toEqual(
      Array.from({ length: 2000 }, (_, n) => `https://feeds.example/${n + 101}`),
    )
  }
})
