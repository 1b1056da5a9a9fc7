import { expect, test } from 'bun:test'
import { A, B, EPISODES, openSync, timestampOf } from './scene.ts'

/** An action with the fewest possible keys. */
const GOOD = { podcast: A, episode: 'https://cdn.example/2', action: 'download', timestamp: '2025-03-02T09:00:00' }
const ONE = {
  ...{ ...GOOD, episode: 'https://cdn.example/1', guid: 'g-1', device: 'phone', action: 'play' },
  ...{ started: 0, position: 61, total: 1800 },
}

test.each([
  ['a list', [ONE, GOOD]],
  ['an object with the list (D48)', { actions: [ONE, GOOD] }],
  ['a list with unknown keys', [ONE, { ...GOOD, user: 'bo', id: 7, nested: { a: [1] } }]],
])('an upload may be %s, and comes back without keys for unknown values', async (_, body) => {
  const { ida } = await openSync()
  const { status, json } = await ida.post(EPISODES, body)
  expect([status, json]).toEqual([200, { timestamp: 1740909601, update_urls: [] }])
  expect((await ida.get(EPISODES)).json).toEqual({ actions: [ONE, GOOD], timestamp: 1740909601 })
})

test('an empty upload is accepted and does not move the clock', async () => {
  const { app, ida } = await openSync()
  const timestamp = timestampOf(await ida.post(EPISODES, [GOOD]))
  app.clock.advance(1000)
  for (const body of [[], { actions: [] }])
    expect((await ida.post(EPISODES, body)).json).toEqual({ timestamp, update_urls: [] })
})

test('a large upload, which is read in parts, is stored in order, once, and without malformed items', async () => {
  const { ida } = await openSync()
  const items = [...Array(4000).keys()].map((n) => ({ ...ONE, guid: `g-${n}`, episode: `https://cdn.example/${n}` }))
  const sent = items.with(1, { ...ONE, action: 'hum' }).with(3998, { ...ONE, device: 'a b' })
  const { status, json } = await ida.post(EPISODES, sent)
  const rejected = [1, 3998].map((index) => ({ index, error: 'validation_failed', message: expect.any(String) }))
  expect([status, json]).toEqual([200, { timestamp: 1740909601, update_urls: [], rejected }])
  const { actions } = (await ida.get(EPISODES)).json as { actions: unknown[] }
  expect(actions).toEqual(items.filter((_, n) => n !== 1 && n !== 3998))
})

test('an upload reports malformed items and rewritten URLs, and silently drops items without an episode', async () => {
  const { ida, actions, devices } = await openSync()
  const { json } = await ida.post(EPISODES, [
    GOOD,
    { ...GOOD, action: 'skip' },
    { ...GOOD, podcast: ' HTTP://Feeds.example ' },
    { ...GOOD, episode: 'antennapod_local:content://1' },
    { ...GOOD, podcast: ' ', episode: null },
  ])
  expect(json).toEqual({
    timestamp: 1740909601,
    update_urls: [
      [' HTTP://Feeds.example ', 'http://feeds.example/'],
      ['antennapod_local:content://1', ''],
    ],
    rejected: [{ index: 1, error: 'validation_failed', message: expect.stringMatching(/^.{3,200}$/) }],
  })
  expect(await actions()).toEqual([GOOD, { ...GOOD, podcast: 'http://feeds.example/' }])
  expect(await devices()).toEqual([])
})

const item = (podcast: string, name: string, timestamp: number, device: string, action = 'play') => ({
  ...{ podcast, episode: `https://cdn.example/${name}`, action, timestamp, device },
})

test.each([
  // By the time of the action, then in order of upload.
  ['', 'a1 a2 a1 b1 b1 b2'],
  ['device=phone', 'a1 b1 b1'],
  ['aggregated=TRUE', 'a2 a1 b1 b2'],
  // An old action that is uploaded late is new.
  ['since=1740909601', 'a1 b1'],
  [`podcast=${encodeURIComponent(A)}&device=desk&since=1740909601&aggregated=true`, 'a1'],
  ['podcast=nonsense', ''],
  [`device=${'x'.repeat(65)}`, ''],
  ['limit=1&order=desc', 'a1 a2 a1 b1 b1 b2'],
])('the episode actions of ?%s are %j', async (query, expected) => {
  const { app, ida } = await openSync()
  const first = [item(A, 'a2', 110, 'desk'), item(B, 'b1', 120, 'phone'), item(B, 'b2', 130, '')]
  await ida.post(EPISODES, [item(A, 'a1', 100, 'phone'), ...first])
  app.clock.advance(100)
  await ida.post(EPISODES, [item(A, 'a1', 115, 'desk'), item(B, 'b1', 120, 'phone', 'delete')])
  const { status, text } = await ida.get(`${EPISODES}?${query}`)
  expect(status).toBe(200)
  expect([...text.matchAll(/"https:\/\/cdn\.example\/([^"]*)"/g)].map(([, name]) => name).join(' ')).toBe(expected)
})
