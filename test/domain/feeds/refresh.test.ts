import { describe, expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { fakeClock } from '../../support/clock.ts'
import { UNCHANGED } from '../../support/feed-source.ts'
import { failed, feedOf, HOUR, openFeedScene, START } from '../feed-scene.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f'
const C = 'https://c.example/f'

const byText = (one: string, other: string) => (one < other ? -1 : 1)
const manyUrls = (count: number) => Array.from({ length: count }, (_, n) => `https://host${n}.example/f`)
const progress = (isRunning: boolean, done: number, total = 3, failed = 0) => ({ isRunning, done, failed, total })
const IDLE = { progress: progress(false, 0, 0), total: 3, failingTotal: 0, failing: [] }

describe('the job', () => {
  test('fetches no feed before its time', async () => {
    const { asked, runJob, pass } = await openFeedScene([A])
    await runJob()
    await runJob()
    await pass(0.9 * HOUR - 1)
    expect(asked).toHaveLength(1)
    await pass(0.2 * HOUR + 1)
    expect(asked).toHaveLength(2)
  })

  test.each([
    ['asks for it', START, { freshFor: 6 * HOUR }, 6 * HOUR],
    ['is quiet, but has unread pages', START - 400 * 24 * HOUR, { bodyHash: 'abc.1.9+' }, HOUR],
  ])('fetches a feed that %s after that time', async (_what, released, fields, seconds) => {
    const { script, runJob, row } = await openFeedScene([A])
    const document = feedDocument({ episodes: [feedEpisode({ released })] })
    script.answer = async () => feedOf('', { document, ...fields })
    await runJob()
    expect((await row(A))?.['next_check_at']).toBeWithin(START + 0.9 * seconds, START + 1.1 * seconds + 1)
  })

  test('keeps the long interval of a quiet feed that has nothing new', async () => {
    const { script, runJob, pass, row } = await openFeedScene([A])
    const episodes = [feedEpisode({ released: START - 400 * 24 * HOUR })]
    script.answer = async () => feedOf('', { document: feedDocument({ episodes }) })
    await runJob()
    script.answer = async () => UNCHANGED
    await pass(27 * HOUR)
    expect((await row(A))?.['next_check_at']).toBeGreaterThanOrEqual(START + 27 * HOUR + 0.9 * 24 * HOUR)
  })

  test('fetches all of many feeds', async () => {
    const urls = manyUrls(60)
    const { asked, runJob } = await openFeedScene(urls)
    await runJob()
    expect(asked.map(({ url }) => url).toSorted(byText)).toEqual(urls.toSorted(byText))
  })

  test('fetches nothing before 2025, since no certificate is valid on a computer without the time', async () => {
    const { app, asked, runJob } = await openFeedScene([A], { clock: fakeClock(Date.UTC(2024, 11, 31, 23, 59) / 1000) })
    await runJob()
    expect(asked).toEqual([])
    app.clock.jump(60)
    await runJob()
    expect(asked).toHaveLength(1)
  })
})

test('a feed requested several times at once, by jobs too, is fetched once for all', async () => {
  const { app, feeds, asked, hold, begin, askedFor } = await openFeedScene([A])
  const held = hold()
  begin()
  begin()
  const both = Promise.all([feeds.refresh(A), feeds.refresh(A)])
  await feeds.refreshAll()
  await askedFor(1)
  begin()
  held.release(A, feedOf('Harbour Talk'))
  const refreshed = { podcast: { url: A, title: 'Harbour Talk' }, episodes: 1 }
  expect(await both).toMatchObject([refreshed, refreshed])
  await app.idle()
  expect(asked).toHaveLength(1)
})

describe('a refresh of all feeds', () => {
  test('starts at once, whether or not they are due, and reports its progress', async () => {
    const { app, feeds, asked, runJob, hold, askedFor } = await openFeedScene([A, B, C])
    await runJob()
    expect(await feeds.status()).toEqual(IDLE)
    const held = hold()
    expect(await feeds.refreshAll()).toEqual({ status: 'started', feeds: 3 })
    await askedFor(6)
    expect(await feeds.status()).toEqual({ ...IDLE, progress: progress(true, 0) })
    const refreshed = feeds.refresh(B)
    await Promise.resolve()
    held.release(B)
    await refreshed
    expect(asked).toHaveLength(6)
    expect(await feeds.status()).toEqual({ ...IDLE, progress: progress(true, 1) })
    held.release(A)
    held.release(C)
    await app.idle()
    expect(await feeds.status()).toEqual({ ...IDLE, progress: progress(false, 3) })
  })

  test('fetches all of many feeds, some of which fail', async () => {
    const urls = manyUrls(60)
    const { app, feeds, asked, script } = await openFeedScene(urls)
    script.answer = async ({ url }) => (url.includes('7') ? failed() : UNCHANGED)
    await feeds.refreshAll()
    await app.idle()
    expect(asked.map(({ url }) => url).toSorted(byText)).toEqual(urls.toSorted(byText))
    const failing = urls.filter((url) => url.includes('7')).length
    const counts = { progress: progress(false, 60, 60, failing), total: 60, failingTotal: failing }
    expect(await feeds.status()).toMatchObject(counts)
  })

  test('works although the clock is not set', async () => {
    const { app, feeds, asked } = await openFeedScene([A], { clock: fakeClock(Date.UTC(2024, 0, 1) / 1000) })
    await feeds.refreshAll()
    await app.idle()
    expect(asked).toHaveLength(1)
  })
})

test('a refresh of one feed finds it by any spelling of its address, also without subscribers', async () => {
  const { ida, feeds, asked } = await openFeedScene([A])
  await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [A] })
  await feeds.refresh(' https://ida:secret@A.Example:443/f ')
  expect(asked.map(({ url }) => url)).toEqual([A])
})
