import { describe, expect, test } from 'bun:test'
import { signUp } from '../support/client.ts'
import { FOG, NEW, openOnDemand } from './on-demand-scene.ts'
import { podcastPath } from './podcast-data-scene.ts'

type Scene = Awaited<ReturnType<typeof openOnDemand>>

const DAY = 24 * 3600
const MONTH = 30 * DAY

/** A podcast that somebody has looked at and nobody has. */
async function open() {
  const scene = await openOnDemand({}, [])
  await scene.anyone.get(podcastPath(NEW))
  return scene
}

async function subscribe({ ida }: Scene, change: Record<string, string[]>): Promise<void> {
  expect(await ida.post('/api/2/subscriptions/ida/phone.json', change)).toMatchObject({ status: 200 })
}

/** All that is stored of podcasts. */
const left = ({ app: { db } }: Scene) =>
  ['podcasts', 'podcast_details', 'episodes', 'episode_details'].map(
    (table) => db.query<{ n: number }, []>(`SELECT COUNT(*) AS n FROM ${table}`).get()?.n,
  )

/** Podcasts that nobody has, the first one the oldest, made a second after each other. */
function addStrangers({ app }: Scene, count: number, prefix = 's'): void {
  app.db.run(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO podcasts (url, created_at, is_secret, is_private) SELECT 'https://feeds.example/${prefix}' || i, ?2 - ?1 + i, 0, 0 FROM n`,
    [count, app.clock.seconds()],
  )
}

describe('a podcast that somebody looked at and nobody has (D51)', () => {
  test('is gone after 30 days with its episodes, and not before', async () => {
    const scene = await open()
    expect(left(scene)).toEqual([1, 1, 1, 1])
    scene.app.clock.advance(MONTH)
    await scene.sortOut()
    expect(left(scene)).toEqual([1, 1, 1, 1])
    scene.app.clock.advance(1)
    await scene.sortOut()
    expect(left(scene)).toEqual([0, 0, 0, 0])
    expect(scene.logged('removed orphaned podcasts')).toMatchObject([{ level: 'info', podcasts: 1 }])
  })

  test.each<[string, (scene: Scene) => Promise<unknown>]>([
    ['somebody subscribes to it', (scene) => subscribe(scene, { add: [NEW] })],
    [
      'somebody did',
      async (scene) => {
        await subscribe(scene, { add: [NEW] })
        await subscribe(scene, { remove: [NEW] })
      },
    ],
    [
      'somebody has listened to it',
      ({ ida }) => ida.post('/api/2/episodes/ida.json', [{ podcast: NEW, episode: FOG, action: 'play', position: 1 }]),
    ],
    [
      'somebody has listened to what it does not list',
      ({ ida }) => ida.post('/api/2/episodes/ida.json', [{ podcast: NEW, episode: `${FOG}?x`, action: 'new' }]),
    ],
  ])('stays if %s', async (_case, act) => {
    const scene = await open()
    await act(scene)
    scene.app.clock.advance(10 * MONTH)
    await scene.sortOut()
    expect(left(scene).slice(0, 2)).toEqual([1, 1])
  })

  test('goes when everybody has left who had it or listened to it', async () => {
    const scene = await open()
    const bob = await signUp(scene.app, 'bob')
    await bob.post('/api/2/subscriptions/bob/phone.json', { add: [NEW] })
    await bob.post('/api/2/episodes/bob.json', [{ podcast: NEW, episode: FOG, action: 'play', position: 1 }])
    scene.app.clock.advance(MONTH + 1)
    await scene.sortOut()
    expect(left(scene)).toEqual([1, 1, 1, 1])
    expect(await scene.ida.delete('/api/admin/users/bob')).toMatchObject({ status: 200 })
    await scene.sortOut()
    expect(left(scene)).toEqual([0, 0, 0, 0])
  })
})

describe('of podcasts that nobody has there are', () => {
  const names = ({ app: { db } }: Scene) =>
    db
      .query<{ name: string }, []>(
        `SELECT REPLACE(url, 'https://feeds.example/', '') AS name FROM podcasts ORDER BY id`,
      )
      .all()
      .map(({ name }) => name)

  test('2000 at most, the newest', async () => {
    const scene = await openOnDemand({}, [])
    addStrangers(scene, 2100)
    await scene.sortOut()
    expect(names(scene)).toEqual(Array.from({ length: 2000 }, (_, n) => `s${n + 101}`))
    await scene.sortOut()
    expect(names(scene)).toHaveLength(2000)
  })
})
