import { expect, test } from 'bun:test'
import type { FeedEpisode } from '../../../src/domain/feeds/document.ts'
import { feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument, feedEpisode, T } from '../../store/contract/fixtures.ts'
import { type Answer, clientOf } from '../../support/client.ts'
import type { FeedDocument } from '../../support/feed-document.ts'
import { expectError } from '../error.ts'
import { episodePath, episodesPath, valuesOf } from './scene.ts'

const A = 'https://feeds.example/a?x=1&y=2'
const PATH = episodesPath(A)

const urlOf = (name: string) => `https://cdn.example/${name}.mp3`
const episode = (name: string, released: number | undefined = T) =>
  feedEpisode({ url: urlOf(name), title: name, guid: name, released })

/** Ida subscribes to feed A, fetched with these episodes. */
async function open(episodes: readonly FeedEpisode[]) {
  const scene = await openFeedScene([A])
  async function publish(all: readonly FeedEpisode[], fields: Partial<FeedDocument> = {}): Promise<void> {
    scene.script.answer = async () => feedOf('', { document: feedDocument({ ...fields, episodes: [...all] }) })
    await scene.feeds.refresh(A)
  }
  await publish(episodes)
  const anyone = clientOf(scene.app)
  return { ...scene, publish, anyone, titles: async (query = '') => titlesIn(await anyone.get(PATH + query)) }
}

/** Episodes e0, e1, …, newest first. */
const many = (count: number) => Array.from({ length: count }, (_, n) => episode(`e${n}`, T - n))

const titlesIn = (answer: Answer) => valuesOf({ ...answer, json: Object(answer.json).episodes }, 'title')

const page = (number: number, per_page: number, total_pages: number) => ({ page: number, per_page, total_pages })

test('episodes are paged (D80) with clamped parameters (D19)', async () => {
  const { anyone } = await open(many(41))
  for (const [query, ends, envelope] of [
    ['', ['e0', 'e19'], page(0, 20, 3)],
    ['&page=2', ['e40', 'e40'], page(2, 20, 3)],
    ['&page=999999999', [undefined, undefined], page(999_999_999, 20, 3)],
    ['&page=-1', ['e0', 'e19'], page(0, 20, 3)],
    ['&per_page=0', ['e0', 'e0'], page(0, 1, 41)],
    ['&per_page=101', ['e0', 'e40'], page(0, 100, 1)],
  ] as const) {
    const answer = await anyone.get(PATH + query)
    expect(answer.json).toEqual({ url: A, total: 41, ...envelope, episodes: expect.any(Array) })
    const titles = titlesIn(answer)
    expect([query, titles[0], titles.at(-1)]).toEqual([query, ...ends])
  }
  const { json } = await anyone.get(episodePath(A, urlOf('e0')))
  expect((await anyone.get(`${PATH}&per_page=1`)).json).toMatchObject({ episodes: [json] })
  for (const value of ['one', '1.5', '1e2', '0x1', '+1', '%201', 'NaN', '--1', '%EF%BC%91'])
    for (const field of ['page', 'per_page'])
      expectError(await anyone.get(`${PATH}&${field}=${value}`), 400, 'validation_failed', field)
})

test('episodes are ordered by date, undated ones last, and by time of arrival (D80)', async () => {
  const { publish, titles } = await open([episode('old', 0), episode('a'), { ...episode('x'), released: undefined }])
  expect(await titles()).toEqual(['a', 'old', 'x'])
  const undated = ['x', 'y'].map((name) => ({ ...episode(name), released: undefined }))
  await publish([episode('b'), episode('a'), ...undated])
  expect(await titles()).toEqual(['b', 'a', 'old', 'y', 'x'])
})

test.each<[string, FeedEpisode[]]>([
  ['without a date', ['a', 'b', 'c'].map((name) => ({ ...episode(name), released: undefined }))],
  ['of the same second', ['a', 'b', 'c'].map((name) => episode(name))],
  ['in several batches', many(25).map((each) => ({ ...each, released: undefined }))],
])('episodes of one fetch, %s, are in document order (D80)', async (_case, episodes) => {
  const { publish, titles } = await open(episodes)
  const names = episodes.map(({ title }) => title)
  expect(await titles('&per_page=100')).toEqual(names)
  const released = episodes[0]?.released
  await publish([{ ...episode('new'), released }, { ...episode('newish'), released }, ...episodes])
  const expected = ['new', 'newish', ...names]
  expect(await titles('&per_page=100')).toEqual(expected)
  expect([...(await titles('&per_page=2')), ...(await titles('&per_page=2&page=1'))]).toEqual(expected.slice(0, 4))
})

test('an episode that its publisher blocks is hidden except in the history of its listeners (D56)', async () => {
  const { ida, anyone, publish, titles } = await open([episode('fog'), episode('ebb')])
  const played = { podcast: A, episode: urlOf('fog'), action: 'play', timestamp: '2025-03-02T10:00:00' }
  await ida.post('/api/2/episodes/ida.json', [{ ...played, started: 0, position: 9, total: 60 }])
  await publish([episode('ebb')], { blockedEpisodes: [urlOf('fog'), urlOf('never-seen')] })
  for (const client of [anyone, ida]) {
    expect((await client.get(PATH)).json).toMatchObject({ total: 1, episodes: [{ title: 'ebb' }] })
    expectError(await client.get(episodePath(A, urlOf('fog'))), 404, 'unknown_episode')
  }
  const history = await ida.get('/api/2/me/history')
  expect(history.text).toContain(urlOf('fog'))
  expect(history.text).not.toContain('"fog"')
  expect((await ida.get('/api/2/episodes/ida.json')).json).toMatchObject({ actions: [{ ...played, position: 9 }] })
  await publish([episode('fog'), episode('ebb')])
  expect(new Set(await titles())).toEqual(new Set(['fog', 'ebb']))
})
