import { expect, test } from 'bun:test'
import { basic, type Client, clientOf, cookieOf } from '../../support/client.ts'
import { A, B, DEVICES, EPISODES, OLD, openSync, timestampOf } from './scene.ts'

/** Reads that a link or a page of another site causes leave no trace (docs/protocol.md#D25). */

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

type Headers = Record<string, string>

const LED: readonly Headers[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'upgrade-insecure-requests': '1' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'null' },
  // Over plain http a browser does not say whose link it was.
  { 'upgrade-insecure-requests': '1' },
  // An episode or a picture on a page of this server, at an address that others have chosen.
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'audio' },
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'video' },
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'track' },
  { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
]

const NOT_LED: readonly Headers[] = [
  {},
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
  // The web view of an app.
  { origin: 'http://tauri.localhost' },
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
]

/** Ida with a phone, `auto_sync`, and ways to be signed in. */
async function open() {
  const scene = await openSync({ settings: { rate_limit: 'false' } })
  const { app, ida } = scene
  await ida.put('/subscriptions/ida/phone.txt', A)
  await ida.post('/api/2/settings/ida/account.json', { set: { auto_sync: true } })
  const session = cookieOf(await ida.post('/api/2/auth/ida/login.json'))
  app.clock.advance(3600)
  return {
    ...scene,
    ways: {
      'the cookie of an app': clientOf(app, session),
      'the cookie of a browser': clientOf(app, { ...session, ...BROWSER }),
      'a password that the browser remembers': clientOf(app, { ...basic('ida', 'seaglass'), ...BROWSER }),
    },
  }
}

/** Requests that make a device, or are noted as the use of one. */
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

async function traces({ ida }: { readonly ida: Client }) {
  return [(await ida.get(DEVICES)).json, (await ida.get('/api/2/me/activity')).json]
}

test.each(LED)('a read that another site causes creates no device and uses none: %p', async (headers) => {
  const scene = await open()
  const before = await traces(scene)
  for (const client of Object.values(scene.ways))
    for (const path of READS) expect([path, (await client.get(path, { headers })).status]).toEqual([path, 200])
  expect(await traces(scene)).toEqual(before)
})

test.each(NOT_LED)(
  'an app or a page of this server makes a device by its first poll, and is noted: %p',
  async (headers) => {
    const { ways, ida, devices } = await open()
    for (const [n, client] of Object.values(ways).entries()) {
      const answer = await client.get(`/api/2/subscriptions/ida/new${n}.json`, { headers })
      expect(answer).toMatchObject({ status: 200, json: { add: [A] } })
    }
    expect(await devices()).toMatchObject(['phone', 'new0', 'new1', 'new2'].map((id) => ({ id })))
    for (const path of READS) await ways['the cookie of an app'].get(path, { headers })
    const { items } = (await ida.get('/api/2/me/activity')).json as { items: { kind: string }[] }
    expect(items.map(({ kind }) => kind)).toContain('fetched_changes')
    expect(await devices()).toMatchObject([{ last_contact: '2025-03-02T11:00:00' }, {}, {}, {}, {}, {}])
  },
)

/** An app in a browser engine that calls it another site. */
const foreign = (origin: string) => ({
  ...basic('ida', 'seaglass'),
  ...BROWSER,
  origin,
  'sec-fetch-site': 'cross-site',
})

test('the web view of an app makes its device by its first poll', async () => {
  const { app, devices } = await open()
  await clientOf(app, foreign('tauri://localhost')).get('/api/2/subscriptions/ida/new.json')
  expect(await devices()).toMatchObject([{ id: 'phone' }, { id: 'new', last_contact: '2025-03-02T11:00:00' }])
})

const PHONE_CHANGES = '/api/2/subscriptions/ida/phone.json'

test.each(LED)('a read that another site causes does not count as fetched by the page: %p', async (headers) => {
  const { ways, ida } = await open()
  const page = ways['the cookie of a browser']
  for (const [path, theirs, bodyOf] of [
    [PHONE_CHANGES, B, (url: string) => ({ add: [url] })],
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

test('a web app of another site with its own password misses nothing, and makes its device by an upload', async () => {
  const { app, ida, devices } = await open()
  const player = clientOf(app, { ...foreign('https://player.example'), 'content-type': 'application/json' })
  const path = '/api/2/subscriptions/ida/player.json'
  await player.get(`${path}?since=0`)
  expect(await devices()).toMatchObject([{ id: 'phone' }])
  const first = timestampOf(await player.post(path, { add: [OLD] }))
  expect(await devices()).toMatchObject([{ id: 'phone' }, { id: 'player' }])
  const { json } = await player.get(`${path}?since=${first}`)
  expect(json).toMatchObject({ add: [A, OLD] })
  await ida.post(PHONE_CHANGES, { add: [B] })
  const { timestamp } = json as { timestamp: number }
  expect(timestampOf(await player.post(path, { remove: [OLD] }))).toBe(timestamp)
  expect((await player.get(`${path}?since=${timestamp}`)).json).toMatchObject({ add: [B] })
})
