import { describe, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { png, scriptedPictures } from '../../support/pictures.ts'
import { expectError } from '../error.ts'
import { BLOCKED, BOBS, lookupsOf, openPrivateFeeds, PRIVATE, PUBLIC, TRACE } from './private-feeds-scene.ts'

const UNKNOWN = 'https://feeds.example/nobody-has-this'
const OTHERS = ['anyone', 'bob', 'impostor'] as const
const PRIVATE_FORMATS = ['json?', 'opml?', 'txt?', 'xml?']
const FORMATS = [...PRIVATE_FORMATS, 'jsonp?jsonp=show&']
const WORDS = ['quillwort', 'quilwort', 'bramblewick', 'zanzibar boats', 'hidden lore', 'patreon', 'feeds', 'pass']
const [SECRET = ''] = PRIVATE
const [blocked = ''] = BLOCKED

const inAllFormats = (path: string, formats = FORMATS) => formats.map((format) => path.replace('FORMAT', format))
const artworkOf = (url: string, size = 64) => `/artwork/${size}?url=${encodeURIComponent(url)}`

/** Whatever shows podcasts to anybody. */
const LISTS = [
  ...inAllFormats('/toplist/100.FORMAT'),
  ...[...WORDS, ...PRIVATE].flatMap((query) => inAllFormats(`/search.FORMATq=${encodeURIComponent(query)}`)),
  ...[...WORDS, ...PRIVATE].map((query) => `/api/2/search/all?q=${encodeURIComponent(query)}`),
  '/api/2/tags/100.json',
  '/api/2/tag/sea/100.json',
  '/api/2/tag/hidden-lore/100.json',
]

async function expectNoTrace(client: Client, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const { status, text } = await client.get(path)
    expect({ path, status, trace: TRACE.exec(text)?.[0] }).toEqual({ path, status: 200, trace: undefined })
  }
}

/** Expects that a client cannot tell these feeds from one that nobody has. */
async function expectUnknown(client: Client, urls: readonly string[], pathsOf: (url: string) => readonly string[]) {
  const unknown = await Promise.all(pathsOf(UNKNOWN).map((path) => client.get(path)))
  for (const answer of unknown) expectError(answer, 404, 'unknown_podcast')
  for (const url of urls)
    for (const [index, path] of pathsOf(url).entries()) {
      const { status, text, headers } = await client.get(path)
      expect({ path, status, text, headers: [...headers] }).toEqual({
        ...{ path, status: 404, text: unknown[index]?.text ?? '' },
        headers: [...(unknown[index]?.headers ?? [])],
      })
    }
}

const urls = ({ json }: { json: unknown }) => Array.from(Array.isArray(json) ? json : [], ({ url }) => url)

describe('of twenty private feeds with all that they say', () => {
  test('public ones are shown in every way, and private ones to nobody before they are fetched', async () => {
    expect(PRIVATE).toHaveLength(20)
    const { anyone, bob, ida, subscribe } = await openPrivateFeeds([PUBLIC])
    expect(urls(await anyone.get('/toplist/100.json'))).toEqual([PUBLIC, BOBS])
    expect(urls(await anyone.get('/search.json?q=harbour'))).toContain(PUBLIC)
    expect(urls(await bob.get('/suggestions/100.json'))).toEqual([PUBLIC])
    expect(await anyone.get(`/api/2/data/podcast.json?url=${PUBLIC}`)).toMatchObject({ status: 200 })
    await subscribe(ida, 'ida', { add: ['https://feeds.example/quillwort/new?token=1'] })
    await expectNoTrace(anyone, LISTS)
    expect(await anyone.get('/search.json?q=token')).toMatchObject({ json: [] })
  })

  test.each(OTHERS)('%s finds none in any list, and no tag of theirs is counted', async (who) => {
    const { [who]: client, bob } = await openPrivateFeeds()
    await expectNoTrace(client, LISTS)
    await expectNoTrace(bob, inAllFormats('/suggestions/100.FORMAT', PRIVATE_FORMATS))
    expect((await client.get('/api/2/tags/100.json')).json).toEqual([{ title: 'Sea', tag: 'sea', usage: 2 }])
    expect((await client.get('/api/2/tag/hidden-lore/100.json')).json).toEqual([])
  })

  test.each(OTHERS)('each is to %s as one that nobody has', async (who) => {
    const scene = await openPrivateFeeds()
    const asked = scene.asked.length
    await expectUnknown(scene[who], PRIVATE, lookupsOf)
    expect(scene.asked).toHaveLength(asked)
  })

  test('none is offered to bob as the better address of what he has', async () => {
    const { bob, subscribe } = await openPrivateFeeds()
    const byHttp = (url: string) => url.replace('https:', 'http:')
    const twins = [...PRIVATE, PUBLIC].map(byHttp).filter((url) => !PRIVATE.includes(url))
    await subscribe(bob, 'bob', { add: twins })
    expect((await bob.get('/api/2/me/upgrades')).json).toMatchObject([{ http_url: byHttp(PUBLIC), https_url: PUBLIC }])
  })

  test('what the external directory has is not left out of its answers because somebody here has it in private', async () => {
    await using server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => Response.json({ status: 'true', feeds: [SECRET, PUBLIC].map((url) => ({ url, title: 'Boats' })) }),
    })
    const directory = { directory_key: 'k', directory_secret: 's', directory_url: `http://127.0.0.1:${server.port}` }
    const { anyone, bob, ida } = await openPrivateFeeds([SECRET, PUBLIC], { settings: directory })
    const path = '/api/2/search/all?q=boats'
    for (const client of [anyone, bob])
      expect((await client.get(path)).json).toMatchObject({ local: [{ url: PUBLIC }], external: [{ url: SECRET }] })
    expect((await ida.get(path)).json).toMatchObject({ external: [] })
  })
})

test('to their subscribers they are like any other in searches by words and by address, and in lookups', async () => {
  const { ida, bob, subscribe } = await openPrivateFeeds()
  expect(new Set(urls(await ida.get('/search.json?q=quillwort')))).toEqual(new Set(PRIVATE))
  for (const query of ['quilwort', 'bramblewick', 'zanzibar', 'hidden lore'])
    expect(urls(await ida.get(`/search.json?q=${query}`))).toHaveLength(20)
  for (const format of ['opml', 'txt', 'xml'])
    expect((await ida.get(`/search.${format}?q=quillwort`)).text).toContain('supercast.com/feeds/a1b2c3d4')
  for (const url of PRIVATE) {
    expect(urls(await ida.get(`/search.json?q=${encodeURIComponent(url)}`))).toEqual([url])
    const found = await Promise.all(lookupsOf(url).map(async (path) => (await ida.get(path)).json))
    expect(found).toMatchObject([
      { url, author: 'Bramblewick', subscribers: 1 },
      { url, total: 1, episodes: [{ title: 'Quillwort fog' }] },
      { podcast_url: url, title: 'Quillwort fog' },
    ])
  }
  // Not to a page of another site, which can load scripts with the cookie.
  const scripts = ['/search.jsonp?jsonp=show&q=quillwort', '/search.jsonp?jsonp=show&q=bramblewick']
  await expectNoTrace(ida, [...scripts, '/toplist/100.jsonp?jsonp=show'])
  // Nor to others before they subscribe.
  await subscribe(bob, 'bob', { add: [SECRET] })
  expect(urls(await bob.get('/search.json?q=quillwort'))).toEqual([SECRET])
  expect((await bob.get(lookupsOf(SECRET)[0] ?? '')).json).toMatchObject({ url: SECRET, subscribers: 2 })
})

async function open() {
  const pictures = scriptedPictures(() => ({ kind: 'picture', bytes: png(64, 64) }))
  return { ...(await openPrivateFeeds(undefined, { pictures })), pictures }
}

test.each(OTHERS)('the picture of a private podcast is to %s like that of one that nobody has', async (who) => {
  const scene = await open()
  // That it is here already makes no difference.
  for (const url of PRIVATE.slice(0, 3)) expect(await scene.ida.get(artworkOf(url))).toMatchObject({ status: 200 })
  const fetched = scene.pictures.asked.length
  await expectUnknown(scene[who], PRIVATE, (url) => [artworkOf(url), artworkOf(url, 600)])
  expect(scene.pictures.asked).toHaveLength(fetched)
  expect(await scene[who].get(artworkOf(PUBLIC))).toMatchObject({ status: 200 })
})

test('the picture of a private podcast is for its subscriber and no shared cache, and fetched apart', async () => {
  const { ida, anyone, pictures } = await open()
  for (const url of PRIVATE) {
    const { status, headers } = await ida.get(artworkOf(url))
    const cached = ['private, max-age=86400', 'Authorization, Cookie']
    expect([url, status, headers.get('cache-control'), headers.get('vary')]).toEqual([url, 200, ...cached])
  }
  await anyone.get(artworkOf(PUBLIC))
  // Otherwise somebody could find out who else has such a picture.
  expect(pictures.asked).toHaveLength(PRIVATE.length + 1)
})

/** Whether `client` gets to see the feed: in all of the ways or in none of them. */
async function shows(client: Client, url: string): Promise<boolean> {
  const has = async (path: string) => (await client.get(path)).text.includes(JSON.stringify(url))
  const ways = await Promise.all([
    has('/toplist/100.json'),
    has('/search.json?q=boats'),
    has('/search.jsonp?q=boats&jsonp=show'),
    has(`/search.json?q=${encodeURIComponent(url)}`),
    has('/api/2/search/all?q=boats'),
    has('/api/2/tag/sea/100.json'),
    ...lookupsOf(url).slice(0, 2).map(has),
  ])
  expect(new Set(ways).size).toBe(1)
  return ways.every(Boolean)
}

test.each([
  ['a secret', SECRET],
  ['a blocked', blocked],
])('the subscriber publishes %s feed, and takes it back', async (_kind, url) => {
  const { ida, anyone, bob, mark } = await openPrivateFeeds([url])
  expect(await shows(anyone, url)).toBe(false)

  await mark(ida, 'ida', url, true)
  expect([await shows(anyone, url), await shows(bob, url)]).toEqual([true, true])
  expect((await anyone.get('/api/2/tags/100.json')).json).toMatchObject([
    { tag: 'sea', usage: 2 },
    { tag: 'hidden-lore', usage: 1 },
  ])
  expect((await bob.get('/suggestions/9.json')).text).toContain(JSON.stringify(url))

  await mark(ida, 'ida', url, undefined)
  expect([await shows(anyone, url), await shows(bob, url)]).toEqual([false, false])
  expect((await anyone.get('/api/2/tags/100.json')).json).toMatchObject([{ tag: 'sea', usage: 1 }])
  expect((await bob.get('/suggestions/9.json')).json).toEqual([])
})
