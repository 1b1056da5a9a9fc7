import { describe, expect, test } from 'bun:test'
import type { FeedFailureReason } from '../../src/domain/feeds/ports.ts'
import { failed, feedOf, HOUR, openFeedScene } from '../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../store/contract/fixtures.ts'
import { UNCHANGED } from '../support/feed-source.ts'
import { expectRefusal } from './refusal.ts'

const A = 'https://feeds.example/a?x=1&y=2'
const B = 'https://feeds.example/b'
const STATUS = '/api/admin/feeds/status'
const UPDATE = '/api/admin/feeds/update'
const single = (url: string) => `${UPDATE}/single?url=${encodeURIComponent(url)}`

const IDLE = { running: false, done: 0, failed: 0, total: 2, failing_total: 0, failing: [] }

describe('GET /api/admin/feeds/status', () => {
  test('tells how far a refresh of all feeds is', async () => {
    const { app, ida, hold, askedFor } = await openFeedScene([A, B])
    const held = hold()
    await ida.post(UPDATE)
    await askedFor(2)
    expect((await ida.get(STATUS)).json).toEqual({ ...IDLE, running: true })
    const refreshed = ida.post(single(A))
    held.release(A)
    await refreshed
    expect((await ida.get(STATUS)).json).toEqual({ ...IDLE, running: true, done: 1 })
    held.release(B)
    await app.idle()
    expect((await ida.get(STATUS)).json).toEqual({ ...IDLE, done: 2 })
  })

  test('tells which feeds cannot be had, why, since when, and when they are tried again', async () => {
    const { ida, script, sortOut, runJob, pass } = await openFeedScene([A, B])
    await sortOut()
    script.answer = async ({ url }) =>
      url === A ? failed({ reason: 'tls', message: 'the certificate is old' }) : UNCHANGED
    await runJob()
    await pass(2 * HOUR)
    const { json } = await ida.get(STATUS)
    expect(json).toEqual({
      ...IDLE,
      failing_total: 1,
      failing: [
        {
          url: A,
          private: false,
          reason: 'tls',
          cause: 'the certificate is old',
          failures: 2,
          since: '2025-03-02T10:00:00',
          next_check: expect.stringMatching(/^2025-03-02T1[34]:\d\d:\d\d$/),
        },
      ],
    })
    script.answer = async () => UNCHANGED
    await pass(3 * HOUR)
    expect((await ida.get(STATUS)).json).toEqual(IDLE)
  })

  describe('shows of a private feed only where it is', () => {
    const SECRET = 'https://ida:hunter1@feeds.example:8443/hunter2?token=hunter3#hunter4'
    const HIDDEN = 'https://feeds.example:8443/…'

    async function statusOf(url: string, isSortedOut: boolean, settings?: Record<string, unknown>) {
      const { ida, script, sortOut, runJob } = await openFeedScene([url])
      if (settings)
        await ida.post(`/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(url)}`, { set: settings })
      if (isSortedOut) await sortOut()
      script.answer = async () => failed()
      await runJob()
      return ida.get(STATUS)
    }

    test.each([
      ['its address is a secret', SECRET, HIDDEN, true],
      ['its address is a secret that nobody has looked at yet', SECRET, HIDDEN, false],
    ])('if %s', async (_case, url, shown, isSortedOut) => {
      const { json, text } = await statusOf(url, isSortedOut)
      expect(json).toMatchObject({ failing: [{ url: shown, private: true, reason: 'timeout' }] })
      expect(text).not.toContain('hunter')
    })

    test('if whoever has it says that it is', async () => {
      const { json } = await statusOf(A, true, { public_subscription: false })
      expect(json).toMatchObject({ failing: [{ url: 'https://feeds.example/…', private: true }] })
    })

    test('unless whoever has it says that it is not', async () => {
      const { json } = await statusOf('https://feeds.example/f?token=x', true, { public_subscription: true })
      expect(json).toMatchObject({ failing: [{ url: 'https://feeds.example/f?token=x', private: false }] })
    })
  })
})

describe('POST /api/admin/feeds/update', () => {
  test('answers at once, once it is under way as well', async () => {
    const { app, ida, asked, hold, askedFor } = await openFeedScene([A, B])
    const held = hold()
    const first = await ida.post(UPDATE)
    expect(first).toMatchObject({ status: 200 })
    expect(first.json).toEqual({ status: 'started', feeds: 2 })
    expect((await ida.post(UPDATE)).json).toEqual({ status: 'running', feeds: 2 })
    await askedFor(2)
    for (const url of [A, B]) held.release(url)
    await app.idle()
    expect(asked).toHaveLength(2)
  })
})

describe('POST /api/admin/feeds/update/single', () => {
  test('answers with what the feed says, when it has been fetched', async () => {
    const { ida, script } = await openFeedScene([A, B])
    const episodes = [feedEpisode(), feedEpisode({ url: 'https://cdn.example/2.mp3' })]
    script.answer = async () => feedOf('', { document: feedDocument({ episodes }) })
    const answer = await ida.post(single(A))
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.json).toEqual({
      status: 'ok',
      podcast: {
        url: A,
        title: 'Harbour Talk',
        author: 'Tidewater',
        description: 'Boats & birds',
        website: 'https://tidewater.example/',
        logo_url: 'https://tidewater.example/logo.png',
        scaled_logo_url: 'https://tidewater.example/logo.png',
        language: 'en',
        subscribers: 1,
        subscribers_last_week: 1,
        mygpo_link: `http://localhost/podcast?url=${encodeURIComponent(A)}`,
      },
      episodes: 2,
    })
  })

  test.each<[FeedFailureReason, number, string]>([
    ['forbidden', 403, 'feed_forbidden'],
    ['not_a_feed', 422, 'feed_invalid'],
    ['unreachable', 502, 'feed_unreachable'],
    ['timeout', 502, 'feed_unreachable'],
    ['tls', 502, 'feed_unreachable'],
    ['too_large', 502, 'feed_unreachable'],
    ['gone', 502, 'feed_unreachable'],
    ['not_found', 502, 'feed_unreachable'],
    ['denied', 502, 'feed_unreachable'],
    ['refused', 502, 'feed_unreachable'],
    ['server_error', 502, 'feed_unreachable'],
  ])('says why it cannot: %s is %i %s', async (reason, status, word) => {
    const { ida, script, sortOut } = await openFeedScene([A])
    await sortOut()
    script.answer = async () => failed({ reason, message: 'low tide' })
    const answer = await ida.post(single(A))
    expectRefusal(answer, status, word)
    expect(answer.json).toMatchObject({ message: 'low tide' })
    expect((await ida.get(STATUS)).json).toMatchObject({
      failing: [{ url: A, reason, cause: 'low tide', failures: 1 }],
    })
  })

  test.each([
    ['no feed', '', 400, 'validation_failed', 'url'],
    ['an empty one', '?url=', 400, 'validation_failed', 'url'],
    ['white space', '?url=%20', 400, 'validation_failed', 'url'],
    ['what is no address of a feed', '?url=gopher://feeds.example/', 400, 'validation_failed', 'url'],
    ['a word', '?url=harbour', 400, 'validation_failed', 'url'],
    ['an address that is too long', `?url=https://feeds.example/${'x'.repeat(2048)}`, 400, 'validation_failed', 'url'],
    ['a feed nobody has ever named', '?url=https://feeds.example/c', 404, 'unknown_podcast', undefined],
  ])('asks nobody for %s', async (_case, query, status, word, field) => {
    const { ida, asked } = await openFeedScene([A])
    expectRefusal(await ida.post(`${UPDATE}/single${query}`), status, word, field)
    expect(asked).toEqual([])
  })

  test('is 503 while the disk is full, and while the server stops', async () => {
    const { app, ida } = await openFeedScene([A])
    app.db.run('PRAGMA query_only = ON')
    expectRefusal(await ida.post(single(A)), 503, 'unavailable')
    app.db.run('PRAGMA query_only = OFF')
    app.beginStop()
    expectRefusal(await ida.post(single(A)), 503, 'unavailable')
    expectRefusal(await ida.post(UPDATE), 503, 'unavailable')
  })
})
