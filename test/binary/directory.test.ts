import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { basic, type Client } from '../support/client.ts'
import { startWebServer } from '../support/web-server.ts'
import { complaints, createUser, LOCAL_FEEDS, startScene } from './support/scene.ts'

const KEY = 'A KEY'
const SECRET = 'the$secret'

const document =
  (body: string | Uint8Array<ArrayBuffer>, type = 'application/rss+xml') =>
  () =>
    new Response(body, { headers: { 'content-type': type } })

const rss = (title: string, tag: string, more = '') =>
  `<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>${title}</title>
     <description>&lt;p&gt;Boats &amp;amp; birds&lt;/p&gt;</description><itunes:category text="${tag}"/>${more}</channel></rss>`

const FOG = `<item><title>Fog</title><enclosure url="/fog.mp3" type="audio/mpeg" length="4096"/><guid>1</guid>
  <pubDate>Sun, 02 Mar 2025 06:00:00 GMT</pubDate><itunes:duration>30:30</itunes:duration></item>`

/** Feeds of many kinds, and what is none. */
const FEEDS = {
  '/harbour': document(rss('Harbour Talk', 'Sea &amp; Coast', FOG)),
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

async function subscribe(client: Client, name: string, ...add: string[]): Promise<void> {
  expect(await client.post(`/api/2/subscriptions/${name}/phone.json`, { add })).toMatchObject({ status: 200 })
  // Somebody looks at each, so that it is fetched.
  for (const url of add) expect(await client.get(`/api/2/data/podcast.json?url=${url}`)).toMatchObject({ status: 200 })
}

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

test('the executable answers all that the directory can be asked', async () => {
  await using web = startWebServer(FEEDS)
  const at = (path: string) => `http://127.0.0.1:${web.port}${path}`
  const elsewhere = 'https://elsewhere.example/f'
  await using directory = directoryOf([
    external(`https://127.0.0.1:${web.port}/harbour/`, 'Harbour Talk'),
    external(elsewhere, 'Harbour Elsewhere'),
  ])
  const env = {
    ...LOCAL_FEEDS,
    ...{ SVC_DIRECTORY_KEY: KEY, SVC_DIRECTORY_SECRET: SECRET },
    SVC_DIRECTORY_URL: `http://127.0.0.1:${directory.port}/api`,
  }
  await using scene = await startScene({ env })
  const { server, ida, anyone } = scene
  await createUser(scene.folder, 'bob')
  const bob = server.client(basic('bob', 'seaglass'))
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
    [anyone, '/api/2/search/all?q=harbour', { local: [harbour], external: others }],
    [anyone, '/toplist.json', [harbour, { title: 'Ærø' }, { title: 'Smørrebrød' }, { title: 'Winds' }]],
    [anyone, `/api/2/data/episode.json?podcast=${at('/harbour')}&url=${at('/fog.mp3')}`, fog],
    [anyone, '/api/2/tags/1.json', [{ title: 'Sea & Coast', tag: 'sea-coast', usage: 2 }]],
    [anyone, '/api/2/tag/Sea%20%26%20Coast/9.json', [harbour, { title: 'Winds' }]],
    [ida, '/suggestions/9.json', [{ title: 'Winds', because: ['Sea & Coast'] }]],
  ]
  for (const [client, path, json] of answers)
    expect({ path, answer: await client.get(path) }).toMatchObject({ path, answer: { status: 200, json } })
  await server.stop()
  expect(complaints(server)).toEqual([])
}, 20_000)
