import { describe, expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { fakeClock } from '../../support/clock.ts'
import { UNCHANGED } from '../../support/feed-source.ts'
import { failed, feedOf, HOUR, openFeedScene, START } from '../feed-scene.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f'

describe('every minute', () => {
  test('what is due is fetched, and is what its feed says from then on', async () => {
    const { ida, asked, script, runJob } = await openFeedScene([A, B])
    script.answer = async ({ url }) => feedOf(`Feed of ${url}`)
    await runJob()
    expect(asked.map(({ url }) => url)).toEqual([A, B])
    expect((await ida.get('/subscriptions/ida.json')).json).toMatchObject([
      { url: A, title: `Feed of ${A}` },
      { url: B, title: `Feed of ${B}` },
    ])
  })

  test('nothing is fetched whose time has not come', async () => {
    const { asked, runJob, pass } = await openFeedScene([A])
    await runJob()
    await runJob()
    await pass(0.9 * HOUR - 1)
    expect(asked).toHaveLength(1)
    await pass(0.2 * HOUR + 1)
    expect(asked).toHaveLength(2)
  })

  test('a feed is asked with what its last answer left', async () => {
    const { asked, script, runJob, pass } = await openFeedScene([A])
    const head = { etag: '"1"', lastModified: 'Sun, 02 Mar 2025 09:00:00 GMT', bodyHash: 'abc' }
    const episodes = [feedEpisode({ released: START - 60 })]
    script.answer = async () => feedOf('', { ...head, document: feedDocument({ episodes }) })
    await runJob()
    expect(asked[0]).toMatchObject({ etag: undefined, lastModified: undefined, newestReleased: undefined, failures: 0 })
    await pass(2 * HOUR)
    expect(asked[1]).toMatchObject({ ...head, newestReleased: START - 60, failures: 0 })
  })

  test.each([
    ['a lively feed', [feedEpisode({ released: START })], 0, HOUR],
    ['a quiet one', [feedEpisode({ released: START - 20 * 24 * HOUR })], 0, 4 * HOUR],
    ['one without dates', [feedEpisode({ released: undefined })], 0, HOUR],
    ['one without episodes', [], 0, HOUR],
    ['one that asks for it', [feedEpisode({ released: START })], 6 * HOUR, 6 * HOUR],
  ])('%s comes again when it may have something new', async (_case, episodes, freshFor, seconds) => {
    const { script, runJob, row } = await openFeedScene([A])
    script.answer = async () => feedOf('', { document: feedDocument({ episodes }), freshFor })
    await runJob()
    expect(row(A)?.['next_check_at']).toBeWithin(START + 0.9 * seconds, START + 1.1 * seconds + 1)
  })

  test('a feed that is quiet stays so when it has nothing new', async () => {
    const { asked, script, runJob, pass, row } = await openFeedScene([A])
    const episodes = [feedEpisode({ released: START - 400 * 24 * HOUR })]
    script.answer = async () => feedOf('', { document: feedDocument({ episodes }) })
    await runJob()
    script.answer = async () => UNCHANGED
    await pass(27 * HOUR)
    expect(asked).toHaveLength(2)
    expect(row(A)?.['next_check_at']).toBeGreaterThanOrEqual(START + 27 * HOUR + 0.9 * 24 * HOUR)
  })

  test('all feeds come, also when they are many', async () => {
    const urls = Array.from({ length: 250 }, (_, n) => `https://host${n}.example/f`)
    const { asked, runJob } = await openFeedScene(urls)
    await runJob()
    expect(asked.map(({ url }) => url)).toEqual(urls)
  })

  test('one run is enough: what comes while it is under way joins it', async () => {
    const { app, asked, hold, begin, askedFor } = await openFeedScene([A])
    const held = hold()
    begin()
    begin()
    await askedFor(1)
    begin()
    held.release(A)
    await app.idle()
    expect(asked).toHaveLength(1)
  })

  test('nothing is fetched before 2025: no certificate is good on a computer that does not know the time', async () => {
    const { app, asked, runJob } = await openFeedScene([A], { clock: fakeClock(Date.UTC(2024, 11, 31, 23, 59) / 1000) })
    await runJob()
    expect(asked).toEqual([])
    app.clock.jump(60)
    await runJob()
    expect(asked).toHaveLength(1)
  })
})

describe('a feed that is wanted twice at once', () => {
  test('is asked once, and both get what it says', async () => {
    const { app, feeds, asked, hold, begin, askedFor } = await openFeedScene([A])
    const held = hold()
    begin()
    const [one, other] = [feeds.refresh(A), feeds.refresh(A)]
    await feeds.refreshAll()
    await askedFor(1)
    held.release(A, feedOf('Harbour Talk'))
    const refreshed = { podcast: { url: A, title: 'Harbour Talk' }, episodes: 1 }
    expect(await one).toMatchObject(refreshed)
    expect(await other).toMatchObject(refreshed)
    await app.idle()
    expect(asked).toHaveLength(1)
  })

  test('is asked again when the first answer has come', async () => {
    const { feeds, asked } = await openFeedScene([A])
    await feeds.refresh(A)
    await feeds.refresh(A)
    expect(asked).toHaveLength(2)
  })
})

describe('at once', () => {
  test('at most two feeds of one host are fetched, and others do not wait for them', async () => {
    const urls = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => `https://${name[0]}.example/${name}`)
    const { app, asked, hold, begin, askedFor } = await openFeedScene(urls)
    const held = hold()
    begin()
    await askedFor(3)
    expect(asked.map(({ url }) => url)).toEqual([
      'https://a.example/a1',
      'https://a.example/a2',
      'https://b.example/b1',
    ])
    held.release('https://b.example/b1')
    held.release('https://a.example/a2')
    await askedFor(4)
    expect(held.urls()).toEqual(['https://a.example/a1', 'https://a.example/a3'])
    held.release('https://a.example/a1')
    await askedFor(5)
    expect(held.urls()).toEqual(['https://a.example/a3', 'https://a.example/a4'])
    for (const url of held.urls()) held.release(url)
    await app.idle()
    expect(asked).toHaveLength(5)
  })

  test('as many feeds in all are fetched as the setting says', async () => {
    const urls = Array.from({ length: 5 }, (_, n) => `https://host${n}.example/f`)
    const { app, asked, hold, begin, askedFor } = await openFeedScene(urls, { settings: { feed_concurrency: '3' } })
    const held = hold()
    begin()
    await askedFor(3)
    for (let count = 4; count <= 5; count++) {
      expect(held.urls()).toHaveLength(3)
      held.release(held.urls()[0] ?? '')
      await askedFor(count)
    }
    for (const url of held.urls()) held.release(url)
    await app.idle()
    expect(asked).toHaveLength(5)
  })
})

describe('a feed that has moved', () => {
  test('is remembered to, and nobody’s subscription is changed', async () => {
    const { ida, script, runJob, row, pass, asked } = await openFeedScene([A])
    script.answer = async () => ({ ...UNCHANGED, movedTo: B })
    await runJob()
    expect(row(A)).toMatchObject({ moved_to: B })
    expect(row(B)).toBeNull()
    expect((await ida.get('/subscriptions/ida/phone.json')).json).toEqual([A])
    expect((await ida.get('/api/2/subscriptions/ida/phone.json?since=0')).json).toMatchObject({ add: [A], remove: [] })
    await pass(2 * HOUR)
    expect(asked.map(({ url, movedTo }) => [url, movedTo])).toEqual([
      [A, undefined],
      [A, B],
    ])
  })

  test('and cannot be had is still known to have moved', async () => {
    const { script, runJob, row, pass } = await openFeedScene([A])
    script.answer = async () => ({ ...UNCHANGED, movedTo: B })
    await runJob()
    script.answer = async () => failed()
    await pass(2 * HOUR)
    expect(row(A)).toMatchObject({ moved_to: B, failures: 1 })
  })
})
