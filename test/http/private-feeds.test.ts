import { describe, expect, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import { BOBS, lookupsOf, openPrivateFeeds, PRIVATE, PUBLIC, TRACE } from './private-feeds-scene.ts'
import { expectRefusal } from './refusal.ts'

const STRANGE = 'https://feeds.example/nobody-has-this'
const FORMATS = ['json?', 'jsonp?jsonp=show&', 'opml?', 'txt?', 'xml?']
const QUERIES = [
  'quillwort',
  'quilwort',
  'bramblewick',
  'zanzibar boats',
  'hidden lore',
  'patreon',
  'supercast',
  'feeds',
  'pass',
]

const inAllFormats = (path: string) => FORMATS.map((format) => path.replace('FORMAT', format))
const searches = (query: string) => inAllFormats(`/search.FORMATq=${encodeURIComponent(query)}`)

/** Whatever shows podcasts to anybody. */
const LISTS = [
  ...inAllFormats('/toplist/100.FORMAT'),
  ...inAllFormats('/toplist.FORMAT'),
  ...[...QUERIES, ...PRIVATE].flatMap(searches),
  ...[...QUERIES, ...PRIVATE].map((query) => `/api/2/search/all?q=${encodeURIComponent(query)}`),
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

const urls = ({ json }: { json: unknown }) => Array.from(Array.isArray(json) ? json : [], ({ url }) => url)

describe('of twenty private feeds with all that they say', () => {
  test('there are twenty, and public ones are shown in every way', async () => {
    expect(PRIVATE).toHaveLength(20)
    const { anyone, bob } = await openPrivateFeeds()
    expect(urls(await anyone.get('/toplist/100.json'))).toEqual([PUBLIC, BOBS])
    expect(urls(await anyone.get('/search.json?q=harbour'))).toContain(PUBLIC)
    expect(urls(await bob.get('/suggestions/100.json'))).toEqual([PUBLIC])
    expect(await anyone.get(`/api/2/data/podcast.json?url=${PUBLIC}`)).toMatchObject({ status: 200 })
  })

  test.each(['anyone', 'bob', 'impostor'] as const)('%s finds none in any list', async (who) => {
    const client = (await openPrivateFeeds())[who]
    await expectNoTrace(client, LISTS)
  })

  test('none can be seen before it has been fetched and the directory knows of it', async () => {
    const { anyone, ida, subscribe } = await openPrivateFeeds([PUBLIC])
    await subscribe(ida, 'ida', { add: ['https://feeds.example/quillwort/new?token=1'] })
    await expectNoTrace(anyone, LISTS)
    expect(await anyone.get('/search.json?q=token')).toMatchObject({ json: [] })
  })

  test('bob is suggested none', async () => {
    const { bob } = await openPrivateFeeds()
    await expectNoTrace(bob, inAllFormats('/suggestions/100.FORMAT'))
  })

  test.each(['anyone', 'bob', 'impostor'] as const)('no tag of theirs is counted for %s', async (who) => {
    const client = (await openPrivateFeeds())[who]
    expect((await client.get('/api/2/tags/100.json')).json).toEqual([{ title: 'Sea', tag: 'sea', usage: 2 }])
    expect((await client.get('/api/2/tag/hidden-lore/100.json')).json).toEqual([])
  })

  test.each(['anyone', 'bob', 'impostor'] as const)('each is to %s as one that nobody has', async (who) => {
    const scene = await openPrivateFeeds()
    const asked = scene.asked.length
    const unknown = await Promise.all(lookupsOf(STRANGE).map((path) => scene[who].get(path)))
    for (const answer of unknown) expectRefusal(answer, 404, 'unknown_podcast')
    for (const url of PRIVATE)
      for (const [index, path] of lookupsOf(url).entries()) {
        const { status, text, headers } = await scene[who].get(path)
        expect({ path, status, text, headers: [...headers] }).toEqual({
          path,
          status: 404,
          text: unknown[index]?.text ?? '',
          headers: [...(unknown[index]?.headers ?? [])],
        })
      }
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
    const [secret = ''] = PRIVATE
    await using server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => Response.json({ status: 'true', feeds: [secret, PUBLIC].map((url) => ({ url, title: 'Boats' })) }),
    })
    const directory = { directory_key: 'k', directory_secret: 's', directory_url: `http://127.0.0.1:${server.port}` }
    const { anyone, bob, ida } = await openPrivateFeeds([secret, PUBLIC], { settings: directory })
    const path = '/api/2/search/all?q=boats'
    for (const client of [anyone, bob])
      expect((await client.get(path)).json).toMatchObject({ local: [{ url: PUBLIC }], external: [{ url: secret }] })
    expect((await ida.get(path)).json).toMatchObject({ external: [] })
  })
})

describe('to ida they are like any other', () => {
  test('in searches by words and by address', async () => {
    const { ida } = await openPrivateFeeds()
    expect(new Set(urls(await ida.get('/search.json?q=quillwort')))).toEqual(new Set(PRIVATE))
    for (const query of ['quilwort', 'bramblewick', 'zanzibar', 'hidden lore'])
      expect(urls(await ida.get(`/search.json?q=${query}`))).toHaveLength(20)
    for (const format of ['opml', 'txt', 'xml'])
      expect((await ida.get(`/search.${format}?q=quillwort`)).text).toContain('supercast.com/feeds/a1b2c3d4')
    expect((await ida.get('/api/2/search/all?q=quillwort')).json).toMatchObject({
      local: Array(20).fill({ author: 'Bramblewick' }),
    })
    for (const url of PRIVATE) expect(urls(await ida.get(`/search.json?q=${encodeURIComponent(url)}`))).toEqual([url])
  })

  test('in lookups', async () => {
    const { ida } = await openPrivateFeeds()
    for (const url of PRIVATE) {
      const [podcast, episodes, episode] = await Promise.all(
        lookupsOf(url).map(async (path) => (await ida.get(path)).json),
      )
      expect(podcast).toMatchObject({ url, author: 'Bramblewick', subscribers: 1 })
      expect(episodes).toMatchObject({ url, total: 1, episodes: [{ title: 'Quillwort fog' }] })
      expect(episode).toMatchObject({ podcast_url: url, title: 'Quillwort fog' })
    }
  })

  test('but not in what a page of another site can load as a script', async () => {
    const { ida } = await openPrivateFeeds()
    await expectNoTrace(ida, [
      '/search.jsonp?jsonp=show&q=quillwort',
      '/search.jsonp?jsonp=show&q=bramblewick',
      '/toplist/100.jsonp?jsonp=show',
    ])
  })

  test('and to whoever else subscribes', async () => {
    const { bob, subscribe } = await openPrivateFeeds()
    const [secret = ''] = PRIVATE
    await subscribe(bob, 'bob', { add: [secret] })
    expect(urls(await bob.get('/search.json?q=quillwort'))).toEqual([secret])
    expect((await bob.get(lookupsOf(secret)[0] ?? '')).json).toMatchObject({ url: secret, subscribers: 2 })
  })
})
