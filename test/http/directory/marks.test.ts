import { expect, test } from 'bun:test'
import { planMark } from '../../../src/domain/directory/marks.ts'
import type { Client } from '../../support/client.ts'
import { expectError } from '../error.ts'
import {
  ACTIONS,
  allOf,
  IN_PROGRESS,
  INBOX,
  LENGTH,
  MARK,
  media,
  open,
  pageIn,
  playedTo,
  titlesIn,
} from './inbox-scene.ts'
import { BOBS, episodeOf, openPrivateFeeds, SECRET } from './private-feeds-scene.ts'
import { urlOf } from './scene.ts'

const one = (name: string, n: number) => ({ podcast: urlOf(name), episode: media(name, n) })
const since = async (client: Client, timestamp = 0) => {
  const { json } = await client.get(`${ACTIONS}?since=${timestamp}`)
  return json as { actions: Record<string, unknown>[]; timestamp: number }
}

test('marking an episode as played reaches all apps; marking it again changes nothing', async () => {
  const { app, ida, mark } = await open({ a: 2 })
  const { timestamp } = await since(ida)
  app.clock.advance(5000)
  const marked = await mark({ as: 'played', episodes: [one('a', 0), one('a', 0)] })
  expect(marked.json).toEqual({
    ...{ status: 'ok', marked: 1, has_more: false, undo: expect.any(String), timestamp: expect.any(Number) },
  })
  const after = await since(ida, timestamp)
  expect(after.actions).toEqual([
    { ...one('a', 0), guid: 'a0', action: 'play', ...playedTo(LENGTH, '2025-03-02T11:23:20'), started: LENGTH },
  ])
  app.clock.advance(5000)
  const repeated = (await mark({ as: 'played', episodes: [one('a', 0)] })).json
  expect(repeated).toMatchObject({ marked: 0, undo: null, timestamp: after.timestamp })
  expect(await since(ida, after.timestamp)).toEqual({ actions: [], timestamp: after.timestamp })
  expect(pageIn(await ida.get(INBOX)).items.map(({ state }) => state)).toEqual(['new', 'played'])
  // Marks do not count as listening.
  expect((await ida.get('/api/2/me/listening')).json).toMatchObject({ minutes: 0 })
  expect((await mark({ as: 'played', episodes: [] })).json).toMatchObject({ marked: 0, has_more: false })
})

test('an episode is marked as new, or as in progress at a position', async () => {
  const { ida, tell, mark } = await open({ a: 3 })
  await tell('a', 0)
  const { timestamp } = await since(ida)
  const { json } = await mark({ as: 'new', episodes: [one('a', 0), one('a', 1), one('nowhere', 1)] })
  expect(json).toMatchObject({ marked: 1 })
  expect((await since(ida, timestamp)).actions).toMatchObject([{ ...one('a', 0), action: 'new' }])
  expect((await mark({ as: 'new', episodes: [one('a', 0)] })).json).toMatchObject({ marked: 0 })
  await mark({ as: 'played', episodes: [one('a', 0)] })
  const place = { ...one('a', 0), position: 600, total: LENGTH }
  for (const marked of [1, 0]) {
    expect((await mark({ as: 'in_progress', episodes: [place] })).json).toMatchObject({ marked })
    expect(pageIn(await ida.get(IN_PROGRESS)).items).toMatchObject([
      { episode: { url: media('a', 0) }, position: 600, total: LENGTH },
    ])
  }
  expect((await ida.get('/api/2/me/listening')).json).toMatchObject({ minutes: 10 })
})

test('marks win over earlier marks of the same second, and over actions of a fast clock', async () => {
  const { ida, tell, mark } = await open({ a: 1 })
  await tell('a', 0, playedTo(600, '2031-01-01T00:00:00'))
  for (const as of ['played', 'new', 'played', 'new', 'played'] as const) {
    expect((await mark({ as, episodes: [one('a', 0)] })).json).toMatchObject({ marked: 1 })
    expect(pageIn(await ida.get(INBOX)).items[0]?.state).toBe(as)
  }
  // Playing it again allows another mark.
  await tell('a', 0, playedTo(300, '2031-01-01T00:10:00'))
  expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual(['a 0'])
  expect((await mark({ as: 'played', episodes: [one('a', 0)] })).json).toMatchObject({ marked: 1 })
  expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual([])
})

test('a podcast is marked as played and as new, without episodes that its feed does not have', async () => {
  const { ida, tell, mark } = await open({ a: 4, b: 3 })
  await tell('a', 3, playedTo(LENGTH))
  await tell('a', 9)
  const whole = async (as: string, name: string) => (await mark({ as, podcast: urlOf(name) })).json
  expect(await whole('played', 'a')).toMatchObject({ marked: 3, has_more: false })
  expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual([media('a', 9)])
  expect(titlesIn(await ida.get(`${INBOX}?unplayed=true`))).toEqual(['b 2', 'b 1', 'b 0'])
  expect(await whole('played', 'a')).toMatchObject({ marked: 0 })
  expect(await whole('new', 'a')).toMatchObject({ marked: 4 })
  expect(await allOf(ida, `${INBOX}?unplayed=true`)).toHaveLength(7)
  // Two media URLs of one episode count once.
  for (const n of [0, 1]) await tell('b', n, { guid: 'fog' })
  expect(await whole('played', 'b')).toMatchObject({ marked: 2 })
})

test('a mark has the known length, or one second', () => {
  const episode = { podcast: 'p', episode: 'e', length: undefined, action: undefined }
  expect(planMark('played', episode, 10)).toMatchObject({ started: 1, position: 1, total: 1, at: 10 })
  expect(planMark('played', { ...episode, length: 50 }, 10)).toMatchObject({ started: 50, position: 50, total: 50 })
  expect(planMark('in_progress', { ...episode, length: 50 }, 10, { position: 9 })?.total).toBe(50)
  expect(planMark('in_progress', { ...episode, length: 50 }, 10, { position: 9, total: 60 })?.total).toBe(60)
  expect(planMark('in_progress', episode, 10, { position: 90 })).toMatchObject({ position: 90, total: 91 })
})

test.each([
  ['nothing', undefined, 'new'],
  ['a download', { kind: 'download' }, 'new'],
  ['an action new', { kind: 'new' }, 'new'],
  ['a play at the start', { position: 0, total: 9 }, 'new'],
  ['zero of zero', { started: 0, position: 0, total: 0 }, 'new'],
  ['a play in the middle', { position: 3, total: 9 }, 'in_progress'],
  ['a play without a length', { position: 3 }, 'in_progress'],
  ['a play at the end', { position: 9, total: 9 }, 'played'],
  ['a play after the end', { position: 10, total: 9 }, 'played'],
  ['a play without a position', {}, 'played'],
] as const)('after %s, a mark is stored unless it repeats the state', (_case, fields, state) => {
  const action = fields && ({ podcast: 'p', episode: 'e', kind: 'play', at: 5, ...fields } as const)
  for (const as of ['new', 'in_progress', 'played'] as const) {
    const mark = planMark(as, { podcast: 'p', episode: 'e', length: 9, action }, 10, { position: 3 })
    expect([as, mark === undefined]).toEqual([as, as === state])
  }
})

test('the length is the last one reported in 50 actions, else that of the feed', async () => {
  const { ida, tell, mark } = await open({ a: 4 })
  for (const total of [500, 600]) await tell('a', 0, { position: 300, total })
  await tell('nowhere', 0, { position: 300, total: 700, guid: 'fog' })
  await tell('nowhere', 1, { position: 20, total: undefined, guid: 'fog', timestamp: '2025-03-02T09:00:00' })
  const episodes = [one('a', 0), one('a', 1), one('nowhere', 1), one('nowhere', 2)]
  for (const as of ['new', 'played', 'new']) await mark({ as, episodes })
  const { timestamp } = await since(ida)
  expect((await mark({ as: 'played', episodes })).json).toMatchObject({ marked: 4 })
  const totals = (await since(ida, timestamp)).actions.map(({ total }) => total)
  expect(new Set(totals)).toEqual(new Set([1, 600, 700, LENGTH]))

  for (const episode of [2, 3]) {
    await tell('a', episode, { position: 300, total: 600 })
    for (let n = 8; n < 55 + episode; n++)
      await tell('a', episode, { action: 'download', timestamp: `2025-03-02T09:00:${String(n).padStart(2, '0')}` })
  }
  const before = await since(ida)
  await mark({ as: 'played', episodes: [one('a', 2), one('a', 3)] })
  const { actions } = await since(ida, before.timestamp)
  expect(actions.map(({ total }) => total)).toEqual([600, LENGTH])
})

test('an episode named by several media URLs is marked once', async () => {
  const { ida, tell, mark } = await open({ a: 3 })
  for (const n of [0, 1]) await tell('nowhere', n, { guid: 'fog' })
  await tell('a', 9, { guid: 'a1' })
  const named = [one('nowhere', 0), one('nowhere', 1), one('a', 1), one('a', 9), one('a', 2), one('a', 2)]
  for (const as of ['played', 'new', 'played'] as const)
    expect((await mark({ as, episodes: named })).json).toMatchObject({ marked: 3 })
  const places = [one('nowhere', 0), one('nowhere', 1)].map((each, n) => ({ ...each, position: 30 + n }))
  expect((await mark({ as: 'in_progress', episodes: places })).json).toMatchObject({ marked: 1 })
  expect(pageIn(await ida.get(IN_PROGRESS)).items.map(({ position }) => position)).toEqual([30])
})

test('episodes that share a media URL are marked by guid', async () => {
  const { ida, tell, mark } = await open({ a: 1 })
  await tell('nowhere', 0, { guid: 'monday', position: 100 })
  await tell('nowhere', 0, { guid: 'tuesday', position: 200 })
  const days = ['monday', 'tuesday'].map((guid) => ({ ...one('nowhere', 0), guid }))
  for (const as of ['played', 'new', 'played'] as const) {
    const { timestamp } = await since(ida)
    expect((await mark({ as, episodes: [...days, ...days] })).json).toMatchObject({ marked: 2 })
    expect((await since(ida, timestamp)).actions).toMatchObject(days)
  }
  const back = days.slice(0, 1).map((day) => ({ ...day, position: 60 }))
  expect((await mark({ as: 'in_progress', episodes: back })).json).toMatchObject({ marked: 1 })
  expect(pageIn(await ida.get(IN_PROGRESS)).items).toMatchObject([{ episode: { guid: 'monday' }, position: 60 }])
})

test('the length in a private feed is known to its subscribers only', async () => {
  const { bob } = await openPrivateFeeds([SECRET[0], BOBS])
  await bob.post(MARK, { as: 'played', episodes: [{ podcast: SECRET[0], episode: episodeOf(SECRET[0]) }] })
  expect((await bob.get('/api/2/episodes/bob.json')).json).toMatchObject({ actions: [{ total: 1 }] })
})

test('invalid marks are refused and store nothing', async () => {
  const { ida, mark } = await open({ a: 1 })
  const podcast = urlOf('a')
  const many = Array.from({ length: 1001 }, (_, n) => one('a', n))
  const seconds = [0, 1.5, 2 ** 53, 1e300].flatMap((n) => [{ position: n }, { position: 1, total: n }])
  for (const [body, field] of [
    [{ as: 'played' }, 'episodes'],
    [{ as: 'played', podcast, episodes: [] }, 'episodes'],
    [{ as: 'in_progress', episodes: [one('a', 0)] }, 'episodes'],
    [{ as: 'in_progress', podcast }, 'episodes'],
    [{ as: 'heard', podcast }, 'as'],
    [{ podcast }, 'as'],
    [{ as: 'played', episodes: many }, 'episodes'],
    [{ as: 'new', episodes: [{ podcast, episode: 'x' }] }, 'episodes'],
    [{ as: 'new', episodes: [{ podcast }] }, 'episodes'],
    ...seconds.map((place) => [{ as: 'in_progress', episodes: [{ ...one('a', 0), ...place }] }, 'episodes'] as const),
  ] as const)
    expectError(await mark(body), 400, 'validation_failed', field)
  for (const unknown of [urlOf('z'), ''])
    expectError(await mark({ as: 'played', podcast: unknown }), 404, 'unknown_podcast')
  expect((await since(ida)).actions).toEqual([])
})
