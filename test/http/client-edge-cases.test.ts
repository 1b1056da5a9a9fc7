import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { sessionCount } from './accounts.ts'
import { basicClient, challengedClient, cookieClient } from './jar.ts'
import { actionsOf, delta, expectEmpty, uploaded } from './strict.ts'
import { timestampOf } from './sync/scene.ts'

/*
 * What happens to real clients beyond the usual sequence of clients.test.ts and more-clients.test.ts (docs/protocol.md#clients).
 */

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'
const FOG = 'https://cdn.tidewater.example/fog.mp3'

const DEVICES = '/api/2/devices/ida.json'
const EPISODES = '/api/2/episodes/ida.json'

async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings })
  return { app, ida: await signUp(app) }
}

describe('AntennaPod', () => {
  async function loggedIn(app: ReturnType<typeof startTestApp>) {
    const send = cookieClient(app, 'AntennaPod/3.8')
    expect((await send('POST', '/api/2/auth/ida/login.json', '')).status).toBe(200)
    return send
  }

  test('gets none of the many pieces it uploaded back, but what others wrote between these', async () => {
    const { app, ida } = await open()
    const send = await loggedIn(app)
    let since = timestampOf(await send('GET', EPISODES))
    for (let piece = 0; piece < 4; piece++) {
      const items = Array.from({ length: 30 }, (_, n) => ({
        podcast: HARBOUR,
        episode: `https://cdn.tidewater.example/${piece * 30 + n}.mp3`,
        device: 'pixel',
        action: 'play',
        timestamp: '2025-03-02T09:00:00',
        started: 1800,
        position: 1800,
        total: 1800,
      }))
      since = uploaded(await send('POST', EPISODES, items))
    }
    expect(actionsOf(await send('GET', `${EPISODES}?since=${since}`))).toEqual([])
    await ida.post(EPISODES, [{ podcast: HARBOUR, episode: FOG, device: 'desk', action: 'delete' }])
    expect(actionsOf(await send('GET', `${EPISODES}?since=${since}`))).toMatchObject([{ device: 'desk' }])
  })
})

describe('Kasts', () => {
  test('takes an old timestamp for one page of many, asks again, and is done', async () => {
    const { app, ida } = await open()
    await ida.post(EPISODES, [{ podcast: HARBOUR, episode: FOG, device: 'desk', action: 'new' }])
    app.clock.advance(86_400)
    const send = basicClient(app, 'Mozilla/5.0')
    const first = await send('GET', `/${EPISODES}?since=0&aggregated=true`)
    expect(actionsOf(first)).toHaveLength(1)
    const second = await send('GET', `/${EPISODES}?since=${timestampOf(first) + 1}&aggregated=true`)
    expect(actionsOf(second)).toEqual([])
    expect(timestampOf(second)).toBe(timestampOf(first))
  })
})

describe('gPodder (mygpoclient)', () => {
  test('has challenges left for when its session ends, but for two times only', async () => {
    const { app } = await open({ session_days: '1' })
    const { send, challenges } = challengedClient(app)
    for (const expected of [1, 2, 3]) {
      for (let round = 0; round < 3; round++) expect((await send('GET', DEVICES)).status).toBe(200)
      expect(challenges()).toBe(expected)
      app.clock.advance(3 * 86_400)
    }
    expect((await send('GET', DEVICES)).status).toBe(401)
  })
})

describe('Clementine', () => {
  const MINE = '//api/2/subscriptions/ida/clementine.json'

  test('sends JSON made by hand and the password each time, which begins one session only', async () => {
    const { app } = await open()
    const send = basicClient(app, 'Clementine 1.4')
    const device = '{ "caption" : "Clementine on desk" , "type" : "desktop" }\n'
    expectEmpty(await send('POST', '//api/2/devices/ida/clementine.json', device))
    for (let round = 0; round < 10; round++)
      uploaded(await send('POST', MINE, `{ "add" : [ "https://x.example/${round}" ] , "remove" : [ ] }`))
    expect(delta(await send('GET', `${MINE}?since=0`)).add).toHaveLength(10)
    expect(sessionCount(app)).toBe(1)
  })
})

test('PinePods, which logs in before every request, does not push out a session that somebody uses', async () => {
  const { app } = await open()
  const browser = cookieClient(app, 'browser')
  await browser('POST', '/api/2/auth/ida/login.json', '')
  const pinepods = basicClient(app, 'PinePods')
  for (let round = 0; round < 120; round++) {
    app.clock.advance(3600)
    expect((await pinepods('POST', '/api/2/auth/ida/login.json')).status).toBe(200)
    // Somebody looks in once a day.
    if (round % 24 === 0) expect((await browser('GET', DEVICES)).status).toBe(200)
  }
  expect(sessionCount(app)).toBe(100)
  expect((await browser('GET', DEVICES)).status).toBe(200)
})
