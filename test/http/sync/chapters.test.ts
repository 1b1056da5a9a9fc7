import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import type { TestAppOptions } from '../../support/app.ts'
import { signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'
import { A, B, EPISODES, openSync, timestampOf } from './scene.ts'

const PATH = '/api/2/chapters/ida.json'
const FOG = 'https://cdn.example/fog.mp3'

const chapter = (start: number, end = start + 10, fields: object = {}) => ({
  ...{ start, end, label: '', advertisement: false },
  ...fields,
})

const MANY = Array.from({ length: 501 }, (_, n) => chapter(n))

async function open(options: TestAppOptions = {}) {
  const scene = await openSync(options)
  const { ida } = scene
  const list = (query: Record<string, string> = {}) =>
    ida.get(`${PATH}?${new URLSearchParams({ podcast: A, episode: FOG, ...query })}`)
  return {
    ...scene,
    list,
    chapters: async (query?: Record<string, string>) => Reflect.get(Object((await list(query)).json), 'chapters'),
    upload: (body: object, options?: { headers: Record<string, string> }) =>
      ida.post(PATH, { podcast: A, episode: FOG, ...body }, options),
  }
}

test('chapters are added, changed by their times, removed, and listed in order (D88)', async () => {
  const { chapters, upload } = await open()
  expect(await chapters()).toEqual([])
  const good = chapter(10, 20, { label: 'the good bit' })
  await upload({ chapters_add: [{ start: 30, end: 45 }, good, { start: 10, end: 15 }] })
  expect(await chapters()).toEqual([chapter(10, 15), good, chapter(30, 45)])
  await upload({
    chapters_add: [{ start: 30, end: 45, advertisement: true }],
    chapters_remove: [{ start: 10, end: 15 }],
  })
  expect(await chapters()).toEqual([good, chapter(30, 45, { advertisement: true })])
  // What is in both is there afterwards, and what is not there is removed without harm.
  await upload({ chapters_add: [good], chapters_remove: [good, { start: 7, end: 8 }] })
  expect(await chapters()).toEqual([good, chapter(30, 45, { advertisement: true })])
})

test('chapters are of one user, one podcast and one media file, however their addresses are spelt', async () => {
  const { app, chapters, upload } = await open()
  const ole = await signUp(app, 'ole')
  await ole.post(PATH.replace('ida', 'ole'), { podcast: A, episode: FOG, chapters_add: [chapter(1)] })
  const spelt = ['feed://Feeds.example/a', ` ${FOG}`] as const
  const { json } = await upload({ podcast: spelt[0], episode: spelt[1], chapters_add: [chapter(2)] })
  expect(json).toMatchObject({
    update_urls: [
      [spelt[0], 'http://feeds.example/a'],
      [spelt[1], FOG],
    ],
  })
  await upload({ podcast: B, chapters_add: [chapter(3)] })
  await upload({ chapters_add: [chapter(4)] })
  expect(await chapters({ podcast: 'http://FEEDS.example/a' })).toEqual([chapter(2)])
  expect(await chapters({ podcast: B })).toEqual([chapter(3)])
  expect(await chapters()).toEqual([chapter(4)])
  expect(await chapters({ episode: `${FOG}?x` })).toEqual([])
})

test('chapters are of an episode, whichever media URL it goes by (D84)', async () => {
  const { ida, chapters, upload } = await open()
  const NEW = `${FOG}?new`
  await upload({ chapters_add: [chapter(1), chapter(2)] })
  expect(await chapters({ episode: NEW })).toEqual([])
  const plays = [FOG, NEW].map((episode) => ({ podcast: A, episode, guid: 'fog', action: 'play', position: 1 }))
  await ida.post(EPISODES, plays)
  expect(await chapters({ episode: NEW })).toEqual([chapter(1), chapter(2)])
  const named = chapter(1, 11, { label: 'later' })
  const before = timestampOf(await upload({ episode: NEW, chapters_add: [chapter(2)] }))
  expect(
    timestampOf(await upload({ episode: NEW, chapters_add: [named], chapters_remove: [chapter(2)] })),
  ).toBeGreaterThan(before)
  for (const episode of [FOG, NEW]) expect(await chapters({ episode })).toEqual([named])
  await upload({ chapters_add: [chapter(1)] })
  for (const episode of [FOG, NEW]) expect(await chapters({ episode })).toEqual([chapter(1)])
  await upload({ episode: NEW, chapters_remove: [chapter(1)] })
  for (const episode of [FOG, NEW]) expect(await chapters({ episode })).toEqual([])
})

test('a repeat changes nothing; chapters since a timestamp are those changed after it', async () => {
  const { app, list, chapters, upload } = await open()
  const first = timestampOf(await upload({ chapters_add: [chapter(1), chapter(2)] }))
  expect(await chapters({ since: String(first) })).toEqual([])
  app.clock.advance(60)
  const before = await stored(app)
  expect(timestampOf(await upload({ chapters_add: [chapter(1)], chapters_remove: [chapter(9)] }))).toBe(first)
  expect(timestampOf(await list())).toBe(first)
  expect(await stored(app)).toBe(before)
  const named = chapter(2, 12, { label: 'again' })
  expect(timestampOf(await upload({ chapters_add: [named] }))).toBeGreaterThan(first)
  expect(await chapters({ since: String(first) })).toEqual([named])
})

test('an upload hides no chapters that another client added since the last fetch (D14b)', async () => {
  const { chapters, list, upload } = await open()
  const seen = timestampOf(await list())
  await upload({ chapters_add: [chapter(1)] }, { headers: { 'user-agent': 'another' } })
  expect(timestampOf(await upload({ chapters_add: [chapter(2)] }))).toBe(seen)
  expect(await chapters({ since: String(seen) })).toEqual([chapter(1), chapter(2)])
})

test('null counts as missing, and is dropped from lists', async () => {
  const { chapters, upload } = await open()
  await upload({ chapters_add: [null, { start: 1, end: 2, label: null, advertisement: null }], chapters_remove: null })
  expect(await upload({ device: null, chapters_add: null, chapters_remove: [null] })).toMatchObject({ status: 200 })
  expect(await chapters()).toEqual([{ start: 1, end: 2, label: '', advertisement: false }])
})

test.each([
  ['a podcast that is no URL', { podcast: 'gopher://x.example/' }, 'podcast'],
  ['a blank episode', { episode: ' ' }, 'episode'],
  ['an invalid device ID', { device: 'a b' }, 'device'],
  ['a negative start', { chapters_add: [chapter(-1, 5)] }, 'chapters_add'],
  ['half a second', { chapters_add: [chapter(1.5, 5)] }, 'chapters_add'],
  ['seconds as text', { chapters_add: [{ start: 'x', end: 5 }] }, 'chapters_add'],
  ['too many seconds', { chapters_add: [chapter(1, 1e300)] }, 'chapters_add'],
  ['an end before the start', { chapters_add: [chapter(1), chapter(5, 4)] }, 'chapters_add'],
  ['an end before the start in a removal', { chapters_remove: [chapter(5, 4)] }, 'chapters_remove'],
  ['a removal without an end', { chapters_remove: [{ start: 5 }] }, 'chapters_remove'],
  ['a label that is no text', { chapters_add: [chapter(1, 2, { label: 7 })] }, 'chapters_add'],
  ['a label that is too long', { chapters_add: [chapter(1, 2, { label: 'x'.repeat(501) })] }, 'chapters_add'],
  ['too many at once', { chapters_add: MANY }, 'chapters_add'],
  ['too many removals', { chapters_remove: MANY }, 'chapters_remove'],
])('chapters with %s are refused, and nothing is changed', async (_what, body, field) => {
  const { app, upload } = await open()
  await upload({ chapters_add: [chapter(1)] })
  const before = await stored(app)
  expectError(await upload({ device: 'new', chapters_add: [chapter(2)], ...body }), 400, 'validation_failed', field)
  expect(await stored(app)).toBe(before)
})

test.each([
  ['podcast', 'word'],
  ['episode', ''],
  ['since', '-1'],
])('the list of chapters needs a good %s', async (field, value) => {
  const { list } = await open()
  expectError(await list({ [field]: value }), 400, 'validation_failed', field)
})

test('an episode holds 500 chapters with labels of 500 characters, and not one more', async () => {
  const { app, chapters, upload } = await open()
  const label = '🎧'.repeat(250)
  const many = MANY.slice(1).map(({ start }) => chapter(start, start, { label }))
  expect((await upload({ chapters_add: many })).status).toBe(200)
  const before = await stored(app)
  expectError(await upload({ device: 'new', chapters_add: [chapter(501)] }), 409, 'quota_exceeded')
  expect(await stored(app)).toBe(before)
  expect((await upload({ chapters_add: [chapter(501)], chapters_remove: [chapter(1, 1)] })).status).toBe(200)
  expect((await upload({ episode: `${FOG}?2`, chapters_add: [chapter(501)] })).status).toBe(200)
  expect(await chapters()).toHaveLength(500)
})

test('an account holds 50,000 chapters', async () => {
  const { app, upload } = await open({ db: openMemoryDatabase() })
  app.db.run(
    `INSERT INTO chapters SELECT 1, 'https://x.example/ https://x.example/' || (value / 500), value % 500, 900, 'x', 0, 1
       FROM json_each(?)`,
    [JSON.stringify(Array.from({ length: 49_999 }, (_, n) => n))],
  )
  expect((await upload({ chapters_add: [chapter(1)] })).status).toBe(200)
  expectError(await upload({ chapters_add: [chapter(2)] }), 409, 'quota_exceeded')
  expect((await upload({ chapters_add: [chapter(2)], chapters_remove: [chapter(1)] })).status).toBe(200)
})
