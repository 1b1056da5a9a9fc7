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

/** Public lists. */
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

/** Expects that a client cannot tell these feeds from an unknown one. */
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

describe('twenty private feeds', () => {
  test('are hidden before their first fetch, unlike public ones', async () => {
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

  test.each(OTHERS)('are in no list for %s, and their tags are not counted', async (who) => {
    const { [who]: client, bob } = await openPrivateFeeds()
    await expectNoTrace(client, LISTS)
    await expectNoTrace(bob, inAllFormats('/suggestions/100.FORMAT', PRIVATE_FORMATS))
    expect((await client.get('/api/2/tags/100.json')).json).toEqual([{ title: 'Sea', tag: 'sea', usage: 2 }])
    expect((await client.get('/api/2/tag/hidden-lore/100.json')).json).toEqual([])
  })

  test.each(OTHERS)('look like unknown ones to %s', async (who) => {
    const scene = await openPrivateFeeds()
    const asked = scene.asked.length
    await expectUnknown(scene[who], PRIVATE, lookupsOf)
    expect(scene.asked).toHaveLength(asked)
  })

  test('are not offered as https upgrades to other users', async () => {
    const { bob, subscribe } = await openPrivateFeeds()
    const byHttp = (url: string) => url.replace('https:', 'http:')
    const twins = [...PRIVATE, PUBLIC].map(byHttp).filter((url) => !PRIVATE.includes(url))
    await subscribe(bob, 'bob', { add: twins })
    expect((await bob.get('/api/2/me/upgrades')).json).toMatchObject([{ http_url: byHttp(PUBLIC), https_url: PUBLIC }])
  })

  test('do not hide results of the external directory from others', async () => {
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

test('private feeds are ordinary ones to their subscribers in searches and lookups', async () => {
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
  // Foreign pages can load JSONP with the cookie.
  const scripts = ['/search.jsonp?jsonp=show&q=quillwort', '/search.jsonp?jsonp=show&q=bramblewick']
  await expectNoTrace(ida, [...scripts, '/toplist/100.jsonp?jsonp=show'])
  // Other users find them once they subscribe.
  await subscribe(bob, 'bob', { add: [SECRET] })
  expect(urls(await bob.get('/search.json?q=quillwort'))).toEqual([SECRET])
  expect((await bob.get(lookupsOf(SECRET)[0] ?? '')).json).toMatchObject({ url: SECRET, subscribers: 2 })
})

async function open() {
  const pictures = scriptedPictures(() => ({ kind: 'picture', bytes: png(64, 64) }))
  return { ...(await openPrivateFeeds(undefined, { pictures })), pictures }
}

test.each(OTHERS)('the picture of a private podcast looks like that of an unknown one to %s', async (who) => {
  const scene = await open()
  // Some are already cached.
  for (const url of PRIVATE.slice(0, 3)) expect(await scene.ida.get(artworkOf(url))).toMatchObject({ status: 200 })
  const fetched = scene.pictures.asked.length
  await expectUnknown(scene[who], PRIVATE, (url) => [artworkOf(url), artworkOf(url, 600)])
  expect(scene.pictures.asked).toHaveLength(fetched)
  expect(await scene[who].get(artworkOf(PUBLIC))).toMatchObject({ status: 200 })
})

test('the picture of a private podcast is only for its subscribers, not for shared caches, and fetched separately', async () => {
  const { ida, anyone, pictures } = await open()
  for (const url of PRIVATE) {
    const { status, headers } = await ida.get(artworkOf(url))
    const cached = ['private, max-age=86400', 'Authorization, Cookie']
    expect([url, status, headers.get('cache-control'), headers.get('vary')]).toEqual([url, 200, ...cached])
  }
  await anyone.get(artworkOf(PUBLIC))
  // A shared fetch would reveal that another feed has the same picture.
  expect(pictures.asked).toHaveLength(PRIVATE.length + 1)
})

/** Whether the feed is visible to `client`: in all of these ways or in none. */
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
])('the subscriber publishes %s feed and hides it again', async (_case, url) => {
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
