import { describe, expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import type { FeedDocument } from '../../support/feed-document.ts'
import type { ScriptedAnswer } from '../../support/feed-source.ts'
import { failed, feedOf, openFeedScene } from '../feed-scene.ts'

const OLD = 'https://old.example/f'
const NEW = 'https://new.example/f'
const SECRET = 'https://old.example/f?token=0f3c9a7be2d14586'
const DAY = 24 * 3600

const episodes = (...numbers: number[]) =>
  numbers.map((n) => feedEpisode({ url: `https://cdn.example/${n}.mp3`, guid: `guid ${n}` }))
const document = (fields: Partial<FeedDocument> = {}) => feedDocument({ episodes: episodes(3, 2, 1), ...fields })

/** A feed that claims to have moved, refreshed once; `there` is the answer at the new address. */
async function open(there: ScriptedAnswer, own: Partial<FeedDocument> = {}, url = OLD) {
  const scene = await openFeedScene([url])
  const { app, ida, script, asked } = scene
  script.answer = async (feed) =>
    feed.url === NEW ? there : feedOf('', { document: document({ newFeedUrl: NEW, ...own }) })
  await scene.runJob()
  await scene.runJob('directory')
  asked.length = 0
  return {
    ...scene,
    probed: () => asked.map((feed) => feed.url),
    probe: () => scene.runJob('moves'),
    /** Whether the server takes both addresses for one podcast. */
    async isOne() {
      await ida.post('/api/2/subscriptions/ida/phone.json', { add: [NEW] })
      await app.idle()
      return [(await ida.get('/subscriptions/ida/phone.json')).json].flat().length === 1
    },
  }
}

const thereWith = (fields: Partial<FeedDocument>) => feedOf('', { document: document(fields) })

describe('a feed that claims to be at another address', () => {
  test.each<[string, ScriptedAnswer, boolean]>([
    ['one of its episodes is there', thereWith({ episodes: episodes(9, 8, 2) }), true],
    ['its guid is there', thereWith({ guid: 'g', episodes: [] }), true],
    ['nothing is there', failed(), false],
  ])('is one podcast with the feed there if %s', async (_what, there, isOne) => {
    const { probe, probed, isOne: isOnePodcast } = await open(there, { guid: 'g' })
    await probe()
    expect(probed()).toEqual([NEW])
    expect(await isOnePodcast()).toBe(isOne)
  })

  test('is probed again after a week, unless it was found', async () => {
    const scene = await open(failed())
    await scene.probe()
    scene.app.clock.advance(6 * DAY)
    await scene.probe()
    expect(scene.probed()).toEqual([NEW])
    scene.script.answer = async () => thereWith({})
    scene.app.clock.advance(2 * DAY)
    await scene.probe()
    scene.app.clock.advance(60 * DAY)
    await scene.probe()
    expect(scene.probed()).toEqual([NEW, NEW])
  })

  test('is never one with a public feed if its own address is a secret', async () => {
    const { probe, isOne } = await open(thereWith({}), {}, SECRET)
    await probe()
    expect(await isOne()).toBe(false)
  })

  test('is not probed any more when the server stops', async () => {
    const { app, probe, probed } = await open(thereWith({}))
    app.beginStop()
    await probe()
    expect(probed()).toEqual([])
  })

  describe('whose target is stored here', () => {
    const claiming = (fields: Partial<FeedDocument> = {}) =>
      feedOf('', { document: document({ newFeedUrl: NEW, ...fields }) })

    /** Fetches both in this order, without any other job, and returns whether they are one podcast. */
    async function fetchBoth(order: readonly string[], there: ScriptedAnswer, own = claiming(), old = OLD) {
      const scene = await openFeedScene([])
      scene.script.answer = async ({ url }) => (url === NEW ? there : own)
      for (const url of order) {
        await scene.ida.post('/api/2/subscriptions/ida/laptop.json', { add: [url] })
        await scene.runJob()
      }
      expect(scene.asked.map(({ url }) => url)).toEqual([...order])
      await scene.ida.post('/api/2/subscriptions/ida/phone.json', { add: [old] })
      await scene.ida.post('/api/2/subscriptions/ida/phone.json', { add: [NEW] })
      await scene.app.idle()
      return [(await scene.ida.get('/subscriptions/ida/phone.json')).json].flat().length === 1
    }

    test.each([
      ['before it', [NEW, OLD]],
      ['after it', [OLD, NEW]],
    ])('is one podcast with it at once, when that was fetched %s', async (_when, order) => {
      expect(await fetchBoth(order, thereWith({ episodes: episodes(9, 2) }))).toBe(true)
      expect(await fetchBoth(order, thereWith({ guid: 'g', episodes: [] }), claiming({ guid: 'g' }))).toBe(true)
      expect(await fetchBoth(order, thereWith({ episodes: episodes(9, 8) }))).toBe(false)
    })

    test('is not joined with a podcast of the private network, nor with a public one if it is private itself', async () => {
      expect(await fetchBoth([OLD, NEW], { ...thereWith({}), isInside: true } as ScriptedAnswer)).toBe(false)
      expect(await fetchBoth([SECRET, NEW], thereWith({}), claiming(), SECRET)).toBe(false)
      expect(await fetchBoth([OLD, NEW], thereWith({}), claiming({ isBlocked: true }))).toBe(false)
    })
  })
})
