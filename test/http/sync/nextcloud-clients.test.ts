import { expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { basic, clientOf } from '../../support/client.ts'
import { A, B, EPISODES, openSync, timestampOf } from './scene.ts'

/** The requests of AntennaPod, which synchronizes as with a Nextcloud (docs/protocol.md#clients). */

const API = '/index.php/apps/gpoddersync'

/** Sends the password with every request and keeps no cookies. */
function antennaPod(app: TestApp) {
  const client = clientOf(app, { ...basic('ida', 'seaglass'), 'user-agent': 'AntennaPod/3.8.0' })
  return {
    changes: (since: number) => client.get(`${API}/subscriptions?since=${since}`),
    change: (body: object) => client.post(`${API}/subscription_change/create`, body),
    actions: async (since: number) => Object((await client.get(`${API}/episode_action?since=${since}`)).json).actions,
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

test('AntennaPod keeps its own clock and misses nothing; a full sync, twice, sets nothing back', async () => {
  const { app, ida } = await openSync()
  const phone = antennaPod(app)
  const now = () => app.clock.seconds()
  // The first sync: everything from the server, then all that it has, 30 actions a request.
  expect((await phone.changes(0)).json).toMatchObject({ add: [], remove: [] })
  timestampOf(await phone.change({ add: [A], remove: [] }))
  expect(await phone.actions(0)).toEqual([])
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
  expect(await phone.actions(since)).toEqual([play(7, '2025-03-02T10:01:00', 12)])
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

  expect(await phone.actions(0)).toHaveLength(60)
  timestampOf(await phone.change({ add: [], remove: [A] }))
  app.clock.advance(5)
  expect((await phone.changes(since)).json).toMatchObject({ add: [], remove: [A] })
  expect((await phone.changes(0)).json).toMatchObject({ add: [], remove: [] })
})
