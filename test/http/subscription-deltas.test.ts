import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { timestampOf } from './timestamp.ts'

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'
const PHONE = '/api/2/subscriptions/ida/phone.json'

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  const since = (timestamp: number, device = 'phone') =>
    ida.get(`/api/2/subscriptions/ida/${device}.json?since=${timestamp}`)
  return { app, ida, since }
}

test('the worked sequence of docs/protocol.md, to the letter', async () => {
  const feed = 'https://a.example/f'
  const { ida, since } = await open()
  await ida.post('/api/2/devices/ida/desk.json', {})

  const added = await ida.post(PHONE, { add: [feed] })
  expect(added.json).toEqual({ timestamp: 1740909601, update_urls: [] })
  expect((await since(0)).json).toEqual({ add: [feed], remove: [], timestamp: 1740909601 })
  expect((await since(1740909601)).json).toEqual({ add: [], remove: [], timestamp: 1740909601 })
  expect((await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })).status).toBe(200)
  expect((await since(0, 'desk')).json).toEqual({ add: [feed], remove: [], timestamp: 1740909603 })
  const removed = await ida.post('/api/2/subscriptions/ida/desk.json', { remove: [feed] })
  expect(removed.json).toEqual({ timestamp: 1740909605, update_urls: [] })
  expect((await since(1740909601)).json).toEqual({ add: [], remove: [feed], timestamp: 1740909605 })
  expect((await since(0)).json).toEqual({ add: [], remove: [], timestamp: 1740909605 })
})

describe('a fetch of changes', () => {
  test('is application/json and must not be cached', async () => {
    const { since } = await open()
    const { headers } = await since(0)
    expect(headers.get('content-type')).toMatch(/^application\/json(;|$)/)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('of an unknown device is empty, and makes no device (D42)', async () => {
    const { ida, since } = await open()
    expect((await since(0, 'ghost')).json).toEqual({ add: [], remove: [], timestamp: 1 })
    const timestamp = timestampOf(await ida.post(PHONE, { add: [A] }))
    expect((await since(0, 'ghost')).json).toEqual({ add: [], remove: [], timestamp })
    expect((await since(timestamp, 'ghost')).json).toEqual({ add: [], remove: [], timestamp })
    expect(await ida.get('/api/2/devices/ida.json')).toMatchObject({ json: [{ id: 'phone' }] })
  })

  test('does not tick: the same question has the same answer, whenever it is asked', async () => {
    const { app, ida, since } = await open()
    await ida.post(PHONE, { add: [A] })
    const first = await since(0)
    app.clock.advance(86_400)
    expect((await since(0)).json).toEqual(first.json)
  })
})

/** Each step is an upload; then what a client sees that was there at the start, and a fresh one. */
const STEPS: readonly {
  title: string
  before?: string[]
  steps: { add?: string[]; remove?: string[] }[]
  known: { add: string[]; remove: string[] }
  fresh: string[]
}[] = [
  { title: 'added', steps: [{ add: [A] }], known: { add: [A], remove: [] }, fresh: [A] },
  { title: 'removed', before: [A], steps: [{ remove: [A] }], known: { add: [], remove: [A] }, fresh: [] },
  {
    title: 'added and removed: listed, though the client never saw it',
    steps: [{ add: [A] }, { remove: [A] }],
    known: { add: [], remove: [A] },
    fresh: [],
  },
  {
    title: 'removed and added again: listed as added only',
    before: [A],
    steps: [{ remove: [A] }, { add: [A] }],
    known: { add: [A], remove: [] },
    fresh: [A],
  },
  {
    title: 'removed twice over',
    before: [A],
    steps: [{ remove: [A] }, { add: [A] }, { remove: [A] }],
    known: { add: [], remove: [A] },
    fresh: [],
  },
  { title: 'added again while there', before: [A], steps: [{ add: [A] }], known: { add: [], remove: [] }, fresh: [A] },
  { title: 'removed while not there', steps: [{ remove: [A] }], known: { add: [], remove: [] }, fresh: [] },
  {
    title: 'one added and another removed',
    before: [A],
    steps: [{ add: [B], remove: [A] }],
    known: { add: [B], remove: [A] },
    fresh: [B],
  },
  { title: 'left alone', before: [A], steps: [{ add: [B] }], known: { add: [B], remove: [] }, fresh: [A, B] },
]

describe('what a feed is reported as (D36)', () => {
  test.each(STEPS)('$title', async ({ before = [], steps, known, fresh }) => {
    const { ida, since } = await open()
    await ida.post(PHONE, { add: [...before, 'https://a.example/other'] })
    const start = timestampOf(await since(0))
    for (const step of steps) await ida.post(PHONE, step)
    expect(await since(start)).toMatchObject({ status: 200, json: known })

    const all = await since(0)
    expect(all).toMatchObject({ json: { add: ['https://a.example/other', ...fresh], remove: [] } })
    expect((await ida.get(PHONE)).json).toEqual(all.json)
    expect((await since(timestampOf(all))).json).toMatchObject({ add: [], remove: [] })
  })

  test('a fresh client is never told of removals, nor is one that sends no since', async () => {
    const { ida } = await open()
    await ida.post(PHONE, { add: [A, B] })
    await ida.post(PHONE, { remove: [A] })
    for (const query of ['', '?', '?since', '?since=', '?since=0', '?since=0.9', '?since=%20', '?since=00']) {
      expect(await ida.get(`${PHONE}${query}`)).toMatchObject({ status: 200, json: { add: [B], remove: [] } })
    }
  })
})

describe('since (D15)', () => {
  test.each([
    ['one second before', '1740909599', true],
    ['the second itself', '1740909600', true],
    ['decimals are cut off', '1740909600.999', true],
    ['a point without decimals', '1740909600.', true],
    ['leading zeros', '0001740909600', true],
    ['the timestamp', '1740909601', false],
    ['the timestamp with decimals', '1740909601.0', false],
    ['far in the future', '99999999999999999999999', false],
  ])('%s: %s', async (_, value, seen) => {
    const { app, ida } = await open()
    await ida.post('/api/2/subscriptions/ida/desk.json', {})
    expect(app.clock.seconds()).toBe(1_740_909_600)
    await ida.post(PHONE, { add: [A] })
    expect(await ida.get(`${PHONE}?since=${value}`)).toMatchObject({
      status: 200,
      json: { add: seen ? [A] : [], remove: [], timestamp: 1740909601 },
    })
  })
})
