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

test('chapters are added, replaced by their times, removed, and listed in order (D88)', async () => {
  const { chapters, upload } = await open()
  expect(await chapters()).toEqual([])
  const good = chapter(10, 20, { label: 'the good bit' })
  await upload({ chapters_add: [{ start: 30, end: 45 }, good, { start: 10, end: 15 }] })
  expect(await chapters()).toEqual([chapter(10, 15), good, chapter(30, 45)])
  const ad = { start: 30, end: 45, advertisement: true }
  await upload({ chapters_add: [ad], chapters_remove: [{ start: 10, end: 15 }] })
  const left = [good, chapter(30, 45, { advertisement: true })]
  expect(await chapters()).toEqual(left)
  // A chapter in both lists is kept; removing an unknown one does no harm.
  await upload({ chapters_add: [good], chapters_remove: [good, { start: 7, end: 8 }] })
  expect(await chapters()).toEqual(left)
})

test('chapters belong to one user, podcast and media URL, after normalization', async () => {
  const { app, chapters, upload } = await open()
  const ole = await signUp(app, 'ole')
  await ole.post(PATH.replace('ida', 'ole'), { podcast: A, episode: FOG, chapters_add: [chapter(1)] })
  const [podcast, episode] = ['feed://Feeds.example/a', ` ${FOG}`]
  const { json } = await upload({ podcast, episode, chapters_add: [chapter(2)] })
  const update_urls = [
    [podcast, 'http://feeds.example/a'],
    [episode, FOG],
  ]
  expect(json).toMatchObject({ update_urls })
  await upload({ podcast: B, chapters_add: [chapter(3)] })
  await upload({ chapters_add: [chapter(4)] })
  expect(await chapters({ podcast: 'http://FEEDS.example/a' })).toEqual([chapter(2)])
  expect(await chapters({ podcast: B })).toEqual([chapter(3)])
  expect(await chapters()).toEqual([chapter(4)])
  expect(await chapters({ episode: `${FOG}?x` })).toEqual([])
})

test('all media URLs of an episode share its chapters (D84)', async () => {
  const { ida, chapters, upload } = await open()
  const NEW = `${FOG}?new`
  await upload({ chapters_add: [chapter(1), chapter(2)] })
  expect(await chapters({ episode: NEW })).toEqual([])
  const plays = [FOG, NEW].map((episode) => ({ podcast: A, episode, guid: 'fog', action: 'play', position: 1 }))
  await ida.post(EPISODES, plays)
  expect(await chapters({ episode: NEW })).toEqual([chapter(1), chapter(2)])
  const named = chapter(1, 11, { label: 'later' })
  const before = timestampOf(await upload({ episode: NEW, chapters_add: [chapter(2)] }))
  const changed = await upload({ episode: NEW, chapters_add: [named], chapters_remove: [chapter(2)] })
  expect(timestampOf(changed)).toBeGreaterThan(before)
  for (const episode of [FOG, NEW]) expect(await chapters({ episode })).toEqual([named])
  await upload({ chapters_add: [chapter(1)] })
  for (const episode of [FOG, NEW]) expect(await chapters({ episode })).toEqual([chapter(1)])
  await upload({ episode: NEW, chapters_remove: [chapter(1)] })
  for (const episode of [FOG, NEW]) expect(await chapters({ episode })).toEqual([])
})

test('a repeated upload changes nothing; since lists only later changes', async () => {
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

test('an upload does not hide chapters that another client added since the last fetch (D14b)', async () => {
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
  expect(await chapters()).toEqual([chapter(1, 2)])
})

test.each([
  ['an invalid podcast URL', { podcast: 'gopher://x.example/' }, 'podcast'],
  ['a blank episode', { episode: ' ' }, 'episode'],
  ['an invalid device ID', { device: 'a b' }, 'device'],
  ['a negative start', { chapters_add: [chapter(-1, 5)] }, 'chapters_add'],
  ['a fraction of a second', { chapters_add: [chapter(1.5, 5)] }, 'chapters_add'],
  ['a start that is not a number', { chapters_add: [{ start: 'x', end: 5 }] }, 'chapters_add'],
  ['a huge end', { chapters_add: [chapter(1, 1e300)] }, 'chapters_add'],
  ['an end before the start', { chapters_add: [chapter(1), chapter(5, 4)] }, 'chapters_add'],
  ['an end before the start in a removal', { chapters_remove: [chapter(5, 4)] }, 'chapters_remove'],
  ['a removal without an end', { chapters_remove: [{ start: 5 }] }, 'chapters_remove'],
  ['a label that is not a string', { chapters_add: [chapter(1, 2, { label: 7 })] }, 'chapters_add'],
  ['a label of 501 characters', { chapters_add: [chapter(1, 2, { label: 'x'.repeat(501) })] }, 'chapters_add'],
  ['501 additions', { chapters_add: MANY }, 'chapters_add'],
  ['501 removals', { chapters_remove: MANY }, 'chapters_remove'],
])('an upload with %s is refused and changes nothing', async (_what, body, field) => {
  const { app, upload } = await open()
  await upload({ chapters_add: [chapter(1)] })
  const before = await stored(app)
  expectError(await upload({ device: 'new', chapters_add: [chapter(2)], ...body }), 400, 'validation_failed', field)
  expect(await stored(app)).toBe(before)
})

test('a list of chapters requires a valid podcast, episode and since', async () => {
  const { list } = await open()
  for (const [field, value] of Object.entries({ podcast: 'word', episode: '', since: '-1' }))
    expectError(await list({ [field]: value }), 400, 'validation_failed', field)
})

test('an episode holds at most 500 chapters with labels of 500 characters', async () => {
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

test('an account holds at most 50,000 chapters', async () => {
  const { app, upload } = await open({ db: openMemoryDatabase() })
  app.db.run(
    `INSERT INTO chapters SELECT 1, 'https://x.example/ https://x.example/' || (value / 500), value % 500, 900, 'x', 0, 1
       FROM json_each(?)`,
    [JSON.stringify([...Array(49_999).keys()])],
  )
  expect((await upload({ chapters_add: [chapter(1)] })).status).toBe(200)
  expectError(await upload({ chapters_add: [chapter(2)] }), 409, 'quota_exceeded')
  expect((await upload({ chapters_add: [chapter(2)], chapters_remove: [chapter(1)] })).status).toBe(200)
})
