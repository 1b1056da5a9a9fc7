import { expect, test } from 'bun:test'
import { A, B, DEVICES, EPISODES, openSync, timestampOf } from './scene.ts'

const ONE = {
  podcast: A,
  episode: 'https://cdn.example/1',
  guid: 'g-1',
  device: 'phone',
  action: 'play',
  timestamp: '2025-03-02T09:00:00',
  started: 0,
  position: 61,
  total: 1800,
}
/** As little as an action may have. */
const GOOD = { podcast: A, episode: 'https://cdn.example/2', action: 'download', timestamp: '2025-03-02T09:00:00' }

test.each([
  ['a list', [ONE, GOOD]],
  ['an object with the list (D48)', { actions: [ONE, GOOD] }],
  ['keys nobody knows', [ONE, { ...GOOD, user: 'bo', id: 7, nested: { a: [1] } }]],
])('an upload may be %s, and comes back as it was, with no key for what is not known', async (_, body) => {
  const { ida } = await openSync()
  const { status, json } = await ida.post(EPISODES, body)
  expect([status, json]).toEqual([200, { timestamp: 1740909601, update_urls: [] }])
  expect((await ida.get(EPISODES)).json).toEqual({ actions: [ONE, GOOD], timestamp: 1740909601 })
})

test.each([[[]], [{ actions: [] }]])('an upload of nothing (%j) is fine and does not tick', async (body) => {
  const { app, ida } = await openSync()
  const before = timestampOf(await ida.post(EPISODES, [GOOD]))
  app.clock.advance(1000)
  expect((await ida.post(EPISODES, body)).json).toEqual({ timestamp: before, update_urls: [] })
})

test('a large upload, which is read in parts, is stored as a small one: in order, once, and without what is malformed', async () => {
  const { ida } = await openSync()
  const items: Partial<typeof ONE>[] = Array.from({ length: 4000 }, (_, n) => ({
    ...ONE,
    guid: `g-${n}`,
    episode: `https://cdn.example/${n}`,
  }))
  const sent = items.with(1, { ...ONE, action: 'hum' }).with(3998, { ...ONE, device: 'a b' })
  const { status, json } = await ida.post(EPISODES, sent)
  const rejected = [1, 3998].map((index) => ({ index, error: 'validation_failed', message: expect.any(String) }))
  expect([status, json]).toEqual([200, { timestamp: 1740909601, update_urls: [], rejected }])
  const { actions } = (await ida.get(EPISODES)).json as { actions: unknown[] }
  expect(actions).toEqual(items.filter((_, n) => n !== 1 && n !== 3998))
})

test.each([
  ['an object', {}],
  ['an object without a list', { actions: { 0: GOOD } }],
])('an upload of %s is refused', async (_, body) => {
  const { ida, actions } = await openSync()
  expect(await ida.post(EPISODES, body)).toMatchObject({ status: 400, json: { error: 'validation_failed' } })
  expect(await actions()).toEqual([])
})

test('an upload leaves out and names malformed items, reports URLs, and is silent where there are none', async () => {
  const { ida, actions } = await openSync()
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
  expect((await ida.get(DEVICES)).json).toEqual([])
})

const item = (podcast: string, name: string, timestamp: number, rest: object = {}) => ({
  ...{ podcast, episode: `https://cdn.example/${name}`, action: 'play', timestamp },
  ...rest,
})

/** Four actions, and a hundred seconds later two more. */
async function open() {
  const { app, ida } = await openSync()
  await ida.post(EPISODES, [
    item(A, 'a1', 100, { device: 'phone' }),
    item(A, 'a2', 110, { device: 'desk' }),
    item(B, 'b1', 120, { device: 'phone' }),
    item(B, 'b2', 130),
  ])
  app.clock.advance(100)
  await ida.post(EPISODES, [
    item(A, 'a1', 115, { device: 'desk' }),
    item(B, 'b1', 120, { device: 'phone', action: 'delete' }),
  ])
  return ida
}
const a = `podcast=${encodeURIComponent(A)}`

// In the order of the actions' own time, and within one second in that of uploading.
const ALL = 'a1 a2 a1 b1 b1 b2'

test.each([
  ['', ALL],
  [a, 'a1 a2 a1'],
  ['device=phone', 'a1 b1 b1'],
  ['aggregated=true', 'a2 a1 b1 b2'],
  ['aggregated=TRUE', 'a2 a1 b1 b2'],
  // What a device did long ago but sends now is new.
  ['since=1740909601', 'a1 b1'],
  [`${a}&device=desk&since=1740909601&aggregated=true`, 'a1'],
  ['podcast=nonsense', ''],
  [`device=${'x'.repeat(65)}`, ''],
  ['limit=1&order=desc', ALL],
])('the list of episode actions ?%s has %j', async (query, expected) => {
  const ida = await open()
  const { status, text } = await ida.get(`${EPISODES}?${query}`)
  expect(status).toBe(200)
  expect([...text.matchAll(/"https:\/\/cdn\.example\/([^"]*)"/g)].map(([, name]) => name).join(' ')).toBe(expected)
})
