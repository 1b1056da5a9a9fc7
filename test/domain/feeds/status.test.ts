import { describe, expect, test } from 'bun:test'
import type { FeedFailureReason, FeedToFetch } from '../../../src/domain/feeds/ports.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { stored } from '../../http/stored.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { startTestApp } from '../../support/app.ts'
import { type FakeClock, fakeClock } from '../../support/clock.ts'
import { type ScriptedAnswer, feedSource as source, UNCHANGED } from '../../support/feed-source.ts'
import { reasonOf } from '../../support/values.ts'
import { failed, feedOf, HOUR, openFeedScene, START } from '../feed-scene.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f'
const C = 'https://c.example/f'

describe('a feed that fails', () => {
  test('is fetched again soon after a clock that was far ahead is corrected', async () => {
    const { app, asked, runJob } = await openFeedScene([A])
    app.clock.jump(5 * 365 * 24 * HOUR)
    await runJob()
    app.clock.jump(-5 * 365 * 24 * HOUR)
    await runJob()
    expect(asked).toHaveLength(2)
  })

  test.each([
    ['until it is set', (clock: FakeClock) => clock.jump(31 * 24 * HOUR)],
    ['for an hour at most', (clock: FakeClock) => clock.advance(HOUR)],
  ])('waits while the clock is behind the times of an earlier run, %s', async (_case, pass) => {
    const db = openMemoryDatabase()
    const { runJob } = await openFeedScene([A], { db })
    await runJob()
    const clock = fakeClock(START - 30 * 24 * HOUR)
    const asked: string[] = []
    const ask = async ({ url }: FeedToFetch) => {
      asked.push(url)
      return UNCHANGED
    }
    const feedSource = { ...source(), ask }
    const app = startTestApp({ db, clock, feedSource })
    const run = async () => {
      app.jobs.find(({ name }) => name === 'feeds')?.run()
      await app.idle()
    }
    await run()
    expect(asked).toEqual([])
    pass(clock)
    await run()
    expect(asked).toEqual([A])
  })

  test.each([
    ['refused', { retryAfter: 6 * HOUR }, 6 * HOUR],
    ['gone', {}, 24 * HOUR],
  ] as const)('is tried again depending on its failure: %s', async (reason, fields, seconds) => {
    const { script, runJob, row } = await openFeedScene([A])
    script.answer = async () => failed({ reason, ...fields })
    await runJob()
    expect((await row(A))?.['next_check_at']).toBeWithin(START + 0.9 * seconds, START + 1.1 * seconds + 1)
  })

  test.each([
    ['a user', '/api/2/me/podcast/refresh', { url: A }],
    ['an administrator', `/api/admin/feeds/update/single?url=${A}`, {}],
    ['an administrator, with all others', '/api/admin/feeds/update', {}],
  ])('is fetched without conditions when refreshed by %s', async (_who, path, body) => {
    const { app, ida, script, asked, runJob } = await openFeedScene([A])
    const head = { etag: '"1"', lastModified: 'Sun, 02 Mar 2025 09:00:00 GMT' }
    script.answer = async () => feedOf('Harbour Talk', head)
    await runJob()
    expect((await ida.post(path, body)).status).toBeLessThan(300)
    await app.idle()
    expect(asked).toHaveLength(2)
    expect(asked[1]).toMatchObject({ etag: undefined, lastModified: undefined })
  })

  test('keeps its data, and recovers with the next answer', async () => {
    const { ida, feeds, script, asked, runJob, pass, row } = await openFeedScene([A])
    const head = { etag: '"1"', lastModified: 'Sun, 02 Mar 2025 09:00:00 GMT', bodyHash: 'abc' }
    script.answer = async () => feedOf('Harbour Talk', head)
    await runJob()
    expect(asked[0]).toMatchObject({ etag: undefined, lastModified: undefined, bodyHash: undefined, failures: 0 })
    script.answer = async () => failed()
    await pass(2 * HOUR)
    await pass(2 * HOUR)
    expect((await feeds.status()).failing).toMatchObject([{ failures: 2, since: START + 2 * HOUR }])
    expect((await ida.get('/subscriptions/ida.json')).json).toMatchObject([{ url: A, title: 'Harbour Talk' }])
    script.answer = async () => UNCHANGED
    await pass(3 * HOUR)
    expect(asked.at(-1)).toMatchObject({ ...head, failures: 2 })
    expect(await feeds.status()).toMatchObject({ failingTotal: 0, failing: [] })
    expect(await row(A)).toMatchObject({ failures: 0, error: null, error_reason: null, failing_since: null })
    expect((await row(A))?.['succeeded_at']).toBe(START + 7 * HOUR)
  })
})

describe('an internal error with one feed', () => {
  test('does not stop the others, is logged, and delays the next attempt like any failure', async () => {
    const { app, feeds, asked, script, runJob, pass, row, logged } = await openFeedScene([A, B, C])
    script.answer = async ({ url }) => {
      if (url === A) throw new TypeError('undefined is not a function')
      return feedOf(`Feed of ${url}`)
    }
    await runJob()
    expect(asked.map(({ url }) => url)).toEqual([A, B, C])
    expect(await row(A)).toMatchObject({ failures: 1, error_reason: 'internal', succeeded_at: null })
    for (const url of [B, C]) expect(await row(url)).toMatchObject({ failures: 0, succeeded_at: START })
    const fault = { level: 'error', host: 'a.example', error: { message: 'undefined is not a function' } }
    expect(logged('feed refresh failed: internal error')).toMatchObject([fault])
    expect(app.logs.filter((line) => line.includes('"error"'))).toHaveLength(1)
    await pass(60)
    expect(asked).toHaveLength(3)
    expect(await reasonOf(feeds.refresh(A))).toMatchObject({ code: 'internal' })
  })

  test('also if only a part of it cannot be stored, discards its validators', async () => {
    const { app, asked, script, runJob, pass, row, logged } = await openFeedScene([A, B])
    const episodes = Array.from({ length: 60 }, (_, n) =>
      feedEpisode({ url: `https://cdn.example/${n}.mp3`, guid: `${n}`, released: START - n }),
    )
    const answer = feedOf('', { document: feedDocument({ episodes }), etag: '"1"', bodyHash: 'abc' })
    script.answer = async ({ url }) => (url === A ? answer : UNCHANGED)
    app.db.run(
      `CREATE TRIGGER enough BEFORE INSERT ON episode_details WHEN (SELECT COUNT(*) FROM episode_details) >= 30
       BEGIN SELECT RAISE(FAIL, 'that is enough'); END`,
    )
    await runJob()
    const fault = { failures: 1, error_reason: 'internal', etag: null, body_hash: null }
    expect([await row(A), await row(B)]).toMatchObject([fault, { succeeded_at: START }])
    expect(logged('feed refresh failed: internal error')).toHaveLength(1)
    app.db.run('DROP TRIGGER enough')
    await pass(2 * HOUR)
    expect(asked.findLast(({ url }) => url === A)).toMatchObject({ etag: undefined, bodyHash: undefined })
    expect(await app.services.feeds.refresh(A)).toMatchObject({ episodes: 60 })
  })
})

describe('a full disk', () => {
  test('leaves feeds due, and is logged', async () => {
    const { app, asked, script, runJob, row, logged } = await openFeedScene([A, B])
    script.answer = async ({ url }) => (url === A ? feedOf('Harbour Talk') : failed())
    const before = await stored(app)
    app.db.run('PRAGMA query_only = ON')
    await runJob()
    expect(asked).toHaveLength(2)
    app.db.run('PRAGMA query_only = OFF')
    expect(await stored(app)).toBe(before)
    expect(app.logs.filter((line) => !line.includes('cannot write to the database'))).toEqual([])
    expect(logged('cannot write to the database')).not.toEqual([])
    await runJob()
    expect(asked).toHaveLength(4)
    expect([await row(A), await row(B)]).toMatchObject([{ failures: 0, succeeded_at: START }, { failures: 1 }])
  })

  test('ends a refresh of all feeds, and refuses one of a single feed', async () => {
    const { app, feeds } = await openFeedScene([A, B])
    app.db.run('PRAGMA query_only = ON')
    await feeds.refreshAll()
    expect(await reasonOf(feeds.refresh(A))).toMatchObject({ code: 'unavailable' })
    await app.idle()
    app.db.run('PRAGMA query_only = OFF')
    expect(await feeds.status()).toMatchObject({ progress: { isRunning: false }, failingTotal: 0 })
    expect(await feeds.refreshAll()).toMatchObject({ status: 'started' })
    await app.idle()
  })
})

describe('a server that stops', () => {
  test('leaves what is being fetched to the next start, and starts nothing more', async () => {
    const urls = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => `https://${name[0]}.example/${name}`)
    const { app, asked, hold, begin, askedFor, isClosed, row } = await openFeedScene(urls)
    const held = hold()
    begin()
    await askedFor(3)
    await app.indexed()
    const before = urls.map(row)
    app.beginStop()
    await app.idle()
    expect(isClosed()).toBe(true)
    for (const url of held.urls()) held.release(url)
    begin()
    await app.idle()
    expect(asked).toHaveLength(3)
    expect(urls.map(row)).toEqual(before)
    expect(app.logs).toEqual([])
  })

  test('ends a refresh of all feeds', async () => {
    const urls = Array.from({ length: 150 }, (_, n) => `https://host${n}.example/f`)
    const { app, feeds, asked, hold, askedFor } = await openFeedScene(urls)
    hold()
    await feeds.refreshAll()
    await askedFor(8)
    app.beginStop()
    await app.idle()
    expect(asked).toHaveLength(8)
    expect(await feeds.status()).toMatchObject({ progress: { isRunning: false }, failingTotal: 0 })
    expect(app.logs).toEqual([])
  })

  test('refuses to refresh feeds, also for requests that already wait', async () => {
    const { app, feeds, hold, askedFor } = await openFeedScene([A, B])
    hold()
    const waiting = reasonOf(feeds.refresh(A))
    await askedFor(1)
    app.beginStop()
    const stopping = { code: 'unavailable', message: 'the server is stopping' }
    expect(await waiting).toMatchObject(stopping)
    expect(await reasonOf(feeds.refresh(B))).toMatchObject(stopping)
    expect(await reasonOf(feeds.refreshAll())).toMatchObject(stopping)
  })
})

describe('the log identifies a feed only by its number, since subscriptions are private:', () => {
  const SECRET = 'https://feeds.example/u/hunter2/feed.xml?token=hunter3#hunter4'
  const reasons: FeedFailureReason[] = ['forbidden', 'timeout', 'not_a_feed', 'gone', 'server_error', 'internal']
  test.each<[string, () => Promise<ScriptedAnswer>]>([
    ['unchanged', async () => UNCHANGED],
    ['changed', async () => feedOf('Harbour Talk', { movedTo: `${SECRET}-moved` })],
    ...reasons.map((reason): [string, () => Promise<ScriptedAnswer>] => [reason, async () => failed({ reason })]),
    ['a fault', () => Promise.reject(new Error('undefined is not a function'))],
  ])('%s', async (_case, answer) => {
    const { app, ida, script, runJob, row } = await openFeedScene([SECRET])
    script.answer = answer
    await runJob()
    await ida.post('/api/admin/feeds/update')
    await ida.post(`/api/admin/feeds/update/single?url=${encodeURIComponent(SECRET)}`)
    await app.idle()
    expect(await row(SECRET)).toBeDefined()
    expect(app.logs.filter((line) => line.includes('hunter'))).toEqual([])
  })
})
