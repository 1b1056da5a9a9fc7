import { describe, expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import type { FeedDocument } from '../../support/feed-document.ts'
import type { ScriptedAnswer } from '../../support/feed-source.ts'
import { failed, feedOf, openFeedScene } from '../feed-scene.ts'

const HTTP = 'http://feeds.example/a?x=1'
const HTTPS = 'https://feeds.example/a?x=1'
const OTHER = 'https://feeds.example/b'
const DAY = 24 * 3600

const episodes = (...numbers: number[]) =>
  numbers.map((n) => feedEpisode({ url: `http://cdn.example/${n}.mp3`, guid: `guid ${n}`, released: n * DAY }))
const withoutGuids = (scheme: string) =>
  [3, 2, 1].map((n) => feedEpisode({ url: `${scheme}://cdn.example/${n}.mp3`, guid: '', released: n * DAY }))

const document = (fields: Partial<FeedDocument> = {}) => feedDocument({ episodes: episodes(3, 2, 1), ...fields })

/** A feed that ida has by http, refreshed once; `twin` is the answer by https. */
async function open(twin: ScriptedAnswer, own: FeedDocument = document()) {
  const scene = await openFeedScene([HTTP, OTHER])
  const { ida, script, asked } = scene
  script.answer = async ({ url }) => (url === HTTPS ? twin : feedOf('', { document: own }))
  await scene.runJob()
  asked.length = 0
  return {
    ...scene,
    tried: () => asked.map(({ url }) => url),
    probe: () => scene.runJob('upgrades'),
    offered: async () => (await ida.get('/api/2/me/upgrades')).json,
  }
}

const twinOf = (fields: Partial<FeedDocument>) => feedOf('', { document: document(fields) })
const OFFER = [{ http_url: HTTP, https_url: HTTPS, title: 'Harbour Talk' }]

describe('a feed with an http address is offered by https', () => {
  test.each<[string, ScriptedAnswer, FeedDocument]>([
    ['has the same title and episodes', twinOf({}), document()],
    ['has newer episodes, too', twinOf({ episodes: episodes(5, 4, 3, 2, 1) }), document()],
    ['has the same guid', twinOf({ guid: 'g', title: 'Ebb' }), document({ guid: 'g', title: 'Flow' })],
    ['has the same media', twinOf({ episodes: withoutGuids('https') }), document({ episodes: withoutGuids('http') })],
  ])('if the feed there %s', async (_case, twin, own) => {
    const { probe, tried, offered } = await open(twin, own)
    expect(await offered()).toEqual([])
    await probe()
    expect(tried()).toEqual([HTTPS])
    expect(await offered()).toEqual([{ ...OFFER[0], title: own.title }])
  })

  test.each<[string, ScriptedAnswer, FeedDocument]>([
    ['cannot be fetched', failed(), document()],
    ['has another guid', twinOf({ guid: 'g' }), document({ guid: 'h' })],
    ['has another title', twinOf({ title: 'Ebb' }), document()],
    ['has other episodes', twinOf({ episodes: episodes(9, 8, 7) }), document()],
    ['shares only one episode', twinOf({ episodes: episodes(9, 8, 3) }), document()],
    ['is empty', twinOf({ title: '', episodes: [] }), document({ title: '', episodes: [] })],
  ])('but not if the feed there %s', async (_case, twin, own) => {
    const { probe, tried, offered } = await open(twin, own)
    await probe()
    expect(tried()).toEqual([HTTPS])
    expect(await offered()).toEqual([])
  })
})

describe('a probe', () => {
  test('changes no subscription, no visible podcast and nothing of the feed', async () => {
    const { app, ida, probe } = await open(twinOf({ title: 'Harbour Talk', author: 'Somebody else' }))
    const seen = 'SELECT url FROM podcasts WHERE is_local = 1 OR is_private = 0 OR checked_at IS NOT NULL'
    const before = app.db.query(seen).all()
    await probe()
    expect((await ida.get('/subscriptions/ida/phone.json')).json).toEqual([HTTP, OTHER])
    expect(app.db.query(seen).all()).toEqual(before)
    expect(app.db.query('SELECT DISTINCT author FROM podcast_details').values()).toEqual([['Tidewater']])
  })

  test('is repeated after 30 days, not before', async () => {
    const { app, probe, tried } = await open(failed())
    await probe()
    app.clock.advance(30 * DAY)
    await probe()
    expect(tried()).toHaveLength(1)
    app.clock.advance(1)
    await probe()
    expect(tried()).toHaveLength(2)
  })

  test.each([
    ['has https subscribers already', { add: [HTTPS] }],
    ['has no subscribers any more', { remove: [HTTP] }],
  ])('is not made for a feed that %s', async (_case, change) => {
    const { ida, probe, tried } = await open(twinOf({}))
    await ida.post('/api/2/subscriptions/ida/phone.json', change)
    await probe()
    expect(tried()).toEqual([])
  })

  test('takes some of many feeds at a time, and all in the end', async () => {
    const urls = Array.from({ length: 45 }, (_, n) => `http://host${n}.example/f`)
    const scene = await openFeedScene(urls)
    scene.script.answer = async () => feedOf('Harbour Talk')
    await scene.runJob()
    const counts: number[] = []
    for (let run = 0; run < 4; run++) {
      scene.asked.length = 0
      await scene.runJob('upgrades')
      counts.push(scene.asked.length)
    }
    expect(counts).toEqual([20, 20, 5, 0])
  })
})
