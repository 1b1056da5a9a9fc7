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

/** Ida, and the answers at some URLs; others are unreachable. */
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

const SHORT = 'tidewater.example/feed'
const TALK = [FEED, 'Harbour Talk'] as [url: string, title: string]
const fails = (reason: FeedFailureReason) => failed({ reason })

/** Pasted text, answers by URL, the result and the fetched URLs. */
test.each<[string, string, Record<string, ScriptedAnswer>, object, string[]]>([
  ['a feed', ` ${FEED} `, { [FEED]: talk() }, found(FEED, TALK), [FEED]],
  ['a feed: URL', `feed:${FEED}`, { [FEED]: talk() }, found(FEED, TALK), [FEED]],
  ['a URL without scheme', SHORT, { [FEED]: talk() }, found(FEED, TALK), [FEED]],
  ['the same, http only', SHORT, { [HTTP]: talk() }, found(HTTP, [HTTP, 'Harbour Talk']), [FEED, HTTP]],
  ['the same, unreachable', SHORT, { [FEED]: fails('tls') }, nothing('tls', FEED), [FEED, HTTP]],
  ['the same, 404', SHORT, { [FEED]: fails('not_found') }, nothing('not_found', FEED), [FEED]],
  ['a secret URL', SECRET, {}, found(SECRET, [SECRET, '']), []],
  ['words', 'harbour talk', {}, nothing('words', ''), []],
  ['a service without feeds', SPOTIFY, {}, nothing('closed', SPOTIFY), []],
  ['a page', 'tidewater.example', { [PAGE]: page([FEED]), [FEED]: talk() }, found(PAGE, TALK), [PAGE, FEED]],
  [
    'a page that links an empty and an unreachable feed',
    PAGE,
    {
      ...{ [PAGE]: page([BLOG], [FEED], [GONE], [TWO]), [FEED]: talk() },
      ...{ [TWO]: talk('Second Talk'), [BLOG]: silent('Comments') },
    },
    found(PAGE, TALK, [TWO, 'Second Talk']),
    [PAGE, BLOG, FEED, GONE, TWO],
  ],
  [
    'a page with a secret feed',
    PAGE,
    { [PAGE]: page([FEED], [SECRET, 'For members']), [FEED]: talk() },
    found(PAGE, TALK, [SECRET, 'For members']),
    [PAGE, FEED],
  ],
  [
    'a page with empty feeds only',
    PAGE,
    { [PAGE]: page([FEED], [TWO]), [FEED]: silent('One'), [TWO]: silent('Two') },
    found(PAGE, [FEED, 'One'], [TWO, 'Two']),
    [PAGE, FEED, TWO],
  ],
  [
    'a page with more than five feeds, the rest with the titles of their links',
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
    'a page that links a page',
    PAGE,
    { [PAGE]: page([FEED]), [FEED]: page([TWO]) },
    nothing('not_a_feed', FEED),
    [PAGE, FEED],
  ],
])('resolves %s', async (_case, text, answers, expected, asked) => {
  const { resolve, urlsAsked } = await open(answers)
  expect(await resolve(text)).toEqual(expected)
  // Feeds of a page are fetched concurrently.
  expect(new Set(urlsAsked())).toEqual(new Set(asked))
})

test('fetches nothing if feed_on_demand is off', async () => {
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

  test('is resolved by the external directory, with one request', async () => {
    const feed = { url: FEED, title: 'Harbour Talk', author: 'Tidewater' }
    await using scene = await openDirectory(() => Response.json({ status: 'true', feed }))
    for (let n = 0; n < 2; n++) expect(await scene.resolve(APPLE)).toEqual(found(APPLE, [FEED, 'Harbour Talk']))
    expect(scene.directory.asked.map(({ path }) => path)).toEqual(['/api/1.0/podcasts/byitunesid?id=1234567890'])
  })

  test.each([
    ['has no such podcast', () => Response.json({ status: 'true', feed: [] }), 'directory_unknown'],
    ['has no such podcast, by its status', () => new Response('', { status: 400 }), 'directory_unknown'],
    ['fails', () => new Response('', { status: 500 }), 'directory_error'],
  ])('has a reason if the external directory %s', async (_case, answer, reason) => {
    await using scene = await openDirectory(answer)
    expect(await scene.resolve(APPLE)).toEqual(nothing(reason, APPLE))
  })

  test('has a reason if there is no external directory', async () => {
    const { resolve } = await open()
    expect(await resolve(APPLE)).toEqual(nothing('directory_off', APPLE))
  })
})

test('needs a text, and is limited to 30 URLs a minute for each user', async () => {
  const { app, ida, script } = await open({}, { rate_limit: 'true' })
  script.answer = async () => talk()
  for (const body of [{}, { text: ' ' }]) expectError(await ida.post(PATH, body), 400, 'validation_failed', 'text')
  for (let n = 0; n < 30; n++) expect((await ida.post(PATH, { text: FEED })).status).toBe(200)
  expectError(await ida.post(PATH, { text: FEED }), 429, 'rate_limited')
  expect((await ida.post(PATH, { text: 'harbour talk' })).status).toBe(200)
  const ole = await signUp(app, 'ole')
  expect((await ole.post(PATH, { text: FEED })).status).toBe(200)
})
