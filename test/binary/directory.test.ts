import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basic, type Client } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { png } from '../support/pictures.ts'
import { startWebServer } from '../support/web-server.ts'
import { CHANGES, complaints, createUser, IDA, LOCAL_FEEDS, startScene } from './support/scene.ts'

const KEY = 'A KEY'
const SECRET = 'the$secret'

const rss = (title: string, tag: string, more = '') =>
  `<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel><title>${title}</title>
     <description>&lt;p&gt;Boats &amp;amp; birds&lt;/p&gt;</description><itunes:category text="${tag}"/>${more}</channel></rss>`

const FOG = `<item><title>Fog</title><enclosure url="/fog.mp3" type="audio/mpeg" length="4096"/><guid>1</guid>
  <pubDate>Sun, 02 Mar 2025 06:00:00 GMT</pubDate><itunes:duration>30:30</itunes:duration></item>`

const FEEDS = {
  '/harbour': () => new Response(rss('Harbour Talk', 'Sea &amp; Coast', FOG)),
  '/winds': () => new Response(rss('Winds', 'sea &amp; COAST')),
}

const entry = (url: string, title: string) => ({ url, title, description: '', author: '', image: '', language: 'en' })

/** Stands in for Podcast Index. Finds `entries` and verifies signatures. */
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
  // Requests for a podcast wait until it is fetched.
  for (const url of add) expect(await client.get(`/api/2/data/podcast.json?url=${url}`)).toMatchObject({ status: 200 })
}

test('the executable serves search, toplist, tags and suggestions, with results of an external directory', async () => {
  await using web = startWebServer(FEEDS)
  const at = (path: string) => `http://127.0.0.1:${web.port}${path}`
  const elsewhere = 'https://elsewhere.example/f'
  await using directory = directoryOf([
    entry(`https://127.0.0.1:${web.port}/harbour/`, 'Harbour Talk'),
    entry(elsewhere, 'Harbour Elsewhere'),
  ])
  const external = `http://127.0.0.1:${directory.port}/api`
  const env = { SVC_DIRECTORY_KEY: KEY, SVC_DIRECTORY_SECRET: SECRET, SVC_DIRECTORY_URL: external }
  await using scene = await startScene({ env: { ...LOCAL_FEEDS, ...env } })
  const { server, ida, anyone } = scene
  await createUser(scene.folder, 'bob')
  const bob = server.client(basic('bob', 'seaglass'))
  await subscribe(ida, 'ida', at('/harbour'))
  await subscribe(bob, 'bob', at('/harbour'), at('/winds'))
  // The directory is updated in the background, tags last.
  await eventually(
    async () => (await anyone.get('/api/2/tags/1.json')).json,
    (tags) => Bun.deepMatch([{ usage: 2 }], tags),
  )

  const harbour = { url: at('/harbour'), title: 'Harbour Talk', description: 'Boats & birds', subscribers: 2 }
  const fog = { title: 'Fog', url: at('/fog.mp3'), released: '2025-03-02T06:00:00', duration: 1830, size: 4096 }
  const others = [{ url: elsewhere, title: 'Harbour Elsewhere', source: 'podcastindex' }]
  const answers: readonly [client: Client, path: string, json: unknown][] = [
    [anyone, '/search.json?q=harb', [harbour]],
    [anyone, '/api/2/search/all?q=harbour', { local: [harbour], external: others }],
    [anyone, '/toplist.json', [harbour, { title: 'Winds' }]],
    [anyone, `/api/2/data/episode.json?podcast=${at('/harbour')}&url=${at('/fog.mp3')}`, fog],
    [anyone, '/api/2/tags/1.json', [{ title: 'Sea & Coast', tag: 'sea-coast', usage: 2 }]],
    [anyone, '/api/2/tag/Sea%20%26%20Coast/9.json', [harbour, { title: 'Winds' }]],
    [ida, '/suggestions/9.json', [{ title: 'Winds', because: ['Sea & Coast'] }]],
  ]
  for (const [client, path, json] of answers)
    expect({ path, answer: await client.get(path) }).toMatchObject({ path, answer: { status: 200, json } })
  await server.stop()
  expect(complaints(server)).toEqual([])
})

const feedWith = (logo: string) => () =>
  new Response(`<rss version="2.0"><channel><title>Harbour</title><image><url>${logo}</url></image></channel></rss>`)

test('the executable makes thumbnails, keeps them across restarts, and ignores files that are no pictures', async () => {
  await using web = startWebServer({
    '/harbour': feedWith('/logo.png'),
    '/page': feedWith('/logo.html'),
    '/logo.png': () => new Response(new Uint8Array(png(900, 600))),
    '/logo.html': () => new Response('<html></html>'),
  })
  const urlOf = (name: string) => `http://127.0.0.1:${web.port}/${name}`
  const pathOf = (name: string) => `/artwork/300?url=${encodeURIComponent(urlOf(name))}`
  const fetches = () => web.asked.filter(({ path }) => path === '/logo.png').length

  async function expectPicture(port: number): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${port}${pathOf('harbour')}`, { headers: IDA })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/webp'])
    const found = await new Bun.Image(await response.bytes()).metadata()
    expect(found).toEqual({ width: 450, height: 300, format: 'webp' })
  }

  await using scene = await startScene({ env: LOCAL_FEEDS })
  const { ida, server, folder, anyone } = scene
  await ida.post(CHANGES, { add: [urlOf('harbour'), urlOf('page')] })
  for (const name of ['harbour', 'page']) await ida.post(`/api/admin/feeds/update/single?url=${urlOf(name)}`)
  await expectPicture(server.port)
  expect(await ida.get(pathOf('page'))).toMatchObject({ status: 204, text: '' })
  // Feeds in the private network are shown to users only.
  expect(await anyone.get(pathOf('harbour'))).toMatchObject({ status: 204 })
  await server.stop()
  expect(complaints(server)).toEqual([])
  expect(readdirSync(folder.file('data/artwork')).length).toBe(2)
  expect(fetches()).toBe(1)
  await using again = await scene.again()
  await expectPicture(again.server.port)
  expect(fetches()).toBe(1)
})
