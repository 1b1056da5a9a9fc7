import { describe, expect, test } from 'bun:test'
import { B, FOG, openPodcasts } from './podcast-data-scene.ts'
import { expectRefusal } from './refusal.ts'

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
})
