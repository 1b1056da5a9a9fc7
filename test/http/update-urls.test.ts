import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'

const PHONE = '/api/2/subscriptions/ida/phone.json'

/** What is uploaded, and what is stored of it: '' for nothing, undefined for the same without a word. */
const REWRITES: readonly (readonly [raw: string, stored: string | undefined])[] = [
  ['https://feeds.tidewater.example/harbour.xml', undefined],
  [' http://Tidewater.example ', 'http://tidewater.example/'],
  ['feed://tidewater.example/a.rss', 'http://tidewater.example/a.rss'],
  ['https://ida:pw@tidewater.example/p', 'https://tidewater.example/p'],
  ['http://tidewater.example/x:y?u=a%2Bb', undefined],
  ['http://tidewater.example/a+b,(c)', undefined],
  ['http://tidewater.example/øre', 'http://tidewater.example/%C3%B8re'],
  ['gopher://tidewater.example/', ''],
  ['ftp://tidewater.example/f', ''],
  ['antennapod_local:content://1', ''],
  ['mailto:ida@tidewater.example', ''],
  ['fb:tidewater', ''],
  ['harbour', ''],
  ['tidewater.example', 'http://tidewater.example/'],
  ['itpc://tidewater.example/b', 'http://tidewater.example/b'],
  ['podcast:https://tidewater.example/c', 'https://tidewater.example/c'],
  ['https://tidewater.example:443/d?', 'https://tidewater.example/d'],
  ['https://tidewater.example/e#part', undefined],
  [`https://tidewater.example/${'a'.repeat(2048 - 26)}`, undefined],
  [`https://tidewater.example/${'a'.repeat(2049 - 26)}`, ''],
]

async function open() {
  return signUp(startTestApp())
}

function pairs(rewrites: typeof REWRITES): [string, string][] {
  return rewrites.flatMap(([raw, stored]) => (stored === undefined ? [] : [[raw, stored]]))
}

const stored = REWRITES.flatMap(([raw, url]) => (url === '' ? [] : (url ?? raw)))

async function updateUrls(client: Client, path: string, body: unknown): Promise<unknown> {
  const { status, json } = await client.post(path, body)
  expect(status).toBe(200)
  return typeof json === 'object' && json !== null && 'update_urls' in json ? json.update_urls : undefined
}

describe('a feed URL in an upload of changes', () => {
  test.each(REWRITES)('%s is stored as %s', async (raw, url) => {
    const ida = await open()
    const { json } = await ida.post(PHONE, { add: [raw] })
    expect(json).toMatchObject({ update_urls: url === undefined ? [] : [[raw, url]] })
    expect((await ida.get('/subscriptions/ida/phone.json')).json).toEqual(url === '' ? [] : [url ?? raw])
  })

  test('is reported once however often and in whichever list it is, in strings only', async () => {
    const ida = await open()
    const raws = REWRITES.map(([raw]) => raw)
    expect(await updateUrls(ida, PHONE, { add: [...raws, ...raws] })).toEqual(pairs(REWRITES))
    expect(await updateUrls(ida, PHONE, { remove: [...raws, ...raws] })).toEqual(pairs(REWRITES))
    expect((await ida.get('/subscriptions/ida/phone.json')).json).toEqual([])
  })

  test('is reported for additions first, then removals', async () => {
    const ida = await open()
    expect(await updateUrls(ida, PHONE, { remove: ['B.example/', 'ftp://x/'], add: ['A.example/'] })).toEqual([
      ['A.example/', 'http://a.example/'],
      ['B.example/', 'http://b.example/'],
      ['ftp://x/', ''],
    ])
  })

  test('that was stored comes through a second upload unchanged and unreported', async () => {
    const ida = await open()
    await ida.post(PHONE, { add: REWRITES.map(([raw]) => raw) })
    const before = (await ida.get(PHONE)).json
    expect(await updateUrls(ida, PHONE, { add: stored })).toEqual([])
    expect((await ida.get(PHONE)).json).toEqual(before)
  })

  test('may be removed by any spelling of it', async () => {
    const ida = await open()
    await ida.post(PHONE, { add: ['https://tidewater.example/p'] })
    await ida.post(PHONE, { remove: [' HTTPS://ida:pw@Tidewater.example:443/x/../p '] })
    expect((await ida.get('/subscriptions/ida/phone.json')).json).toEqual([])
  })
})

describe('a feed or media URL in an action', () => {
  const EPISODES = '/api/2/episodes/ida.json'
  const FEED = 'https://feeds.example/a'
  const actions = async (client: Client, query = '') => (await client.get(`${EPISODES}${query}`)).json

  test.each(REWRITES)('%s is stored as %s', async (raw, url) => {
    const ida = await open()
    const items = [
      { podcast: raw, episode: 'https://cdn.example/1', action: 'new' },
      { podcast: FEED, episode: raw, action: 'new' },
    ]
    expect(await updateUrls(ida, EPISODES, items)).toEqual(url === undefined ? [] : [[raw, url]])
    const kept = [
      { podcast: url ?? raw, episode: 'https://cdn.example/1' },
      { podcast: FEED, episode: url ?? raw },
    ]
    expect(await actions(ida)).toMatchObject({ actions: url === '' ? [] : kept })
  })

  test.each([
    ['missing', { podcast: undefined, episode: undefined }],
    ['empty', { podcast: '', episode: '' }],
    ['blank', { podcast: ' ', episode: '\t' }],
    ['null', { podcast: null, episode: null }],
    ['a number', { podcast: 1, episode: 2 }],
  ])('that is %s leaves the item out without a word; the rest is stored', async (_, urls) => {
    const ida = await open()
    const good = { podcast: FEED, episode: 'https://cdn.example/1', action: 'new' }
    const { status, json } = await ida.post(EPISODES, [
      { ...good, ...urls },
      { action: 'new', ...urls },
      { ...good, episode: 'https://cdn.example/2' },
    ])
    expect([status, json]).toEqual([200, { timestamp: expect.any(Number), update_urls: [] }])
    expect(await actions(ida)).toMatchObject({ actions: [{ ...good, episode: 'https://cdn.example/2' }] })
  })

  test('alone in an upload that is skipped is no error: AntennaPod would send it for ever', async () => {
    const ida = await open()
    expect(await ida.post(EPISODES, [{ podcast: FEED, action: 'play' }])).toMatchObject({
      status: 200,
      json: { update_urls: [] },
    })
    expect(await actions(ida)).toMatchObject({ actions: [] })
  })

  test('finds the actions of a feed in any spelling', async () => {
    const ida = await open()
    await ida.post(EPISODES, [{ podcast: FEED, episode: 'https://cdn.example/1', action: 'new' }])
    for (const spelling of [FEED, 'HTTPS://Feeds.Example:443/a', ' https://feeds.example/x/../a'])
      expect(await actions(ida, `?podcast=${encodeURIComponent(spelling)}`)).toMatchObject({
        actions: [{ podcast: FEED }],
      })
  })

  test('can take up a thousand bytes of escapes without being encoded twice', async () => {
    const ida = await open()
    const url = `https://cdn.example/${'%2B%3A%20'.repeat(100)}?x=%252B`
    await ida.post(EPISODES, [{ podcast: url, episode: url, action: 'new' }])
    expect(await actions(ida)).toMatchObject({ actions: [{ podcast: url, episode: url }] })
  })
})
