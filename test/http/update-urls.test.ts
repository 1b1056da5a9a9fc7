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
})
