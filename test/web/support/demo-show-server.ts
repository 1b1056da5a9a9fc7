import { type Pixel, png } from '../../support/pictures.ts'
import { ELSEWHERE, RICH_NOTES, SHOWS, type Show, TITLES } from './demo-data.ts'

interface DemoShows {
  /** Without a slash at the end. */
  readonly url: string
  stop(): Promise<void>
}

/** Serves the feeds and pictures of the sample podcasts, redirects to them below `/old/`, and an external directory. */
export function serveDemoShows(): DemoShows {
  const shows: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request): Response {
      const path = new URL(request.url).pathname.slice(1)
      if (path.startsWith('old/')) return Response.redirect(`/${path.slice('old/'.length)}`, 301)
      if (path.startsWith('directory/')) return Response.json({ status: 'true', feeds: ELSEWHERE.map(listed) })
      const show = SHOWS.find(({ slug }) => path.startsWith(slug))
      if (!show) return new Response('gone', { status: 404 })
      if (path.endsWith('.png')) return new Response(picture(show), { headers: { 'content-type': 'image/png' } })
      return new Response(feed(show, `http://127.0.0.1:${shows.port}`), {
        headers: { 'content-type': 'application/rss+xml' },
      })
    },
  })
  return { url: `http://127.0.0.1:${shows.port}`, stop: () => shows.stop(true) }
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

function notesOf(show: Show, n: number): string {
  if (n === 0) return RICH_NOTES
  return `<p>${show.description}</p><p>With a guest, and <a href="https://tidewater.example/notes">notes</a>.</p>`
}

const titleOf = (n: number) => TITLES[n % TITLES.length] ?? ''

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
