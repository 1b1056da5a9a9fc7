import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

/*
 * What one request may hold: exactly so much is taken, one more is refused and changes nothing.
 */

const FEEDS = 20_000
const ACTIONS = 50_000

const feeds = (count: number) => Array.from({ length: count }, (_, n) => `https://feeds.example/${n}`)
const outlines = (urls: readonly string[]) => urls.map((url) => `<outline xmlUrl="${url}"/>`).join('\n')
const actions = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    podcast: 'https://a.example/f',
    episode: `https://a.example/${n}`,
    action: 'new',
  }))

interface Bounded {
  readonly method: string
  readonly path: string
  readonly most: number
  readonly body: (count: number) => unknown
  readonly stored: (ida: Client) => Promise<number>
}

const DELTA = '/api/2/subscriptions/ida/phone.json'
const EPISODES = '/api/2/episodes/ida.json'

async function subscribed(ida: Client): Promise<number> {
  const { status, text } = await ida.get('/subscriptions/ida/phone.txt')
  return status === 404 ? 0 : text.split('\n').length - 1
}

async function reported(ida: Client): Promise<number> {
  return (await ida.get(EPISODES)).text.split('"podcast"').length - 1
}

const LIST = { method: 'PUT', most: FEEDS, stored: subscribed }
const BOUNDED: [string, Bounded][] = [
  ['feeds to add', { method: 'POST', path: DELTA, most: FEEDS, body: (n) => ({ add: feeds(n) }), stored: subscribed }],
  [
    'feeds to add and to remove',
    {
      method: 'POST',
      path: DELTA,
      most: FEEDS,
      body: (n) => ({ add: feeds(n - 1), remove: ['https://gone.example/'] }),
      stored: async (ida) => (await subscribed(ida)) + 1,
    },
  ],
  ['a list as JSON', { ...LIST, path: '/subscriptions/ida/phone.json', body: feeds }],
  [
    'objects',
    { ...LIST, path: '/subscriptions/ida/phone.json', body: (n) => feeds(n).map((url) => ({ url, title: 'x' })) },
  ],
  ['a list as text', { ...LIST, path: '/subscriptions/ida/phone.txt', body: (n) => feeds(n).join('\n') }],
  ['OPML', { ...LIST, path: '/subscriptions/ida/phone.opml', body: (n) => `<opml>${outlines(feeds(n))}</opml>` }],
  ['actions', { method: 'POST', path: EPISODES, most: ACTIONS, body: actions, stored: reported }],
  [
    '{"actions"}',
    { method: 'POST', path: EPISODES, most: ACTIONS, body: (n) => ({ actions: actions(n) }), stored: reported },
  ],
]

describe.each(BOUNDED)('one request holds a bounded number of %s', (_, { method, path, most, body, stored }) => {
  test('exactly so many are stored', async () => {
    const ida = await signUp(startTestApp())
    expect(await ida.call(method, path, { body: body(most) })).toMatchObject({ status: 200 })
    expect(await stored(ida)).toBe(most)
  }, 60_000)

  test('one more is refused with the number, and changes nothing', async () => {
    const ida = await signUp(startTestApp())
    const empty = await stored(ida)
    const refused = await ida.call(method, path, { body: body(most + 1) })
    expectRefusal(refused, 413, 'payload_too_large')
    expect(refused.text).toContain(String(most))
    expect(await stored(ida)).toBe(empty)
    expect((await ida.get('/api/2/devices/ida.json')).json).toEqual([])
  }, 60_000)
})

describe('ten megabytes of nothing are refused before anything is made of them', () => {
  const scraps: [string, string][] = [
    ['lists', `[${'[],'.repeat(3_000_000)}[]]`],
    ['nulls', `[${'null,'.repeat(2_000_000)}0]`],
    ['keys', `[{${Array.from({ length: 900_000 }, (_, n) => `"${n}":1`).join()}}]`],
  ]
  const endpoints: [string, string, (json: string) => string][] = [
    ['POST', EPISODES, (json) => json],
    ['POST', EPISODES, (json) => `{"actions":${json}}`],
    ['POST', DELTA, (json) => `{"add":${json}}`],
    ['PUT', '/subscriptions/ida/phone.json', (json) => json],
    ['POST', '/api/2/devices/ida/phone.json', (json) => `{"caption":${json}}`],
    ['POST', '/api/2/sync-devices/ida.json', (json) => `{"synchronize":${json}}`],
    ['POST', '/api/2/settings/ida/account.json', (json) => `{"set":{"a":${json}}}`],
    ['POST', '/api/2/me/email', (json) => `{"email":${json}}`],
  ]

  test.each(endpoints)(
    '%s %s',
    async (method, path, wrap) => {
      const ida = await signUp(startTestApp())
      for (const [what, json] of scraps) {
        const refused = await ida.call(method, path, { body: wrap(json) })
        expect([what, refused.status, refused.json]).toMatchObject([what, 413, { error: 'payload_too_large' }])
      }
      expect((await ida.get('/api/2/devices/ida.json')).json).toEqual([])
    },
    30_000,
  )

  test.each([
    ['txt', '\n'.repeat(10_000_000)],
    ['opml', `<opml>${'<a/>'.repeat(2_500_000)}</opml>`],
    ['opml', `<opml ${Array.from({ length: 500_000 }, (_, n) => `a${n}="1"`).join(' ')}/>`],
  ])('PUT a list as %s', async (format, body) => {
    const ida = await signUp(startTestApp())
    expectRefusal(await ida.put(`/subscriptions/ida/phone.${format}`, body), 413, 'payload_too_large')
    expect(await subscribed(ida)).toBe(0)
  })
})
