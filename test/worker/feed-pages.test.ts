import { describe, expect, test } from 'bun:test'
import type { FingerprintedEpisode } from '../../src/domain/feeds/document.ts'
import { type FeedAnswer, unfetchedFeed } from '../../src/domain/feeds/ports.ts'
import { FetchFailure, type FetchFailureReason } from '../../src/outbound/fetch-failure.ts'
import type { FetchRequest } from '../../src/outbound/guarded-fetch.ts'
import { createFetchFeed } from '../../src/worker/fetch-feed.ts'
import { createDocumentParser } from '../../src/worker/parse/parse-feed.ts'
import type { FetchRequest as FeedRequest } from '../../src/worker/protocol.ts'

const FEED = 'https://a.example/f'
const NOW = 1_740_909_600
const MAX_BYTES = 10_000

interface Reply {
  readonly body?: string
  readonly status?: number
  /** After redirects. */
  readonly url?: string
  readonly isInside?: boolean
  readonly fails?: FetchFailureReason
}

type Site = Record<string, Reply>

/** Item number `n`, undated; `2?sig=1` is number 2 with a signed URL. */
function item(n: number | string): string {
  return `<item><title>Fog ${n}</title><guid>${String(n).split('?')[0]}</guid><enclosure url="/${n}" type="audio/mpeg"/></item>`
}

/** A page with these items, and with a link to the next one. */
function page(items: readonly (number | string)[], next?: string, more = ''): Reply {
  const link = next === undefined ? '' : `<atom:link rel="next" href="${next}"/>`
  const body = `<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Fog</title>${link}${items.map(item).join('')}${more}</channel></rss>`
  return { body }
}

const items = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => from - n)

/** Pages of one item each, newest first: `/f`, `/f?2` and so on. */
function pages(count: number): Site {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      index === 0 ? FEED : `${FEED}?${index + 1}`,
      page([count - index], index + 1 < count ? `?${index + 2}` : undefined),
    ]),
  )
}

/** A feed with stored episodes and conditions. */
function open(site: Site, { maxEpisodes = 100, maxBytes = MAX_BYTES } = {}) {
  const asked: FetchRequest[] = []
  const stored = new Map<string, string>()
  let left: Partial<FeedRequest['feed']> = {}
  const fetchFeed = createFetchFeed({
    fetcher: {
      async fetch(request) {
        asked.push(request)
        const reply = site[request.url] ?? { status: 404 }
        const { body = '', status = 200, url = request.url, isInside = false, fails } = reply
        if (fails) throw new FetchFailure(fails, 'low tide')
        if (body.length > request.limits.maxBytes) throw new FetchFailure('too_large', 'high tide')
        const headers = new Headers({ etag: `"${body.length}"`, 'last-modified': request.url })
        const bytes = new TextEncoder().encode(body)
        return { status, headers, body: bytes, url, permanentUrl: request.url, leads: [], isInside }
      },
    },
    parse: createDocumentParser({ processorMs: () => 0, monotonic: () => 0 }),
    settings: { feedTimeoutSeconds: 5, feedMaxBytes: maxBytes, feedMaxEpisodes: maxEpisodes },
  })
  return {
    site,
    stored: () => [...stored.keys()],
    /** Refreshes the feed. Returns its requests and its new episodes, page by page. */
    async refresh(fields: Partial<FeedRequest> = {}) {
      asked.length = 0
      const episodes: FingerprintedEpisode[] = []
      const wanted = { fingerprints: JSON.stringify({ ...[...stored.values()] }), order: 'oldest first' } as const
      const feed = { ...unfetchedFeed(FEED), ...left }
      const head = { number: 1, audience: 'scheduled', at: NOW, maxBytes: undefined } as const
      const request = { ...head, feed, wanted, ...fields }
      const sink = { begin: () => undefined, add: (some: typeof episodes) => void episodes.push(...some) }
      const answer: FeedAnswer = await fetchFeed(request, sink)
      if (answer.kind !== 'failed') {
        const { etag, lastModified, bodyHash } = answer
        left = { etag, lastModified, bodyHash }
        for (const { guid, fingerprint } of episodes) stored.set(guid, fingerprint)
      }
      return {
        answer,
        asked: asked.map(({ url }) => url.replace(FEED, '')),
        came: episodes.map(({ guid }) => guid),
        requests: [...asked],
      }
    },
  }
}

const OTHER = 'https://b.example/f'
/** A first page and this second one. */
const withSecond = (second: Reply, next = '?2', at = `${FEED}?2`): Site => ({ [FEED]: page([2], next), [at]: second })
/** Two pages, the second at another URL. */
const elsewhere = (url: string) => withSecond(page([1]), url, url)
/** More elements than any document may have. */
const HOSTILE = page([1], undefined, '<x/>'.repeat(80_000))

describe('the pages of a new feed', () => {
  test.each<[string, Site, asked: string[], episodes: string[]]>([
    ['are all read', pages(3), ['', '?2', '?3'], ['3', '2', '1']],
    [
      'are read up to the twentieth',
      pages(30),
      ['', ...Array.from({ length: 19 }, (_, n) => `?${n + 2}`)],
      items(30, 11).map(String),
    ],
    ['may have absolute URLs', withSecond(page([1]), `${FEED}?2`), ['', '?2'], ['2', '1']],
    [
      'are relative to the final URL',
      { [FEED]: { ...page([2], '?2'), url: OTHER }, [`${OTHER}?2`]: page([1]) },
      ['', `${OTHER}?2`],
      ['2', '1'],
    ],
    ['may be circular', withSecond(page([1], FEED)), ['', '?2'], ['2', '1']],
    ['end if only the fragment differs', withSecond(page([1], '?2#more'), '?2#top'), ['', '?2'], ['2', '1']],
    ['end with a redirect to the first', withSecond({ ...page([1]), url: FEED }), ['', '?2'], ['2']],
    [
      'may be redirected within their host',
      withSecond({ ...page([1], '?3'), url: 'https://a.example/page/2' }),
      ['', '?2', 'https://a.example/page/2?3'],
      ['2', '1'],
    ],
    ['are not read on another host', elsewhere(OTHER), [''], ['2']],
    ['are not read on another port', elsewhere('https://a.example:444/f'), [''], ['2']],
    ['are not read after a redirect to another host', withSecond({ ...page([1]), url: OTHER }), ['', '?2'], ['2']],
    ['are not read over http if the feed uses https', elsewhere('http://a.example/f?2'), [''], ['2']],
    ['end with another scheme', elsewhere('ftp://a.example/f?2'), [''], ['2']],
    ['end with a missing one', withSecond({ status: 404 }), ['', '?2'], ['2']],
    ['end with a web page', withSecond({ body: '<!DOCTYPE html><html><body>Fog</body></html>' }), ['', '?2'], ['2']],
    ['end with a hostile one', withSecond(HOSTILE), ['', '?2'], ['2']],
    ['end with one that cannot be fetched', withSecond({ fails: 'forbidden' }), ['', '?2'], ['2']],
    ['end with one that repeats the first', withSecond(page([2], '?3')), ['', '?2'], ['2']],
    ['end with one without episodes', withSecond(page([], '?3')), ['', '?2'], ['2']],
    ['are not read if the first has no episodes', { [FEED]: page([], '?2') }, [''], []],
    ['may overlap', { [FEED]: page([3, 2], '?2'), [`${FEED}?2`]: page([2, 1]) }, ['', '?2'], ['2', '3', '1']],
    [
      'may overlap with different URLs',
      { [FEED]: page(['2?sig=1'], '?2'), [`${FEED}?2`]: page(['2?sig=2', '1?sig=2']) },
      ['', '?2'],
      ['2', '1'],
    ],
  ])('%s', async (_case, site, asked, episodes) => {
    const { answer, ...read } = await open(site, { maxBytes: 1_000_000 }).refresh()
    expect({ asked: read.asked, came: read.came }).toEqual({ asked, came: episodes })
    expect(answer).toMatchObject({ kind: 'feed', document: { title: 'Fog', episodeCount: episodes.length } })
  })

  const JSON_FEED = { version: 'https://jsonfeed.org/version/1.1', title: 'Fog' }
  const jsonPage = (n: number, next?: string) => ({
    body: JSON.stringify({
      ...JSON_FEED,
      next_url: next,
      items: [{ id: String(n), attachments: [{ url: `/${n}.mp3`, mime_type: 'audio/mpeg' }] }],
    }),
  })
  const atomPage = (n: number, next = '') => ({
    body: `<feed xmlns="http://www.w3.org/2005/Atom"><title>Fog</title><link rel="next" href="${next}"/><entry><id>${n}</id><link rel="enclosure" href="/${n}.mp3" type="audio/mpeg"/></entry></feed>`,
  })
  test.each<[string, Site]>([
    ['JSON Feed', { [FEED]: jsonPage(2, '?2'), [`${FEED}?2`]: jsonPage(1) }],
    ['Atom', { [FEED]: atomPage(2, '?2'), [`${FEED}?2`]: atomPage(1) }],
    ['RSS and JSON Feed', { [FEED]: page([2], '?2'), [`${FEED}?2`]: jsonPage(1) }],
  ])('are read in %s', async (_format, site) => {
    expect(await open(site).refresh()).toMatchObject({ asked: ['', '?2'], came: ['2', '1'] })
  })

  test('may change from http to https, but not back', async () => {
    const feed = unfetchedFeed('http://a.example/f')
    const site = { [feed.url]: page([3], `${FEED}?2`), [`${FEED}?2`]: page([2], 'http://a.example/f?3') }
    expect(await open(site).refresh({ feed })).toMatchObject({ asked: [feed.url, '?2'], came: ['3', '2'] })
  })

  test('are requested like the feed, but without conditions, and store none', async () => {
    const { answer, requests } = await open(pages(2)).refresh()
    const [first, second] = requests
    expect(second?.headers).toEqual(first?.headers)
    expect(second).toMatchObject({ mayReachPrivate: true, limits: { totalMs: 5000, answerMs: 5000 } })
    expect(answer).toMatchObject({ lastModified: FEED, movedTo: undefined })
  })

  test('yield no more episodes than a podcast may have; of the last page the newest', async () => {
    const dated = (n: number) =>
      `<item><guid>${n}</guid><enclosure url="/${n}" type="audio/mpeg"/><pubDate>0${n} Mar 2024 10:00:00 GMT</pubDate></item>`
    const site = { ...pages(3), [`${FEED}?2`]: page([], '?3', [5, 7, 6].map(dated).join('')) }
    expect(await open(site, { maxEpisodes: 3 }).refresh()).toMatchObject({
      ...{ asked: ['', '?2'], came: ['3', '6', '7'] },
      answer: { document: { episodeCount: 3 } },
    })
    expect((await open(pages(3), { maxEpisodes: 2 }).refresh()).asked).toEqual(['', '?2'])
  })

  test('are read up to the limit of a document in total', async () => {
    const size = page([1], '?2').body?.length ?? 0
    expect((await open(pages(9), { maxBytes: 3.5 * size }).refresh()).asked).toEqual(['', '?2', '?3', '?4'])
    expect((await open(pages(9), { maxBytes: 3.5 * size }).refresh()).came).toEqual(['9', '8', '7'])
  })

  test('above the small first limit fail, so that the feed is requested with the large one', async () => {
    const { answer } = await open(pages(9)).refresh({ maxBytes: 600 })
    expect(answer).toMatchObject({ kind: 'failed', reason: 'too_large' })
  })

  test('count as private if one of them is in the private network', async () => {
    const { answer } = await open(withSecond({ ...page([1]), isInside: true })).refresh()
    expect(answer).toMatchObject({ isInside: true })
  })

  test('list their blocked episodes', async () => {
    const blocked = '<item><guid>b</guid><enclosure url="/b" type="audio/mpeg"/><itunes:block>yes</itunes:block></item>'
    const { answer, came } = await open(withSecond(page([1], undefined, blocked))).refresh()
    expect(came).toEqual(['2', '1'])
    expect(answer).toMatchObject({ document: { blockedEpisodes: ['https://a.example/b'], blockedGuids: ['b'] } })
  })

  test('are not read if only a few episodes are wanted', async () => {
    const wanted = { fingerprints: '{}', order: 'newest first', limit: 50 } as const
    expect((await open(pages(3)).refresh({ wanted })).asked).toEqual([''])
  })
})

describe('a feed with stored pages', () => {
  test('needs one request as long as its first page has a known episode', async () => {
    const { site, refresh, stored } = open(pages(3))
    await refresh()
    expect(await refresh()).toMatchObject({ asked: [''], answer: { kind: 'unchanged' } })
    site[FEED] = page([4, 3], '?2')
    expect(await refresh()).toMatchObject({ asked: [''], came: ['4'] })
    site[FEED] = page([5, '4?moved'], '?2', '<!-- changed -->')
    expect(await refresh()).toMatchObject({ asked: [''], came: ['4', '5'] })
    expect(stored()).toEqual(['3', '2', '1', '4', '5'])
  })

  test('is read up to the first page with a known episode', async () => {
    const { site, refresh, stored } = open(pages(2))
    await refresh()
    Object.assign(site, { [FEED]: page([6, 5], '?2'), [`${FEED}?2`]: page([4, 3], '?3') })
    Object.assign(site, { [`${FEED}?3`]: page([2, 1], '?4'), [`${FEED}?4`]: page([0]) })
    expect(await refresh()).toMatchObject({ asked: ['', '?2', '?3'], came: ['5', '6', '3', '4'] })
    expect(stored()).toHaveLength(6)
  })

  test('loses no episodes when a page disappears', async () => {
    const { site, refresh, stored } = open(pages(3))
    await refresh()
    delete site[`${FEED}?2`]
    site[FEED] = page([4], '?2')
    expect(await refresh()).toMatchObject({ asked: ['', '?2'], came: ['4'], answer: { kind: 'feed' } })
    expect(stored()).toEqual(['3', '2', '1', '4'])
  })
})

describe('pages that are temporarily unavailable', () => {
  const FAILURES: [string, Reply][] = [
    ['takes too long', { fails: 'timeout' }],
    ['cannot be reached', { fails: 'unreachable' }],
    ['is refused with 429', { status: 429 }],
    ['is refused with 503', { status: 503 }],
  ]

  test.each(FAILURES)('are read at the next refresh: one that %s', async (_what, failure) => {
    const { site, refresh } = open({ ...pages(4), [`${FEED}?3`]: failure })
    expect(await refresh()).toMatchObject({ asked: ['', '?2', '?3'], came: ['4', '3'] })
    Object.assign(site, pages(4))
    const { requests, ...second } = await refresh()
    expect(second).toMatchObject({ asked: ['', '?2', '?3', '?4'], came: ['2', '1'] })
    expect(requests[0]?.headers).not.toHaveProperty('if-none-match')
    expect(await refresh()).toMatchObject({ asked: [''], answer: { kind: 'unchanged' } })
  })

  test('are given up after three more refreshes', async () => {
    const { refresh } = open({ ...pages(3), [`${FEED}?2`]: { status: 500 } })
    const counts: number[] = []
    for (let n = 0; n < 6; n++) counts.push((await refresh()).asked.length)
    expect(counts).toEqual([2, 2, 2, 2, 1, 1])
  })
})
