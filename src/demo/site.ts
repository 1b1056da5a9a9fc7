import { crc32, deflateSync } from 'node:zlib'
import { escapeXml } from '../formats/xml-scan.ts'
import { type DemoEpisode, pathOf, type Show, seedOf } from './shows.ts'
import { CHAPTER_NUMBERS, writeChapters, writeTranscript } from './words.ts'

/* Website of the demo's podcasts: everything below `/demo`. */

const CHAPTERS_TYPE = 'application/json+chapters'
const FEED_TYPE = 'application/rss+xml; charset=utf-8'

const OPEN = { 'access-control-allow-origin': '*' }

interface File {
  readonly type: string
  readonly size: number
  /** Bytes from `start` to `end` (exclusive). */
  bytes(start: number, end: number): Uint8Array<ArrayBuffer>
}

/** The returned function ignores paths outside `/demo`. `base` is the URL of the server, without a trailing slash. */
export function createDemoSite(shows: readonly Show[], base: string) {
  // Part of each ETag: feeds of different days have the same path and size.
  const newest = shows[0]?.episodes[0]?.released
  const files = new Map<string, () => File>([
    ['/demo/feeds.opml', () => textFile('text/x-opml', writeOpml(shows, base))],
  ])
  for (const show of shows) {
    files.set(pathOf.feed(show), () => textFile(FEED_TYPE, writeFeed(show, base)))
    files.set(pathOf.page(show), () => textFile('text/html; charset=utf-8', writePage(show, base)))
    if (show.hasCover) files.set(pathOf.cover(show), () => file('image/png', coverPng(seedOf(show.slug))))
    for (const episode of show.episodes) {
      files.set(pathOf.audio(show, episode), () => ({
        type: 'audio/mpeg',
        size: silenceBytes(episode.seconds),
        bytes: silence,
      }))
      if (show.speakers.length > 0) {
        files.set(pathOf.transcript(show, episode), () => textFile('text/vtt', writeTranscript(show, episode)))
        files.set(pathOf.chapters(show, episode), () => textFile(CHAPTERS_TYPE, writeChapters(show, episode, base)))
        for (const n of CHAPTER_NUMBERS) {
          const path = pathOf.chapterPicture(show, episode, n)
          files.set(path, () => file('image/png', coverPng(seedOf(path))))
        }
      }
      if (episode.hasPicture)
        files.set(pathOf.picture(show, episode), () =>
          file('image/png', coverPng(seedOf(`${show.slug} ${episode.title}`))),
        )
    }
  }

  return (request: Request): Response | undefined => {
    const { pathname } = new URL(request.url)
    if (pathname !== '/demo' && !pathname.startsWith('/demo/')) return undefined
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return new Response('only GET and HEAD\n', { status: 405, headers: { ...OPEN, allow: 'GET, HEAD' } })
    const make = files.get(pathname)
    if (!make) return new Response('the demo has no such page\n', { status: 404, headers: OPEN })
    const made = make()
    return serveFile(request, `"${seedOf(`${pathname} ${made.size} ${newest}`).toString(16)}"`, made)
  }
}

function serveFile(request: Request, etag: string, { type, size, bytes }: File): Response {
  const headers = { ...OPEN, 'content-type': type, 'accept-ranges': 'bytes', etag }
  const withBody = (start: number, end: number) => (request.method === 'HEAD' ? null : bytes(start, end))
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
  const range = rangeOf(request.headers.get('range'), size)
  if (range === 'none')
    return new Response(withBody(0, size), { headers: { ...headers, 'content-length': String(size) } })
  if (range === 'unsatisfiable')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } })
  const [start, end] = range
  return new Response(withBody(start, end), {
    status: 206,
    headers: {
      ...headers,
      'content-length': String(end - start),
      'content-range': `bytes ${start}-${end - 1}/${size}`,
    },
  })
}

type Range = readonly [start: number, end: number] | 'none' | 'unsatisfiable'

/** Parses a single range, as sent by players. Ignores any other header, as RFC 9110 allows. */
function rangeOf(header: string | null, size: number): Range {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return 'none'
  if (first === '') return Number(last) === 0 ? 'unsatisfiable' : [Math.max(0, size - Number(last)), size]
  if (Number(first) >= size) return 'unsatisfiable'
  if (last !== '' && Number(last) < Number(first)) return 'none'
  return [Number(first), last === '' ? size : Math.min(size, Number(last) + 1)]
}

function file(type: string, content: Uint8Array<ArrayBuffer>): File {
  return { type, size: content.length, bytes: (start, end) => content.subarray(start, end) }
}

function textFile(type: string, text: string): File {
  return file(type, new TextEncoder().encode(text))
}

function writeFeed(show: Show, base: string): string {
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0">',
    '<channel>',
    element('title', show.title),
    element('link', base + pathOf.page(show)),
    element('description', show.description),
    element('language', show.language),
    element('itunes:author', show.author),
    `<itunes:category text="${escapeXml(show.category)}"/>`,
    element('itunes:explicit', 'false'),
    ...(show.hasCover ? [`<itunes:image href="${escapeXml(base + pathOf.cover(show))}"/>`] : []),
    ...show.episodes.map((episode) => writeItem(show, episode, base)),
    '</channel>',
    '</rss>',
    '',
  ].join('\n')
}

function writeItem(show: Show, episode: DemoEpisode, base: string): string {
  const { title, notes, guid, released, seconds, number } = episode
  const url = escapeXml(base + pathOf.audio(show, episode))
  return [
    '<item>',
    element('title', title),
    element('link', `${base}${pathOf.page(show)}#${number}`),
    element('description', notes),
    `<enclosure url="${url}" length="${silenceBytes(seconds)}" type="audio/mpeg"/>`,
    `<guid isPermaLink="false">${escapeXml(guid)}</guid>`,
    element('pubDate', new Date(released * 1000).toUTCString()),
    element('itunes:duration', String(seconds)),
    element('itunes:episode', String(number)),
    ...(show.speakers.length > 0
      ? [
          `<podcast:transcript url="${escapeXml(base + pathOf.transcript(show, episode))}" type="text/vtt" rel="captions"/>`,
          `<podcast:chapters url="${escapeXml(base + pathOf.chapters(show, episode))}" type="${CHAPTERS_TYPE}"/>`,
        ]
      : []),
    ...(episode.hasPicture ? [`<itunes:image href="${escapeXml(base + pathOf.picture(show, episode))}"/>`] : []),
    '</item>',
  ].join('\n')
}

function writePage({ title, author, description, language, episodes }: Show, base: string): string {
  const items = episodes.map((each) => `<li id="${each.number}">${escapeXml(each.title)}</li>`)
  return [
    '<!doctype html>',
    `<html lang="${language}"><meta charset="utf-8"><title>${escapeXml(title)}</title>`,
    `<h1>${escapeXml(title)}</h1><p>${escapeXml(author)}</p><p>${escapeXml(description)}</p>`,
    `<ol reversed>${items.join('')}</ol><p><a href="${escapeXml(base)}/">podstep</a></p></html>`,
    '',
  ].join('\n')
}

function writeOpml(shows: readonly Show[], base: string): string {
  const outlines = shows.map(
    (show) => `<outline type="rss" text="${escapeXml(show.title)}" xmlUrl="${escapeXml(base + pathOf.feed(show))}"/>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>\n<opml version="2.0"><head><title>podstep demo</title></head>\n<body>\n${outlines.join('\n')}\n</body></opml>\n`
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`
}

/* Covers and audio of the demo, generated on request. */

/** A silent MPEG-2 layer III frame, mono, 16 kHz, 8 kbit/s: 36 bytes last 36 ms, so a second takes 1,000 bytes. */
const FRAME = Uint8Array.of(0xff, 0xf3, 0x18, 0xc4, ...Array.from({ length: 32 }, () => 0))
const BYTES_PER_SECOND = 1000

/** Bytes of a silent MP3 of this duration, rounded up by at most 35 ms. */
export function silenceBytes(seconds: number): number {
  return Math.ceil((seconds * BYTES_PER_SECOND) / FRAME.length) * FRAME.length
}

/** Bytes from `start` to `end` (exclusive) of a silent MP3 of any length. */
export function silence(start: number, end: number): Uint8Array<ArrayBuffer> {
  const first = start % FRAME.length
  const frames = new Uint8Array(end - start + first)
  for (let at = 0; at < frames.length; at += FRAME.length) {
    frames.set(FRAME.subarray(0, Math.min(FRAME.length, frames.length - at)), at)
  }
  return frames.subarray(first)
}

const SIDE = 600
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const BIT_DEPTH = 8
const INDEXED = 3

function coverPng(seed: number): Uint8Array<ArrayBuffer> {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(SIDE, 0)
  head.writeUInt32BE(SIDE, 4)
  head[8] = BIT_DEPTH
  head[9] = INDEXED
  const hue = seed % 360
  const colors = [hue, (hue + 40) % 360, (hue + 180) % 360].flatMap((each, n) => rgb(each, 0.3 + 0.2 * n))
  return new Uint8Array(
    Buffer.concat([
      Buffer.from(PNG_SIGNATURE),
      chunk('IHDR', head),
      chunk('PLTE', Buffer.from(colors)),
      chunk('IDAT', deflateSync(pixels(seed))),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

function pixels(seed: number): Buffer {
  const ring = 30 + (seed % 50)
  const stripe = 20 + (seed % 37)
  const [x0, y0] = [150 + (seed % 301), 150 + ((seed >>> 8) % 301)]
  const rows = Buffer.alloc(SIDE * (SIDE + 1))
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const isRing = Math.floor(Math.hypot(x - x0, y - y0) / ring) % 2 === 0
      const isStripe = Math.floor((x + y) / stripe) % 3 === 0
      rows[y * (SIDE + 1) + 1 + x] = isRing ? 1 : isStripe ? 2 : 0
    }
  }
  return rows
}

function rgb(hue: number, lightness: number): number[] {
  const a = 0.5 * Math.min(lightness, 1 - lightness)
  return [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))))
  })
}

function chunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length)
  named.copy(framed, 4)
  framed.writeUInt32BE(crc32(named), named.length + 4)
  return framed
}
