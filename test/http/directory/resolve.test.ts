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

describe('a pasted address', () => {
  test('of a feed is that podcast, fetched once', async () => {
    const { resolve, urlsAsked } = await open({ [FEED]: talk() })
    for (const text of [FEED, ` ${FEED} `, `feed:${FEED}`, 'tidewater.example/feed'])
      expect(await resolve(text)).toEqual(found(FEED, [FEED, 'Harbour Talk']))
    expect(urlsAsked()).toEqual([FEED])
  })

  test('without a scheme is tried by http where there is no https', async () => {
    const plain = 'http://tidewater.example/feed'
    const { resolve, urlsAsked } = await open({ [plain]: talk() })
    expect(await resolve('tidewater.example/feed')).toEqual(found(plain, [plain, 'Harbour Talk']))
    expect(urlsAsked()).toEqual([FEED, plain])
  })

  test('without a scheme at which nothing is fails by the name of the first', async () => {
    const { resolve, urlsAsked } = await open({ [FEED]: failed({ reason: 'tls' }) })
    expect(await resolve('tidewater.example/feed')).toEqual(nothing('tls', FEED))
    expect(urlsAsked()).toHaveLength(2)
  })

  test('without a scheme is not tried twice if there is an answer', async () => {
    const { resolve, urlsAsked } = await open({ [FEED]: failed({ reason: 'not_found' }) })
    expect(await resolve('tidewater.example/feed')).toEqual(nothing('not_found', FEED))
    expect(urlsAsked()).toEqual([FEED])
  })

  test.each([
    ...['forbidden', 'unreachable', 'timeout', 'tls', 'too_large', 'not_a_feed', 'gone', 'not_found', 'denied'],
    ...['blocked', 'refused', 'server_error', 'internal'],
  ] as FeedFailureReason[])('that cannot be had says why: %s', async (reason) => {
    const { resolve } = await open({ [FEED]: failed({ reason }) })
    expect(await resolve(FEED)).toEqual(nothing(reason, FEED))
  })

  test('that looks like a secret is taken as it is, and not fetched', async () => {
    const { resolve, urlsAsked } = await open()
    expect(await resolve(SECRET)).toEqual(found(SECRET, [SECRET, '']))
    expect(urlsAsked()).toEqual([])
  })

  test('is not looked up where the server looks nothing up', async () => {
    const { resolve, urlsAsked } = await open({ [FEED]: talk() }, { feed_on_demand: 'off' })
    expect(await resolve(FEED)).toEqual(nothing('unknown', FEED))
    expect(urlsAsked()).toEqual([])
  })
})

describe('a web page', () => {
  test('leads to the feed that it names', async () => {
    const { resolve } = await open({ [PAGE]: page([FEED, 'RSS']), [FEED]: talk() })
    for (const text of [PAGE, 'tidewater.example'])
      expect(await resolve(text)).toEqual(found(PAGE, [FEED, 'Harbour Talk']))
  })

  test('leads to all that it names, but for those without episodes and those that cannot be had', async () => {
    const [two, blog, gone] = ['two', 'blog', 'gone'].map((name) => PAGE + name)
    const links = [blog, FEED, gone, two].map((url): [string] => [url ?? ''])
    const { resolve } = await open({
      ...{ [PAGE]: page(...links), [FEED]: talk() },
      ...{ [`${PAGE}two`]: talk('Second Talk'), [`${PAGE}blog`]: silent('Comments') },
    })
    expect(await resolve(PAGE)).toEqual(found(PAGE, [FEED, 'Harbour Talk'], [`${PAGE}two`, 'Second Talk']))
  })

  test('leads to a secret feed among others, without fetching it', async () => {
    const { resolve, urlsAsked } = await open({ [PAGE]: page([FEED], [SECRET, 'For members']), [FEED]: talk() })
    expect(await resolve(PAGE)).toEqual(found(PAGE, [FEED, 'Harbour Talk'], [SECRET, 'For members']))
    expect(urlsAsked()).toEqual([PAGE, FEED])
  })

  test('leads to feeds without episodes if it names no other', async () => {
    const other = `${PAGE}other`
    const { resolve } = await open({ [PAGE]: page([FEED], [other]), [FEED]: silent('One'), [other]: silent('Two') })
    expect(await resolve(PAGE)).toEqual(found(PAGE, [FEED, 'One'], [other, 'Two']))
  })

  test('has five of its feeds looked at; the rest keep the names that the page gives them', async () => {
    const urls = Array.from({ length: 7 }, (_, n) => PAGE + n)
    const feeds = urls.map((url) => [url, talk(`Talk ${url.at(-1)}`)] as const)
    const links = urls.map((url): [string, string] => [url, `Link ${url.at(-1)}`])
    const { resolve, urlsAsked } = await open({ ...Object.fromEntries(feeds), [PAGE]: page(...links) })
    const titles = urls.map((url, n): [string, string] => [url, n < 5 ? `Talk ${n}` : `Link ${n}`])
    expect(await resolve(PAGE)).toEqual(found(PAGE, ...titles))
    expect(urlsAsked()).toHaveLength(6)
  })

  test('that names no feed says so', async () => {
    const { resolve } = await open({ [PAGE]: page() })
    expect(await resolve(PAGE)).toEqual(nothing('page', PAGE))
  })

  test('whose only feed cannot be had says why', async () => {
    const { resolve } = await open({ [PAGE]: page([FEED]), [FEED]: failed({ reason: 'forbidden' }) })
    expect(await resolve(PAGE)).toEqual(nothing('forbidden', FEED))
  })

  test('that names another page is not followed any further', async () => {
    const { resolve, urlsAsked } = await open({ [PAGE]: page([FEED]), [FEED]: page([`${PAGE}deeper`]) })
    expect(await resolve(PAGE)).toEqual(nothing('not_a_feed', FEED))
    expect(urlsAsked()).toEqual([PAGE, FEED])
  })
})

test('words and services without feeds are told apart, and nothing is fetched', async () => {
  const { resolve, urlsAsked } = await open()
  expect(await resolve('harbour talk')).toEqual(nothing('words', ''))
  const spotify = 'https://open.spotify.com/show/x'
  expect(await resolve(spotify)).toEqual(nothing('closed', spotify))
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
    ['says itself that it fails', () => Response.json({ status: 'false', description: 'low tide' }), 'directory_error'],
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
