import { describe, expect, test } from 'bun:test'
import { A, B, episodePath, episodesPath, FOG, openPodcasts, podcastPath } from './podcast-data-scene.ts'
import { expectRefusal } from './refusal.ts'

describe('addresses are tidied before they are looked up (D16)', () => {
  const spellings = [
    [' https://feeds.example/a?x=1&y=2 '],
    ['\u00a0\ufeffhttps://feeds.example/a?x=1&y=2'],
    ['HTTPS://Feeds.Example/a?x=1&y=2'],
    ['https://feeds.example:443/a?x=1&y=2'],
    ['https://ida:seaglass@feeds.example/a?x=1&y=2'],
    ['feed:https://feeds.example/a?x=1&y=2'],
    ['itpc://https://feeds.example/a?x=1&y=2'],
    ['https://feeds.example/b/../a?x=1&y=2'],
  ] as const

  test.each(spellings)('%p is the feed', async (url) => {
    const { anyone } = await openPodcasts()
    expect(await anyone.get(podcastPath(url))).toMatchObject({ status: 200, json: { url: A } })
    expect(await anyone.get(episodePath(url, FOG))).toMatchObject({ status: 200, json: { podcast_url: A } })
    expect(await anyone.get(episodesPath(url))).toMatchObject({ json: { url: A } })
  })

  test.each([
    ' https://cdn.example/fog.mp3?x=1&y=2',
    'https://CDN.example:443/fog.mp3?x=1&y=2',
    'https://a@cdn.example/fog.mp3?x=1&y=2',
  ])('%p is the media file', async (url) => {
    const { anyone } = await openPodcasts()
    expect(await anyone.get(episodePath(A, url))).toMatchObject({ status: 200, json: { url: FOG } })
  })

  test.each([
    'https://feeds.example/a',
    'http://feeds.example/a?x=1&y=2',
    'https://feeds.example/a?y=2&x=1',
    'https://feeds.example/A?x=1&y=2',
  ])('%s is another one', async (url) => {
    const { anyone } = await openPodcasts()
    expectRefusal(await anyone.get(podcastPath(url)), 404, 'unknown_podcast')
    expectRefusal(await anyone.get(episodePath(url, FOG)), 404, 'unknown_podcast')
  })
})

const PODCAST = '/api/2/data/podcast.json'
const EPISODE = '/api/2/data/episode.json'
const EPISODES = '/api/2/data/podcast/episodes.json'

/** What is not there, and what is no address. */
const NOTHING = [
  undefined,
  '',
  '%20',
  '%09%0A',
  '%C2%A0%EF%BB%BF',
  'harbour',
  'ftp://feeds.example/a',
  'mailto:a@b.example',
  'javascript:alert(1)',
  'http://',
  '//feeds.example/a',
  '%00',
  '%FF',
  `https://feeds.example/${'x'.repeat(2048)}`,
] as const

describe('a mistake (D50)', () => {
  test.each([
    [PODCAST, '', 'url'],
    [EPISODES, 'page=0&', 'url'],
    [EPISODE, `podcast=${B}&`, 'url'],
    [EPISODE, `url=${FOG}&`, 'podcast'],
  ])('is no address for %s?%s…, and %s is to blame', async (path, rest, field) => {
    const { anyone, ida, asked } = await openPodcasts({ feed_on_demand: 'anyone' })
    const before = asked.length
    for (const value of NOTHING)
      for (const client of [anyone, ida]) {
        const answer = await client.get(`${path}?${rest}${value === undefined ? '' : `${field}=${value}`}`)
        expectRefusal(answer, 400, 'validation_failed', field)
        expect(answer.headers.get('cache-control')).toBe('no-store')
      }
    expect(asked).toHaveLength(before)
  })

  test('names both of an episode when there is neither', async () => {
    const { anyone } = await openPodcasts()
    for (const query of ['', '?podcast=', '?url=', '?podcast=%20&url=']) {
      const answer = await anyone.get(EPISODE + query)
      expectRefusal(answer, 400, 'validation_failed', 'podcast')
      expect(answer.json).toMatchObject({ message: 'podcast and url are required' })
    }
  })

  test('is none: more parameters than there are', async () => {
    const { anyone } = await openPodcasts()
    expect(await anyone.get(`${podcastPath(B)}&scale_logo=0&jsonp=f&q=`)).toMatchObject({
      status: 200,
      json: { url: B },
    })
  })
})
