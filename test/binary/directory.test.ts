import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { type Answer, basic, type Client } from '../support/client.ts'
import { startWebServer } from '../support/web-server.ts'
import { podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { startServer } from './support/server.ts'

const KEY = 'A KEY'
const SECRET = 'the$secret'
/** Nothing is fetched but what somebody looks at. */
const QUIET = { SVC_FEED_REFRESH_CRON: '0 0 29 2 *' }
const ALLOWED = { ...QUIET, SVC_FEED_ALLOW_PRIVATE: '127.0.0.0/8' }

const document =
  (body: string | Uint8Array<ArrayBuffer>, type = 'application/rss+xml') =>
  () =>
    new Response(body, { headers: { 'content-type': type } })

const rss = (title: string, tag: string, more = '') =>
  `<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>${title}</title>
     <description>&lt;p&gt;Boats &amp;amp; birds&lt;/p&gt;</description><itunes:category text="${tag}"/>${more}</channel></rss>`

const FOG = `<item><title>Fog</title><enclosure url="/fog.mp3" type="audio/mpeg" length="4096"/><guid>1</guid>
  <pubDate>Sun, 02 Mar 2025 06:00:00 GMT</pubDate><itunes:duration>30:30</itunes:duration></item>`
const OLD = '<item><title>Old</title><enclosure url="/old.mp3" type="audio/mpeg" length="1"/></item>'

/** Feeds of many kinds, and what is none. */
const FEEDS = {
  '/harbour': document(rss('Harbour Talk', 'Sea &amp; Coast', OLD + FOG)),
  '/atom': document(
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>Winds</title><category term="sea COAST"/><entry><title>Gale</title><link rel="enclosure" href="/gale.mp3"/></entry></feed>',
    'application/atom+xml',
  ),
  '/json': document(
    JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'Ærø', items: [] }),
    'application/feed+json',
  ),
  '/latin1': document(new Uint8Array(Buffer.from(rss('Smørrebrød', 'Food'), 'latin1')), 'text/xml; charset=iso-8859-1'),
  '/blocked': document(rss('Not for directories', 'Sea', '<itunes:block>Yes</itunes:block>')),
  '/page': document('<!doctype html><html><body>a page</body></html>', 'text/html'),
  '/moved': () => new Response(null, { status: 301, headers: { location: '/harbour' } }),
  '/gone': () => new Response(null, { status: 410 }),
} as const

const external = (url: string, title: string) => ({
  url,
  title,
  description: '',
  author: '',
  image: '',
  language: 'en',
})

/** A directory of others that finds these, once it is shown the key. */
function directoryOf(entries: readonly unknown[]) {
  const answer = (request: Request) => {
    const date = request.headers.get('x-auth-date') ?? ''
    const signature = createHash('sha1')
      .update(KEY + SECRET + date)
      .digest('hex')
    if (request.headers.get('authorization') !== signature) return new Response(null, { status: 401 })
    return Response.json({ status: 'true', feeds: entries, count: entries.length })
  }
  return startWebServer({ '/api/search/byterm': answer, '/api/podcasts/trending': answer })
}

/** Administrator ida and bob, and a server that has been started. */
async function start(folder: Folder, env: Record<string, string>) {
  for (const name of ['ida', 'bob']) await podstep(['user', 'create', name], { cwd: folder.path, stdin: 'seaglass' })
  const server = await startServer({ cwd: folder.path, env })
  return {
    server,
    ida: server.client(basic('ida', 'seaglass')),
    bob: server.client(basic('bob', 'seaglass')),
    anyone: server.client(),
  }
}

async function subscribe(client: Client, name: string, ...add: string[]): Promise<void> {
  expect(await client.post(`/api/2/subscriptions/${name}/phone.json`, { add })).toMatchObject({ status: 200 })
  // Somebody looks at each, so that it is fetched.
  for (const url of add) expect(await client.get(`/api/2/data/podcast.json?url=${url}`)).toMatchObject({ status: 200 })
}

const seen = ({ status, text }: Answer) => ({ status, text })

/** What has been fetched gets into the directory in the background: asks until the toplist holds these titles in this order. */
async function listed(client: Client, ...titles: readonly string[]): Promise<void> {
  let last: unknown
  for (let asked = 0; asked < 5000; asked++) {
    const { json } = await client.get('/toplist.json')
    last = Array.isArray(json) ? json.map(({ title }) => title) : json
    if (Bun.deepEquals(last, titles)) return
  }
  throw new Error(`the toplist stays at ${JSON.stringify(last)}`)
}

describe('the executable', () => {
  test('answers all that the directory can be asked', async () => {
    using folder = emptyFolder()
    await using web = startWebServer(FEEDS)
    const at = (path: string) => `http://127.0.0.1:${web.port}${path}`
    const elsewhere = 'https://elsewhere.example/f'
    await using directory = directoryOf([
      external(`https://127.0.0.1:${web.port}/harbour/`, 'Harbour Talk'),
      external(elsewhere, 'Harbour Elsewhere'),
    ])
    const keys = { SVC_DIRECTORY_KEY: KEY, SVC_DIRECTORY_SECRET: SECRET }
    const { server, ida, bob, anyone } = await start(folder, {
      ...ALLOWED,
      ...keys,
      SVC_DIRECTORY_URL: `http://127.0.0.1:${directory.port}/api`,
    })
    await using _server = server
    await subscribe(ida, 'ida', ...['/harbour', '/json', '/latin1', '/blocked'].map(at))
    await subscribe(bob, 'bob', ...['/harbour', '/atom'].map(at))
    await listed(anyone, 'Harbour Talk', 'Ærø', 'Smørrebrød', 'Winds')

    const harbour = { url: at('/harbour'), title: 'Harbour Talk', description: 'Boats & birds', subscribers: 2 }
    const fog = { title: 'Fog', url: at('/fog.mp3'), released: '2025-03-02T06:00:00', duration: 1830, size: 4096 }
    const others = [{ url: elsewhere, title: 'Harbour Elsewhere', source: 'podcastindex' }]
    const answers: readonly [client: Client, path: string, json: unknown][] = [
      [anyone, '/search.json?q=harb', [harbour]],
      [anyone, '/search.json?q=Smorrebrod', [{ url: at('/latin1'), title: 'Smørrebrød' }]],
      [anyone, '/search.json?q=directories', []],
      [ida, '/search.json?q=directories', [{ url: at('/blocked') }]],
      [anyone, '/api/2/search/all?q=harbour', { local: [harbour], external: others }],
      [anyone, '/api/2/search/external?q=harbour', [expect.anything(), others[0]]],
      [anyone, '/api/2/trending?lang=en&max=1', [expect.anything()]],
      [anyone, '/toplist/1.json', [{ ...harbour, position_last_week: 0 }]],
      [anyone, '/toplist.json', [harbour, { title: 'Ærø' }, { title: 'Smørrebrød' }, { title: 'Winds' }]],
      [anyone, `/api/2/data/podcast.json?url=${at('/harbour')}`, harbour],
      [anyone, `/api/2/data/episode.json?podcast=${at('/harbour')}&url=${at('/fog.mp3')}`, fog],
      [
        anyone,
        `/api/2/data/podcast/episodes.json?url=${at('/harbour')}&per_page=1`,
        { url: at('/harbour'), page: 0, per_page: 1, total: 2, total_pages: 2, episodes: [fog] },
      ],
      [
        anyone,
        `/api/2/data/podcast/episodes.json?url=${at('/harbour')}&page=1&per_page=1`,
        { episodes: [{ title: 'Old' }] },
      ],
      [
        anyone,
        '/api/2/tags/9.json',
        [
          { title: 'Sea & Coast', tag: 'sea-coast', usage: 2 },
          { title: 'Food', tag: 'food', usage: 1 },
        ],
      ],
      [anyone, '/api/2/tag/Sea%20%26%20Coast/9.json', [harbour, { title: 'Winds' }]],
      [ida, '/suggestions/9.json', [{ title: 'Winds', because: ['Sea & Coast'] }]],
      [bob, '/suggestions/9.json', []],
    ]
    for (const [client, path, json] of answers)
      expect({ path, answer: await client.get(path) }).toMatchObject({ path, answer: { status: 200, json } })
    expect(await anyone.get('/suggestions/9.json')).toMatchObject({ status: 401 })
    for (const format of ['jsonp?jsonp=f', 'txt', 'opml', 'xml']) {
      const { status, text } = await anyone.get(`/toplist/1.${format}`)
      expect([format, status, text]).toEqual([format, 200, expect.stringContaining(at('/harbour'))])
    }
    await server.stop()
    expect(server.log.filter(({ level }) => level === 'error' || level === 'warn')).toEqual([])
  }, 20_000)

  test('looks feeds up for users where it may, tells them why not, and tells strangers nothing', async () => {
    using folder = emptyFolder()
    await using web = startWebServer(FEEDS)
    const at = (path: string) => `/api/2/data/podcast.json?url=http://127.0.0.1:${web.port}${path}`
    const { server, ida, anyone } = await start(folder, { ...ALLOWED, SVC_RATE_LIMIT: 'false' })
    await using _server = server
    const unknown = seen(await anyone.get(at('/nothing')))
    expect(unknown).toMatchObject({ status: 404, text: expect.stringContaining('unknown_podcast') })
    const paths = ['/harbour', '/page', '/gone', '/blocked', '/moved']
    for (const path of paths) expect(seen(await anyone.get(at(path)))).toEqual(unknown)
    for (const url of [
      'http://127.0.0.1:1/',
      'http://[::1]/f',
      'http://10.0.0.1/f',
      'http://169.254.169.254/f',
      'http://0x7f.1/f',
    ])
      expect(seen(await anyone.get(`/api/2/data/podcast.json?url=${url}`))).toEqual(unknown)
    expect(web.asked).toEqual([])

    expect(await ida.get(at('/harbour'))).toMatchObject({
      status: 200,
      json: { title: 'Harbour Talk', subscribers: 0 },
    })
    expect(await ida.get(at('/moved'))).toMatchObject({ status: 200, json: { title: 'Harbour Talk' } })
    expect(await ida.get(at('/page'))).toMatchObject({ status: 422, json: { error: 'feed_invalid' } })
    for (const path of ['/gone', '/nothing'])
      expect(await ida.get(at(path))).toMatchObject({ status: 502, json: { error: 'feed_unreachable' } })
    expect(await ida.get('/api/2/data/podcast.json?url=http://10.0.0.1/f')).toMatchObject({
      status: 403,
      json: { error: 'feed_forbidden' },
    })
    expect(seen(await ida.get(at('/blocked')))).toEqual(unknown)
    // What a user has looked at in the own network stays among users.
    expect(seen(await anyone.get(at('/harbour')))).toEqual(unknown)
    expect((await ida.get(at('/harbour'))).status).toBe(200)
    expect((await anyone.get('/toplist.json')).json).toEqual([])
    expect((await anyone.get('/search.json?q=harbour')).json).toEqual([])
  }, 20_000)

  test('does not take it for a failure of a feed that strangers may not have it fetched', async () => {
    using folder = emptyFolder()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: told, resolve: tell } = Promise.withResolvers<void>()
    const slow = async () => {
      reach()
      await told
      return FEEDS['/harbour']()
    }
    await using web = startWebServer({ '/harbour': slow })
    const url = `http://127.0.0.1:${web.port}/harbour`
    const { server, ida, anyone } = await start(folder, ALLOWED)
    await using _server = server
    await ida.post('/api/2/subscriptions/ida/phone.json', { add: [url] })
    await reached
    expect(await anyone.get(`/api/2/data/podcast.json?url=${url}`)).toMatchObject({ status: 200, json: { title: url } })
    expect((await ida.get('/api/admin/feeds/status')).json).toMatchObject({ total: 1, failing_total: 0 })
    expect(web.asked).toHaveLength(1)
    tell()
    expect(await ida.get(`/api/2/data/podcast.json?url=${url}`)).toMatchObject({ json: { title: 'Harbour Talk' } })
  })

  test('asks a feed once for all who look at the same time', async () => {
    using folder = emptyFolder()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const { promise: told, resolve: tell } = Promise.withResolvers<void>()
    const slow = async () => {
      reach()
      await told
      return FEEDS['/harbour']()
    }
    await using web = startWebServer({ '/slow': slow })
    const { server, ida } = await start(folder, ALLOWED)
    await using _server = server
    const path = `/api/2/data/podcast.json?url=http://127.0.0.1:${web.port}/slow`
    const first = ida.get(path)
    await reached
    const others = Array.from({ length: 50 }, () => ida.get(path))
    tell()
    for (const answer of await Promise.all([first, ...others])) expect(answer.status).toBe(200)
    expect(web.asked).toHaveLength(1)
  })

  test('stops although a feed that somebody looks at does not answer, and says so', async () => {
    using folder = emptyFolder()
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
    const never = () => {
      reach()
      return new Promise<never>(() => undefined)
    }
    await using web = startWebServer({ '/never': never })
    const { server, ida } = await start(folder, ALLOWED)
    await using _server = server
    const waiting = ida.get(`/api/2/data/podcast.json?url=http://127.0.0.1:${web.port}/never`)
    await reached
    server.signal('SIGTERM')
    expect(await waiting).toMatchObject({ status: 503, json: { message: 'the server is stopping' } })
    expect(await server.ended(4)).toBe(0)
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
  }, 20_000)
})
