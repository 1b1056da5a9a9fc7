import { type Pixel, png } from '../../support/pictures.ts'
import { serveSilence } from './audio.ts'

/** Podcasts whose feeds declare an HTTPS URL. */
const SECURE = ['harbour', 'kitchen', 'ledger']

/** Slug, title, author, description, tags, and colour as in CSS. */
const ROWS = [
  'harbour|Harbour Talk|Tidewater Radio|Pilots, gulls and the people who wait for both.|Society & Culture, Travel|1c5e78',
  'kitchen|Kitchen Stories|Ida Lund|What people cook when nobody is looking.|Food, Society & Culture|c45c30',
  'night|Night Trains|Slow Tracks|Across a continent while it sleeps.|Travel|222854',
  'orbit|Low Orbit|Space Desk|What flies above us, and who pays for it.|Science, News|463c82',
  'moss|Moss & Lichen|Field Notes Collective|Small green things, at length.|Science, Nature|3c6e3a',
  'ledger|The Ledger|Counting House|Money, explained by those who have to count it.|Business, News|786028',
  'sauna|Saunan lämpö|Yle-henkiset|Keskusteluja löylyn äärellä.|Society & Culture|8c362e',
  'tokyo|東京ポッドキャスト|港区ラジオ|街の音と、そこに住む人の声。|Travel, Society & Culture|aa2846',
  'chess|Knight Moves|The Board|Sixty-four squares, one story each.|Leisure, Games|32363a',
  'choir|Choir Practice|Alt and Friends|Singing together, badly and well.|Music|62326e',
  'weather|Weather Permitting|Barometer|Forecasts of yesterday, checked today.|Science, Nature|387896',
  'local|Town Hall Tapes|The Gazette|Council meetings, edited with love.|News, Government|5a5046',
]

type Show = (typeof SHOWS)[number]

export const SHOWS = ROWS.map((row) => {
  const [slug = '', title = '', author = '', description = '', tags = '', color = ''] = row.split('|')
  return {
    ...{ slug, title, author, description },
    tags: tags.split(', '),
    color: Number.parseInt(color, 16),
    isSecure: SECURE.includes(slug),
  }
})

/** Show notes of the newest episodes, with every kind of block. */
const RICH_NOTES = `<p>Fog came in at four, and <strong>nobody</strong> went home. Jon Aske has piloted ships into this harbour for <em>thirty-one</em> years;
we sat with him in the station while the horn did the talking.</p><h3>In this episode</h3>
<ul><li>00:00 The horn, and why it has two notes</li><li>08:40 What a pilot sees when there is nothing to see</li><li>15:15 Gulls:<ul><li>their opinion of fog</li><li>ours of gulls</li></ul></li></ul>
<p>Further reading:</p><ol><li><a href="https://tidewater.example/fog">A short history of fog signals</a></li><li><a href="https://tidewater.example/pilots">The pilots’ own page</a>, with pictures</li></ol>
<blockquote><p>You do not wait for the fog to lift. You wait for it to get bored.</p></blockquote>
<p>The horn’s rhythm, for your own collection: <code>2s on, 4s off</code>.</p><pre>--____--____--____
  N     N     N</pre><p>Write to us: <a href="mailto:fog@tidewater.example">fog@tidewater.example</a>.</p>`

const CHAPTERS = `<psc:chapters version="1.2"><psc:chapter start="00:00:00" title="The horn, and why it has two notes"/>
<psc:chapter start="00:08:40" title="What a pilot sees when there is nothing to see"/><psc:chapter start="00:15:15" title="Gulls"/></psc:chapters>`

const TITLES = [
  ...['Fog', 'The long way round', 'A letter from the coast', 'Two chairs', 'What the horn says', 'Before breakfast'],
  ...['The second bridge', 'Nobody asked the ferryman', 'Small hours', 'A map of smells', 'The quiet carriage'],
  ...['Salt', 'How to fold a tent', 'Everything but the lid', 'Three kinds of blue', 'The key under the stone'],
]

/** The podcasts of the external directory: title, author and description. */
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

/** Covers as PNG by the slug of the podcast. */
export type Covers = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

/** Serves feeds, pictures and audio of the sample podcasts, redirects to them under `/old/`, and an external directory. */
export function serveDemoShows(covers?: Covers) {
  const shows: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request): Response {
      const path = new URL(request.url).pathname.slice(1)
      if (path.startsWith('old/')) return Response.redirect(`/${path.slice('old/'.length)}`, 301)
      if (path.startsWith('directory/')) return Response.json({ status: 'true', feeds: ELSEWHERE.map(listed) })
      const show = SHOWS.find(({ slug }) => path.startsWith(slug))
      if (!show) return new Response('gone', { status: 404 })
      if (path.endsWith('.mp3')) return serveSilence(request, secondsOf(34 - numberIn(path)))
      if (path.endsWith('.png'))
        return new Response(covers?.get(show.slug) ?? picture(show), { headers: { 'content-type': 'image/png' } })
      return new Response(feed(show, `http://127.0.0.1:${shows.port}`), {
        headers: { 'content-type': 'application/rss+xml' },
      })
    },
  })
  return { url: `http://127.0.0.1:${shows.port}`, stop: () => shows.stop(true) }
}

function feed(show: Show, base: string): string {
  const items = Array.from({ length: 34 }, (_, n) => {
    const date = new Date(Date.now() - hoursAgo(show, n) * 3_600_000).toUTCString()
    return `<item><title>${34 - n}: ${titleOf(show, n)}</title><guid>${show.slug}-${34 - n}</guid><pubDate>${date}</pubDate>
<description><![CDATA[${notesOf(show, n)}]]></description>
<itunes:duration>${secondsOf(n)}</itunes:duration><enclosure url="${base}/${show.slug}/${34 - n}.mp3" length="${20_000_000 + n * 1000}" type="audio/mpeg"/>${n === 0 ? CHAPTERS : ''}</item>`
  }).join('\n')
  const categories = show.tags.map((tag) => `<itunes:category text="${tag.replace('&', '&amp;')}"/>`).join('')
  const secure = `${base.replace('http:', 'https:')}/${show.slug}.xml`
  const self = show.isSecure ? `<atom:link rel="self" type="application/rss+xml" href="${secure}"/>` : ''
  const support = show.isSecure
    ? `<podcast:funding url="https://tidewater.example/support">Support us</podcast:funding>`
    : ''
  return `<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:psc="http://podlove.org/simple-chapters"><channel><title>${show.title.replace('&', '&amp;')}</title>
<itunes:author>${show.author}</itunes:author><description>${show.description}</description><link>https://tidewater.example/${show.slug}</link><language>en</language>
${self}${support}${categories}<itunes:image href="${base}/${show.slug}.png"/>${items}</channel></rss>`
}

function notesOf(show: Show, n: number): string {
  if (n === 0) return RICH_NOTES
  return `<p>${show.description}</p><p>With a guest, and <a href="https://tidewater.example/notes">notes</a>.</p>`
}

/** Seconds of the nth episode, newest first. */
export function secondsOf(n: number): number {
  return 1200 + n * 37
}

/** The number of an episode in the URL of its audio. */
function numberIn(path: string): number {
  return Number(/(\d+)\.mp3$/.exec(path)?.[1] ?? 34)
}

/** Each podcast has its own days, so that lists by time are mixed like real ones. */
function hoursAgo({ slug }: Show, n: number): number {
  return 2 + SHOWS.findIndex((show) => show.slug === slug) * 9 + n * 5 * 24
}

/** Titles that differ between the newest episodes of the podcasts, which are shown next to each other. */
function titleOf({ slug }: Show, n: number): string {
  const first = SHOWS.findIndex((show) => show.slug === slug) * 3
  return TITLES[(first + n) % TITLES.length] ?? ''
}

function listed([title, author, description]: readonly [string, string, string], index: number) {
  const url = `https://feeds.example/${index}.xml`
  return { id: index, title, author, description, url, image: '', artwork: '', language: 'en', categories: null }
}

/** A PNG of a square with a circle. */
function picture({ color }: Show): Uint8Array<ArrayBuffer> {
  const size = 320
  const parts = [16, 8, 0].map((shift) => (color >> shift) & 255)
  const pixel = (x: number, y: number): Pixel => {
    const isInside = (x - size * 0.62) ** 2 + (y - size * 0.4) ** 2 < (size * 0.27) ** 2
    const shade = (part = 0) => (isInside ? Math.min(255, part + 90) : Math.round(part * (1 - (0.35 * y) / size)))
    return [shade(parts[0]), shade(parts[1]), shade(parts[2]), 255]
  }
  return new Uint8Array(png(size, size, pixel))
}
