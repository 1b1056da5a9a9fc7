import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'
import { timestampOf } from './timestamp.ts'

const PATH = '/api/2/episodes/ida.json'

const FEED = 'https://feeds.example/a'
const GOOD = { podcast: FEED, episode: 'https://cdn.example/1', action: 'play', timestamp: '2025-03-02T09:00:00' }

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  const stored = async () => (await ida.get(PATH)).json
  return { app, ida, stored }
}

const only = (...actions: object[]) => ({ actions, timestamp: expect.any(Number) })

describe('the upload of episode actions', () => {
  test('answers with exactly timestamp and update_urls', async () => {
    const { ida } = await open()
    const { status, json, headers } = await ida.post(PATH, [GOOD])
    expect([status, json]).toEqual([200, { timestamp: 1740909601, update_urls: [] }])
    expect(headers.get('content-type')).toMatch(/^application\/json(;|$)/)
  })

  test.each([
    ['a list', [GOOD]],
    ['an object with the list (D48)', { actions: [GOOD] }],
    ['keys nobody knows', [{ ...GOOD, user: 'bo', id: 7, nested: { a: [1] } }]],
  ])('may be %s', async (_, body) => {
    const { ida, stored } = await open()
    expect(await ida.post(PATH, body)).toMatchObject({ status: 200 })
    expect(await stored()).toEqual(only(GOOD))
  })

  test.each([[[]], [{ actions: [] }]])('of nothing (%j) is fine and does not tick', async (body) => {
    const { app, ida } = await open()
    const before = timestampOf(await ida.post(PATH, [GOOD]))
    app.clock.advance(1000)
    expect((await ida.post(PATH, body)).json).toEqual({ timestamp: before, update_urls: [] })
  })

  test.each([
    ['an object', {}, 'body'],
    ['an object without a list', { actions: { 0: GOOD } }, 'actions'],
    ['a text', '"text"', 'body'],
    ['a number', '7', 'body'],
    ['null', 'null', 'body'],
  ])('of %s is refused', async (_, body, field) => {
    const { ida, stored } = await open()
    const answer = await ida.post(PATH, body)
    expect(answer).toMatchObject({ status: 400, json: { error: 'validation_failed' } })
    expect(['body', field]).toContain(String(Reflect.get(Object(answer.json), 'field')))
    expect(await stored()).toEqual(only())
  })

  test.each(['', ' ', '[{"podcast":'])('of no JSON (%j) is refused', async (body) => {
    const { ida, stored } = await open()
    expectRefusal(await ida.post(PATH, body), 400, 'invalid_json')
    expect(await stored()).toEqual(only())
  })

  test('makes the device named, but subscribes nobody to an unknown podcast', async () => {
    const { ida } = await open()
    await ida.post(PATH, [{ ...GOOD, device: 'phone' }])
    expect((await ida.get('/api/2/devices/ida.json')).json).toEqual([
      { id: 'phone', caption: 'phone', type: 'other', subscriptions: 0, last_contact: expect.any(String) },
    ])
    expect((await ida.get('/subscriptions/ida.json')).json).toEqual([])
    expect((await ida.get('/api/2/subscriptions/ida/phone.json')).json).toMatchObject({ add: [], remove: [] })
  })
})

describe('what comes back of what was sent', () => {
  test.each(['download', 'play', 'delete', 'new', 'flattr', 'DOWNLOAD', 'Play', 'dElEtE'])(
    'kind %s comes back in small letters',
    async (action) => {
      const { ida, stored } = await open()
      await ida.post(PATH, [{ ...GOOD, action }])
      expect(await stored()).toEqual(only({ ...GOOD, action: action.toLowerCase() }))
    },
  )

  test.each([
    '2025-03-02T09:00:00',
    '2025-03-02T09:00:00Z',
    '2025-03-02T09:00:00.999999',
    '2025-03-02T09:00:00.000Z',
    '2025-03-02 09:00:00',
    '2025-03-02T11:00:00+02:00',
    '2025-03-02T03:30:00-0530',
    1_740_906_000,
    1_740_906_000.9,
    '1740906000',
    1_740_906_000_000,
    '1740906000999',
  ])('timestamp %j is 9 o’clock in UTC (D44)', async (timestamp) => {
    const { ida, stored } = await open()
    await ida.post(PATH, [{ ...GOOD, timestamp }])
    expect(await stored()).toEqual(only(GOOD))
  })

  test.each([undefined, null, '', '  '])('timestamp %j is the time of the server', async (timestamp) => {
    const { ida, stored } = await open()
    await ida.post(PATH, [{ ...GOOD, timestamp }])
    expect(await stored()).toEqual(only({ ...GOOD, timestamp: '2025-03-02T10:00:00' }))
  })

  test.each([
    ['all three', { started: 1, position: 2, total: 3 }, { started: 1, position: 2, total: 3 }],
    ['zeros', { started: 0, position: 0, total: 0 }, { started: 0, position: 0, total: 0 }],
    ['only a position', { position: 2 }, { position: 2 }],
    ['no position', { started: 1, total: 3 }, {}],
    ['position and total', { position: 2, total: 3 }, { position: 2, total: 3 }],
    ['-1 for unknown', { started: -1, position: 2, total: -1 }, { position: 2 }],
    ['-1 as the position', { started: 1, position: -1, total: 3 }, {}],
    ['nulls', { started: null, position: 2, total: null }, { position: 2 }],
    ['decimals', { started: 0.9, position: 2.5, total: 3.99 }, { started: 0, position: 2, total: 3 }],
    ['texts', { started: '1', position: '2.7', total: '' }, { started: 1, position: 2 }],
    [
      'clock times',
      { started: '00:01', position: '01:02:03', total: '90:00' },
      { started: 1, position: 3723, total: 5400 },
    ],
  ])('a play with %s', async (_, sent, known) => {
    const { ida, stored } = await open()
    expect(await ida.post(PATH, [{ ...GOOD, ...sent }])).toMatchObject({ status: 200 })
    expect(await stored()).toEqual(only({ ...GOOD, ...known }))
  })

  test.each(['download', 'delete', 'new', 'flattr'])('a %s has no numbers', async (action) => {
    const { ida, stored } = await open()
    await ida.post(PATH, [{ ...GOOD, action, started: 1, position: 2, total: 3 }])
    expect(await stored()).toEqual(only({ ...GOOD, action }))
  })

  test.each([
    ['unknown device', { device: '' }, {}],
    ['null device', { device: null }, {}],
    ['a device', { device: 'Häkchen.1' }, { device: 'Häkchen.1' }],
    ['a guid', { guid: 'tag:x,2025:/1?"<>' }, { guid: 'tag:x,2025:/1?"<>' }],
    ['a guid that is no text', { guid: 7 }, {}],
    ['an empty guid', { guid: '' }, {}],
  ])('%s', async (_, sent, known) => {
    const { ida, stored } = await open()
    await ida.post(PATH, [{ ...GOOD, ...sent }])
    expect(await stored()).toEqual(only({ ...GOOD, ...known }))
  })
})

const MALFORMED: readonly (readonly [string, unknown])[] = [
  ['a text', 'text'],
  ['null', null],
  ['a list', [GOOD]],
  ['no kind', { ...GOOD, action: undefined }],
  ['an unknown kind', { ...GOOD, action: 'skip' }],
  ['a kind that is a number', { ...GOOD, action: 1 }],
  ['a device with a space', { ...GOOD, device: 'my phone' }],
  ['a device of 65 characters', { ...GOOD, device: 'x'.repeat(65) }],
  ['a device that is a number', { ...GOOD, device: 5 }],
  ['a position that is a word', { ...GOOD, position: 'far' }],
  ['a position that is true', { ...GOOD, position: true }],
  ['a total that is an object', { ...GOOD, position: 1, total: {} }],
  ['a time that is a word', { ...GOOD, timestamp: 'yesterday' }],
  ['a day that does not exist', { ...GOOD, timestamp: '2025-02-30T00:00:00' }],
  ['a time before 1970 as a number', { ...GOOD, timestamp: -5 }],
  ['a time that is an object', { ...GOOD, timestamp: {} }],
]

describe('a malformed item', () => {
  test.each(MALFORMED)('%s is left out and named by its place; the rest is stored', async (_, bad) => {
    const { ida, stored } = await open()
    const second = { ...GOOD, episode: 'https://cdn.example/2' }
    const { status, json } = await ida.post(PATH, [GOOD, bad, second])
    expect(status).toBe(200)
    expect(json).toEqual({
      timestamp: 1740909601,
      update_urls: [],
      rejected: [{ index: 1, error: 'validation_failed', message: expect.stringMatching(/^.{3,200}$/) }],
    })
    expect(await stored()).toEqual(only(GOOD, second))
    expect((await ida.get('/api/2/devices/ida.json')).json).toEqual([])
  })

  test.each(MALFORMED)('%s alone is refused, and nothing is stored', async (_, bad) => {
    const { ida, stored } = await open()
    expect(await ida.post(PATH, [bad, bad])).toMatchObject({ status: 400, json: { error: 'validation_failed' } })
    expect(await stored()).toEqual({ actions: [], timestamp: 1 })
  })

  test('reports no rewritten URL', async () => {
    const { ida } = await open()
    const { json } = await ida.post(PATH, [GOOD, { ...GOOD, podcast: 'HTTP://X.example', action: 'skip' }])
    expect(json).toMatchObject({ update_urls: [] })
  })

  test('beyond the thousandth is counted but not named', async () => {
    const { ida, stored } = await open()
    const { status, json } = await ida.post(PATH, [...Array.from({ length: 1500 }, () => ({})), GOOD])
    expect(status).toBe(200)
    expect(Reflect.get(Object(json), 'rejected')).toHaveLength(1000)
    expect(await stored()).toEqual(only(GOOD))
  })
})
