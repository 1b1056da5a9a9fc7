import { describe, expect, test } from 'bun:test'
import { planMark } from '../../../src/domain/directory/marks.ts'
import { basic, type Client, clientOf, signIn } from '../../support/client.ts'
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
  UNPLAYED,
} from './inbox-scene.ts'
import { BOBS, episodeOf, openPrivateFeeds, SECRET } from './private-feeds-scene.ts'
import { urlOf } from './scene.ts'

describe('marks', () => {
  const one = (name: string, n: number) => ({ podcast: urlOf(name), episode: media(name, n) })
  const since = async (client: Client, timestamp = 0) => {
    const { json } = await client.get(`${ACTIONS}?since=${timestamp}`)
    return json as { actions: Record<string, unknown>[]; timestamp: number }
  }

  test('an episode that is marked as played is so for all apps, and marking it again changes nothing', async () => {
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
    expect((await mark({ as: 'played', episodes: [one('a', 0)] })).json).toMatchObject({
      ...{ marked: 0, undo: null, timestamp: after.timestamp },
    })
    expect(await since(ida, after.timestamp)).toEqual({ actions: [], timestamp: after.timestamp })
    expect(pageIn(await ida.get(INBOX)).items.map(({ state }) => state)).toEqual(['new', 'played'])
    // A mark says nothing of listening.
    expect((await ida.get('/api/2/me/listening')).json).toMatchObject({ minutes: 0 })
  })

  test('an episode that is marked as new is so for all apps, and only where it was not', async () => {
    const { ida, tell, mark } = await open({ a: 3 })
    await tell('a', 0)
    const { timestamp } = await since(ida)
    const { json } = await mark({ as: 'new', episodes: [one('a', 0), one('a', 1), one('nowhere', 1)] })
    expect(json).toMatchObject({ marked: 1 })
    expect((await since(ida, timestamp)).actions).toMatchObject([{ ...one('a', 0), action: 'new' }])
    expect((await mark({ as: 'new', episodes: [one('a', 0)] })).json).toMatchObject({ marked: 0 })
  })

  test('an episode that was marked by mistake is in progress again where it was', async () => {
    const { ida, tell, mark } = await open({ a: 2 })
    await tell('a', 0)
    await mark({ as: 'played', episodes: [one('a', 0)] })
    const place = { ...one('a', 0), position: 600, total: LENGTH }
    expect((await mark({ as: 'in_progress', episodes: [place] })).json).toMatchObject({ marked: 1 })
    expect(pageIn(await ida.get(IN_PROGRESS)).items).toMatchObject([
      { episode: { url: media('a', 0) }, position: 600, total: LENGTH },
    ])
    expect((await mark({ as: 'in_progress', episodes: [place] })).json).toMatchObject({ marked: 0 })
    expect((await ida.get('/api/2/me/listening')).json).toMatchObject({ minutes: 10 })
  })

  test('marks win over each other within a second, and over a clock that runs ahead', async () => {
    const { ida, tell, mark } = await open({ a: 1 })
    await tell('a', 0, playedTo(600, '2031-01-01T00:00:00'))
    for (const as of ['played', 'new', 'played', 'new', 'played'] as const) {
      expect((await mark({ as, episodes: [one('a', 0)] })).json).toMatchObject({ marked: 1 })
      expect(pageIn(await ida.get(INBOX)).items[0]?.state).toBe(as)
    }
  })

  test('an episode that is begun again after its mark can be marked again', async () => {
    const { app, ida, tell, mark } = await open({ a: 1 })
    await mark({ as: 'played', episodes: [one('a', 0)] })
    app.clock.advance(100)
    await tell('a', 0, playedTo(300, '2025-03-02T10:01:00'))
    expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual(['a 0'])
    expect((await mark({ as: 'played', episodes: [one('a', 0)] })).json).toMatchObject({ marked: 1 })
    expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual([])
  })

  test('a podcast is brought up to date, and taken back', async () => {
    const { ida, tell, mark } = await open({ a: 4, b: 1 })
    await tell('a', 3, playedTo(LENGTH))
    expect((await mark({ as: 'played', podcast: urlOf('a') })).json).toMatchObject({ marked: 3, has_more: false })
    expect(titlesIn(await ida.get(`${INBOX}?unplayed=true`))).toEqual(['b 0'])
    expect((await mark({ as: 'played', podcast: urlOf('a') })).json).toMatchObject({ marked: 0 })
    expect((await mark({ as: 'new', podcast: urlOf('a') })).json).toMatchObject({ marked: 4 })
    expect(await allOf(ida, `${INBOX}?unplayed=true`)).toHaveLength(5)
  })

  test('a mark has the known length, or one second', () => {
    const episode = { podcast: 'p', episode: 'e', length: undefined, action: undefined }
    expect(planMark('played', episode, 10)).toMatchObject({ started: 1, position: 1, total: 1, at: 10 })
    expect(planMark('played', { ...episode, length: 50 }, 10)).toMatchObject({ started: 50, position: 50, total: 50 })
    expect(planMark('in_progress', { ...episode, length: 50 }, 10, { position: 9 })?.total).toBe(50)
    expect(planMark('in_progress', { ...episode, length: 50 }, 10, { position: 9, total: 60 })?.total).toBe(60)
    expect(planMark('in_progress', episode, 10, { position: 90 })).toMatchObject({ position: 90, total: 91 })
  })

  const play = { podcast: 'p', episode: 'e', kind: 'play' as const, at: 5 }
  test.each([
    ['nothing', undefined, 'new'],
    ['a download', { ...play, kind: 'download' as const }, 'new'],
    ['what is new', { ...play, kind: 'new' as const }, 'new'],
    ['a play at the beginning', { ...play, position: 0, total: 9 }, 'new'],
    ['zero of zero', { ...play, started: 0, position: 0, total: 0 }, 'new'],
    ['a play in the middle', { ...play, position: 3, total: 9 }, 'in_progress'],
    ['a play without a length', { ...play, position: 3 }, 'in_progress'],
    ['a play at the end', { ...play, position: 9, total: 9 }, 'played'],
    ['a play after the end', { ...play, position: 10, total: 9 }, 'played'],
    ['a play without a position', play, 'played'],
  ])('after %s a mark is stored unless it repeats the state', (_what, action, state) => {
    for (const as of ['new', 'in_progress', 'played'] as const) {
      const mark = planMark(as, { podcast: 'p', episode: 'e', length: 9, action }, 10, { position: 3 })
      expect([as, mark === undefined]).toEqual([as, as === state])
    }
  })

  test('the length is the last one that an app reported, else that of the feed', async () => {
    const { ida, tell, mark } = await open({ a: 3 })
    await tell('a', 0, { position: 300, total: 500 })
    await tell('a', 0, { position: 300, total: 600 })
    await tell('nowhere', 0, { position: 300, total: 700, guid: 'fog' })
    await tell('nowhere', 1, { position: 20, total: undefined, guid: 'fog', timestamp: '2025-03-02T09:00:00' })
    const episodes = [one('a', 0), one('a', 1), one('nowhere', 1), one('nowhere', 2)]
    await mark({ as: 'new', episodes })
    await mark({ as: 'played', episodes })
    await mark({ as: 'new', episodes })
    const { timestamp } = await since(ida)
    expect((await mark({ as: 'played', episodes })).json).toMatchObject({ marked: 4 })
    const totals = (await since(ida, timestamp)).actions.map(({ total }) => total)
    expect(new Set(totals)).toEqual(new Set([1, 600, 700, LENGTH]))
  })

  test('the length is looked for in the last 50 actions, so that marking takes no longer with a long history', async () => {
    const { ida, tell, mark } = await open({ a: 2 })
    const download = (n: number) => ({
      action: 'download',
      timestamp: `2025-03-02T09:00:${String(n).padStart(2, '0')}`,
    })
    for (const [episode, after] of [49, 50].entries()) {
      await tell('a', episode, { position: 300, total: 600 })
      for (let n = 0; n < after; n++) await tell('a', episode, download(n))
    }
    await mark({ as: 'played', episodes: [one('a', 0), one('a', 1)] })
    const { actions } = await since(ida)
    expect(actions.slice(-2).map(({ total }) => total)).toEqual([600, LENGTH])
  })

  test('an episode that a request names by several media URLs is marked once', async () => {
    const { ida, tell, mark } = await open({ a: 3 })
    await tell('nowhere', 0, { guid: 'fog' })
    await tell('nowhere', 1, { guid: 'fog' })
    await tell('a', 9, { guid: 'a1' })
    const named = [one('nowhere', 0), one('nowhere', 1), one('a', 1), one('a', 9), one('a', 2), one('a', 2)]
    for (const as of ['played', 'new', 'played'] as const)
      expect((await mark({ as, episodes: named })).json).toMatchObject({ marked: 3 })
    const places = [one('nowhere', 0), one('nowhere', 1)].map((each, n) => ({ ...each, position: 30 + n }))
    expect((await mark({ as: 'in_progress', episodes: places })).json).toMatchObject({ marked: 1 })
    expect(pageIn(await ida.get(IN_PROGRESS)).items.map(({ position }) => position)).toEqual([30])
  })

  test('two media URLs of a feed that are one episode for the user are marked once with their podcast', async () => {
    const { tell, mark } = await open({ a: 3 })
    await tell('a', 0, { guid: 'fog' })
    await tell('a', 1, { guid: 'fog' })
    expect((await mark({ as: 'played', podcast: urlOf('a') })).json).toMatchObject({ marked: 2 })
  })

  test('episodes of one media URL are marked each by its guid', async () => {
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

  test('an episode that only actions name is not marked with its podcast', async () => {
    const { tell, mark, ida } = await open({ a: 1 })
    await tell('a', 9)
    expect((await mark({ as: 'played', podcast: urlOf('a') })).json).toMatchObject({ marked: 1 })
    expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual([media('a', 9)])
  })

  test('what a private feed says of the length is for its subscribers', async () => {
    const { bob } = await openPrivateFeeds([SECRET[0], BOBS])
    await bob.post(MARK, { as: 'played', episodes: [{ podcast: SECRET[0], episode: episodeOf(SECRET[0]) }] })
    expect((await bob.get('/api/2/episodes/bob.json')).json).toMatchObject({ actions: [{ total: 1 }] })
  })

  test.each([
    ['sync', 200, 200],
    ['read', 200, 403],
    ['feeds', 403, 403],
  ])('an app password of the scope %s may do what it is good for', async (scope, reading, marking) => {
    const { app } = await open({ a: 1 })
    const { json } = await (await signIn(app)).post('/api/2/me/app-passwords', { name: 'App', scope })
    const client = clientOf(app, basic('ida', String(Reflect.get(Object(json), 'password'))))
    for (const path of [INBOX, IN_PROGRESS, UNPLAYED]) expect((await client.get(path)).status).toBe(reading)
    expect((await client.post(MARK, { as: 'played', podcast: urlOf('a') })).status).toBe(marking)
  })

  const many = Array.from({ length: 1001 }, (_, n) => one('a', n))
  test.each([
    ['neither episodes nor a podcast', { as: 'played' }, 400, 'validation_failed', 'episodes'],
    ['both', { as: 'played', podcast: urlOf('a'), episodes: [] }, 400, 'validation_failed', 'episodes'],
    ['no position', { as: 'in_progress', episodes: [one('a', 0)] }, 400, 'validation_failed', 'episodes'],
    ['a podcast in progress', { as: 'in_progress', podcast: urlOf('a') }, 400, 'validation_failed', 'episodes'],
    ['another word', { as: 'heard', podcast: urlOf('a') }, 400, 'validation_failed', 'as'],
    ['no word', { podcast: urlOf('a') }, 400, 'validation_failed', 'as'],
    ['too many', { as: 'played', episodes: many }, 400, 'validation_failed', 'episodes'],
    ['no list', { as: 'played', episodes: 'all' }, 400, 'validation_failed', 'episodes'],
    ['no URL', { as: 'new', episodes: [{ podcast: urlOf('a'), episode: 'x' }] }, 400, 'validation_failed', 'episodes'],
    ['a missing URL', { as: 'new', episodes: [{ podcast: urlOf('a') }] }, 400, 'validation_failed', 'episodes'],
    ['a podcast of others', { as: 'played', podcast: urlOf('z') }, 404, 'unknown_podcast', undefined],
    ['no podcast', { as: 'played', podcast: '' }, 404, 'unknown_podcast', undefined],
  ])('a mark with %s is refused, and nothing is stored', async (_what, body, status, code, field) => {
    const { ida, mark } = await open({ a: 1 })
    expectError(await mark(body), status, code, field)
    expect((await since(ida)).actions).toEqual([])
  })

  test.each([0, 1.5, 2 ** 53, 1e300])('no app gets a position or a length of %p seconds', async (seconds) => {
    const { ida, mark } = await open({ a: 1 })
    for (const place of [{ position: seconds }, { position: 1, total: seconds }]) {
      const refused = await mark({ as: 'in_progress', episodes: [{ ...one('a', 0), ...place }] })
      expectError(refused, 400, 'validation_failed', 'episodes')
    }
    expect((await since(ida)).actions).toEqual([])
  })

  test('no episodes are none', async () => {
    const { mark } = await open({ a: 1 })
    expect((await mark({ as: 'played', episodes: [] })).json).toMatchObject({ marked: 0, has_more: false })
  })
})
