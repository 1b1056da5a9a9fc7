import { describe, expect, test } from 'bun:test'
import type { FeedFailureReason } from '../../../src/domain/feeds/ports.ts'
import { failed, feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'
import { signUp } from '../../support/client.ts'
import type { ScriptedAnswer } from '../../support/feed-source.ts'
import { startWebServer } from '../../support/web-server.ts'
import { expectError } from '../error.ts'

const PATH = '/api/2/me/resolve'
const PAGE = 'https://tidewater.example/'
const FEED = 'https://tidewater.example/feed'
const SECRET = 'https://feeds.example/f?token=1'

const talk = (title = 'Harbour Talk') => feedOf('', { document: feedDocument({ title }) })
const silent = (title: string) => feedOf('', { document: feedDocument({ title, episodes: [] }) })
const page = (...links: [url: string, title?: string][]) =>
  failed({ reason: 'not_a_feed', message: 'a web page', links: links.map(([url, title = '']) => ({ url, title })) })

/** Ida, and addresses with what is there. Nothing is at any other. */
async function open(answers: Record<string, ScriptedAnswer> = {}, settings: Record<string, string> = {}) {
  const scene = await openFeedScene([], { settings: { rate_limit: 'false', ...settings } })
  scene.script.answer = async ({ url }) => answers[url] ?? failed({ reason: 'unreachable' })
  return {
    ...scene,
    resolve: async (text: string) => (await scene.ida.post(PATH, { text })).json,
    urlsAsked: () => scene.asked.map(({ url }) => url),
  }
}

const found = (address: string, ...candidates: [url: string, title: string][]) => ({
  address,
  reason: '',
  candidates: candidates.map(([url, title]) => expect.objectContaining({ url, title })),
})
const nothing = (reason: string, address: string) => ({ address, reason, candidates: [] })

const [TWO, BLOG, GONE] = [`${PAGE}two`, `${PAGE}blog`, `${PAGE}gone`]
const HTTP = 'http://tidewater.example/feed'
const LIST = Array.from({ length: 7 }, (_, n) => PAGE + n)
const SPOTIFY = 'https://open.spotify.com/show/x'

/** What is pasted, what is where, the answer, and the addresses that are fetched. */
test.each<[string, string, Record<string, ScriptedAnswer>, object, string[]]>([
  ['a feed', ` ${FEED} `, { [FEED]: talk() }, found(FEED, [FEED, 'Harbour Talk']), [FEED]],
  ['a feed for apps', `feed:${FEED}`, { [FEED]: talk() }, found(FEED, [FEED, 'Harbour Talk']), [FEED]],
  ['no scheme', 'tidewater.example/feed', { [FEED]: talk() }, found(FEED, [FEED, 'Harbour Talk']), [FEED]],
  ['http only', 'tidewater.example/feed', { [HTTP]: talk() }, found(HTTP, [HTTP, 'Harbour Talk']), [FEED, HTTP]],
  ['neither', 'tidewater.example/feed', { [FEED]: failed({ reason: 'tls' }) }, nothing('tls', FEED), [FEED, HTTP]],
  ['a 404', 'tidewater.example/feed', { [FEED]: failed({ reason: 'not_found' }) }, nothing('not_found', FEED), [FEED]],
  ['a secret', SECRET, {}, found(SECRET, [SECRET, '']), []],
  ['words', 'harbour talk', {}, nothing('words', ''), []],
  ['a service without feeds', SPOTIFY, {}, nothing('closed', SPOTIFY), []],
  [
    'a page',
    'tidewater.example',
    { [PAGE]: page([FEED, 'RSS']), [FEED]: talk() },
    found(PAGE, [FEED, 'Harbour Talk']),
    [PAGE, FEED],
  ],
  [
    'a page with a feed without episodes and one that cannot be had',
    PAGE,
    {
      ...{ [PAGE]: page([BLOG], [FEED], [GONE], [TWO]), [FEED]: talk() },
      ...{ [TWO]: talk('Second Talk'), [BLOG]: silent('Comments') },
    },
    found(PAGE, [FEED, 'Harbour Talk'], [TWO, 'Second Talk']),
    [PAGE, BLOG, FEED, GONE, TWO],
  ],
  [
    'a page with a secret feed',
    PAGE,
    { [PAGE]: page([FEED], [SECRET, 'For members']), [FEED]: talk() },
    found(PAGE, [FEED, 'Harbour Talk'], [SECRET, 'For members']),
    [PAGE, FEED],
  ],
  [
    'a page with feeds without episodes alone',
    PAGE,
    { [PAGE]: page([FEED], [TWO]), [FEED]: silent('One'), [TWO]: silent('Two') },
    found(PAGE, [FEED, 'One'], [TWO, 'Two']),
    [PAGE, FEED, TWO],
  ],
  [
    'a page with more than five feeds, of which the others keep the titles of their links',
    PAGE,
    {
      ...Object.fromEntries(LIST.map((url) => [url, talk(`Talk ${url.at(-1)}`)])),
      [PAGE]: page(...LIST.map((url): [string, string] => [url, `Link ${url.at(-1)}`])),
    },
    found(PAGE, ...LIST.map((url, n): [string, string] => [url, n < 5 ? `Talk ${n}` : `Link ${n}`])),
    [PAGE, ...LIST.slice(0, 5)],
  ],
  ['a page without feeds', PAGE, { [PAGE]: page() }, nothing('page', PAGE), [PAGE]],
  [
    'a page whose feed cannot be had',
    PAGE,
    { [PAGE]: page([FEED]), [FEED]: failed({ reason: 'forbidden' }) },
    nothing('forbidden', FEED),
    [PAGE, FEED],
  ],
  [
    'a page that names another page',
    PAGE,
    { [PAGE]: page([FEED]), [FEED]: page([`${PAGE}deeper`]) },
    nothing('not_a_feed', FEED),
    [PAGE, FEED],
  ],
])('a pasted text is looked up: %s', async (_what, text, answers, expected, asked) => {
  const { resolve, urlsAsked } = await open(answers)
  expect(await resolve(text)).toEqual(expected)
  // Feeds of a page are looked up at the same time.
  expect(new Set(urlsAsked())).toEqual(new Set(asked))
})

test('a feed that cannot be had says why', async () => {
  for (const reason of [
    ...['forbidden', 'unreachable', 'timeout', 'tls', 'too_large', 'not_a_feed', 'gone', 'not_found', 'denied'],
    ...['blocked', 'refused', 'server_error', 'internal'],
  ] as FeedFailureReason[]) {
    const { resolve } = await open({ [FEED]: failed({ reason }) })
    expect(await resolve(FEED)).toEqual(nothing(reason, FEED))
  }
})

test('nothing is fetched where the server fetches nothing on demand', async () => {
  const { resolve, urlsAsked } = await open({ [FEED]: talk() }, { feed_on_demand: 'off' })
  expect(await resolve(FEED)).toEqual(nothing('unknown', FEED))
  expect(urlsAsked()).toEqual([])
})

describe('a link to Apple Podcasts', () => {
  const APPLE = 'https://podcasts.apple.com/de/podcast/harbour/id1234567890'

  async function openDirectory(answer: () => Response) {
    const directory = startWebServer({ '/api/1.0/podcasts/byitunesid': answer })
    const directory_url = `http://127.0.0.1:${directory.port}/api/1.0`
    const scene = await open({}, { directory_key: 'key', directory_secret: 'secret', directory_url })
    return { ...scene, directory, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
  }

  test('is what the external directory has under its number, asked once', async () => {
    const feed = { url: FEED, title: 'Harbour Talk', author: 'Tidewater' }
    await using scene = await openDirectory(() => Response.json({ status: 'true', feed }))
    for (let n = 0; n < 2; n++) expect(await scene.resolve(APPLE)).toEqual(found(APPLE, [FEED, 'Harbour Talk']))
    expect(scene.directory.asked.map(({ path }) => path)).toEqual(['/api/1.0/podcasts/byitunesid?id=1234567890'])
  })

  test.each([
    ['knows nothing', () => Response.json({ status: 'true', feed: [] }), 'directory_unknown'],
    ['knows nothing, and says so by its status', () => new Response('', { status: 400 }), 'directory_unknown'],
    ['fails', () => new Response('', { status: 500 }), 'directory_error'],
  ])('says so if the external directory %s', async (_case, answer, reason) => {
    await using scene = await openDirectory(answer)
    expect(await scene.resolve(APPLE)).toEqual(nothing(reason, APPLE))
  })

  test('says so if there is no external directory', async () => {
    const { resolve } = await open()
    expect(await resolve(APPLE)).toEqual(nothing('directory_off', APPLE))
  })
})

test('a text is needed, and a user may have 30 addresses looked up within a minute', async () => {
  const { app, ida, script } = await open({}, { rate_limit: 'true' })
  script.answer = async () => talk()
  for (const body of [{}, { text: ' ' }]) expectError(await ida.post(PATH, body), 400, 'validation_failed', 'text')
  for (let n = 0; n < 30; n++) expect((await ida.post(PATH, { text: FEED })).status).toBe(200)
  expectError(await ida.post(PATH, { text: FEED }), 429, 'rate_limited')
  expect((await ida.post(PATH, { text: 'harbour talk' })).status).toBe(200)
  const ole = await signUp(app, 'ole')
  expect((await ole.post(PATH, { text: FEED })).status).toBe(200)
})
