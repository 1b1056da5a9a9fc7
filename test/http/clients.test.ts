import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { basicClient, challengedClient, cookieClient } from './jar.ts'
import { actionsOf, delta, expectEmpty, ok, uploaded } from './strict.ts'

/*
 * The request sequences of real clients (docs/protocol.md#clients), and of each answer exactly what the client would break on.
 */

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'
const PIER = 'https://feeds.tidewater.example/pier.xml'
const FOG = 'https://cdn.tidewater.example/fog.mp3'
const NEVER = 'https://feeds.tidewater.example/never.xml'

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  return { app, ida }
}

describe('AntennaPod', () => {
  test('first sync, then a second one with the timestamps of its last calls, by cookie alone', async () => {
    const { app, ida } = await open()
    await ida.put('/subscriptions/ida/desk.txt', PIER)
    const send = cookieClient(app, 'AntennaPod/3.8')
    const login = () => send('POST', '/api/2/auth/ida/login.json', '')

    expect((await login()).status).toBe(200)
    expect(ok(await send('GET', '/api/2/devices/ida.json'))).toEqual([
      { id: 'desk', caption: 'desk', type: 'other', subscriptions: 1, last_contact: expect.any(String) },
    ])
    expectEmpty(await send('POST', '/api/2/devices/ida/antennapod-x1.json', { caption: "Ida's phone", type: 'mobile' }))

    const changes = '/api/2/subscriptions/ida/antennapod-x1.json'
    expect(delta(await send('GET', `${changes}?since=0`))).toMatchObject({ add: [], remove: [] })
    const subscribed = uploaded(await send('POST', changes, { add: [HARBOUR], remove: [] }))
    expect(actionsOf(await send('GET', '/api/2/episodes/ida.json?since=0'))).toEqual([])
    const play = { podcast: HARBOUR, episode: FOG, guid: 'fog-7', device: 'antennapod-x1', action: 'play' }
    const batch = Array.from({ length: 30 }, (_, n) => ({
      ...play,
      episode: `${FOG}?${n}`,
      timestamp: '2025-03-02T10:00:00',
      started: 0,
      position: 60 + n,
      total: 1800,
    }))
    const acted = uploaded(await send('POST', '/api/2/episodes/ida.json', batch))

    app.clock.advance(3600)
    expect((await login()).status).toBe(200)
    expect(delta(await send('GET', `${changes}?since=${subscribed}`))).toMatchObject({ add: [], remove: [] })
    expect(actionsOf(await send('GET', `/api/2/episodes/ida.json?since=${acted}`))).toEqual([])
    const all = actionsOf(await send('GET', '/api/2/episodes/ida.json?since=0'))
    expect(all).toEqual(batch)
  })
})

describe('gPodder (mygpoclient)', () => {
  test('whole life of a program on one challenge', async () => {
    const { app } = await open()
    const { send, challenges } = challengedClient(app)
    expectEmpty(await send('POST', '/api/2/devices/ida/gpodder-desk.json', { caption: 'Desk', type: 'desktop' }))
    expect(challenges()).toBe(1)
    expectEmpty(await send('PUT', '/subscriptions/ida/gpodder-desk.json', [HARBOUR]))
    expect(ok(await send('GET', '/subscriptions/ida/gpodder-desk.json'))).toEqual([HARBOUR])
    const changes = '/api/2/subscriptions/ida/gpodder-desk.json'
    expect(delta(await send('GET', `${changes}?since=0`))).toMatchObject({ add: [HARBOUR], remove: [] })
    expect(
      ok(await send('POST', changes, { add: ['http://Tidewater.example', 'fb:x'], remove: [HARBOUR] })),
    ).toMatchObject({
      update_urls: [
        ['http://Tidewater.example', 'http://tidewater.example/'],
        ['fb:x', ''],
      ],
    })
    // It gives up on started or total without position, on numbers of anything but a play, and on unknown kinds.
    const at = { podcast: HARBOUR, episode: FOG, device: 'gpodder-desk' }
    uploaded(
      await send('POST', '/api/2/episodes/ida.json', [
        { ...at, action: 'download', timestamp: '2025-03-02T10:00:00', position: 5 },
        { ...at, action: 'play', timestamp: '2025-03-02T10:00:01' },
        { ...at, action: 'play', timestamp: '2025-03-02T10:00:02Z', started: 5, total: 10 },
        { ...at, action: 'play', timestamp: '2025-03-02T10:00:03.000001', position: 61, total: 1800, started: 0 },
      ]),
    )
    expect(actionsOf(await send('GET', '/api/2/episodes/ida.json?since=0&device=gpodder-desk'))).toEqual([
      { ...at, action: 'download', timestamp: '2025-03-02T10:00:00' },
      { ...at, action: 'play', timestamp: '2025-03-02T10:00:01' },
      { ...at, action: 'play', timestamp: '2025-03-02T10:00:02' },
      { ...at, action: 'play', timestamp: '2025-03-02T10:00:03', started: 0, position: 61, total: 1800 },
    ])
    const restored = await send('GET', '/subscriptions/ida.opml')
    expect([restored.status, restored.text]).toEqual([
      200,
      expect.stringContaining('xmlUrl="http://tidewater.example/"'),
    ])
    app.clock.advance(20 * 86_400)
    for (const device of ['a', 'b', 'c', 'd']) expectEmpty(await send('POST', `/api/2/devices/ida/${device}.json`, {}))
    expect(challenges()).toBe(1)
  })
})

describe('Kasts', () => {
  test('the password each time, its timestamp plus one, and no request that has to be repeated', async () => {
    const { app, ida } = await open()
    await ida.put('/subscriptions/ida/desk.txt', PIER)
    const send = basicClient(app, 'Kasts/24.08')
    const base = '//api/2'
    expect(ok(await send('GET', `${base}/devices/ida.json`))).toMatchObject([{ id: 'desk' }])
    expectEmpty(await send('POST', `${base}/devices/ida/kasts-1.json`, '{"caption":"Laptop","type":"laptop"}'))
    const changes = `${base}/subscriptions/ida/kasts-1.json`
    const first = await send('GET', `${changes}?since=0`)
    delta(first)
    const feed = 'https://feeds.tidewater.example/a%2Fb?x=%3A'
    uploaded(await send('POST', changes, { add: [feed], remove: [] }))
    const actions = await send('GET', `${base}/episodes/ida.json?since=0&aggregated=true`)
    expect(actionsOf(actions)).toEqual([])

    const play = {
      podcast: HARBOUR,
      episode: FOG,
      guid: 'fog-7',
      device: 'kasts-1',
      action: 'play',
      started: 0,
      position: 61,
      total: 1800,
    }
    const at = uploaded(
      await send('POST', `${base}/episodes/ida.json`, [{ ...play, timestamp: '2025-03-02T10:00:00' }]),
    )
    // It fetches again while the timestamp is more than ten seconds behind its own clock and something came.
    expect(Math.abs(at - app.clock.seconds())).toBeLessThanOrEqual(10)
    await ida.post('/api/2/episodes/ida.json', [
      { ...play, device: 'desk', position: 99, timestamp: '2025-03-02T10:00:05Z' },
    ])
    expect(actionsOf(await send('GET', `${base}/episodes/ida.json?since=${at + 1}`))).toMatchObject([{ position: 99 }])
    expect(actionsOf(await send('GET', `${base}/episodes/ida.json?since=0&aggregated=true`))).toEqual([
      { ...play, device: 'desk', position: 99, timestamp: '2025-03-02T10:00:05' },
    ])
  })
})

describe('Amarok', () => {
  test('asks for the actions of each podcast, aggregated, also of one that has none', async () => {
    const { app } = await open()
    const send = basicClient(app, 'amarok/3.2')
    const item = { podcast: HARBOUR, episode: FOG, action: 'play', timestamp: '2025-03-02T10:00:00' }
    uploaded(
      await send('POST', '/api/2/episodes/ida.json', [
        item,
        { ...item, podcast: PIER },
        { ...item, action: 'delete', timestamp: '2025-03-02T10:00:09' },
      ]),
    )
    const of = (podcast: string) =>
      `/api/2/episodes/ida.json?podcast=${encodeURIComponent(podcast)}&since=0&aggregated=true`
    expect(actionsOf(await send('GET', of(HARBOUR)))).toEqual([
      { ...item, action: 'delete', timestamp: '2025-03-02T10:00:09' },
    ])
    expect(actionsOf(await send('GET', of(PIER)))).toEqual([{ ...item, podcast: PIER }])
    expect(actionsOf(await send('GET', of(NEVER)))).toEqual([])
  })
})
