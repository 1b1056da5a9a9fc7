import { VECTORS } from '../../worker/parse/hostile-texts.ts'

/** A recognizable name, followed by the vector. */
export function named(index: number): string {
  return `N${index} ${VECTORS[index]}`
}

/** Serves podcasts with a vector in every text, and a directory that always finds such podcasts. */
export function serveHostileShows() {
  const shows = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { origin, pathname } = new URL(request.url)
      const index = /^\/(\d+)\.xml$/.exec(pathname)?.[1]
      if (index !== undefined) return new Response(feed(Number(index), origin))
      return pathname.startsWith('/directory/') ? Response.json(found()) : new Response('no', { status: 404 })
    },
  })
  const url = `http://127.0.0.1:${shows.port}`
  return { url, feeds: VECTORS.map((_, index) => `${url}/${index}.xml`), stop: () => shows.stop(true) }
}

/** An OPML file of podcasts with vectors as names. */
export function hostileOutlines(): string {
  const outlines = VECTORS.map(
    (text, index) =>
      `<outline type="rss" text="${escaped(named(index))}" title="${escaped(text)}" xmlUrl="https://list.example/${index}"/>`,
  )
  return `<?xml version="1.0"?><opml version="2.0"><head><title>${escaped(named(0))}</title></head><body>${outlines.join('')}</body></opml>`
}

function feed(index: number, origin: string): string {
  const text = escaped(VECTORS[index] ?? '')
  const name = escaped(named(index))
  const secure = `${origin.replace('http:', 'https:')}/${index}.xml`
  return `<?xml version="1.0"?><rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:psc="http://podlove.org/simple-chapters"><channel>
<title>${name}</title><itunes:author>${text}</itunes:author><description>${text}</description><link>${text}</link><language>${text}</language>
<itunes:category text="${text}"/><atom:link rel="self" href="${secure}"/>
<item><title>${name}</title><guid>${text}</guid><link>${text}</link><description>${text}</description>
<psc:chapters><psc:chapter start="0" title="${name}" href="${text}" image="${text}"/></psc:chapters>
<enclosure url="${origin}/${index}.mp3" length="1000" type="audio/mpeg"/></item></channel></rss>`
}

function found() {
  const feeds = VECTORS.map((text, id) => ({
    ...{ id, title: named(id), url: `https://found.example/${id}`, language: 'en', categories: { 1: text } },
    ...{ author: text, description: text, image: text, artwork: text },
  }))
  return { status: 'true', feeds }
}

function escaped(text: string): string {
  return text.replace(/[&<>"'\n\t]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** Expression for the elements of a page that only text parsed as markup can have created. */
export const INTRUDERS = `[...document.body.querySelectorAll('*')].filter((element) =>
  element.matches('iframe, object, embed, base, form[action], script:not([src]), svg script, math, marquee, video, audio') ||
  [...element.attributes].some(({ name, value }) => name.startsWith('on') ||
    (['href', 'src', 'action'].includes(name) && /^\\s*(javascript|data|vbscript):/i.test(value)))
).map((element) => element.outerHTML.slice(0, 200))`
