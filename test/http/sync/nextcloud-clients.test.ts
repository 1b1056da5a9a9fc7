import { expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { basic, clientOf, signIn } from '../../support/client.ts'
import { A, B, EPISODES, openSync, timestampOf } from './scene.ts'

/*
 * The request sequences of apps that synchronize as with a Nextcloud (docs/protocol.md#clients).
 */

const API = '/index.php/apps/gpoddersync'

/** An app that sends the password with every request and keeps no cookies. */
function appOf(app: TestApp, userAgent: string, credentials: Record<string, string> = basic('ida', 'seaglass')) {
  const client = clientOf(app, { ...credentials, 'user-agent': userAgent })
  return {
    changes: (since: number) => client.get(`${API}/subscriptions?since=${since}`),
    change: (body: object) => client.post(`${API}/subscription_change/create`, body),
    actions: (since: number) => client.get(`${API}/episode_action?since=${since}`),
    report: (items: readonly object[]) => client.post(`${API}/episode_action/create`, items),
  }
}

const episode = (n: number) => `https://cdn.example/${n}.mp3`

/** As AntennaPod writes an action: upper case, all keys. */
const play = (n: number, timestamp: string, position: number, started = 0) => ({
  ...{ podcast: A, episode: episode(n), guid: `g-${n}`, action: 'PLAY', timestamp },
  ...{ started, position, total: 60 },
})
const mark = (n: number, timestamp: string) => play(n, timestamp, 60, 60)

const actionsOf = (json: unknown): unknown => Reflect.get(Object(json), 'actions')

test('AntennaPod keeps its own clock and misses nothing; a full sync, twice, sets nothing back', async () => {
  const { app, ida } = await openSync()
  const phone = appOf(app, 'AntennaPod/3.8.0')
  const now = () => app.clock.seconds()
  // The first sync: everything from the server, then all that it has, 30 actions a request.
  expect((await phone.changes(0)).json).toMatchObject({ add: [], remove: [] })
  timestampOf(await phone.change({ add: [A], remove: [] }))
  expect(actionsOf((await phone.actions(0)).json)).toEqual([])
  const full = async (timestamp: string) => {
    for (const first of [0, 30])
      timestampOf(await phone.report(Array.from({ length: 30 }, (_, n) => mark(first + n, timestamp))))
  }
  await full('2025-03-02T09:00:00')
  app.clock.advance(10)
  let since = now()

  // Another device begins one again, and unsubscribes from nothing.
  app.clock.advance(60)
  const again = { ...play(7, '2025-03-02T10:01:00', 12), action: 'play', device: 'desk' }
  await ida.post(EPISODES, [again])
  await ida.post('/api/2/subscriptions/ida/desk.json', { add: [B] })
  app.clock.advance(60)
  expect(actionsOf((await phone.actions(since)).json)).toEqual([play(7, '2025-03-02T10:01:00', 12)])
  app.clock.advance(10)
  since = now()

  // Somebody hears on at the desk; on the phone "force full sync" is pressed before it knows, and once more.
  for (const minute of ['10:05:00', '10:06:00']) {
    app.clock.advance(60)
    await ida.post(EPISODES, [{ ...again, timestamp: `2025-03-02T${minute}`, position: 20 }])
    const clock = timestampOf(await ida.get(EPISODES))
    await full('2025-03-02T11:00:00')
    expect(timestampOf(await ida.get(EPISODES))).toBe(clock)
    expect((await ida.get(`${EPISODES}?aggregated=true&since=${since}`)).json).toMatchObject({
      actions: [{ episode: episode(7), position: 20, device: 'desk' }],
    })
  }

  expect(actionsOf((await phone.actions(0)).json)).toHaveLength(60)
  timestampOf(await phone.change({ add: [], remove: [A] }))
  app.clock.advance(5)
  expect((await phone.changes(since)).json).toMatchObject({ add: [], remove: [A] })
  expect((await phone.changes(0)).json).toMatchObject({ add: [], remove: [] })
})

test('Kasts sends the plain password, keeps timestamp + 1, and reads strict dates only', async () => {
  const { app, ida } = await openSync()
  const kasts = appOf(app, 'Kasts/24.08')
  expect((await kasts.changes(0)).json).toMatchObject({ add: [], remove: [] })
  const uploaded = timestampOf(await kasts.change({ add: [A], remove: [] }))
  expect((await kasts.changes(uploaded + 1)).json).toMatchObject({ add: [], remove: [] })

  const reported = timestampOf(await kasts.report([{ ...play(1, '2025-03-02T10:00:00.000Z', 5), device: '' }]))
  expect(Math.abs(reported - app.clock.seconds())).toBeLessThanOrEqual(10)
  expect(actionsOf((await kasts.actions(reported + 1)).json)).toEqual([])
  await ida.post(EPISODES, [{ ...play(1, '2025-03-02T10:00:30+00:00', 30), device: 'phone' }])
  expect(actionsOf((await kasts.actions(reported + 1)).json)).toEqual([play(1, '2025-03-02T10:00:30', 30)])

  await ida.put('/subscriptions/ida/phone.json', [A, B])
  await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'gpoddersync']] })
  expect((await kasts.changes(uploaded + 1)).json).toMatchObject({ add: [B], remove: [] })
})

test('Music Assistant sends Bearer, and takes nothing but application/json and 200 for an answer', async () => {
  const { app } = await openSync()
  const made = await (await signIn(app)).post('/api/2/me/app-passwords', { name: 'Music', scope: 'sync' })
  const music = appOf(app, 'Music Assistant', { authorization: `Bearer ${Object(made.json).password}` })
  for (const answer of [await music.changes(0), await music.actions(0), await music.change({ add: [A], remove: [] })]) {
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json(;|$)/)
  }
  const sent = { ...play(1, '2025-03-02T10:00:00', 5), guid: undefined, action: 'play' }
  expect((await music.report([sent])).status).toBe(200)
  // It sorts by time with a parser that fails on a mixture, and takes -1 for what is not known.
  expect(actionsOf((await music.actions(0)).json)).toEqual([{ ...sent, guid: null, action: 'PLAY' }])
})
