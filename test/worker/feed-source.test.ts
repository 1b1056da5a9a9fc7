import { describe, expect, test } from 'bun:test'
import { type FeedAnswer, type FeedFailureReason, type KnownFeed, unfetchedFeed } from '../../src/domain/feeds/ports.ts'
import { allowedPlace } from '../../src/outbound/address-rules.ts'
import { FetchFailure, type FetchFailureReason } from '../../src/outbound/fetch-failure.ts'
import { createGuardedFetch, type FetchRequest, type GuardedFetch } from '../../src/outbound/guarded-fetch.ts'
import { freshSeconds, retryAfterSeconds } from '../../src/worker/answer-headers.ts'
import { createFetchers, createFetchFeed } from '../../src/worker/fetch-feed.ts'
import { createDocumentParser } from '../../src/worker/parse/parse-feed.ts'
import { reasonOf } from '../support/values.ts'
import { startWebServer } from '../support/web-server.ts'

/** 2025-03-02T10:00:00Z. */
const NOW = 1_740_909_600

const HOUR = 3600
const MEBIBYTE = 1024 * 1024
const DAY = 24 * HOUR
const ETAG = '"33a64df5"'
const MODIFIED = 'Sun, 02 Mar 2025 09:00:00 GMT'
/** A hash that this parser stored for a document, with this limit of episodes. */
const READ = 'abcde.6.3'

type Audience = Parameters<ReturnType<typeof createFetchFeed>>[0]['audience']

const feed =
  (title = 'Harbour Talk', headers: Record<string, string> = {}, more = '') =>
  () =>
    new Response(rss(title, more), { headers: { 'content-type': 'application/rss+xml', ...headers } })
const notModified = (headers: Record<string, string> = {}) => new Response(null, { status: 304, headers })
/** A feed that answers any conditional request with 304. */
const unlessKnown =
  (head: Record<string, string>, more = '') =>
  ({ headers }: Request) =>
    headers.has('if-none-match') ? notModified() : feed('', head, more)()
const redirect =
  (location: string, status = 301) =>
  () =>
    new Response(null, { status, headers: { location } })

/** Fetches feeds from a local web server, or with another fetcher. */
function openSource(routes: Parameters<typeof startWebServer>[0] = {}, fetcher?: GuardedFetch, feedMaxBytes = 100_000) {
  const server = startWebServer(routes)
  const base = `http://127.0.0.1:${server.port}`
  const episodes: string[] = []
  let parsed = 0
  const [resolve, allowed] = [async () => ['127.0.0.1'], [allowedPlace('127.0.0.1')]]
  const parse = createDocumentParser({ processorMs: () => 0, monotonic: () => 0 })
  const fetchFeed = createFetchFeed({
    fetcher: fetcher ?? createGuardedFetch({ userAgent: 'podstep/test', resolve, allowed }),
    parse(...document) {
      parsed++
      return parse(...document)
    },
    settings: { feedTimeoutSeconds: 5, feedMaxBytes, feedMaxEpisodes: 3 },
  })
  return {
    base,
    /** Headers of the requests so far. */
    asked: () => server.asked.map(({ headers }) => headers),
    /** URLs of the parsed episodes. */
    episodes: () => episodes,
    /** Number of parsed documents. */
    parsed: () => parsed,
    ask(path: string, left: Partial<KnownFeed> = {}, audience: Audience = 'scheduled', at = NOW): Promise<FeedAnswer> {
      const feed = { ...unfetchedFeed(base + path), ...left }
      const wanted = { fingerprints: '{}', order: 'newest first' } as const
      return fetchFeed(
        { number: 1, audience, feed, at, wanted, maxBytes: undefined },
        { begin: () => undefined, add: (some) => void episodes.push(...some.map(({ url }) => url)) },
      )
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** A feed with one episode, and more elements in its channel. */
function rss(title: string, more = ''): string {
  const item = '<item><title>Fog</title><enclosure url="/1.mp3" type="audio/mpeg" length="4096"/></item>'
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>${title}</title>${item}${more}</channel></rss>`
}

/** The part of an answer that is stored for the next request. */
function headOf(answer: FeedAnswer): Pick<KnownFeed, 'etag' | 'lastModified' | 'bodyHash' | 'movedTo'> {
  if (answer.kind === 'failed') throw new Error(`failed: ${answer.message}`)
  const { etag, lastModified, bodyHash, movedTo } = answer
  return { etag, lastModified, bodyHash, movedTo }
}

const unchanged = (left: ReturnType<typeof headOf>): FeedAnswer => ({
  ...{ kind: 'unchanged', ttlSeconds: undefined, freshFor: 0, leads: [], isInside: true },
  ...left,
})

describe('a feed', () => {
  test('is first requested without conditions', async () => {
    await using scene = openSource({ '/f': feed() })
    expect(await scene.ask('/f')).toEqual({
      ...{ kind: 'feed', document: expect.objectContaining({ title: 'Harbour Talk' }), isInside: true },
      bodyHash: expect.stringMatching(/^[0-9a-z]{5,}\.6\.\d+$/),
      ...{ etag: undefined, lastModified: undefined, movedTo: undefined },
      ...{ ttlSeconds: undefined, freshFor: 0, leads: [] },
    })
    const headers = ['user-agent', 'if-none-match', 'if-modified-since'].map((name) => scene.asked()[0]?.get(name))
    expect(headers).toEqual(['podstep/test', null, null])
    const accepted = /^application\/rss\+xml, application\/atom\+xml, application\/feed\+json/
    expect(scene.asked()[0]?.get('accept')).toMatch(accepted)
  })

  test('may have been changed by a proxy (203)', async () => {
    await using scene = openSource({ '/f': () => new Response(rss('Ebb'), { status: 203 }) })
    expect(await scene.ask('/f')).toMatchObject({ kind: 'feed', document: { title: 'Ebb' } })
  })

  test('has URLs relative to the URL after redirects, and at most the allowed number of episodes', async () => {
    const items = Array.from({ length: 5 }, (_, n) => `<item><enclosure url="e${n}.mp3" type="audio/mpeg"/></item>`)
    await using scene = openSource({ '/f': redirect('/new/f', 302), '/new/f': feed('', {}, items.join('')) })
    expect(await scene.ask('/f')).toMatchObject({ document: { episodeCount: 3 } })
    expect(scene.episodes()).toEqual(['/1.mp3', '/new/e0.mp3', '/new/e1.mp3'].map((path) => scene.base + path))
  })
})

describe('an unchanged feed', () => {
  test('is requested with the conditions of its last answer, which are kept', async () => {
    const head = { etag: ETAG, 'last-modified': MODIFIED }
    await using scene = openSource({ '/f': unlessKnown(head) })
    const left = headOf(await scene.ask('/f'))
    expect(left).toMatchObject({ etag: ETAG, lastModified: MODIFIED })
    const answer = await scene.ask('/f', left)
    expect(answer).toEqual(unchanged(left))
    expect(scene.asked()[1]?.get('if-none-match')).toBe(ETAG)
    expect(scene.asked()[1]?.get('if-modified-since')).toBe(MODIFIED)
    expect(scene.parsed()).toBe(1)
  })

  test('is not parsed again, even if its server always sends it', async () => {
    let title = 'Ebb'
    await using scene = openSource({ '/f': () => feed(title, { etag: ETAG })() })
    const left = headOf(await scene.ask('/f'))
    expect(await scene.ask('/f', { ...left, etag: '"0"', lastModified: MODIFIED })).toEqual(unchanged(left))
    expect(scene.parsed()).toBe(1)
    title = 'Flow'
    const answer = await scene.ask('/f', left)
    expect(answer).toMatchObject({ kind: 'feed', document: { title: 'Flow' } })
    expect(headOf(answer).bodyHash).not.toBe(left.bodyHash)
  })

  test.each([
    ['an older parser', 'abcde.1.3'],
    ['another limit of episodes', 'abcde.6.2000'],
  ])('is fetched and parsed again if it was parsed with %s', async (_who, bodyHash) => {
    await using scene = openSource({ '/f': feed('', { etag: ETAG }) })
    const answer = await scene.ask('/f', { etag: ETAG, lastModified: MODIFIED, bodyHash })
    expect(answer).toMatchObject({ kind: 'feed', bodyHash: expect.stringMatching(/\.6\.3$/) })
    expect(scene.asked()[0]?.get('if-none-match')).toBeNull()
    expect(scene.asked()[0]?.get('if-modified-since')).toBeNull()
  })

  test('is parsed again when the future date of an episode has come', async () => {
    const date = 'Thu, 20 Mar 2025 09:00:00 GMT'
    const item = `<item><enclosure url="/2.mp3" type="audio/mpeg"/><pubDate>${date}</pubDate></item>`
    await using scene = openSource({ '/f': unlessKnown({ etag: ETAG }, item) })
    const left = headOf(await scene.ask('/f'))
    expect(await scene.ask('/f', left)).toMatchObject({ kind: 'unchanged', ...left })
    expect(await scene.ask('/f', { ...left, failures: 1 })).toMatchObject({ kind: 'unchanged', ...left })
    const later = Date.parse(date) / 1000
    const after = await scene.ask('/f', left, 'scheduled', later)
    expect(after).toMatchObject({ kind: 'feed' })
    expect(await scene.ask('/f', headOf(after), 'scheduled', later)).toMatchObject({ kind: 'unchanged' })
  })

  test('may get new conditions with a 304, which fails without conditions in the request', async () => {
    await using scene = openSource({ '/f': () => notModified({ etag: '"2"', 'last-modified': MODIFIED }) })
    const answer = await scene.ask('/f', { etag: '"1"', lastModified: 'yesterday', bodyHash: READ })
    expect(answer).toMatchObject({ kind: 'unchanged', etag: '"2"', lastModified: MODIFIED, bodyHash: READ })
    expect(await scene.ask('/f')).toMatchObject({ kind: 'failed', reason: 'refused' })
  })

  test('is requested with exactly the bytes of its ETag', async () => {
    const odd = 'W/"\xe9\xff, \\"'
    const isKnown = (value: string | null) => Buffer.from(value ?? '', 'latin1').equals(Buffer.from(odd, 'latin1'))
    await using scene = openSource({
      '/f': ({ headers }) => (isKnown(headers.get('if-none-match')) ? notModified() : feed('', { etag: odd })()),
    })
    expect(await scene.ask('/f', headOf(await scene.ask('/f')))).toMatchObject({ kind: 'unchanged', etag: odd })
  })

  describe('on a server that mishandles conditions', () => {
    const isConditional = ({ headers }: Request) => headers.has('if-none-match') || headers.has('if-modified-since')
    const left = { etag: ETAG, lastModified: MODIFIED, bodyHash: READ }

    test.each([
      ['200 and nothing', () => new Response('')],
      ['412', () => new Response('no', { status: 412 })],
      ['500', () => new Response('no', { status: 500 })],
    ])('is requested again without them after %s', async (_answer, refusal) => {
      await using scene = openSource({ '/f': (request) => (isConditional(request) ? refusal() : feed('Ebb')()) })
      expect(await scene.ask('/f', left)).toMatchObject({ kind: 'feed', document: { title: 'Ebb' } })
      expect(scene.asked()).toHaveLength(2)
    })

    test('is requested once if there are no conditions', async () => {
      await using scene = openSource({ '/f': () => new Response('no', { status: 500 }) })
      expect(await scene.ask('/f')).toMatchObject({ kind: 'failed', reason: 'server_error' })
      expect(await scene.ask('/f', { ...left, failures: 1 })).toMatchObject({ kind: 'failed' })
      expect(scene.asked()).toHaveLength(2)
    })

    test('is requested without them after a failure', async () => {
      await using scene = openSource({
        '/f': (request) => (isConditional(request) ? new Response('no', { status: 403 }) : feed('Ebb')()),
      })
      expect(await scene.ask('/f', left)).toMatchObject({ kind: 'failed' })
      expect(await scene.ask('/f', { ...left, failures: 1 })).toMatchObject({ kind: 'feed' })
    })

    test('is requested without them once a week if it always gets 304', async () => {
      await using scene = openSource({ '/f': (request) => (isConditional(request) ? notModified() : feed('Ebb')()) })
      const kinds = []
      for (let day = 0; day < 28; day++) {
        const at = NOW + day * DAY
        kinds.push((await scene.ask('/f', { ...left, checkedAt: at - DAY }, 'scheduled', at)).kind)
      }
      expect(kinds.filter((kind) => kind === 'feed')).toHaveLength(4)
      expect(kinds.slice(0, 7).filter((kind) => kind === 'feed')).toHaveLength(1)
    })
  })

  test.each([
    ['etag', `"${'x'.repeat(254)}"`, 'etag', true],
    ['etag', `"${'x'.repeat(255)}"`, 'etag', false],
    ['last-modified', 'x'.repeat(257), 'lastModified', false],
    ['last-modified', '', 'lastModified', false],
  ] as const)('is requested with conditions of limited length only: %s %p', async (name, value, key, isKept) => {
    await using scene = openSource({ '/f': feed('', { [name]: value }) })
    expect(headOf(await scene.ask('/f'))[key]).toBe(isKept ? value : undefined)
  })
})

describe('a response is fresh', () => {
  test('as long as its headers say, even with 304', async () => {
    const headers = { 'cache-control': 'public, max-age=3600' }
    await using scene = openSource({ '/f': feed('', headers), '/same': () => notModified(headers) })
    expect(await scene.ask('/f')).toMatchObject({ kind: 'feed', freshFor: HOUR })
    expect(await scene.ask('/same', { etag: ETAG })).toMatchObject({ kind: 'unchanged', freshFor: HOUR })
  })

  test('for the minutes of <ttl>, which are kept while the feed is unchanged', async () => {
    await using scene = openSource({ '/f': feed('', {}, '<ttl>90</ttl>') })
    const answer = await scene.ask('/f')
    expect(answer).toMatchObject({ kind: 'feed', ttlSeconds: 1.5 * HOUR, freshFor: 0 })
    const again = await scene.ask('/f', { ...headOf(answer), ttlSeconds: 1.5 * HOUR })
    expect(again).toMatchObject({ kind: 'unchanged', ttlSeconds: 1.5 * HOUR })
  })

  const AN_HOUR_LATER = 'Sun, 02 Mar 2025 11:00:00 GMT'

  test.each<[string, Record<string, string>, number]>([
    ['not at all by default', {}, 0],
    ['for its max-age among other directives', { 'cache-control': 'Public,  MAX-AGE = 600, must-revalidate' }, 600],
    ['not for its s-maxage', { 'cache-control': 's-maxage=900' }, 0],
    ['for a day at the most', { 'cache-control': 'max-age=31536000' }, DAY],
    ['not for an invalid max-age', { 'cache-control': 'max-age=soon' }, 0],
    ['not with no-store', { 'cache-control': 'no-store, max-age=600' }, 0],
    ['not with no-cache', { 'cache-control': 'max-age=600, No-Cache' }, 0],
    ['until it expires', { expires: AN_HOUR_LATER }, HOUR],
    ['not if it has expired', { expires: 'Sun, 02 Mar 2025 09:59:59 GMT' }, 0],
    ['not if Expires is invalid', { expires: 'never' }, 0],
    ['for its max-age rather than until it expires', { 'cache-control': 'max-age=60', expires: AN_HOUR_LATER }, 60],
    ['until it expires if it has no max-age', { 'cache-control': 'public', expires: AN_HOUR_LATER }, HOUR],
  ])('%s', (_case, headers, seconds) => {
    expect(freshSeconds(new Headers(headers), NOW)).toBe(seconds)
  })
})

test.each<[string, string | undefined, number | undefined]>([
  ['no time by default', undefined, undefined],
  ['no time if it is invalid', 'later', undefined],
  ['seconds', '  120 ', 120],
  ['at most a day', '31536000', DAY],
  ['the time until a date', 'Sun, 02 Mar 2025 10:02:00 GMT', 120],
  ['zero for a past date', 'Sun, 02 Mar 2025 09:00:00 GMT', 0],
])('Retry-After means %s', (_case, value, seconds) => {
  expect(retryAfterSeconds(new Headers(value === undefined ? {} : { 'retry-after': value }), NOW)).toBe(seconds)
})

describe('a moved feed', () => {
  const NEW = 'https://new.example/f'
  const newFeedUrl = `<itunes:new-feed-url xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd">${NEW}</itunes:new-feed-url>`

  test.each<[string, number[], string | undefined]>([
    ['permanently', [301], '/1'],
    ['temporarily', [302], undefined],
    ['permanently, and from there temporarily', [301, 302], '/1'],
  ])('is followed: %s (%j)', async (_case, statuses, path) => {
    const steps = statuses.map((status, n): [string, () => Response] => [`/${n}`, redirect(`/${n + 1}`, status)])
    await using scene = openSource({ ...Object.fromEntries(steps), [`/${statuses.length}`]: feed() })
    const movedTo = path === undefined ? undefined : scene.base + path
    expect(await scene.ask('/0')).toMatchObject({ kind: 'feed', movedTo, document: { title: 'Harbour Talk' } })
    const { bodyHash } = headOf(await scene.ask('/0'))
    expect(await scene.ask('/0', { bodyHash })).toMatchObject({ kind: 'unchanged', movedTo })
  })

  test('may announce its new URL in the document, unless that is its own', async () => {
    const same = feed('', {}, newFeedUrl.replace(NEW, '/same'))
    await using scene = openSource({ '/f': feed('', {}, newFeedUrl), '/same': same })
    expect(await scene.ask('/f')).toMatchObject({ kind: 'feed', movedTo: NEW })
    expect(await scene.ask('/same')).toMatchObject({ kind: 'feed', movedTo: undefined })
    // It no longer announces the URL.
    expect(await scene.ask('/same', { movedTo: NEW })).toMatchObject({ kind: 'feed', movedTo: undefined })
  })

  test('is where the redirect leads, even if the document announces another URL', async () => {
    await using scene = openSource({ '/f': redirect('/new'), '/new': feed('', {}, newFeedUrl) })
    expect(await scene.ask('/f')).toMatchObject({ movedTo: `${scene.base}/new` })
  })

  const movedDocument =
    (location: string, headers: Record<string, string> = {}) =>
    () =>
      new Response(`<rss><redirect><newLocation>${location}</newLocation></redirect></rss>`, { headers })

  test('is read at the location in its document, which is stored as announced', async () => {
    const old = movedDocument('/new', { etag: '"old"' })
    await using scene = openSource({ '/f': old, '/new': feed('Fog', { etag: ETAG }) })
    const moved = { movedTo: `${scene.base}/new`, leads: [], etag: undefined, lastModified: undefined }
    const answer = await scene.ask('/f')
    expect(answer).toMatchObject({ kind: 'feed', ...moved, document: { title: 'Fog', newFeedUrl: moved.movedTo } })
    expect(scene.episodes()).toEqual([`${scene.base}/1.mp3`])
    expect(await scene.ask('/f', headOf(answer))).toMatchObject({ kind: 'unchanged', ...moved })
  })

  test.each([
    ['another location', '/f2'],
    ['no feed', '/gone'],
    ['itself', '/f'],
  ])('fails if the location in its document leads to %s', async (_what, place) => {
    await using scene = openSource({ '/f': movedDocument(place), '/f2': movedDocument('/f3'), '/f3': feed() })
    expect(await scene.ask('/f')).toMatchObject({ kind: 'failed' })
    expect(scene.asked()).toHaveLength(2)
  })

  test('is not followed by the location in its document when a user looks it up', async () => {
    await using scene = openSource({ '/f': movedDocument('/new'), '/new': feed() })
    const links = [{ url: `${scene.base}/new`, title: '' }]
    expect(await scene.ask('/f', {}, 'authenticated')).toMatchObject({ kind: 'failed', reason: 'not_a_feed', links })
  })

  test('keeps its announced URL while it is unchanged', async () => {
    await using scene = openSource({ '/f': unlessKnown({ etag: ETAG }, newFeedUrl) })
    const left = headOf(await scene.ask('/f'))
    expect(await scene.ask('/f', left)).toMatchObject({ kind: 'unchanged', movedTo: NEW })
    expect(await scene.ask('/f', { ...left, etag: undefined })).toMatchObject({ kind: 'unchanged', movedTo: NEW })
  })
})

describe('fetching a feed fails', () => {
  test.each<[FeedFailureReason, number]>([
    ['gone', 410],
    ['not_found', 404],
    ['denied', 401],
    ['blocked', 403],
    ['refused', 429],
    ['refused', 301],
    ['server_error', 500],
  ])('with %s for status %i', async (reason, status) => {
    await using scene = openSource({ '/f': () => new Response('', { status }) })
    const message = `the feed's server answers ${status}`
    expect(await scene.ask('/f')).toEqual({ kind: 'failed', reason, message, retryAfter: undefined })
  })

  test.each<[FeedFailureReason, ...FetchFailureReason[]]>([
    ['forbidden', 'forbidden'],
    ['unreachable', 'unreachable', 'unresolved', 'out_of_files'],
    ['tls', 'tls'],
    ['timeout', 'timeout'],
    ['too_large', 'too_large'],
    ['server_error', 'bad_url', 'too_many_redirects', 'bad_encoding'],
  ])('with %s for %s', async (reason, ...failures) => {
    for (const failure of failures) {
      await using scene = openSource({}, { fetch: () => Promise.reject(new FetchFailure(failure, 'low tide')) })
      expect(await scene.ask('/f')).toEqual({ kind: 'failed', reason, message: 'low tide', retryAfter: undefined })
    }
  })

  test('for a web page, with the feeds that it links to', async () => {
    const link = '<link rel="alternate" type="application/rss+xml" href="feed">'
    const page = () => new Response(`<html>${link}</html>`)
    await using scene = openSource({ '/f': redirect('/shows/', 302), '/shows/': page })
    const message = 'the address leads to a web page, not to a feed'
    const links = [{ url: `${scene.base}/shows/feed`, title: '' }]
    expect(await scene.ask('/f')).toMatchObject({ kind: 'failed', reason: 'not_a_feed', message, links })
  })

  test('within limits, which are lower while a request waits (docs/protocol.md#D51)', async () => {
    const requests: FetchRequest[] = []
    const fault = new TypeError('undefined is not a function')
    const fetch = async (request: FetchRequest) => {
      requests.push(request)
      throw fault
    }
    await using scene = openSource({}, { fetch }, 16 * MEBIBYTE)
    // Internal errors are thrown.
    for (const audience of ['scheduled', 'authenticated', 'anonymous'] as const)
      expect(await reasonOf(scene.ask('/f', {}, audience))).toBe(fault)
    const waited = { totalMs: 10_000, answerMs: 10_000 }
    expect(requests).toMatchObject([
      { limits: { totalMs: 5000, answerMs: 5000, maxBytes: 16 * MEBIBYTE }, mayReachPrivate: true },
      { limits: { ...waited, maxBytes: 16 * MEBIBYTE }, mayReachPrivate: true },
      { limits: { ...waited, maxBytes: 10 * MEBIBYTE }, mayReachPrivate: false },
    ])
  })

  test('with the Retry-After of the response', async () => {
    const headers = { 'retry-after': 'Sun, 02 Mar 2025 11:00:00 GMT' }
    await using scene = openSource({ '/f': () => new Response('', { status: 503, headers }) })
    expect(await scene.ask('/f')).toMatchObject({ kind: 'failed', retryAfter: HOUR })
  })
})

test.each([
  [[], { kind: 'failed', reason: 'forbidden' }],
  [['127.0.0.0/8'], { kind: 'feed', document: { title: 'Harbour Talk' } }],
])('with feed_allow_private = %j, a feed in the private network is %j', async (places, expected) => {
  await using server = startWebServer({ '/f': feed() })
  const limits = { feedTimeoutSeconds: 5, feedMaxBytes: 10_000, feedMaxEpisodes: 3 }
  const { fetchFeed } = createFetchers({ version: '1', feedAllowPrivate: places, ...limits }, () => 0)
  const asked = unfetchedFeed(`http://127.0.0.1:${server.port}/f`)
  const wanted = { fingerprints: '{}', order: 'oldest first' } as const
  const request = { number: 1, audience: 'scheduled', feed: asked, at: NOW, maxBytes: 10_000, wanted } as const
  expect(await fetchFeed(request, { begin: () => undefined, add: () => undefined })).toMatchObject(expected)
})
