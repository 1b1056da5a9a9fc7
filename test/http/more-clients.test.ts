import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { clientOf, cookieOf, signUp } from '../support/client.ts'
import { basicClient } from './jar.ts'
import { actionsOf, delta, expectEmpty, ok, uploaded } from './strict.ts'

/*
 * The request sequences of the clients that are not in clients.test.ts (docs/protocol.md#clients).
 */

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'
const FOG = 'https://cdn.tidewater.example/fog.mp3'
const ITEM = { podcast: HARBOUR, episode: FOG, action: 'play', timestamp: '2025-03-02T10:00:00' }
const EPISODES = '/api/2/episodes/ida.json'

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  return { app, ida }
}

describe('Music Assistant', () => {
  test('filters by a device that nobody knows yet, then uploads with it', async () => {
    const { app, ida } = await open()
    await ida.post(EPISODES, [{ ...ITEM, device: 'phone', position: 5 }])
    const send = basicClient(app, 'Music Assistant')
    expectEmpty(await send('POST', '/api/2/devices/ida/mass.json', { caption: 'Music Assistant', type: 'server' }))
    expect(delta(await send('GET', '/api/2/subscriptions/ida/mass.json?since=0'))).toEqual({ add: [], remove: [] })
    expect(actionsOf(await send('GET', `${EPISODES}?since=0&device=other-mass`))).toEqual([])
    const at = uploaded(await send('POST', '/api/2/subscriptions/ida/mass.json', { add: [HARBOUR], remove: [] }))
    expect(delta(await send('GET', `/api/2/subscriptions/ida/mass.json?since=${at}`))).toEqual({ add: [], remove: [] })

    const mine = { ...ITEM, device: 'mass', started: 0, position: 60, total: 1800 }
    uploaded(await send('POST', EPISODES, [mine]))
    expect(actionsOf(await send('GET', `${EPISODES}?since=0&device=mass`))).toEqual([mine])
    // It declares whole numbers with defaults: a key may be missing, but not null.
    expect(actionsOf(await send('GET', `${EPISODES}?since=0`))).toEqual([
      { ...ITEM, device: 'phone', position: 5 },
      mine,
    ])
  })
})

describe('Cardo', () => {
  test('logs in without body or type, uploads after every sync, even nothing, with keys of its own and milliseconds', async () => {
    const { app } = await open()
    const send = basicClient(app, 'cardo')
    expect(ok(await send('POST', '/api/2/auth/ida/login.json'))).toEqual({ status: 'ok' })
    expectEmpty(
      await send('POST', '/api/2/devices/ida/cardo-1.json', { caption: 'Cardo', type: 'desktop', version: 7 }),
    )
    const since = app.clock.seconds()
    uploaded(await send('POST', EPISODES, []))
    uploaded(
      await send('POST', EPISODES, [
        {
          ...ITEM,
          device: 'cardo-1',
          timestamp: '2025-03-02T10:00:00.123Z',
          started: 0,
          position: 61,
          total: 1800,
          syncTimestamp: null,
          id: 7,
        },
      ]),
    )
    expect(actionsOf(await send('GET', `${EPISODES}?since=${since}`))).toEqual([
      { ...ITEM, device: 'cardo-1', started: 0, position: 61, total: 1800 },
    ])
  })
})

describe('Kodi', () => {
  test('logs in with a password in the other base64 alphabet, without padding, and reads the OPML by cookie', async () => {
    const app = startTestApp()
    const ida = await signUp(app, 'ida', 'øß?~>ÿ')
    await ida.put('/subscriptions/ida/phone.txt', HARBOUR)
    const header = `Basic ${Buffer.from('ida:øß?~>ÿ').toString('base64url')}`
    expect(header).toMatch(/^Basic .*[_-]/)
    const login = await clientOf(app, { authorization: header }).post('/api/2/auth/ida/login.json')
    expect(login.status).toBe(200)

    const { status, text } = await clientOf(app, cookieOf(login)).get('/subscriptions/ida.opml')
    expect(status).toBe(200)
    expect(text).toMatch(/<head>\s*<title>[^<]+<\/title>/)
    expect(text).toContain(`<outline type="rss" xmlUrl="${HARBOUR}" title="${HARBOUR}" text="${HARBOUR}"`)
  })
})
