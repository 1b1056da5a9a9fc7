import { expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../store/contract/fixtures.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../support/app.ts'
import { type Answer, basic, clientOf, signUp } from '../support/client.ts'
import { feedSource as scripted, UNCHANGED } from '../support/feed-source.ts'
import { timestampOf } from './sync/scene.ts'

/*
 * The request sequences of real clients (docs/protocol.md#clients), and of each answer exactly what the client would break on.
 */

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

test('AntennaPod syncs, and again with the timestamps of its last calls, by cookie alone', async () => {
  const { app, ida } = await open()
  await ida.put('/subscriptions/ida/desk.txt', PIER)
  const send = cookieClient(app, 'AntennaPod/3.8')
  const login = () => send('POST', LOGIN, '')

  expect((await login()).status).toBe(200)
  expect(ok(await send('GET', DEVICES))).toEqual([
    { id: 'desk', caption: 'desk', type: 'other', subscriptions: 1, last_contact: expect.any(String) },
  ])
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

test('gPodder (mygpoclient) lives a whole life on one challenge', async () => {
  const { app } = await open()
  const { send, challenges } = challengedClient(app)
  expectEmpty(await send('POST', '/api/2/devices/ida/gpodder-desk.json', { caption: 'Desk', type: 'desktop' }))
  expectEmpty(await send('PUT', '/subscriptions/ida/gpodder-desk.json', [HARBOUR]))
  expect(ok(await send('GET', '/subscriptions/ida/gpodder-desk.json'))).toEqual([HARBOUR])
  const changes = '/api/2/subscriptions/ida/gpodder-desk.json'
  expect(delta(await send('GET', `${changes}?since=0`))).toEqual({ add: [HARBOUR], remove: [] })
  const upload = { add: ['http://Tidewater.example', 'fb:x'], remove: [HARBOUR] }
  expect(ok(await send('POST', changes, upload))).toMatchObject({
    update_urls: [
      ['http://Tidewater.example', 'http://tidewater.example/'],
      ['fb:x', ''],
    ],
  })
  // It gives up on started or total without position, on numbers of anything but a play, and on unknown kinds.
  const at = { podcast: HARBOUR, episode: FOG, device: 'gpodder-desk' }
  const time = (second: number) => `2025-03-02T10:00:0${second}`
  uploaded(
    await send('POST', EPISODES, [
      { ...at, action: 'download', timestamp: time(0), position: 5 },
      { ...at, action: 'play', timestamp: time(1) },
      { ...at, action: 'play', timestamp: `${time(2)}Z`, started: 5, total: 10 },
      { ...at, action: 'play', timestamp: `${time(3)}.000001`, ...PROGRESS },
    ]),
  )
  expect(actionsOf(await send('GET', `${EPISODES}?since=0&device=gpodder-desk`))).toEqual([
    { ...at, action: 'download', timestamp: time(0) },
    { ...at, action: 'play', timestamp: time(1) },
    { ...at, action: 'play', timestamp: time(2) },
    { ...at, action: 'play', timestamp: time(3), ...PROGRESS },
  ])
  const { status, text } = await send('GET', '/subscriptions/ida.opml')
  expect([status, text]).toEqual([200, expect.stringContaining('xmlUrl="http://tidewater.example/"')])
  app.clock.advance(20 * 86_400)
  for (const device of ['a', 'b', 'c', 'd']) expectEmpty(await send('POST', `/api/2/devices/ida/${device}.json`, {}))
  expect(challenges()).toBe(1)
})

test('gPodder (mygpoclient) has challenges left for when its session ends, but for two times only', async () => {
  const { app } = await open({ session_days: '1' })
  const { send, challenges } = challengedClient(app)
  for (const expected of [1, 2, 3]) {
    for (let round = 0; round < 3; round++) expect((await send('GET', DEVICES)).status).toBe(200)
    expect(challenges()).toBe(expected)
    app.clock.advance(3 * 86_400)
  }
  expect((await send('GET', DEVICES)).status).toBe(401)
})

test('Kasts makes no request that has to be repeated, with the password each time and its timestamp plus one', async () => {
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
  // It fetches again while the timestamp is more than ten seconds behind its own clock and something came.
  expect(Math.abs(at - app.clock.seconds())).toBeLessThanOrEqual(10)
  const later = { ...play, device: 'desk', position: 99, timestamp: '2025-03-02T10:00:05' }
  await ida.post(EPISODES, [later])
  expect(actionsOf(await send('GET', `/${EPISODES}?since=${at + 1}`))).toMatchObject([{ position: 99 }])
  expect(actionsOf(await aggregated())).toEqual([later])
})

test('Music Assistant filters by a device that nobody knows yet, then uploads with it', async () => {
  const { app, ida } = await open()
  const others = { ...ITEM, device: 'phone', position: 5 }
  await ida.post(EPISODES, [others])
  const send = basicClient(app, 'Music Assistant')
  const changes = '/api/2/subscriptions/ida/mass.json'
  expectEmpty(await send('POST', '/api/2/devices/ida/mass.json', { caption: 'Music Assistant', type: 'server' }))
  expect(delta(await send('GET', `${changes}?since=0`))).toEqual({ add: [], remove: [] })
  expect(actionsOf(await send('GET', `${EPISODES}?since=0&device=other-mass`))).toEqual([])
  const at = uploaded(await send('POST', changes, { add: [HARBOUR], remove: [] }))
  expect(delta(await send('GET', `${changes}?since=${at}`))).toEqual({ add: [], remove: [] })

  const mine = { ...ITEM, device: 'mass', ...PROGRESS }
  uploaded(await send('POST', EPISODES, [mine]))
  expect(actionsOf(await send('GET', `${EPISODES}?since=0&device=mass`))).toEqual([mine])
  // It declares whole numbers with defaults: a key may be missing, but not null.
  expect(actionsOf(await send('GET', `${EPISODES}?since=0`))).toEqual([others, mine])
})

test.each([...[undefined, 'tauri://localhost', 'http://tauri.localhost', 'https://tauri.localhost']])(
  'Cardo at %p logs in without body or type, uploads after every sync, even nothing, with keys of its own and milliseconds',
  async (origin) => {
    const { app } = await open()
    const client = clientOf(app, { ...basic('ida', 'seaglass'), 'user-agent': 'cardo', ...(origin && { origin }) })
    const send: Send = (method, path, body) => client.call(method, path, { body })
    expect(ok(await send('POST', LOGIN))).toEqual({ status: 'ok' })
    const device = { caption: 'Cardo', type: 'desktop', version: 7 }
    expectEmpty(await send('POST', '/api/2/devices/ida/cardo-1.json', device))
    const since = app.clock.seconds()
    const action = { ...ITEM, device: 'cardo-1', ...PROGRESS }
    const sent = { ...action, timestamp: '2025-03-02T10:00:00.123Z', syncTimestamp: null, id: 7 }
    for (const actions of [[], [sent]]) uploaded(await send('POST', EPISODES, actions))
    expect(actionsOf(await send('GET', `${EPISODES}?since=${since}`))).toEqual([action])
  },
)

test('Clementine (libmygpo-qt) gets all it knows from the updates of its device', async () => {
  const feedSource = publishing({ [HARBOUR]: [{ url: FOG, guid: 'fog-7', title: 'Fog', released: 1_740_800_000 }] })
  const { app, ida } = await open({}, { feedSource })
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
  expectTexts(podcast, 'url title description author website logo_url mygpo_link')
  expectNumbers(podcast, 'subscribers subscribers_last_week')
  expect([itemsIn(first, 'rem'), itemsIn(first, 'add').length]).toEqual([[], 2])
  const [episode] = itemsIn(first, 'updates')
  expectTexts(episode, 'title url podcast_title podcast_url description website mygpo_link released status')
  expect(episode).toMatchObject({ url: FOG, title: 'Fog', status: 'new' })

  // It unsubscribes, and keeps its own clock.
  const since = app.clock.seconds()
  const removal = `{ "add" : [ ] , "remove" : [ "${PIER}" ] }`
  uploaded(await send('POST', '//api/2/subscriptions/ida/clementine.json', removal))
  app.clock.advance(600)
  await ida.post('/api/2/subscriptions/ida/desk.json', { remove: [HARBOUR] })
  const later = await send('GET', `${updates}?since=${since}&include_actions=false`)
  expect([itemsIn(later, 'add'), itemsIn(later, 'updates')]).toEqual([[], []])
  expect(new Set(itemsIn(later, 'rem'))).toEqual(new Set([HARBOUR, PIER]))
})

test('Amarok asks from the beginning each time, then for the latest actions of each podcast', async () => {
  const feedSource = publishing({ [HARBOUR]: [{ url: FOG, guid: 'fog-7', title: 'Fog', released: 1_740_800_000 }] })
  const { app, ida } = await open({}, { feedSource })
  await ida.put('/subscriptions/ida/amarok.txt', `${HARBOUR}\n${PIER}`)
  await app.services.feeds.refresh(HARBOUR)
  const play = { ...ITEM, ...PROGRESS }
  await ida.post(EPISODES, [play, { ...ITEM, action: 'download', timestamp: '2025-03-02T10:30:00' }])
  const send = basicClient(app, 'amarok')
  for (let round = 0; round < 2; round++) {
    const answer = await send('GET', '/api/2/updates/ida/amarok.json?since=0&include_actions=true')
    expect([itemsIn(answer, 'add').length, itemsIn(answer, 'rem')]).toEqual([2, []])
    expect(itemsIn(answer, 'updates')).toMatchObject([{ url: FOG, status: 'play', action: play }])
    const actionsOn = async (podcast: string) =>
      actionsOf(await send('GET', `${EPISODES}?podcast=${encodeURIComponent(podcast)}&aggregated=true`))
    expect([await actionsOn(HARBOUR), await actionsOn(PIER)]).toEqual([[{ ...play, guid: 'fog-7' }], []])
  }
})

test('a terminal client finds out by 404 which protocol a server speaks, replaces lists, and repeats what it has cut off', async () => {
  const { app, ida } = await open()
  const send = basicClient(app, 'a terminal')
  // Credentials that come along change nothing about paths that do not exist.
  for (const path of [
    '/api/3/login.json',
    '/api/2/auth/ida.json',
    '/elsewhere/index.php/apps/gpoddersync/subscriptions',
  ])
    for (const client of [send, basicClient(app, 'a terminal', 'wrong'), withJar(app)])
      expect((await client('GET', path)).status).toBe(404)
  expect(ok(await send('POST', LOGIN))).toEqual({ status: 'ok' })
  expectEmpty(await send('PUT', '/api/2/devices/ida/tty.json', { caption: 'tty', type: 'other' }))
  expectEmpty(await send('PUT', '/subscriptions/ida/tty.txt', `${HARBOUR}\n${PIER}\n`))
  expectEmpty(await send('PUT', '/subscriptions/ida/tty.txt', `${PIER}\n`))
  expect(ok(await send('GET', '/subscriptions/ida/tty.json'))).toEqual([PIER])

  // After five seconds it hangs up, whether or not the server has done it, and sends the same again next time.
  const actions = Array.from({ length: 200 }, (_, n) => ({
    ...ITEM,
    device: 'tty',
    episode: `${FOG}?${n}`,
    ...PROGRESS,
  }))
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

/** One request of a client. */
type Send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>

/** A client that keeps cookies as a browser does: over plain http it would not send a `Secure` one back. */
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

/** Sends the password to log in, and from then on nothing but the cookie. */
function cookieClient(app: TestApp, userAgent: string): Send {
  const send = withJar(app, { 'user-agent': userAgent })
  return (method, path, body) =>
    send(method, path, body, path.endsWith('/login.json') ? basic('ida', 'seaglass') : undefined)
}

/** Sends the password with every request and forgets all cookies. */
function basicClient(app: TestApp, userAgent: string, password = 'seaglass'): Send {
  const plain = clientOf(app, { ...basic('ida', password), 'user-agent': userAgent })
  return (method, path, body) => plain.call(method, path, { body })
}

/** mygpoclient: no password before a challenge, at most three of them in its life, JSON labelled as a form. */
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

/*
 * Answers as the strictest client reads them: whatever these functions object to breaks somebody's app.
 */

/** Feeds with these episodes. */
function publishing(feeds: Readonly<Record<string, readonly Partial<ReturnType<typeof feedEpisode>>[]>>) {
  const answers = Object.entries(feeds).map(([url, episodes]) => {
    const document = feedDocument({ episodes: episodes.map((each) => feedEpisode(each)) })
    return [url, { ...UNCHANGED, kind: 'feed' as const, document }] as const
  })
  return scripted(Object.fromEntries(answers))
}

/** The JSON of an answer that has exactly status 200 and is exactly application/json. */
function ok({ status, headers, json }: Answer): unknown {
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json(; ?charset=utf-8)?$/i)
  expectDigestible(json)
  return json
}

/** Success without a body: mygpoclient takes any text for an error. */
function expectEmpty({ status, text }: Answer): void {
  expect([status, text]).toEqual([200, ''])
}

/** What a delta brought; all three keys are there, and of the right types. */
function delta(answer: Answer): { add: unknown[]; remove: unknown[] } {
  timestampOf(answer)
  return { add: listIn(answer, 'add'), remove: listIn(answer, 'remove') }
}

/** The timestamp of an upload from which nothing had to be rewritten. */
function uploaded(answer: Answer): number {
  expect(listIn(answer, 'update_urls')).toEqual([])
  return timestampOf(answer)
}

function actionsOf(answer: Answer): unknown[] {
  timestampOf(answer)
  return listIn(answer, 'actions')
}

function listIn(answer: Answer, key: string): unknown[] {
  const list: unknown = Reflect.get(Object(ok(answer)), key)
  if (!Array.isArray(list)) throw new Error(`the answer has no list "${key}"`)
  return list
}

/** A list of device updates: its episodes may have a duration of null, which no app reads. */
function itemsIn(answer: Answer, key: string): unknown[] {
  timestampOf(answer)
  const list: unknown = Reflect.get(Object(answer.json), key)
  if (!Array.isArray(list)) throw new Error(`the answer has no list "${key}"`)
  return list
}

/** libmygpo-qt gives up on an object if one of the keys that it knows is missing or of another type. */
function expectTexts(value: unknown, keys: string): void {
  for (const key of keys.split(' ')) expect([key, typeof Reflect.get(Object(value), key)]).toEqual([key, 'string'])
}

function expectNumbers(value: unknown, keys: string): void {
  for (const key of keys.split(' ')) expect([key, typeof Reflect.get(Object(value), key)]).toEqual([key, 'number'])
}

/** No null, no -1, and no date in another form than all clients read, anywhere. */
function expectDigestible(value: unknown): void {
  expect(value).not.toBeNull()
  expect(value).not.toBe(-1)
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    expectDigestible(item)
    if (key === 'timestamp' && typeof item === 'string') expect(item).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  }
}
