import { expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { chooseCoding } from '../../src/http/responses/accept-encoding.ts'
import { PLAIN_PARAMETERS } from '../../src/http/responses/compression.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { basic, type Client, clientOf, signUp } from '../support/client.ts'
import { operationsOf } from '../support/openapi.ts'

const UNPACK: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

const CODINGS = Object.keys(UNPACK)
const SECRET = 'https://feeds.example/shows/0?token=s3cret'
const ACTIONS = '/api/2/episodes/ida.json'
const SUBSCRIPTIONS = '/api/2/me/subscriptions'

test.each([
  [null, undefined],
  ['identity', undefined],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['compress, sdch, gzipped', undefined],
  // Weights.
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0.2, br;q=0.2', 'br'],
  ['identity;q=0.5, gzip;q=0.4', undefined],
  // Wildcards.
  ['*', 'gzip'],
  ['gzip;q=0, *', undefined],
  ['br;q=0, *', 'gzip'],
  // Invalid headers.
  ['gzip;q=2', undefined],
  [',,;q=1, gzip ;', 'gzip'],
] as const)('Accept-Encoding %p selects %p', (header, expected) => {
  expect(chooseCoding(header, ['zstd', 'br', 'gzip'])).toBe(expected)
})

interface Received {
  readonly coding: string | null
  readonly vary: string | null
  readonly bytes: Uint8Array
  /** Unpacked. */
  readonly text: string
  readonly response: Response
}

/** Subscribes Ida to `feeds` public podcasts and, unless that is 0, a private one. */
async function open(feeds = 60) {
  const app = startTestApp()
  const ida = await signUp(app)
  const add = [SECRET, ...Array.from({ length: feeds }, (_, n) => `https://feeds.example/shows/${n + 1}/é.xml`)]
  expect((await ida.post('/api/2/subscriptions/ida/phone.json', { add: feeds === 0 ? [] : add })).status).toBe(200)
  return { app, ida }
}

/** Sends a request as Ida or anonymously. */
async function ask(app: TestApp, path: string, accepted: string | undefined, isIda = true): Promise<Received> {
  const headers = {
    host: 'localhost',
    ...(isIda && basic('ida', 'seaglass')),
    ...(accepted !== undefined && { 'accept-encoding': accepted }),
  }
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers }))
  const bytes = new Uint8Array(await response.arrayBuffer())
  const coding = response.headers.get('content-encoding')
  const text = new TextDecoder('utf-8', { fatal: true }).decode(coding === null ? bytes : UNPACK[coding]?.(bytes))
  return { coding, vary: response.headers.get('vary'), bytes, text, response }
}

async function addActions(client: Client, count: number, path = ACTIONS): Promise<void> {
  const actions = Array.from({ length: count }, (_, n) => ({
    ...{ podcast: SECRET, episode: `https://cdn.example/${n}.mp3`, device: 'phone' },
    ...{ action: 'play', timestamp: '2025-03-02T10:00:00', position: n },
  }))
  expect((await client.post(path, actions)).status).toBe(200)
}

const { json: document } = await clientOf(startTestApp()).get('/openapi.json')
/** Names of all query parameters of the API. */
const PARAMETERS = new Set(
  operationsOf(document)
    .flatMap(({ operation }) => (Array.isArray(operation['parameters']) ? operation['parameters'] : []))
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => String(name)),
)

const PRIVATE_LISTS = [
  SUBSCRIPTIONS,
  '/api/2/me/export',
  '/api/2/subscriptions/ida/phone.json?since=0',
  '/subscriptions/ida.json?scale_logo=64',
  '/subscriptions/ida.opml',
  '/subscriptions/ida/phone.txt',
  '/api/2/episodes/ida.json?since=0&aggregated=true',
  '/api/admin/feeds?state=new&page=0&per_page=50',
]

const PUBLIC_TEXTS = [
  '/toplist/50.json',
  '/toplist/50.jsonp?jsonp=show',
  '/search.opml?q=shows',
  '/api/2/search/all?q=shows',
  '/openapi.json',
  '/docs',
]

test.each(CODINGS)('a response of more than 1 KiB may be compressed with %s', async (coding) => {
  const { app, ida } = await open()
  await addActions(ida, 40)
  for (const path of [...PRIVATE_LISTS, ...PUBLIC_TEXTS]) {
    const isIda = PRIVATE_LISTS.includes(path)
    const plain = await ask(app, path, undefined, isIda)
    const packed = await ask(app, path, `identity;q=0.1, ${coding}`, isIda)
    expect([path, plain.coding, plain.response.status]).toEqual([path, null, 200])
    expect([path, packed.coding, packed.text]).toEqual([path, coding, plain.text])
    // `Vary` names the header on uncompressed public responses too.
    expect([path, packed.vary]).toEqual([path, expect.stringContaining('Accept-Encoding')])
    if (!isIda) expect(plain.vary).toContain('Accept-Encoding')
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length * 0.7)
    for (const name of ['content-type', 'cache-control'])
      expect(packed.response.headers.get(name)).toBe(plain.response.headers.get(name))
  }
})

test.each(['/api/2/subscriptions/ida/phone.json?since=0', '/subscriptions/ida.txt', '/api/2/me', ACTIONS])(
  'a response of at most 1 KiB is not compressed: %s',
  async (path) => {
    const { app } = await open(0)
    const { coding, vary, response, bytes } = await ask(app, path, 'gzip')
    expect([response.status, coding, vary]).toEqual([200, null, null])
    expect(bytes.length).toBeLessThanOrEqual(1024)
  },
)

test('parameters that allow compression exist in the API', () => {
  expect([...PLAIN_PARAMETERS].filter((name) => !PARAMETERS.has(name))).toEqual([])
})

test('a private response is not compressed if the request has a text, since its length could reveal secrets', async () => {
  const { app, ida } = await open()
  await addActions(ida, 40)
  const texts = [...[...PARAMETERS].filter((name) => !PLAIN_PARAMETERS.has(name)), 'anything']
  for (const path of [
    ...texts.map((name) => `${SUBSCRIPTIONS}?since=0&${name}=token%3Ds3`),
    `${SUBSCRIPTIONS}?anything`,
    '/subscriptions/ida.json?jsonp=show',
    '/search.json?q=shows',
    '/api/2/search/all?q=shows',
    '/api/admin/feeds?q=shows&page=0&per_page=50',
    `${ACTIONS}?podcast=${encodeURIComponent(SECRET)}`,
  ]) {
    const { coding, bytes, response } = await ask(app, path, 'gzip, br, zstd')
    expect([path, response.status, coding, bytes.length > 1024]).toEqual([path, 200, null, true])
  }
})

test('responses to uploads and errors are not compressed, since their length could reveal secrets', async () => {
  const { app } = await open()
  const ida = clientOf(app, { ...basic('ida', 'seaglass'), 'accept-encoding': 'gzip' })
  const add = Array.from({ length: 100 }, (_, n) => `gopher://feeds.example/${n}`)
  for (const answer of [
    await ida.post('/api/2/subscriptions/ida/phone.json', { add }),
    await ida.get(`/api/2/tag/x/${'9'.repeat(2000)}x.json`),
  ])
    expect(answer.headers.get('content-encoding')).toBeNull()
})

test('a streamed response is compressed while it is sent', async () => {
  const { app, ida } = await open(0)
  await addActions(ida, 5000)
  for (const path of [ACTIONS, '/api/2/me/export']) {
    const plain = await ask(app, path, undefined)
    const packed = await ask(app, path, 'gzip, br')
    expect([path, packed.coding, packed.vary]).toEqual([path, 'gzip', 'Accept-Encoding'])
    expect(packed.text).toBe(plain.text)
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 5)
  }
})

test('a stream ends with its reader, and at most 16 streams are compressed at a time', async () => {
  const { app, ida } = await open(0)
  await addActions(ida, 5000)
  await addActions(await signUp(app, 'ben'), 5000, ACTIONS.replace('ida', 'ben'))
  // A user may have ten downloads at a time.
  const begin = (_: unknown, n: number) => {
    const name = n % 2 === 0 ? 'ida' : 'ben'
    const headers = { host: 'localhost', 'accept-encoding': 'gzip', ...basic(name, 'seaglass') }
    return app.fetch(new Request(`http://localhost${ACTIONS.replace('ida', name)}`, { headers }))
  }
  const compressed = (all: readonly Response[]) =>
    all.filter(({ headers }) => headers.get('content-encoding') === 'gzip').length
  const first = await Promise.all(Array.from({ length: 20 }, begin))
  expect(compressed(first)).toBe(16)
  await Promise.all(first.map(({ body }) => body?.cancel()))
  // Lets the cancellation reach the source.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  const second = await Promise.all(Array.from({ length: 16 }, begin))
  expect(compressed(second)).toBe(16)
  const texts = await Promise.all(second.map(async (response) => gunzipSync(await response.arrayBuffer()).length))
  expect(new Set(texts).size).toBe(1)
})
