import { describe, expect, test } from 'bun:test'
import { SHORT_LIST } from '../../src/domain/shared/lists.ts'
import { readOpml } from '../../src/formats/opml.ts'
import { startTestApp } from '../support/app.ts'
import { basic, type Client, signUp } from '../support/client.ts'

/*
 * Lists that are too long for one go are read and sent piece by piece; they look like short ones.
 */

const feeds = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `https://feeds.example/${String(from + n).padStart(6, '0')}`)

const DELTA = '/api/2/subscriptions/ida/phone.json'
const LATE = 'https://late.example/f'

/** The phone has exactly as many as are sent in one go, the desk some of the same. */
async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  await ida.put('/subscriptions/ida/phone.json', feeds(0, SHORT_LIST))
  await ida.put('/subscriptions/ida/desk.json', feeds(500, 900))
  // The server learns which feeds are private a thousand at a time.
  for (let round = 0; round < 3; round++) await ida.get('/api/2/me/subscriptions')
  const phoneOnly = async () => ida.delete('/api/2/devices/ida/desk.json')
  return { app, ida, phoneOnly }
}

const FORMATS: [string, (client: Client) => Promise<unknown[]>][] = [
  ['/subscriptions/ida/phone.json', (client) => array(client, '/subscriptions/ida/phone.json')],
  [
    '/subscriptions/ida/phone.jsonp',
    async (client) => {
      const { text } = await client.get('/subscriptions/ida/phone.jsonp?jsonp=show')
      expect(text).toMatch(/^show\(\[.*\]\)$/s)
      return JSON.parse(text.slice('show('.length, -1))
    },
  ],
  [
    '/subscriptions/ida/phone.txt',
    async (client) => {
      const { text } = await client.get('/subscriptions/ida/phone.txt')
      expect(text).toEndWith('\n')
      return text.slice(0, -1).split('\n')
    },
  ],
  ['/subscriptions/ida/phone.opml', (client) => opml(client, '/subscriptions/ida/phone.opml')],
  ['/subscriptions/ida.opml', (client) => opml(client, '/subscriptions/ida.opml')],
  ['/subscriptions/ida.json', (client) => array(client, '/subscriptions/ida.json')],
  [
    '/subscriptions/ida.xml',
    async (client) => [...(await client.get('/subscriptions/ida.xml')).text.matchAll(/<url>.*<\/url>/g)].map(String),
  ],
  ['/api/2/me/subscriptions', (client) => array(client, '/api/2/me/subscriptions')],
  [
    DELTA,
    async (client) => {
      const { json, headers } = await client.get(`${DELTA}?since=0`)
      expect(headers.get('content-type')).toMatch(/^application\/json(;|$)/)
      expect(json).toEqual({ add: expect.any(Array), remove: [], timestamp: expect.any(Number) })
      return (json as { add: unknown[] }).add
    },
  ],
]

async function array(client: Client, path: string): Promise<unknown[]> {
  const { status, json, headers } = await client.get(path)
  expect([status, headers.get('content-type'), Array.isArray(json)]).toEqual([200, 'application/json', true])
  return [json].flat()
}

async function opml(client: Client, path: string): Promise<unknown[]> {
  return [...readOpml((await client.get(path)).text)].flat()
}

describe.each(FORMATS)('%s', (_, read) => {
  test('with one more than is sent in one go is the same list with one more', async () => {
    const { app, ida, phoneOnly } = await open()
    // Over all devices there are too many already; over one there are not.
    const long = await read(ida)
    await phoneOnly()
    const short = await read(ida)
    expect(short).toHaveLength(SHORT_LIST)
    expect(withoutDesk(long)).toEqual(short)
    app.clock.advance(60)
    await ida.post(DELTA, { add: [LATE] })
    const longer = await read(ida)
    expect(longer).toHaveLength(SHORT_LIST + 1)
    expect(longer.slice(0, -1)).toEqual(short)
    expect(JSON.stringify(longer.at(-1))).toContain(LATE)
  }, 30_000)
})

/** The short list was read when there was one device less. */
function withoutDesk(list: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(list).replaceAll('["phone","desk"]', '["phone"]'))
}

test('a long delta names what is gone, and what comes while it is being sent comes with the next one', async () => {
  const app = startTestApp()
  const ida = await signUp(app)
  await ida.put('/subscriptions/ida/phone.json', feeds(0, 3000))
  const since = Reflect.get(Object((await ida.get(`${DELTA}?since=0`)).json), 'timestamp')
  await ida.put('/subscriptions/ida/phone.json', feeds(1500, 5000))
  const response = await app.fetch(
    new Request(`http://localhost${DELTA}?since=${since}`, { headers: basic('ida', 'seaglass') }),
  )
  // Nothing of the answer has been asked for yet.
  await ida.post(DELTA, { add: [LATE], remove: feeds(4000, 4001) })
  const changes = Object(await response.json())
  expect(new Set(changes.add)).toEqual(new Set(feeds(3000, 5000)))
  expect(new Set(changes.remove)).toEqual(new Set(feeds(0, 1500)))
  expect((await ida.get(`${DELTA}?since=${changes.timestamp}`)).json).toMatchObject({
    add: [LATE],
    remove: feeds(4000, 4001),
  })
})

test('a long list follows the end of a device', async () => {
  const { ida, phoneOnly } = await open()
  await ida.put('/subscriptions/ida/desk.json', [...feeds(0, SHORT_LIST), LATE])
  const count = async () => (await array(ida, '/api/2/me/subscriptions')).length
  expect(await count()).toBe(SHORT_LIST + 1)
  await phoneOnly()
  expect(await count()).toBe(SHORT_LIST)
})
