import { expect, test } from 'bun:test'
import { basic, clientOf, cookieOf } from '../../support/client.ts'
import { A, B, BROWSER, CHANGES, DEVICES, EPISODES, OLD, openSync, SETTINGS, timestampOf } from './scene.ts'

// Reads caused by links and pages of other sites leave no trace (docs/protocol.md#D25).

type Headers = Record<string, string>

const CROSS_SITE: readonly Headers[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'upgrade-insecure-requests': '1' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'null' },
  // Over plain http, browsers do not say which site a link was on.
  { 'upgrade-insecure-requests': '1' },
  // Media on a page of this server, at an address that others have chosen.
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'audio' },
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'video' },
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'track' },
  { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
]

const OWN: readonly Headers[] = [
  {},
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
  // The web view of an app.
  { origin: 'http://tauri.localhost' },
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
]

/** Signs Ida in by cookie of an app, cookie of a browser, and password of a browser; `auto_sync` is on. */
async function open() {
  const scene = await openSync({ settings: { rate_limit: 'false' } })
  const { app, ida } = scene
  await ida.put('/subscriptions/ida/phone.txt', A)
  await ida.post(SETTINGS, { set: { auto_sync: true } })
  const session = cookieOf(await ida.post('/api/2/auth/ida/login.json'))
  app.clock.advance(3600)
  const player = clientOf(app, session)
  const page = clientOf(app, { ...session, ...BROWSER })
  return {
    ...scene,
    player,
    page,
    clients: [player, page, clientOf(app, { ...basic('ida', 'seaglass'), ...BROWSER })],
    traces: async () => [(await ida.get(DEVICES)).json, (await ida.get('/api/2/me/activity')).json],
  }
}

/** Requests that create a device or count as its use. */
const READS = [
  '/api/2/subscriptions/ida/evil.json?since=0',
  '/api/2/subscriptions/ida/phone.json',
  '/index.php/apps/gpoddersync/subscriptions?since=0',
  '/apps/gpoddersync/subscriptions',
  '/apps/gpoddersync/episode_action',
  '/subscriptions/ida/phone.json',
  '/subscriptions/ida/phone.opml',
  '/subscriptions/ida.txt',
  `${EPISODES}?device=phone`,
  '/api/2/updates/ida/phone.json?since=0',
  '/api/2/settings/ida/device.json?device=phone',
  `/api/2/chapters/ida.json?podcast=${A}&episode=${A}/1&since=0`,
]

test.each(CROSS_SITE)('a read caused by another site creates and uses no device: %p', async (headers) => {
  const { clients, traces } = await open()
  const before = await traces()
  for (const client of clients)
    for (const path of READS) expect([path, (await client.get(path, { headers })).status]).toEqual([path, 200])
  expect(await traces()).toEqual(before)
})

test.each(OWN)('a first poll by an app or a page of this server creates a device: %p', async (headers) => {
  const { clients, player, ida, devices } = await open()
  for (const [n, client] of clients.entries()) {
    const answer = await client.get(`/api/2/subscriptions/ida/new${n}.json`, { headers })
    expect(answer).toMatchObject({ status: 200, json: { add: [A] } })
  }
  expect(await devices()).toMatchObject(['phone', 'new0', 'new1', 'new2'].map((id) => ({ id })))
  for (const path of READS) await player.get(path, { headers })
  const { items } = (await ida.get('/api/2/me/activity')).json as { items: { kind: string }[] }
  expect(items.map(({ kind }) => kind)).toContain('fetched_changes')
  expect(await devices()).toMatchObject([{ last_contact: '2025-03-02T11:00:00' }, {}, {}, {}, {}, {}])
})

/** Headers of an app in a browser engine, which calls the app another site. */
const foreign = (origin: string) => ({
  ...basic('ida', 'seaglass'),
  ...BROWSER,
  origin,
  'sec-fetch-site': 'cross-site',
})

test('a first poll by the web view of an app creates its device', async () => {
  const { app, devices } = await open()
  await clientOf(app, foreign('tauri://localhost')).get('/api/2/subscriptions/ida/new.json')
  expect(await devices()).toMatchObject([{ id: 'phone' }, { id: 'new', last_contact: '2025-03-02T11:00:00' }])
})

test.each(CROSS_SITE)('a read caused by another site does not move the cursor of the session: %p', async (headers) => {
  const { page, ida } = await open()
  for (const [path, theirs, bodyOf] of [
    [CHANGES, B, (url: string) => ({ add: [url] })],
    [EPISODES, `${A}/1`, (url: string) => [{ podcast: A, episode: url, action: 'download' }]],
  ] as const) {
    const seen = timestampOf(await page.get(`${path}?since=0`))
    await ida.post(path, bodyOf(theirs))
    await page.get(`${path}?since=0`, { headers })
    const since = timestampOf(await page.post(path, bodyOf(`${theirs}/own`)))
    expect(since).toBe(seen)
    expect((await page.get(`${path}?since=${since}`)).text).toContain(JSON.stringify(theirs))
  }
})

test('a web app of another site with its own password misses nothing, and creates its device by an upload', async () => {
  const { app, ida, devices } = await open()
  const player = clientOf(app, { ...foreign('https://player.example'), 'content-type': 'application/json' })
  const path = '/api/2/subscriptions/ida/player.json'
  await player.get(`${path}?since=0`)
  expect(await devices()).toMatchObject([{ id: 'phone' }])
  const first = timestampOf(await player.post(path, { add: [OLD] }))
  expect(await devices()).toMatchObject([{ id: 'phone' }, { id: 'player' }])
  const fetched = await player.get(`${path}?since=${first}`)
  expect(fetched.json).toMatchObject({ add: [A, OLD] })
  await ida.post(CHANGES, { add: [B] })
  const timestamp = timestampOf(fetched)
  expect(timestampOf(await player.post(path, { remove: [OLD] }))).toBe(timestamp)
  expect((await player.get(`${path}?since=${timestamp}`)).json).toMatchObject({ add: [B] })
})
