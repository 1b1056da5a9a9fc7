import { expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../store/contract/fixtures.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { type Answer, basic, clientOf, signUp } from '../support/client.ts'
import { feedSource, UNCHANGED } from '../support/feed-source.ts'
import { timestampOf } from './sync/scene.ts'

// The request sequences of real clients (docs/protocol.md#clients), with checks of everything that would break a client.

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'
const PIER = 'https://feeds.tidewater.example/pier.xml'
const FOG = 'https://cdn.tidewater.example/fog.mp3'
const ITEM = { podcast: HARBOUR, episode: FOG, action: 'play', timestamp: '2025-03-02T10:00:00' }
const PROGRESS = { started: 0, position: 61, total: 1800 }

const LOGIN = '/api/2/auth/ida/login.json'
const DEVICES = '/api/2/devices/ida.json'
const EPISODES = '/api/2/episodes/ida.json'

async function open(settings: Record<string, string> = {}, options: TestAppOptions = {}) {
  const app = startTestApp({ ...options, settings })
  return { app, ida: await signUp(app) }
}

test('AntennaPod syncs with cookie and timestamps', async () => {
  const { app, ida } = await open()
  await ida.put('/subscriptions/ida/desk.txt', PIER)
  const send = cookieClient(app, 'AntennaPod/3.8')
  const login = () => send('POST', LOGIN, '')

  expect((await login()).status).toBe(200)
  expect(ok(await send('GET', DEVICES))).toMatchObject([{ id: 'desk', type: 'other', subscriptions: 1 }])
  expectEmpty(await send('POST', '/api/2/devices/ida/antennapod-x1.json', { caption: "Ida's phone", type: 'mobile' }))

  const changes = '/api/2/subscriptions/ida/antennapod-x1.json'
  expect(delta(await send('GET', `${changes}?since=0`))).toEqual({ add: [], remove: [] })
  const subscribed = uploaded(await send('POST', changes, { add: [HARBOUR], remove: [] }))
  expect(actionsOf(await send('GET', `${EPISODES}?since=0`))).toEqual([])
  const batch = Array.from({ length: 30 }, (_, n) => ({
    ...{ ...ITEM, guid: `fog-${n}`, device: 'antennapod-x1', episode: `${FOG}?${n}` },
    ...{ ...PROGRESS, position: 60 + n },
  }))
  const acted = uploaded(await send('POST', EPISODES, batch))

  app.clock.advance(3600)
  expect((await login()).status).toBe(200)
  expect(delta(await send('GET', `${changes}?since=${subscribed}`))).toEqual({ add: [], remove: [] })
  expect(actionsOf(await send('GET', `${EPISODES}?since=${acted}`))).toEqual([])
  expect(actionsOf(await send('GET', `${EPISODES}?since=0`))).toEqual(batch)
})

test('AntennaPod syncs as with a Nextcloud, by its own clock; a full sync sets nothing back', async () => {
  const { app, ida } = await open()
  const send = basicClient(app, 'AntennaPod/3.8.0')
  const API = '/index.php/apps/gpoddersync'
  const mark = { ...ITEM, guid: 'fog-7', action: 'PLAY', started: 60, position: 60, total: 60 }
  const fullSync = async () =>
    timestampOf(
      await send('POST', `${API}/episode_action/create`, [mark, { ...mark, guid: 'fog-8', episode: `${FOG}?2` }]),
    )
  const actionsSince = async (since: number) =>
    listIn((await send('GET', `${API}/episode_action?since=${since}`)).json, 'actions')
  expect(delta(await send('GET', `${API}/subscriptions?since=0`))).toEqual({ add: [], remove: [] })
  timestampOf(await send('POST', `${API}/subscription_change/create`, { add: [HARBOUR], remove: [] }))
  expect(await actionsSince(0)).toEqual([])
  await fullSync()
  app.clock.advance(10)
  const since = app.clock.seconds()

  // Another device plays one of the episodes again, before and after which AntennaPod repeats a full sync.
  app.clock.advance(60)
  const again = { ...mark, action: 'play', timestamp: '2025-03-02T10:01:00', started: 0, position: 12, device: 'desk' }
  await ida.post(EPISODES, [again])
  const clock = await fullSync()
  expect(await fullSync()).toBe(clock)
  const { device, ...known } = again
  expect(await actionsSince(since)).toEqual([{ ...known, action: 'PLAY' }])
  expect(await actionsSince(0)).toHaveLength(2)
  timestampOf(await send('POST', `${API}/subscription_change/create`, { add: [], remove: [HARBOUR] }))
  expect(delta(await send('GET', `${API}/subscriptions?since=${since}`))).toEqual({ add: [], remove: [HARBOUR] })
})

test('gPodder (mygpoclient) survives the end of its session twice, since it answers three challenges', async () => {
  const { app } = await open({ session_days: '1' })
  const { send, challenges } = challengedClient(app)
  for (const expected of [1, 2, 3]) {
    for (let round = 0; round < 3; round++) expect((await send('GET', DEVICES)).status).toBe(200)
    expect(challenges()).toBe(expected)
    app.clock.advance(3 * 86_400)
  }
  expect((await send('GET', DEVICES)).status).toBe(401)
})

test('Kasts repeats no request, sending the password each time and its timestamp plus one', async () => {
  const { app, ida } = await open()
  await ida.put('/subscriptions/ida/desk.txt', PIER)
  const send = basicClient(app, 'Kasts/24.08')
  expect(ok(await send('GET', `/${DEVICES}`))).toMatchObject([{ id: 'desk' }])
  expectEmpty(await send('POST', '//api/2/devices/ida/kasts-1.json', '{"caption":"Laptop","type":"laptop"}'))
  const changes = '//api/2/subscriptions/ida/kasts-1.json'
  delta(await send('GET', `${changes}?since=0`))
  uploaded(await send('POST', changes, { add: ['https://feeds.tidewater.example/a%2Fb?x=%3A'], remove: [] }))
  const aggregated = () => send('GET', `/${EPISODES}?since=0&aggregated=true`)
  expect(actionsOf(await aggregated())).toEqual([])

  const play = { ...ITEM, guid: 'fog-7', device: 'kasts-1', ...PROGRESS }
  const at = uploaded(await send('POST', `/${EPISODES}`, [play]))
  // It fetches again while the timestamp is more than ten seconds behind its own clock.
  expect(Math.abs(at - app.clock.seconds())).toBeLessThanOrEqual(10)
  const later = { ...play, device: 'desk', position: 99, timestamp: '2025-03-02T10:00:05' }
  await ida.post(EPISODES, [later])
  expect(actionsOf(await send('GET', `/${EPISODES}?since=${at + 1}`))).toMatchObject([{ position: 99 }])
  expect(actionsOf(await aggregated())).toEqual([later])
})

test('Clementine (libmygpo-qt) syncs by device updates', async () => {
  const episodes = [feedEpisode({ url: FOG, guid: 'fog-7', title: 'Fog', released: 1_740_800_000 })]
  const answer = { ...UNCHANGED, kind: 'feed' as const, document: feedDocument({ episodes }) }
  const { app, ida } = await open({}, { feedSource: feedSource({ [HARBOUR]: answer }) })
  await ida.put('/subscriptions/ida/desk.txt', `${HARBOUR}\n${PIER}`)
  await app.services.feeds.refresh(HARBOUR)
  const send = basicClient(app, 'Clementine')
  expectEmpty(
    await send('POST', '//api/2/devices/ida/clementine.json', ' { "caption" : "Desk" , "type" : "desktop" } '),
  )
  await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['desk', 'clementine']] })
  const updates = '//api/2/updates/ida/clementine.json'
  const first = await send('GET', `${updates}?since=0&include_actions=false`)
  const [podcast] = itemsIn(first, 'add')
  expectTypes(podcast, 'url title description author website logo_url mygpo_link', 'string')
  expectTypes(podcast, 'subscribers subscribers_last_week', 'number')
  expect([itemsIn(first, 'rem'), itemsIn(first, 'add').length]).toEqual([[], 2])
  const [episode] = itemsIn(first, 'updates')
  const texts = 'title url podcast_title podcast_url description website mygpo_link released status'
  expectTypes(episode, texts, 'string')
  expect(episode).toMatchObject({ url: FOG, title: 'Fog', status: 'new' })

  // It uses its own clock.
  const since = app.clock.seconds()
  const removal = `{ "add" : [ ] , "remove" : [ "${PIER}" ] }`
  uploaded(await send('POST', '//api/2/subscriptions/ida/clementine.json', removal))
  app.clock.advance(600)
  await ida.post('/api/2/subscriptions/ida/desk.json', { remove: [HARBOUR] })
  const later = await send('GET', `${updates}?since=${since}&include_actions=false`)
  expect([itemsIn(later, 'add'), itemsIn(later, 'updates')]).toEqual([[], []])
  expect(new Set(itemsIn(later, 'rem'))).toEqual(new Set([HARBOUR, PIER]))
})

test('a terminal client detects the protocol by 404, replaces lists, and repeats an aborted upload', async () => {
  const { app, ida } = await open()
  const send = basicClient(app, 'a terminal')
  for (const path of ['/api/3/login.json', '/api/2/auth/ida.json', '/x/index.php/apps/gpoddersync/subscriptions'])
    for (const client of [send, basicClient(app, 'a terminal', 'wrong'), withJar(app)])
      expect((await client('GET', path)).status).toBe(404)
  expect(ok(await send('POST', LOGIN))).toEqual({ status: 'ok' })
  expectEmpty(await send('PUT', '/api/2/devices/ida/tty.json', { caption: 'tty', type: 'other' }))
  expectEmpty(await send('PUT', '/subscriptions/ida/tty.txt', `${HARBOUR}\n${PIER}\n`))
  expectEmpty(await send('PUT', '/subscriptions/ida/tty.txt', `${PIER}\n`))
  expect(ok(await send('GET', '/subscriptions/ida/tty.json'))).toEqual([PIER])

  // It aborts an upload after five seconds and repeats it later.
  const item = { ...ITEM, device: 'tty', ...PROGRESS }
  const actions = Array.from({ length: 200 }, (_, n) => ({ ...item, episode: `${FOG}?${n}` }))
  const cut = new AbortController()
  const headers = { ...basic('ida', 'seaglass'), host: 'localhost' }
  const request = { method: 'POST', headers, body: JSON.stringify(actions), signal: cut.signal }
  const sent = app.fetch(new Request(`http://localhost${EPISODES}`, request))
  cut.abort()
  await Promise.allSettled([sent])
  const at = uploaded(await send('POST', EPISODES, actions))
  app.clock.advance(60)
  expect(uploaded(await send('POST', EPISODES, actions))).toBe(at)
  expect(actionsOf(await ida.get(EPISODES))).toHaveLength(200)
})

type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

/** Keeps cookies as a browser does: over plain http, it would not return a `Secure` one. */
function withJar(app: TestApp, always: Record<string, string> = {}): Send {
  const plain = clientOf(app, always)
  let cookie: string | undefined
  return async (method, path, body, headers = {}) => {
    const answer = await plain.call(method, path, { body, headers: { ...(cookie && { cookie }), ...headers } })
    const given = answer.headers.get('set-cookie')
    if (given && !/;\s*secure/i.test(given)) cookie = given.split(';', 1)[0]
    return answer
  }
}

/** Sends the password to log in, then only the cookie. */
function cookieClient(app: TestApp, userAgent: string): Send {
  const send = withJar(app, { 'user-agent': userAgent })
  return (method, path, body) =>
    send(method, path, body, path.endsWith('/login.json') ? basic('ida', 'seaglass') : undefined)
}

/** Sends the password with every request and ignores cookies. */
function basicClient(app: TestApp, userAgent: string, password = 'seaglass'): Send {
  const plain = clientOf(app, { ...basic('ida', password), 'user-agent': userAgent })
  return (method, path, body) => plain.call(method, path, { body })
}

/** Sends no password before a challenge, answers at most three, and labels JSON as a form. */
function challengedClient(app: TestApp): { send: Send; challenges: () => number } {
  const send = withJar(app, { 'user-agent': 'mygpoclient/1.9', 'content-type': 'application/x-www-form-urlencoded' })
  let challenges = 0
  return {
    challenges: () => challenges,
    async send(method, path, body) {
      const answer = await send(method, path, body)
      if (answer.status !== 401 || challenges === 3) return answer
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+"/)
      challenges++
      return send(method, path, body, basic('ida', 'seaglass'))
    },
  }
}

// The following functions read responses as strictly as the strictest client.

function ok({ status, headers, json }: Answer): unknown {
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json(; ?charset=utf-8)?$/i)
  expectDigestible(json)
  return json
}

/** mygpoclient takes any text for an error. */
function expectEmpty({ status, text }: Answer): void {
  expect([status, text]).toEqual([200, ''])
}

function delta(answer: Answer): { add: unknown[]; remove: unknown[] } {
  timestampOf(answer)
  const json = ok(answer)
  return { add: listIn(json, 'add'), remove: listIn(json, 'remove') }
}

/** Returns the timestamp of an upload without rewritten URLs. */
function uploaded(answer: Answer): number {
  expect(listIn(ok(answer), 'update_urls')).toEqual([])
  return timestampOf(answer)
}

function actionsOf(answer: Answer): unknown[] {
  timestampOf(answer)
  return listIn(ok(answer), 'actions')
}

function listIn(json: unknown, key: string): unknown[] {
  const list: unknown = Reflect.get(Object(json), key)
  if (!Array.isArray(list)) throw new Error(`the response has no list "${key}"`)
  return list
}

/** Reads a list of device updates, whose episodes may have a duration of null, which apps do not read. */
function itemsIn(answer: Answer, key: string): unknown[] {
  timestampOf(answer)
  return listIn(answer.json, key)
}

/** libmygpo-qt rejects an object if a key is missing or of another type. */
function expectTypes(value: unknown, keys: string, type: 'string' | 'number'): void {
  for (const key of keys.split(' ')) expect([key, typeof Reflect.get(Object(value), key)]).toEqual([key, type])
}

/** Allows neither null nor -1, and only dates in the format that all clients read. */
function expectDigestible(value: unknown): void {
  expect(value).not.toBeNull()
  expect(value).not.toBe(-1)
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    expectDigestible(item)
    if (key === 'timestamp' && typeof item === 'string') expect(item).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  }
}
