import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Client, signUp } from '../support/client.ts'
import { timestampOf } from './timestamp.ts'

const PATH = '/api/2/episodes/ida.json'

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'

const item = (podcast: string, episode: string, rest: object = {}) => ({
  podcast,
  episode: `https://cdn.example/${episode}`,
  action: 'play',
  timestamp: '2025-03-02T09:00:00',
  ...rest,
})

async function open() {
  const app = startTestApp()
  return { app, ida: await signUp(app) }
}

/** The episodes of an answer, by the last part of their URLs, in its order. */
async function episodes(client: Client, query = ''): Promise<string> {
  const { status, text } = await client.get(`${PATH}${query}`)
  expect(status).toBe(200)
  return [...text.matchAll(/"https:\/\/cdn\.example\/([^"]*)"/g)].map(([, name]) => name).join(' ')
}

describe('the list of episode actions', () => {
  test('is exactly the documented object, with what is known and no key for what is not', async () => {
    const { ida } = await open()
    const full = item(A, '1', { guid: 'g-1', device: 'phone', started: 0, position: 61, total: 1800 })
    await ida.post(PATH, [full, item(A, '2', { action: 'download' })])
    expect((await ida.get(PATH)).json).toEqual({
      actions: [full, item(A, '2', { action: 'download' })],
      timestamp: 1740909601,
    })
  })

  test('is in the order of the actions, and within one second in the order of uploading', async () => {
    const { app, ida } = await open()
    await ida.post(PATH, [item(A, '4', { timestamp: 300 }), item(A, '2', { timestamp: 200 })])
    app.clock.advance(10)
    await ida.post(PATH, [item(A, '3', { timestamp: 200 }), item(A, '1', { timestamp: 100 })])
    expect(await episodes(ida)).toBe('1 2 3 4')
  })

  test('since is about uploading: what a device did long ago but sends now is new', async () => {
    const { ida } = await open()
    await ida.post(PATH, [item(A, 'now')])
    const since = timestampOf(await ida.get(PATH))
    await ida.post(PATH, [item(A, 'old', { timestamp: '1999-12-31T23:59:59' })])
    expect(await episodes(ida, `?since=${since}`)).toBe('old')
  })
})

describe('filters', () => {
  async function filled() {
    const { app, ida } = await open()
    await ida.post(PATH, [
      item(A, 'a1', { device: 'phone', timestamp: 100 }),
      item(A, 'a2', { device: 'desk', timestamp: 110 }),
      item(B, 'b1', { device: 'phone', timestamp: 120 }),
      item(B, 'b2', { timestamp: 130 }),
    ])
    app.clock.advance(100)
    await ida.post(PATH, [
      item(A, 'a1', { device: 'desk', timestamp: 140 }),
      item(B, 'b1', { device: 'phone', timestamp: 150, action: 'delete' }),
    ])
    return ida
  }
  const a = `podcast=${encodeURIComponent(A)}`

  test.each([
    ['', 'a1 a2 b1 b2 a1 b1'],
    ['since=', 'a1 a2 b1 b2 a1 b1'],
    ['podcast=&device=&aggregated=', 'a1 a2 b1 b2 a1 b1'],
    [a, 'a1 a2 a1'],
    ['device=phone', 'a1 b1 b1'],
    ['device=Phone', ''],
    ['aggregated=true', 'a2 b2 a1 b1'],
    ['aggregated=TRUE', 'a2 b2 a1 b1'],
    ['aggregated=1', 'a1 a2 b1 b2 a1 b1'],
    ['aggregated=false', 'a1 a2 b1 b2 a1 b1'],
    ['since=1740909601', 'a1 b1'],
    ['since=1740909700', 'a1 b1'],
    ['since=1740909701', ''],
    [`${a}&device=phone`, 'a1'],
    [`${a}&device=desk&aggregated=true`, 'a2 a1'],
    ['device=phone&aggregated=true', 'a1 b1'],
    [`${a}&since=1740909601`, 'a1'],
    ['since=1740909601&device=phone', 'b1'],
    ['since=1740909601&aggregated=true', 'a1 b1'],
    [`${a}&device=desk&since=1740909601&aggregated=true`, 'a1'],
    ['podcast=https%3A%2F%2Fnowhere.example%2F', ''],
    ['podcast=nonsense', ''],
    ['device=nobody', ''],
    [`device=${'x'.repeat(65)}`, ''],
    ['device=a%20b', ''],
    ['limit=1&order=desc', 'a1 a2 b1 b2 a1 b1'],
  ])('?%s gives %j', async (query, expected) => {
    const ida = await filled()
    expect(await episodes(ida, `?${query}`)).toBe(expected)
  })
})

describe('aggregated (D45)', () => {
  test.each([
    [
      'by time of the action, not of uploading',
      [
        { timestamp: 200, position: 2 },
        { timestamp: 100, position: 1 },
      ],
      2,
    ],
    [
      'the last uploaded of one second',
      [
        { timestamp: 100, position: 5 },
        { timestamp: 100, position: 3 },
      ],
      3,
    ],
    [
      'whatever its kind',
      [
        { timestamp: 200, action: 'new' },
        { timestamp: 100, position: 1 },
      ],
      undefined,
    ],
  ])('keeps the latest action of an episode %s', async (_, changes, position) => {
    const { ida } = await open()
    await ida.post(
      PATH,
      changes.map((change) => item(A, '1', change)),
    )
    const { json } = await ida.get(`${PATH}?aggregated=true`)
    const kept = position === undefined ? { action: 'new' } : { action: 'play', position }
    expect(json).toEqual({ actions: [expect.objectContaining(kept)], timestamp: expect.any(Number) })
  })
})
