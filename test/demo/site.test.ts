import { describe, expect, test } from 'bun:test'
import { createThumbnailer } from '../../src/artwork/thumbnailer.ts'
import { createShows, FIXED_NEWEST, newestAt, pathOf, showOf } from '../../src/demo/shows.ts'
import { createDemoSite } from '../../src/demo/site.ts'
import { parseChapters } from '../../src/domain/feeds/chapters.ts'
import { createHostQueue } from '../../src/domain/shared/concurrency.ts'
import { readOpml } from '../../src/formats/opml.ts'
import { parseTranscript } from '../../src/worker/transcripts/transcript-file.ts'
import { parseFeed } from '../support/feed-document.ts'

const BASE = 'http://127.0.0.1:8080'
const DAY = 86_400
const SHOWS = createShows(FIXED_NEWEST)
const site = createDemoSite(SHOWS, BASE)

/** The response of the site, which must have one. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Response {
  const response = site(new Request(`http://localhost${path}`, { method, headers }))
  if (!response) throw new Error(`${path} is left to the application`)
  return response
}

const QUAY = showOf(SHOWS, 'lantern-quay')
const FEED = pathOf.feed(QUAY)

describe('the demo site', () => {
  test('leaves all other paths to the application', () => {
    for (const path of ['/', '/demons', '/api/2/me', '/subscriptions/demo.json'])
      expect(site(new Request(BASE + path))).toBeUndefined()
  })

  test('has 12 podcasts, and lists their feeds as OPML', async () => {
    const listed = [...readOpml(await get('/demo/feeds.opml').text())].flat()
    expect(listed.map(({ url }) => url)).toEqual(SHOWS.map((show) => BASE + pathOf.feed(show)))
    expect(new Set(listed.map(({ url }) => url)).size).toBe(12)
  })

  test.each(SHOWS.map((show) => [show.slug, show] as const))('has a valid feed: %s', async (_, show) => {
    const response = get(pathOf.feed(show))
    const type = response.headers.get('content-type') ?? ''
    const url = BASE + pathOf.feed(show)
    const { episodes, ...podcast } = parseFeed(await response.bytes(), type, { url, maxEpisodes: 1000 })
    expect(podcast).toMatchObject({
      title: show.title,
      author: show.author,
      description: show.description,
      language: show.language,
      website: `${BASE}/demo/${show.slug}`,
      logoUrl: show.hasCover ? `${BASE}/demo/${show.slug}.png` : '',
    })
    expect(episodes.map(({ title, guid, released, duration }) => ({ title, guid, released, duration }))).toEqual(
      show.episodes.map(({ title, guid, released, seconds }) => ({ title, guid, released, duration: seconds })),
    )
  })

  test('ends on 30 June 2025 with fixed dates', () => {
    const dates = SHOWS.flatMap(({ episodes }) => episodes.map(({ released }) => released))
    expect(Math.max(...dates)).toBe(FIXED_NEWEST)
    expect(new Date(FIXED_NEWEST * 1000).toISOString()).toBe('2025-06-30T06:00:00.000Z')
  })

  test.each([
    ['2026-11-27T07:00:00Z', '2026-11-27T06:00:00.000Z'],
    ['2026-11-27T06:59:59Z', '2026-11-26T06:00:00.000Z'],
    ['2026-11-27T23:59:59Z', '2026-11-27T06:00:00.000Z'],
    ['2027-01-01T00:00:00Z', '2026-12-31T06:00:00.000Z'],
    ['2028-03-01T06:30:00Z', '2028-02-29T06:00:00.000Z'],
    ['2020-01-01T12:00:00Z', '2020-01-01T06:00:00.000Z'],
  ])('at a start at %s has its newest episodes at %s', (start, newest) => {
    expect(new Date(newestAt(Date.parse(start) / 1000) * 1000).toISOString()).toBe(newest)
  })

  test('has the same episodes on another day, later by as many days', () => {
    const later = createShows(FIXED_NEWEST + 500 * DAY)
    const untitled = SHOWS.map(({ slug, episodes }) => ({
      slug,
      episodes: episodes.map((each) => ({ ...each, title: '', notes: '', released: each.released + 500 * DAY })),
    }))
    expect(
      later.map(({ slug, episodes }) => ({
        slug,
        episodes: episodes.map((each) => ({ ...each, title: '', notes: '' })),
      })),
    ).toEqual(untitled)
    const [tide] = showOf(later, 'tide-tables').episodes
    expect(tide?.title).toBe('Tides of 2026-11-12')
  })

  test('serves each episode as an MP3 of its duration', async () => {
    const [episode] = QUAY.episodes
    if (!episode) throw new Error('there is no episode')
    const response = get(pathOf.audio(QUAY, episode))
    const bytes = await response.bytes()
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    expect(await get(FEED).text()).toContain(`/${episode.number}.mp3" length="${bytes.length}"`)
    // Frames of 36 bytes, with 576 samples at 16 kHz each.
    expect(bytes.length % 36).toBe(0)
    expect(Math.floor(((bytes.length / 36) * 576) / 16_000)).toBe(episode.seconds)
    for (let at = 0; at < bytes.length; at += 36 * 997)
      expect([...bytes.subarray(at, at + 6)]).toEqual([0xff, 0xf3, 0x18, 0xc4, 0, 0])
  })

  test('serves covers that become thumbnails, and none for a podcast without one', async () => {
    const { make } = createThumbnailer(createHostQueue({ atOnce: 1, perHost: 1 }))
    const shows = SHOWS.filter(({ hasCover }) => hasCover)
    const covers = await Promise.all(shows.map((show) => get(pathOf.cover(show)).bytes()))
    const made = await make(covers[0] ?? new Uint8Array(), 300)
    expect(made && (await new Bun.Image(made).metadata())).toEqual({ width: 300, height: 300, format: 'webp' })
    expect(new Set(covers.map((cover) => Bun.hash(cover))).size).toBe(11)
    expect(get('/demo/static-garden.png').status).toBe(404)
  })

  test('serves transcripts, and chapters with pictures, for one show, whose feed names them', async () => {
    const { episodes } = parseFeed(await get(FEED).bytes(), '', { url: BASE + FEED, maxEpisodes: 1000 })
    for (const { transcriptUrl, transcriptType, chaptersUrl, duration = 0 } of episodes) {
      const bytes = await get(transcriptUrl.replace(BASE, '')).bytes()
      const cues = parseTranscript({ bytes, contentType: '', type: transcriptType })
      expect(cues.length).toBeGreaterThan(100)
      expect(new Set(cues.map(({ speaker }) => speaker))).toEqual(new Set(['Maren Holt', 'Ines Okafor']))
      expect(cues.at(-1)?.end).toBeWithin(duration - 10, duration + 1)
      const chapters = parseChapters(await get(chaptersUrl.replace(BASE, '')).text())
      expect(chapters).toHaveLength(5)
      for (const [, , , picture = ''] of chapters) expect(get(picture.replace(BASE, '')).status).toBe(200)
    }
    expect(await get('/demo/small-engines.xml').text()).not.toContain('podcast:')
  })

  test('serves a different picture for each episode with one, which the feed names', async () => {
    const response = get(FEED)
    const { episodes } = parseFeed(await response.bytes(), '', { url: BASE + FEED, maxEpisodes: 1000 })
    const paths = episodes.map(({ imageUrl }) => imageUrl.replace(BASE, ''))
    expect(paths).toEqual(QUAY.episodes.map(({ number }) => `/demo/lantern-quay/${number}.png`))
    const pictures = await Promise.all([...paths, pathOf.cover(QUAY)].map((path) => get(path).bytes()))
    expect(new Set(pictures.map((picture) => Bun.hash(picture))).size).toBe(9)
    const moss = showOf(SHOWS, 'moss-and-method')
    expect(moss.episodes.map((each) => get(pathOf.picture(moss, each)).status)).toEqual([
      ...[200, 200, 200],
      ...[404, 404, 404],
    ])
  })

  test('has a page for each podcast', async () => {
    const response = get('/demo/moss-and-method')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('<h1>Moss &amp; Method</h1>')
  })
})

describe('like servers of podcasts it', () => {
  test('answers 304 for an unchanged feed', async () => {
    const etag = get(FEED).headers.get('etag') ?? ''
    const again = get(FEED, { 'if-none-match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(get(pathOf.feed(showOf(SHOWS, 'tide-tables')), { 'if-none-match': etag }).status).toBe(200)
  })

  test('has another ETag for the feed of another day with the same size', () => {
    const later = createDemoSite(createShows(FIXED_NEWEST + 7 * DAY), BASE)
    const etag = get(FEED).headers.get('etag') ?? ''
    const request = new Request(BASE + FEED, { headers: { 'if-none-match': etag } })
    expect(later(request)?.status).toBe(200)
  })

  const size = 36 * Math.ceil(((QUAY.episodes[0]?.seconds ?? 0) * 1000) / 36)
  test.each<[range: string, status: number, contentRange: string | null, length: number]>([
    ['bytes=0-99', 206, `bytes 0-99/${size}`, 100],
    ['bytes=35-37', 206, `bytes 35-37/${size}`, 3],
    ['bytes=1000-', 206, `bytes 1000-${size - 1}/${size}`, size - 1000],
    ['bytes=-10', 206, `bytes ${size - 10}-${size - 1}/${size}`, 10],
    [`bytes=-${size + 5}`, 206, `bytes 0-${size - 1}/${size}`, size],
    [`bytes=5-${size + 5}`, 206, `bytes 5-${size - 1}/${size}`, size - 5],
    [`bytes=${size}-`, 416, `bytes */${size}`, 0],
    ['bytes=-0', 416, `bytes */${size}`, 0],
    ['bytes=9-3', 200, null, size],
    ['bytes=-', 200, null, size],
    ['bytes=0-1,5-6', 200, null, size],
    ['minutes=0-1', 200, null, size],
  ])('answers the range %s with %d', async (range, status, contentRange, length) => {
    const whole = await get('/demo/lantern-quay/8.mp3').bytes()
    expect(whole.length).toBe(size)
    const response = get('/demo/lantern-quay/8.mp3', { range })
    expect([response.status, response.headers.get('content-range')]).toEqual([status, contentRange])
    const part = await response.bytes()
    expect(part.length).toBe(length)
    const [, start = 0] = /^bytes (\d+)-/.exec(contentRange ?? '') ?? []
    expect(part).toEqual(whole.subarray(Number(start), Number(start) + length))
  })

  test('answers HEAD with the size, and allows other origins', async () => {
    const response = get('/demo/lantern-quay/8.mp3', {}, 'HEAD')
    expect(response.headers.get('content-length')).toBe(String(size))
    expect(response.headers.get('accept-ranges')).toBe('bytes')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect((await response.bytes()).length).toBe(0)
  })

  test.each([
    ['/demo', 404, 'GET'],
    ['/demo/', 404, 'GET'],
    ['/demo/nothing.xml', 404, 'GET'],
    ['/demo/lantern-quay/99.mp3', 404, 'GET'],
    ['/demo/lantern-quay.xml', 405, 'POST'],
    ['/demo/lantern-quay.xml', 405, 'DELETE'],
  ])('answers %s with %d to %s', (path, status, method) => {
    expect(get(path, {}, method).status).toBe(status)
  })
})

test('an unknown podcast in the lists of the demo is an error', () => {
  expect(() => showOf(SHOWS, 'nothing')).toThrow('the demo has no podcast nothing')
})
