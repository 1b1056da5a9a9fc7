import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { type Answer, clientOf, signUp } from '../../support/client.ts'
import { COMMAND_LINE } from '../../support/command-line.ts'
import { startWebServer } from '../../support/web-server.ts'
import { expectError } from '../error.ts'

const KEY = 'A KEY'
const SECRET = 'the$secret^of#the~directory'
const EXTERNAL = '/api/2/search/external'
const TRENDING = '/api/2/trending'
const TEST = '/api/admin/directory/test'

/** A podstep with a local directory server. */
function open(answer: () => Response) {
  const directory = startWebServer({ '/api/1.0/search/byterm': answer, '/api/1.0/podcasts/trending': answer })
  const directory_url = `http://127.0.0.1:${directory.port}/api/1.0`
  const app = startTestApp({ settings: { directory_key: KEY, directory_secret: SECRET, directory_url } })
  const { asked } = directory
  return { app, anyone: clientOf(app), asked, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

const feeds = (...list: unknown[]) => Response.json({ status: 'true', feeds: list, count: list.length })

const SAME = { title: 'Harbour Talk', url: 'https://feeds.example/harbour', description: 'Boats', author: 'Tidewater' }
const PICTURES = { image: 'https://img.example/i.png', artwork: 'https://img.example/a.png' }
const HARBOUR = { ...SAME, ...PICTURES, id: 1, language: 'EN-us', categories: null }
const HARBOUR_OBJECT = { ...SAME, logo_url: PICTURES.image, language: 'en-us', source: 'podcastindex' }

const stateOf = ({ headers }: Answer) => headers.get('x-external-directory')

test.each<[string, Record<string, string>]>([
  ['credentials', {}],
  ['a directory', { directory: 'none', directory_key: KEY, directory_secret: SECRET }],
  ['a key for Podcast Index', { directory: 'podcastindex' }],
  ['outbound requests', { directory: 'apple', outbound: 'off' }],
])('without %s results are empty and the state is off', async (_case, settings) => {
  const app = startTestApp({ settings })
  for (const path of [`${EXTERNAL}?q=harbour`, TRENDING]) {
    const answer = await clientOf(app).get(path)
    expect([answer.status, answer.json, stateOf(answer)]).toEqual([200, [], 'off'])
  }
  expect((await (await signUp(app)).post(TEST)).json).toEqual({ state: 'off', trouble: '', cause: '' })
})

test('a search sends an authenticated request and returns its results', async () => {
  await using scene = open(() => feeds(HARBOUR))
  const { app, anyone, asked } = scene
  const answer = await anyone.get(`${EXTERNAL}?q=%20harbour%20%20talk%20`)
  expect([answer.status, answer.json, stateOf(answer)]).toEqual([200, [HARBOUR_OBJECT], 'ok'])
  const { headers } = answer
  expect(headers.get('cache-control')).toBe('public, max-age=300')
  expect(headers.get('access-control-allow-origin')).toBe('*')
  const [request] = asked
  expect(request?.path).toBe('/api/1.0/search/byterm?q=harbour+talk&max=20')
  const date = String(app.clock.seconds())
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    ...{ 'x-auth-key': KEY, 'x-auth-date': date, 'user-agent': expect.stringMatching(/^podstep\//) },
    authorization: new Bun.CryptoHasher('sha1').update(KEY + SECRET + date).digest('hex'),
  })
})

test('equal searches in any case share one request within ten minutes', async () => {
  await using scene = open(() => feeds(HARBOUR))
  const { app, anyone, asked } = scene
  await Promise.all(['harbour', 'HARBOUR', ' harbour'].map((q) => anyone.get(`${EXTERNAL}?q=${q}`)))
  app.clock.advance(599)
  await anyone.get(`${EXTERNAL}?q=harbour`)
  expect(asked).toHaveLength(1)
  app.clock.advance(2)
  await anyone.get(`${EXTERNAL}?q=harbour`)
  expect(asked).toHaveLength(2)
})

test('a search is limited to 60 a minute for each address', async () => {
  await using scene = open(() => feeds())
  const { app, anyone } = scene
  for (let n = 0; n < 60; n++) expect((await anyone.get(`${EXTERNAL}?q=x`)).status).toBe(200)
  expectError(await anyone.get(`${EXTERNAL}?q=x`), 429, 'rate_limited')
  app.setPeer('192.0.2.2')
  expect((await anyone.get(`${EXTERNAL}?q=x`)).status).toBe(200)
})

test.each([
  ['', 'max=20'],
  ['?lang=PT-br&max=50', 'max=50&lang=pt-br'],
  ['?lang=', 'max=20'],
])('trending%s requests %s', async (query, expected) => {
  await using scene = open(() => feeds(HARBOUR))
  expect((await scene.anyone.get(TRENDING + query)).json).toEqual([HARBOUR_OBJECT])
  expect(scene.asked).toMatchObject([{ path: `/api/1.0/podcasts/trending?${expected}` }])
})

test.each([
  ['rejects the credentials', () => new Response('', { status: 401 }), 'credentials'],
  ['fails', () => new Response('', { status: 500 }), 'answer'],
  ['sends a web page', () => new Response('<html>'), 'answer'],
])('if a directory %s, the list is empty and administrators see the cause', async (_case, answer, trouble) => {
  await using scene = open(answer)
  const { app, anyone } = scene
  const ida = await signUp(app)
  const failed = await anyone.get(`${EXTERNAL}?q=x`)
  expect([failed.status, failed.json, stateOf(failed)]).toEqual([200, [], 'error'])
  expect(failed.headers.get('cache-control')).toBe('no-store')
  expect((await ida.get('/api/admin/directory')).json).toEqual({
    enabled: true,
    last_answer: '',
    last_failure: { at: '2025-03-02T10:00:00', trouble, cause: expect.stringMatching(/^.{10,}$/) },
  })
  const warnings = app.logs.filter((line) => line.includes('"warn"'))
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain(`"trouble":"${trouble}"`)
  for (const secret of [KEY, SECRET]) expect(app.logs.join()).not.toContain(secret)
})

test('after three failures in a row there are no requests for a minute', async () => {
  const server = { answer: () => new Response('', { status: 500 }) }
  await using scene = open(() => server.answer())
  const { app, anyone, asked } = scene
  for (const q of ['a', 'b', 'c', 'd', 'e']) await anyone.get(`${EXTERNAL}?q=${q}`)
  expect(asked).toHaveLength(3)
  server.answer = () => feeds(HARBOUR)
  app.clock.advance(59)
  expect(stateOf(await anyone.get(`${EXTERNAL}?q=a`))).toBe('error')
  app.clock.advance(2)
  expect((await anyone.get(`${EXTERNAL}?q=a`)).json).toEqual([HARBOUR_OBJECT])
  expect(asked).toHaveLength(4)
})

const APPLE_HARBOUR = {
  ...{ collectionName: 'Harbour Talk', artistName: 'Tidewater', feedUrl: 'https://feeds.example/harbour' },
  ...{ artworkUrl100: 'https://img.example/100.jpg', artworkUrl600: 'https://img.example/600.jpg', trackCount: 9 },
}
const APPLE_OBJECT = {
  ...{ title: 'Harbour Talk', url: 'https://feeds.example/harbour', description: '', author: 'Tidewater' },
  ...{ logo_url: 'https://img.example/600.jpg', language: '', source: 'apple' },
}
const chart = (...ids: string[]) => ({ feed: { entry: ids.map((id) => ({ id: { attributes: { 'im:id': id } } })) } })

/** A podstep with a local server in place of Apple's directory. */
function openApple(answers: Readonly<Record<string, () => Response>>, settings: Record<string, string> = {}) {
  const apple = startWebServer(answers)
  const app = startTestApp({
    settings: { directory: 'apple', directory_url: `http://127.0.0.1:${apple.port}`, ...settings },
  })
  const paths = () => apple.asked.map(({ path }) => path)
  return { app, anyone: clientOf(app), paths, [Symbol.asyncDispose]: () => apple[Symbol.asyncDispose]() }
}

const applePodcasts = () => Response.json({ resultCount: 1, results: [APPLE_HARBOUR] })

test('Apple needs no credentials for searches, trends and links to its podcasts (D116)', async () => {
  await using scene = openApple({
    '/search': applePodcasts,
    '/lookup': applePodcasts,
    '/de/rss/toppodcasts/limit=3/json': () => Response.json(chart('42', 'x', '7')),
  })
  const { app, anyone, paths } = scene
  const ida = await signUp(app)
  const search = await anyone.get(`${EXTERNAL}?q=harbour%20talk`)
  expect([search.json, stateOf(search)]).toEqual([[APPLE_OBJECT], 'ok'])
  expect((await anyone.get(`${TRENDING}?lang=de&max=3`)).json).toEqual([APPLE_OBJECT])
  const text = 'https://podcasts.apple.com/us/podcast/harbour-talk/id4200'
  expect((await ida.post('/api/2/me/resolve', { text })).json).toMatchObject({
    candidates: [{ url: APPLE_HARBOUR.feedUrl, title: 'Harbour Talk' }],
  })
  expect((await anyone.get('/api/2/server')).json).toMatchObject({ external_directory: true })
  expect(paths()).toEqual([
    '/search?term=harbour+talk&media=podcast&limit=20&entity=podcast',
    '/de/rss/toppodcasts/limit=3/json',
    '/lookup?id=42%2C7&entity=podcast',
    '/lookup?id=4200&entity=podcast',
  ])
})

test('Apple gets at most 20 requests a minute, and administrators see the cause', async () => {
  await using scene = openApple({ '/search': applePodcasts })
  const { app, anyone, paths } = scene
  const ida = await signUp(app)
  const find = async (n: number) => stateOf(await anyone.get(`${EXTERNAL}?q=${n}`))
  for (let n = 0; n < 20; n++) expect(await find(n)).toBe('ok')
  expect([await find(20), await find(19)]).toEqual(['error', 'ok'])
  expect((await ida.get('/api/admin/directory')).json).toMatchObject({
    last_failure: { trouble: 'answer', cause: expect.stringContaining('20 requests a minute') },
  })
  expect(paths()).toHaveLength(20)
  app.clock.advance(61)
  expect(await find(20)).toBe('ok')
})

test.each<[string, () => Response, string, RegExp, string]>([
  [
    'rejects the credentials',
    () => new Response('', { status: 401 }),
    'credentials',
    /directory_key.*\(401\).*clock/,
    'error',
  ],
  ['fails', () => new Response('', { status: 500 }), 'answer', /answers 500/, 'error'],
  ['has no podcasts', () => feeds(), 'no_matches', /not a single podcast/, 'ok'],
  ['is unreachable', () => feeds(), 'network', /^127\.0\.0\.1/, 'error'],
])('a test of the directory explains one that %s', async (_case, answer, trouble, cause, state) => {
  const scene = open(answer)
  if (trouble === 'network') await scene[Symbol.asyncDispose]()
  await using _open = scene
  const { app } = scene
  const ida = await signUp(app)
  const { status, json, text } = await ida.post(TEST)
  expect([status, json]).toEqual([200, { state, trouble, cause: expect.stringMatching(cause) }])
  for (const secret of [KEY, SECRET]) expect(text + app.logs.join()).not.toContain(secret)
})

test('a test of the directory requests one podcast, at most ten times a minute per administrator', async () => {
  await using scene = open(() => feeds(HARBOUR))
  const { app, asked } = scene
  const ida = await signUp(app)
  const eva = await signUp(app, 'eva')
  await app.services.administration.setAdmin('eva', true, COMMAND_LINE)
  const { status, json } = await ida.post(TEST)
  expect([status, json]).toEqual([200, { state: 'ok', trouble: '', cause: '' }])
  expect(asked.map(({ path }) => path)).toEqual(['/api/1.0/podcasts/trending?max=1'])
  expect(asked[0]?.headers.get('x-auth-key')).toBe(KEY)
  for (let n = 1; n < 10; n++) expect((await ida.post(TEST)).status).toBe(200)
  expectError(await ida.post(TEST), 429, 'rate_limited')
  expect((await eva.post(TEST)).status).toBe(200)
  app.clock.advance(60)
  expect((await ida.post(TEST)).status).toBe(200)
  expect(asked).toHaveLength(12)
})
