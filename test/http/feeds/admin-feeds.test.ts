import { expect, test } from 'bun:test'
import { failed, feedOf, HOUR, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { eventually } from '../../support/eventually.ts'
import { expectError } from '../error.ts'
import { REASONS } from './on-demand-scene.ts'

const A = 'https://feeds.example/a?x=1&y=2'
const B = 'https://feeds.example/b'
const C = 'https://feeds.example/c'
const FEEDS = '/api/admin/feeds'
const STATUS = `${FEEDS}/status`
const UPDATE = `${FEEDS}/update`

type Scene = Awaited<ReturnType<typeof openFeedScene>>

const single = (url: string) => `${UPDATE}/single?url=${encodeURIComponent(url)}`
const byId = async (url: string, { row }: Scene) => `${FEEDS}/${String((await row(url))?.['id'])}/update`
const NOW = '2025-03-02T10:00:00'
const EPISODES = [feedEpisode(), feedEpisode({ url: 'https://cdn.example/2.mp3' })]

const NEW = {
  ...{ id: expect.any(Number), url: A, title: '', private: false, subscribers: 1, moved_to: '' },
  ...{ state: 'new', reason: '', cause: '', failures: 0 },
  ...{ since: '', last_checked: '', last_success: '', next_check: '' },
}

/** A is ok, B fails and C is gone. */
async function openThree(): Promise<Scene> {
  const scene = await openFeedScene([A, B, C])
  await scene.runDirectoryJob()
  scene.script.answer = async ({ url }) => {
    if (url === A) return feedOf('Harbour Talk', { movedTo: 'https://feeds.example/moved' })
    return url === B ? failed({ reason: 'tls', message: 'the certificate is old' }) : failed({ reason: 'gone' })
  }
  await scene.runJob()
  return scene
}

test('the list has feeds that were not fetched yet, not private only because nobody has looked', async () => {
  const { ida } = await openFeedScene([A])
  const page = { page: 0, per_page: 20, total: 1, total_pages: 1 }
  expect((await ida.get(FEEDS)).json).toEqual({ ...page, counts: { ok: 0, failing: 0, gone: 0, new: 1 }, feeds: [NEW] })
})

test('the list tells how each feed is, the longest failing first', async () => {
  const { ida, pass } = await openThree()
  await pass(2 * HOUR)
  const { json } = await ida.get(FEEDS)
  const next_check = expect.stringMatching(/^2025-03-0[23]T\d\d:\d\d:\d\d$/)
  const checked = { ...NEW, next_check, last_checked: '2025-03-02T12:00:00' }
  const gone = { state: 'gone', reason: 'gone', cause: 'a.example takes too long', last_checked: NOW }
  expect(json).toMatchObject({ total: 3, counts: { ok: 1, failing: 1, gone: 1, new: 0 } })
  expect(json).toHaveProperty('feeds', [
    {
      ...{ ...checked, url: B, failures: 2, since: NOW },
      ...{ state: 'failing', reason: 'tls', cause: 'the certificate is old' },
    },
    { ...checked, url: C, failures: 1, since: NOW, ...gone },
    {
      ...{ ...checked, title: 'Harbour Talk', moved_to: 'https://feeds.example/moved' },
      ...{ state: 'ok', last_success: checked.last_checked },
    },
  ])
})

test.each([
  ['?state=failing', 1, [B]],
  ['?q=%20HARBOUR%20t', 1, [A]],
  ['?q=harbour&state=gone', 0, []],
  ['?per_page=2&page=1', 3, [A]],
])('the list with %s has %i, and shows %j', async (query, total, expected) => {
  const { ida } = await openThree()
  const { json } = await ida.get(FEEDS + query)
  expect(json).toMatchObject({ total, feeds: expected.map((url) => ({ url })) })
  expect(json).toHaveProperty('feeds.length', expected.length)
})

const IDLE = { running: false, done: 0, failed: 0, total: 2, failing_total: 0, failing: [] }

test('a refresh of all feeds is answered at once, also while one is running, and reports its progress', async () => {
  const { app, ida, asked, hold, askedFor } = await openFeedScene([A, B])
  const held = hold()
  expect((await ida.post(UPDATE)).json).toEqual({ status: 'started', feeds: 2 })
  expect((await ida.post(UPDATE)).json).toEqual({ status: 'running', feeds: 2 })
  await askedFor(2)
  expect((await ida.get(STATUS)).json).toEqual({ ...IDLE, running: true })
  held.release(A)
  const status = async () => (await ida.get(STATUS)).json
  const half = await eventually(status, (json) => Object(json).done > 0)
  expect(half).toEqual({ ...IDLE, running: true, done: 1 })
  held.release(B)
  await app.idle()
  expect((await ida.get(STATUS)).json).toEqual({ ...IDLE, done: 2 })
  expect(asked).toHaveLength(2)
})

const SECRET = 'https://ida:hunter1@feeds.example:8443/hunter2?token=hunter3#hunter4'
const HIDDEN = 'https://feeds.example:8443/…'
test.each<[string, string, boolean, boolean | undefined, string]>([
  ['its address is a secret', SECRET, true, undefined, HIDDEN],
  ['its address is a secret that nobody has looked at yet', SECRET, false, undefined, HIDDEN],
  ['a subscriber says that it is', A, true, false, 'https://feeds.example/…'],
  ['nobody: a subscriber says that it is not', `${B}?token=x`, true, true, `${B}?token=x`],
])('the status has of a private feed only where it is, if %s', async (_case, url, isSortedOut, isPublic, shown) => {
  const { ida, script, runDirectoryJob, runJob } = await openFeedScene([url])
  if (isPublic !== undefined)
    await ida.post(`/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(url)}`, {
      set: { public_subscription: isPublic },
    })
  if (isSortedOut) await runDirectoryJob()
  script.answer = async () => failed()
  await runJob()
  const { json, text } = await ida.get(STATUS)
  expect(json).toMatchObject({ failing: [{ url: shown, private: url !== shown, reason: 'timeout' }] })
  expect(text).not.toContain('hunter')
})

test('a refresh of one feed answers with what the feed says, and by ID with how the feed is', async () => {
  const scene = await openFeedScene([A, B])
  await scene.runDirectoryJob()
  scene.script.answer = async () => feedOf('', { document: feedDocument({ episodes: EPISODES }) })
  const podcast = { url: A, title: 'Harbour Talk', description: 'Boats & birds', subscribers: 1 }
  const refreshed = { status: 200, json: { status: 'ok', podcast, episodes: 2 } }
  expect(await scene.ida.post(single(A))).toMatchObject(refreshed)
  const { status, json } = await scene.ida.post(await byId(A, scene), '{ what?')
  const checked = { last_checked: NOW, last_success: NOW, next_check: expect.any(String) }
  const feed = { ...NEW, title: 'Harbour Talk', state: 'ok', ...checked }
  expect([status, json]).toEqual([200, { status: 'ok', feed, episodes: 2 }])
  expect(scene.asked).toMatchObject([{ url: A }, { url: A }])
})

test.each(REASONS.filter(([reason]) => reason !== 'internal'))('tells %s: %i %s', async (reason, status, code) => {
  for (const path of [single, byId]) {
    const scene = await openFeedScene([A])
    await scene.runDirectoryJob()
    scene.script.answer = async () => failed({ reason, message: 'low tide' })
    const answer = await scene.ida.post(await path(A, scene))
    expectError(answer, status, code)
    expect(answer.json).toMatchObject({ message: 'low tide' })
    const next_check = expect.stringMatching(/^2025-03-\d\dT\d\d:\d\d:\d\d$/)
    const failing = { url: A, private: false, reason, cause: 'low tide', failures: 1, since: NOW, next_check }
    expect((await scene.ida.get(STATUS)).json).toEqual({ ...IDLE, total: 1, failing_total: 1, failing: [failing] })
    expect((await scene.ida.get(FEEDS)).json).toMatchObject({ feeds: [failing] })
  }
})

test.each([
  ['no feed', 'update/single', 400, 'validation_failed', 'url'],
  ['what is no feed URL', 'update/single?url=gopher://feeds.example/', 400, 'validation_failed', 'url'],
  ['a feed nobody has ever named', 'update/single?url=https://feeds.example/c', 404, 'unknown_podcast', undefined],
  ['a feed there is not', '999/update', 404, 'unknown_podcast', undefined],
])('a refresh asks nobody for %s', async (_case, path, status, code, field) => {
  const { ida, asked } = await openFeedScene([A])
  expectError(await ida.post(`${FEEDS}/${path}`), status, code, field)
  expect(asked).toEqual([])
})
