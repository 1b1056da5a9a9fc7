import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
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
})
