import { describe, expect, test } from 'bun:test'
import { feedOf } from '../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../store/contract/fixtures.ts'
import { signUp } from '../support/client.ts'
import { FOG, lookupsOf, NEW, openOnDemand } from './on-demand-scene.ts'
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
    expect(scene.logged('removed podcasts that nobody has')).toMatchObject([{ level: 'info', podcasts: 1 }])
  })

  test('can be looked at again then, and has another 30 days', async () => {
    const scene = await open()
    scene.app.clock.advance(MONTH + 1)
    await scene.sortOut()
    for (const path of lookupsOf(NEW)) expect(await scene.anyone.get(path)).toMatchObject({ status: 200 })
    expect(scene.urlsAsked()).toEqual([NEW, NEW])
    scene.app.clock.advance(MONTH)
    await scene.sortOut()
    expect(left(scene)).toEqual([1, 1, 1, 1])
  })

  test('does not live longer by being looked at', async () => {
    const scene = await open()
    for (let day = 0; day < 31; day++) {
      scene.app.clock.advance(DAY)
      expect(await scene.anyone.get(podcastPath(NEW))).toMatchObject({ status: 200 })
    }
    await scene.sortOut()
    expect(left(scene)).toEqual([0, 0, 0, 0])
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

  test('goes although somebody has removed it who never had it', async () => {
    const scene = await open()
    await subscribe(scene, { remove: [NEW] })
    scene.app.clock.advance(MONTH + 1)
    await scene.sortOut()
    expect(left(scene)).toEqual([0, 0, 0, 0])
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

  test('goes whatever is in it', async () => {
    const scene = await openOnDemand({}, [])
    const episodes = Array.from({ length: 300 }, (_, n) =>
      feedEpisode({ url: `https://cdn.example/${n}`, guid: `${n}` }),
    )
    scene.script.answer = async () => feedOf('', { document: feedDocument({ episodes }) })
    for (const n of [1, 2, 3]) await scene.ida.get(podcastPath(`${NEW}/${n}`))
    expect(left(scene)).toEqual([3, 3, 900, 900])
    scene.app.clock.advance(MONTH + 1)
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

  test('2000 at most, whoever has podcasts beside them', async () => {
    const scene = await openOnDemand({}, [])
    addStrangers(scene, 2100)
    await subscribe(scene, { add: ['s1', 's2', 's3'].map((name) => `https://feeds.example/${name}`) })
    await scene.sortOut()
    expect(names(scene)).toEqual(['s1', 's2', 's3', ...Array.from({ length: 2000 }, (_, n) => `s${n + 101}`)])
  })

  test('no more because somebody listens to some of them', async () => {
    const scene = await openOnDemand({}, [])
    addStrangers(scene, 2060)
    const heard = Array.from({ length: 40 }, (_, n) => `s${n + 30}`)
    const actions = heard.map((name) => ({ podcast: `https://feeds.example/${name}`, episode: FOG, action: 'new' }))
    await scene.ida.post('/api/2/episodes/ida.json', actions)
    await scene.sortOut()
    expect(names(scene).filter((name) => heard.includes(name))).toEqual(heard)
    expect(names(scene)).toHaveLength(2000)
  })

  test('none after 30 days, however many there were', async () => {
    const scene = await openOnDemand({}, [])
    addStrangers(scene, 1500)
    scene.app.clock.advance(MONTH + 1)
    addStrangers(scene, 10, 'new')
    await scene.sortOut()
    expect(names(scene)).toEqual(Array.from({ length: 10 }, (_, n) => `new${n + 1}`))
  })
})

test('while nothing can be written none goes, and the next run does it', async () => {
  const scene = await open()
  scene.app.clock.advance(MONTH + 1)
  scene.app.db.run('PRAGMA query_only = ON')
  await scene.sortOut()
  scene.app.db.run('PRAGMA query_only = OFF')
  expect(left(scene)).toEqual([1, 1, 1, 1])
  await scene.sortOut()
  expect(left(scene)).toEqual([0, 0, 0, 0])
})

test('a run that finds nothing writes nothing', async () => {
  const scene = await open()
  await scene.sortOut()
  const changes = () => scene.app.db.query('SELECT total_changes() AS n').get()
  const before = changes()
  for (let n = 0; n < 3; n++) await scene.sortOut()
  scene.app.clock.advance(DAY)
  await scene.sortOut()
  expect(changes()).toEqual(before)
})
