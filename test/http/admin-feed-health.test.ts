import { describe, expect, test } from 'bun:test'
import type { FeedFailureReason } from '../../src/domain/feeds/ports.ts'
import { failed, feedOf, HOUR, openFeedScene } from '../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../store/contract/fixtures.ts'
import { expectRefusal } from './refusal.ts'

const FEEDS = '/api/admin/feeds'
const A = 'https://feeds.example/a?x=1&y=2'
const B = 'https://feeds.example/b'
const C = 'https://feeds.example/c'

const NEW = {
  id: expect.any(Number),
  url: A,
  title: '',
  private: false,
  subscribers: 1,
  state: 'new',
  reason: '',
  cause: '',
  failures: 0,
  since: '',
  last_checked: '',
  last_success: '',
  next_check: '',
  moved_to: '',
}

const NONE = { ok: 0, failing: 0, gone: 0, new: 0 }

type Scene = Awaited<ReturnType<typeof openFeedScene>>

/** By its URL, from the database. */
const idOf = ({ row }: Scene, url: string) => String(row(url)?.['id'])

/** A is ok, B fails and C is gone. */
async function openThree(): Promise<Scene> {
  const scene = await openFeedScene([A, B, C])
  await scene.sortOut()
  scene.script.answer = async ({ url }) => {
    if (url === A) return feedOf('Harbour Talk', { movedTo: 'https://feeds.example/moved' })
    return url === B ? failed({ reason: 'tls', message: 'the certificate is old' }) : failed({ reason: 'gone' })
  }
  await scene.runJob()
  return scene
}

describe('GET /api/admin/feeds', () => {
  test('tells of feeds that have not been asked for yet, not private only because nobody has looked', async () => {
    const { ida } = await openFeedScene([A])
    const { status, json, headers } = await ida.get(FEEDS)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(json).toEqual({ page: 0, per_page: 20, total: 1, total_pages: 1, counts: { ...NONE, new: 1 }, feeds: [NEW] })
  })

  test('tells how each is, the longest failing first', async () => {
    const { ida, pass } = await openThree()
    await pass(2 * HOUR)
    const { json } = await ida.get(FEEDS)
    const next = expect.stringMatching(/^2025-03-0[23]T\d\d:\d\d:\d\d$/)
    const checked = { last_checked: '2025-03-02T12:00:00', next_check: next }
    const ok = { ...NEW, ...checked, state: 'ok', last_success: '2025-03-02T12:00:00' }
    const failing = { ...NEW, ...checked, failures: 2, since: '2025-03-02T10:00:00' }
    expect(json).toMatchObject({ total: 3, counts: { ok: 1, failing: 1, gone: 1, new: 0 } })
    expect(json).toHaveProperty('feeds', [
      { ...failing, url: B, state: 'failing', reason: 'tls', cause: 'the certificate is old' },
      {
        ...failing,
        url: C,
        state: 'gone',
        failures: 1,
        last_checked: '2025-03-02T10:00:00',
        reason: 'gone',
        cause: 'a.example takes too long',
      },
      { ...ok, title: 'Harbour Talk', moved_to: 'https://feeds.example/moved' },
    ])
  })

  test.each([
    ['', 3, [B, C, A]],
    ['?state=', 3, [B, C, A]],
    ['?state=ok', 1, [A]],
    ['?state=failing', 1, [B]],
    ['?state=gone', 1, [C]],
    ['?state=new', 0, []],
    ['?q=harbour', 1, [A]],
    ['?q=%20HARBOUR%20t', 1, [A]],
    ['?q=/b', 1, [B]],
    ['?q=', 3, [B, C, A]],
    ['?q=harbour&state=gone', 0, []],
    ['?per_page=2', 3, [B, C]],
    ['?per_page=2&page=1', 3, [A]],
    ['?per_page=2&page=2', 3, []],
    ['?state=ok&page=1', 1, []],
  ])('%s has %i, and shows %j', async (query, total, expected) => {
    const { ida } = await openThree()
    const { json } = await ida.get(FEEDS + query)
    expect(json).toMatchObject({ total, feeds: expected.map((url) => ({ url })) })
    expect(json).toHaveProperty('feeds.length', expected.length)
  })

  test('is not about feeds that nobody is subscribed to any more', async () => {
    const { ida } = await openThree()
    await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [A, B] })
    expect((await ida.get(FEEDS)).json).toMatchObject({ total: 1, counts: { ...NONE, gone: 1 }, feeds: [{ url: C }] })
  })
})

describe('POST /api/admin/feeds/{id}/update', () => {
  test('answers with how the feed is, when it has been fetched', async () => {
    const scene = await openFeedScene([A, B])
    await scene.sortOut()
    const episodes = [feedEpisode(), feedEpisode({ url: 'https://cdn.example/2.mp3' })]
    scene.script.answer = async () => feedOf('', { document: feedDocument({ episodes }) })
    const { status, json } = await scene.ida.post(`${FEEDS}/${idOf(scene, A)}/update`, '{ what?')
    expect([status, json]).toEqual([
      200,
      {
        status: 'ok',
        feed: {
          ...NEW,
          title: 'Harbour Talk',
          state: 'ok',
          last_checked: '2025-03-02T10:00:00',
          last_success: '2025-03-02T10:00:00',
          next_check: expect.any(String),
        },
        episodes: 2,
      },
    ])
    expect(scene.asked).toMatchObject([{ url: A }])
  })

  test.each<[FeedFailureReason, number, string]>([
    ['forbidden', 403, 'feed_forbidden'],
    ['not_a_feed', 422, 'feed_invalid'],
    ['unreachable', 502, 'feed_unreachable'],
    ['gone', 502, 'feed_unreachable'],
  ])('says why it cannot: %s is %i %s', async (reason, status, word) => {
    const scene = await openFeedScene([A])
    scene.script.answer = async () => failed({ reason, message: 'low tide' })
    const answer = await scene.ida.post(`${FEEDS}/${idOf(scene, A)}/update`)
    expectRefusal(answer, status, word)
    expect(answer.json).toMatchObject({ message: 'low tide' })
    expect((await scene.ida.get(FEEDS)).json).toMatchObject({ feeds: [{ reason, cause: 'low tide', failures: 1 }] })
  })

  test.each([
    ['a feed there is not', '999', 404, 'unknown_podcast', undefined],
    ['what is no number', 'all', 400, 'validation_failed', 'id'],
    ['a negative number', '-1', 400, 'validation_failed', 'id'],
    ['a number that is too long', '1'.repeat(16), 400, 'validation_failed', 'id'],
  ])('asks nobody for %s', async (_case, id, status, word, field) => {
    const { ida, asked } = await openFeedScene([A])
    expectRefusal(await ida.post(`${FEEDS}/${id}/update`), status, word, field)
    expect(asked).toEqual([])
  })
})
