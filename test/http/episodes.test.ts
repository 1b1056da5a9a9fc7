import { describe, expect, test } from 'bun:test'
import type { FeedEpisode } from '../../src/domain/feeds/document.ts'
import { feedOf, openFeedScene } from '../domain/feed-scene.ts'
import { feedDocument, feedEpisode, T } from '../store/contract/fixtures.ts'
import { type Answer, clientOf } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const A = 'https://feeds.example/a?x=1&y=2'
const PATH = `/api/2/data/podcast/episodes.json?url=${encodeURIComponent(A)}`

const urlOf = (name: string) => `https://cdn.example/${name}.mp3`
const episode = (name: string, released: number | undefined) =>
  feedEpisode({ url: urlOf(name), title: name, guid: name, released })

/** Ida has feed A, which has been fetched with these episodes. */
async function open(episodes: readonly FeedEpisode[]) {
  const scene = await openFeedScene([A])
  const publish = async (all: readonly FeedEpisode[]) => {
    scene.script.answer = async () => feedOf('', { document: feedDocument({ episodes: [...all] }) })
    await scene.feeds.refresh(A)
  }
  await publish(episodes)
  return { ...scene, publish, anyone: clientOf(scene.app) }
}

/** As many episodes, newest first: e0, e1, … */
const many = (count: number) => Array.from({ length: count }, (_, n) => episode(`e${n}`, T - n))

function titlesIn({ json }: Answer): unknown[] {
  if (typeof json !== 'object' || json === null || !('episodes' in json) || !Array.isArray(json.episodes))
    throw new Error('the answer has no list "episodes"')
  return json.episodes.map(({ title }: { title: unknown }) => title)
}

describe('a page of episodes (D80)', () => {
  test('has the envelope and the episode objects with all keys', async () => {
    const { anyone } = await open([episode('fog', T)])
    expect((await anyone.get(PATH)).json).toEqual({
      url: A,
      page: 0,
      per_page: 20,
      total: 1,
      total_pages: 1,
      episodes: [
        {
          title: 'fog',
          url: urlOf('fog'),
          podcast_title: 'Harbour Talk',
          podcast_url: A,
          description: 'Boats & birds',
          released: '2025-03-02T10:00:00',
          mygpo_link: `http://localhost/episode?podcast=${encodeURIComponent(A)}&url=${encodeURIComponent(urlOf('fog'))}`,
          guid: 'fog',
          ...{ duration: 3600, size: 4096, mime_type: 'audio/mpeg' },
          ...{ website: '', image_url: '', chapters_url: '', transcript_url: '' },
        },
      ],
    })
  })

  test.each<[string, string[], Record<string, number>]>([
    ['', ['e0', 'e19'], { page: 0, per_page: 20, total_pages: 3 }],
    ['&page=0', ['e0', 'e19'], { page: 0, per_page: 20, total_pages: 3 }],
    ['&page=1', ['e20', 'e39'], { page: 1, per_page: 20, total_pages: 3 }],
    ['&page=2', ['e40', 'e40'], { page: 2, per_page: 20, total_pages: 3 }],
    ['&page=3', [], { page: 3, per_page: 20, total_pages: 3 }],
    ['&page=999999999', [], { page: 999_999_999, per_page: 20, total_pages: 3 }],
    ['&page=-1', ['e0', 'e19'], { page: 0, per_page: 20, total_pages: 3 }],
    ['&page=&per_page=', ['e0', 'e19'], { page: 0, per_page: 20, total_pages: 3 }],
    ['&page=01&per_page=007', ['e7', 'e13'], { page: 1, per_page: 7, total_pages: 6 }],
    ['&per_page=41', ['e0', 'e40'], { page: 0, per_page: 41, total_pages: 1 }],
    ['&per_page=40&page=1', ['e40', 'e40'], { page: 1, per_page: 40, total_pages: 2 }],
    ['&per_page=1&page=40', ['e40', 'e40'], { page: 40, per_page: 1, total_pages: 41 }],
    ['&per_page=0', ['e0', 'e0'], { page: 0, per_page: 1, total_pages: 41 }],
    ['&per_page=-5', ['e0', 'e0'], { page: 0, per_page: 1, total_pages: 41 }],
    ['&per_page=101', ['e0', 'e40'], { page: 0, per_page: 100, total_pages: 1 }],
    [`&per_page=${'9'.repeat(400)}`, ['e0', 'e40'], { page: 0, per_page: 100, total_pages: 1 }],
  ])('%s of 41 goes from %j', async (query, ends, envelope) => {
    const { anyone } = await open(many(41))
    const answer = await anyone.get(PATH + query)
    expect(answer).toMatchObject({ status: 200, json: { url: A, total: 41, ...envelope } })
    const titles = titlesIn(answer)
    expect(titles.length === 0 ? [] : [titles[0], titles.at(-1)]).toEqual(ends)
  })

  test.each(['one', '1.5', '1e2', '0x1', '+1', '%201', '1%20', 'NaN', 'null', '--1', '%EF%BC%91'])(
    'is none for %s, which is no whole number (D19)',
    async (value) => {
      const { anyone } = await open([])
      for (const field of ['page', 'per_page'])
        expectRefusal(await anyone.get(`${PATH}&${field}=${value}`), 400, 'validation_failed', field)
    },
  )
})

describe('the order of episodes (D80)', () => {
  test.each<[string, FeedEpisode[], string[]]>([
    ['is newest first', [episode('b', T - 9), episode('a', T), episode('c', T - 99)], ['a', 'b', 'c']],
    ['has those without a date last', [episode('x', undefined), episode('a', T), episode('old', 0)], ['a', 'old', 'x']],
  ])('%s', async (_case, episodes, expected) => {
    const { anyone } = await open(episodes)
    expect(titlesIn(await anyone.get(PATH))).toEqual(expected)
  })

  test('has what came last first where dates are the same or unknown', async () => {
    const { anyone, publish } = await open([episode('a', T), episode('x', undefined)])
    await publish([episode('b', T), episode('a', T), episode('x', undefined), episode('y', undefined)])
    expect(titlesIn(await anyone.get(PATH))).toEqual(['b', 'a', 'y', 'x'])
  })

  test.each<[string, FeedEpisode[]]>([
    ['without a date', [episode('a', undefined), episode('b', undefined), episode('c', undefined)]],
    ['of the same time', [episode('a', T), episode('b', T), episode('c', T)]],
    ['more than come at once', many(25).map((each) => ({ ...each, released: undefined }))],
  ])('is that of the document for episodes of one fetch %s', async (_case, episodes) => {
    const { anyone, publish } = await open(episodes)
    const titles = episodes.map(({ title }) => title)
    expect(titlesIn(await anyone.get(`${PATH}&per_page=100`))).toEqual(titles)
    const [released] = episodes.map((each) => each.released)
    await publish([episode('new', released), episode('newish', released), ...episodes])
    expect(titlesIn(await anyone.get(`${PATH}&per_page=100`))).toEqual(['new', 'newish', ...titles])
    const [first, second] = [`${PATH}&per_page=2`, `${PATH}&per_page=2&page=1`]
    expect([...titlesIn(await anyone.get(first)), ...titlesIn(await anyone.get(second))]).toEqual(
      ['new', 'newish', ...titles].slice(0, 4),
    )
  })
})

describe('episodes are', () => {
  test('not those that only somebody’s actions have named', async () => {
    const { ida, anyone } = await open([episode('a', T)])
    const action = { podcast: A, episode: urlOf('bonus'), action: 'play', position: 1 }
    expect(await ida.post('/api/2/episodes/ida.json', [action])).toMatchObject({ status: 200 })
    for (const client of [anyone, ida]) {
      expect((await client.get(PATH)).json).toMatchObject({ total: 1 })
      expect(titlesIn(await client.get(PATH))).toEqual(['a'])
    }
  })
})
