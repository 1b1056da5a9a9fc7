/** Feeds as hosts of podcasts write them: texts of usual length, in RSS with the usual namespaces. The same each time. */

const WORDS =
  'harbour tide boat fog gull rope anchor lighthouse captain storm island ferry net shore wave sail crew deck morning night talk guest story listen about what when people years never always north wind small large home work question answer'.split(
    ' ',
  )

const NAMESPACES =
  'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:podcast="https://podcastindex.org/namespace/1.0"'

const NEWEST = Date.UTC(2025, 2, 1)
const DAY_MS = 86_400_000

/** From `<?xml` to where the items begin. */
export function feedHead(name: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" ${NAMESPACES}><channel>
<title>${name}</title><link>https://tidewater.example/${name}</link><language>en-us</language>
<description><![CDATA[<p>${words(name, 60)}</p>]]></description>
<itunes:author>Tidewater</itunes:author><itunes:image href="https://cdn.tidewater.example/${name}.jpg"/>
<itunes:category text="Society &amp; Culture"><itunes:category text="Documentary"/></itunes:category><itunes:explicit>false</itunes:explicit>
`
}

export const FEED_TAIL = '</channel></rss>\n'

/** Episode number `n` of a podcast, the higher the newer; some two kilobytes with notes of 260 words. */
export function feedItem(name: string, n: number, noteWords = 260): string {
  const id = `${name}-${n}`
  const paragraphs = Array.from(
    { length: 4 },
    (_, part) =>
      `<p>${words(`${id}-${part}`, noteWords / 4)} <a href="https://tidewater.example/${id}?part=${part}&amp;x=1">${words(id, 3)}</a></p>`,
  )
  const notes = `${paragraphs.join('\n')}<ul><li>${words(id, 4)}</li><li>${words(`${id}b`, 4)}</li></ul>`
  const released = new Date(NEWEST - 10_000 * DAY_MS + n * DAY_MS).toUTCString()
  return `<item><title>${n}: ${words(id, 7)}</title><link>https://tidewater.example/${id}</link>
<guid isPermaLink="false">${id}</guid><pubDate>${released}</pubDate>
<description><![CDATA[${words(id, 20)}]]></description><content:encoded><![CDATA[${notes}]]></content:encoded>
<enclosure url="https://cdn.tidewater.example/${name}/${n}.mp3?source=feed&amp;id=${id}" length="${40_000_000 + n}" type="audio/mpeg"/>
<itunes:duration>00:${String(n % 60).padStart(2, '0')}:30</itunes:duration><itunes:explicit>no</itunes:explicit><itunes:episode>${n}</itunes:episode>
<itunes:image href="https://cdn.tidewater.example/${id}.jpg"/></item>
`
}

export function feedItems(name: string, from: number, count: number, noteWords?: number): string {
  return Array.from({ length: count }, (_, index) => feedItem(name, from + count - index, noteWords)).join('')
}

/** So many words, another mixture for another seed. */
function words(seed: string, count: number): string {
  let state = Bun.hash.crc32(seed)
  const chosen: string[] = []
  for (let n = 0; n < count; n++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    chosen.push(WORDS[(state >>> 8) % WORDS.length] ?? '')
  }
  return chosen.join(' ')
}
