import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/*
 * A server with something to look at: two accounts, some devices, podcasts with episodes and pictures from a web server of ours. For the
 * browser tests and the screenshots.
 */

const ROOT = join(import.meta.dir, '../../..')

interface Show {
  readonly slug: string
  readonly title: string
  readonly author: string
  readonly description: string
  readonly tags: readonly string[]
  readonly color: readonly [number, number, number]
  /** Says itself that it is there by https. */
  readonly isSecure?: boolean
}

const SHOWS: readonly Show[] = [
  {
    slug: 'harbour',
    title: 'Harbour Talk',
    author: 'Tidewater Radio',
    description: 'Pilots, gulls and the people who wait for both.',
    tags: ['Society & Culture', 'Travel'],
    color: [28, 94, 120],
    isSecure: true,
  },
  {
    slug: 'kitchen',
    title: 'Kitchen Stories',
    author: 'Ida Lund',
    description: 'What people cook when nobody is looking.',
    tags: ['Food', 'Society & Culture'],
    color: [196, 92, 48],
    isSecure: true,
  },
  {
    slug: 'night',
    title: 'Night Trains',
    author: 'Slow Tracks',
    description: 'Across a continent while it sleeps.',
    tags: ['Travel'],
    color: [34, 40, 84],
  },
  {
    slug: 'orbit',
    title: 'Low Orbit',
    author: 'Space Desk',
    description: 'What flies above us, and who pays for it.',
    tags: ['Science', 'News'],
    color: [70, 60, 130],
  },
  {
    slug: 'moss',
    title: 'Moss & Lichen',
    author: 'Field Notes Collective',
    description: 'Small green things, at length.',
    tags: ['Science', 'Nature'],
    color: [60, 110, 58],
  },
  {
    slug: 'ledger',
    title: 'The Ledger',
    author: 'Counting House',
    description: 'Money, explained by those who have to count it.',
    tags: ['Business', 'News'],
    color: [120, 96, 40],
    isSecure: true,
  },
  {
    slug: 'sauna',
    title: 'Saunan lämpö',
    author: 'Yle-henkiset',
    description: 'Keskusteluja löylyn äärellä.',
    tags: ['Society & Culture'],
    color: [140, 54, 46],
  },
  {
    slug: 'tokyo',
    title: '東京ポッドキャスト',
    author: '港区ラジオ',
    description: '街の音と、そこに住む人の声。',
    tags: ['Travel', 'Society & Culture'],
    color: [170, 40, 70],
  },
  {
    slug: 'chess',
    title: 'Knight Moves',
    author: 'The Board',
    description: 'Sixty-four squares, one story each.',
    tags: ['Leisure', 'Games'],
    color: [50, 54, 58],
  },
  {
    slug: 'choir',
    title: 'Choir Practice',
    author: 'Alt and Friends',
    description: 'Singing together, badly and well.',
    tags: ['Music'],
    color: [98, 50, 110],
  },
  {
    slug: 'weather',
    title: 'Weather Permitting',
    author: 'Barometer',
    description: 'Forecasts of yesterday, judged today.',
    tags: ['Science', 'Nature'],
    color: [56, 120, 150],
  },
  {
    slug: 'local',
    title: 'Town Hall Tapes',
    author: 'The Gazette',
    description: 'Council meetings, edited with love.',
    tags: ['News', 'Government'],
    color: [90, 80, 70],
  },
]

/** Of the newest episode: everything that notes may have. */
const RICH_NOTES = `<p>Fog came in at four, and <strong>nobody</strong> went home. Jon Aske has piloted ships into this harbour for <em>thirty-one</em> years;
we sat with him in the station while the horn did the talking.</p><h3>In this episode</h3>
<ul><li>00:00 The horn, and why it has two notes</li><li>08:40 What a pilot sees when there is nothing to see</li><li>21:15 Gulls:<ul><li>their opinion of fog</li><li>ours of gulls</li></ul></li></ul>
<p>Further reading:</p><ol><li><a href="https://tidewater.example/fog">A short history of fog signals</a></li><li><a href="https://tidewater.example/pilots">The pilots’ own page</a>, with pictures</li></ol>
<blockquote><p>You do not wait for the fog to lift. You wait for it to get bored.</p></blockquote>
<p>The horn’s rhythm, for your own collection: <code>2s on, 4s off</code>.</p><pre>--____--____--____
  N     N     N</pre><p>Write to us: <a href="mailto:fog@tidewater.example">fog@tidewater.example</a>.</p>`

function notesOf(show: Show, n: number): string {
  if (n === 0) return RICH_NOTES
  return `<p>${show.description}</p><p>With a guest, and <a href="https://tidewater.example/notes">notes</a>.</p>`
}

function feed(show: Show, base: string): string {
  const items = Array.from({ length: 34 }, (_, n) => {
    const date = new Date(Date.now() - n * 5 * 86_400_000).toUTCString()
    return `<item><title>${34 - n}: ${titleOf(n)}</title><guid>${show.slug}-${34 - n}</guid><pubDate>${date}</pubDate>
<description><![CDATA[${notesOf(show, n)}]]></description>
<itunes:duration>${1200 + n * 37}</itunes:duration><enclosure url="${base}/${show.slug}/${34 - n}.mp3" length="${20_000_000 + n * 1000}" type="audio/mpeg"/></item>`
  }).join('\n')
  const categories = show.tags.map((tag) => `<itunes:category text="${tag.replace('&', '&amp;')}"/>`).join('')
  const secure = `${base.replace('http:', 'https:')}/${show.slug}.xml`
  const self = show.isSecure ? `<atom:link rel="self" type="application/rss+xml" href="${secure}"/>` : ''
  const support = show.isSecure
    ? `<podcast:funding url="https://tidewater.example/support">Support us</podcast:funding>`
    : ''
  return `<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>${show.title.replace('&', '&amp;')}</title>
<itunes:author>${show.author}</itunes:author><description>${show.description}</description><link>https://tidewater.example/${show.slug}</link><language>en</language>
${self}${support}${categories}<itunes:image href="${base}/${show.slug}.png"/>${items}</channel></rss>`
}

const TITLES = [
  'Fog',
  'The long way round',
  'A letter from the coast',
  'Two chairs',
  'What the horn says',
  'Before breakfast',
  'The second bridge',
]
const titleOf = (n: number) => TITLES[n % TITLES.length] ?? ''

/** What the external directory knows: title, author and what it is about. */
const ELSEWHERE: readonly (readonly [string, string, string])[] = [
  ['Harbour Lights', 'Coastal Audio', 'Lighthouses, and who still looks after them.'],
  ['The Harbour Pilots', 'North Sea Sound', 'Six pilots, one estuary, all weathers.'],
  ['Salt and Signal', 'Radio Skerry', 'Shipping news from the days of Morse to satellites.'],
  ['Deep Rivers', 'Delta Voices', 'Down nine rivers by boat, slowly.'],
  ['Night Ferry', 'Passage Press', 'Stories told between two ports.'],
  ['The Knot Show', 'Rope & Co', 'One knot each week, and what it held.'],
  ['Tidal', 'Moon Desk', 'Everything that comes and goes with the moon.'],
  ['Breakwater', 'Stone & Sea', 'How coasts are kept, and when they are let go.'],
]

function listed([title, author, description]: readonly [string, string, string], index: number) {
  const url = `https://feeds.example/${index}.xml`
  return { id: index, title, author, description, url, image: '', artwork: '', language: 'en', categories: null }
}

export interface Demo {
  readonly url: string
  readonly feeds: string
  stop(): Promise<void>
}

export interface DemoOptions {
  /** The program and its first words; the executable unless given. */
  readonly program?: readonly string[]
  /** Without accounts and podcasts: as on the first day. */
  readonly isEmpty?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** Starts it; `ida` (password `seaglass`) is the administrator, `ole` (`driftwood`) is not. */
export async function startDemo({
  program = [join(ROOT, 'dist/podstep')],
  isEmpty = false,
  env = {},
}: DemoOptions = {}): Promise<Demo> {
  const shows: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request): Promise<Response> {
      const path = new URL(request.url).pathname.slice(1)
      if (path.startsWith('old/')) return Response.redirect(`/${path.slice('old/'.length)}`, 301)
      if (path.startsWith('directory/')) return Response.json({ status: 'true', feeds: ELSEWHERE.map(listed) })
      const show = SHOWS.find(({ slug }) => path.startsWith(slug))
      if (!show) return new Response('gone', { status: 404 })
      if (path.endsWith('.png')) return new Response(await picture(show), { headers: { 'content-type': 'image/png' } })
      return new Response(feed(show, `http://127.0.0.1:${shows.port}`), {
        headers: { 'content-type': 'application/rss+xml' },
      })
    },
  })
  const feeds = `http://127.0.0.1:${shows.port}`
  const dir = mkdtempSync(join(tmpdir(), 'podstep-demo-'))
  const server = Bun.spawn([...program, 'serve'], {
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      HOME: dir,
      SVC_PORT: '0',
      SVC_HOST: '127.0.0.1',
      SVC_DATA_DIR: join(dir, 'data'),
      SVC_LOG_FORMAT: 'json',
      SVC_REGISTRATION: 'open',
      SVC_RATE_LIMIT: 'false',
      SVC_FEED_ALLOW_PRIVATE: '127.0.0.0/8',
      SVC_DIRECTORY_URL: `${feeds}/directory`,
      SVC_DIRECTORY_KEY: 'key',
      SVC_DIRECTORY_SECRET: 'secret',
      ...env,
    },
    stdout: 'inherit',
    stderr: 'pipe',
  })
  const port = await portOf(server.stderr)
  const url = `http://127.0.0.1:${port}`
  if (!isEmpty) await fillIn(url, feeds)
  return {
    url,
    feeds,
    async stop() {
      server.kill()
      await server.exited
      await shows.stop(true)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Of the line that says that the server is ready; the rest is read so that it never waits for us. */
async function portOf(stderr: ReadableStream<Uint8Array>): Promise<number> {
  const found = Promise.withResolvers<number>()
  void (async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of stderr) {
      text += decoder.decode(chunk, { stream: true })
      const port = /"port":(\d+)/.exec(text)?.[1]
      if (port !== undefined) found.resolve(Number(port))
    }
    found.reject(new Error(`the server ended: ${text}`))
  })()
  return found.promise
}

async function fillIn(url: string, feeds: string): Promise<void> {
  const at = (slug: string) => `${feeds}/${slug}.xml`
  const basic = (name: string, password: string) => ({ authorization: `Basic ${btoa(`${name}:${password}`)}` })
  async function send(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  }
  const ida = basic('ida', 'seaglass')
  const ole = basic('ole', 'driftwood')
  await send('POST', '/api/2/register', { username: 'ida', password: 'seaglass', email: 'ida@pods.example' })
  await send('POST', '/api/2/register', { username: 'ole', password: 'driftwood' })
  const devices = [
    ['ida-pixel', 'Pixel in the kitchen', 'mobile', ['harbour', 'kitchen', 'night', 'orbit', 'moss', 'sauna', 'tokyo']],
    ['ida-desk', 'Desktop', 'desktop', ['harbour', 'old/ledger', 'orbit']],
    ['ida-laptop', 'Laptop', 'laptop', ['kitchen', 'chess']],
  ] as const
  for (const [id, caption, type, slugs] of devices) {
    await send('POST', `/api/2/devices/ida/${id}.json`, { caption, type }, ida)
    await send('POST', `/api/2/subscriptions/ida/${id}.json`, { add: slugs.map(at) }, ida)
  }
  await send('POST', '/api/2/sync-devices/ida.json', { synchronize: [['ida-desk', 'ida-laptop']] }, ida)
  await send(
    'POST',
    '/api/2/subscriptions/ole/tablet.json',
    { add: ['harbour', 'night', 'choir', 'weather', 'local', 'moss'].map(at) },
    ole,
  )
  await send('POST', '/api/2/subscriptions/ole/tablet.json', { add: [`${feeds}/gone.xml`] }, ole)
  for (const slug of [...SHOWS.map((show) => show.slug), 'gone', 'old/ledger'])
    await fetch(`${url}/api/admin/feeds/update/single?url=${encodeURIComponent(at(slug))}`, {
      method: 'POST',
      headers: ida,
    })
  const now = Math.floor(Date.now() / 1000)
  const actions = Array.from({ length: 60 }, (_, n) => {
    const slug = ['harbour', 'kitchen', 'night', 'orbit'][n % 4] ?? 'harbour'
    const timestamp = new Date((now - n * 39_600) * 1000).toISOString().slice(0, 19)
    return {
      podcast: at(slug),
      episode: `${feeds}/${slug}/${34 - (n % 12)}.mp3`,
      device: 'ida-pixel',
      action: 'play',
      timestamp,
      started: 0,
      position: 600 + ((n * 97) % 900),
      total: 1800,
    }
  })
  await send('POST', '/api/2/episodes/ida.json', actions, ida)
}

/** A square with a circle, as a PNG. */
async function picture({ color }: Show): Promise<Uint8Array<ArrayBuffer>> {
  const size = 320
  const rows = Buffer.alloc(size * (size * 3 + 1))
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const isInside = (x - size * 0.62) ** 2 + (y - size * 0.4) ** 2 < (size * 0.27) ** 2
      color.forEach((part, index) => {
        rows[y * (size * 3 + 1) + 1 + x * 3 + index] = isInside
          ? Math.min(255, part + 90)
          : Math.round(part * (1 - (0.35 * y) / size))
      })
    }
  const { deflateSync, crc32 } = await import('node:zlib')
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const head = Buffer.alloc(4)
    head.writeUInt32BE(data.length)
    const tail = Buffer.alloc(4)
    tail.writeUInt32BE(crc32(body))
    return Buffer.concat([head, body, tail])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
      chunk('IHDR', header),
      chunk('IDAT', deflateSync(rows)),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  )
}
