import { describe, expect, test } from 'bun:test'
import { failed } from '../domain/feed-scene.ts'
import { FOG, NEW, openOnDemand } from './on-demand-scene.ts'
import { episodePath, episodesPath, podcastPath } from './podcast-data-scene.ts'
import { expectRefusal } from './refusal.ts'

/** Of different hosts, and of nobody. */
const unknown = (...numbers: number[]) => numbers.map((n) => `https://host${n}.example/f`)
const MARKED = ['https://a.example/f', 'https://b.example/f', 'https://c.example/f']
const [A = '', B = '', C = ''] = MARKED

/** Ida has feeds that nobody else is to know of. */
async function open(settings: Record<string, string> = { rate_limit: 'true' }) {
  const scene = await openOnDemand(settings, MARKED)
  for (const url of MARKED)
    await scene.ida.post(`/api/2/settings/ida/podcast.json?podcast=${url}`, { set: { public_subscription: false } })
  return scene
}

const WAYS: [string, (url: string) => string][] = [
  ['podcast data', podcastPath],
  ['lists of episodes', episodesPath],
  ['episode data', (url) => episodePath(url, FOG)],
  ['a search for its address', (url) => `/search.json?q=${encodeURIComponent(url)}`],
]

describe('a stranger cannot tell a feed that somebody has in private from one that cannot be had', () => {
  /** What is answered to one question after the other, and a minute later, when what was tried of late is not tried again. */
  async function told(urls: readonly string[], pathOf: (url: string) => string) {
    const { app, anyone, script } = await open()
    script.answer = async () => failed()
    const answers = []
    for (const round of [1, 2]) {
      for (const url of urls) answers.push(await anyone.get(pathOf(url)))
      app.clock.advance(round * 61)
    }
    return answers.map(({ status, text, headers }) => ({ status, text, retryAfter: headers.get('retry-after') }))
  }

  describe.each(WAYS)('by %s', (_way, pathOf) => {
    test.each([
      [
        'six asked for within a minute, and more',
        [A, ...unknown(0, 1, 2, 3), B, C, ...unknown(4)],
        [9, 0, 1, 2, 3, 8, 7, 4],
      ],
      ['one behind six others', [...unknown(0, 1, 2, 3, 4, 5), A, A, B], [0, 1, 2, 3, 4, 5, 9, 9, 8]],
      ['one again and again', [A, A, A, A, A, A, A, A, ...unknown(0)], [9, 9, 9, 9, 9, 9, 9, 9, 0]],
    ])('%s', async (_case, urls, same) => {
      expect(await told(urls, pathOf)).toEqual(await told(unknown(...same), pathOf))
    })
  })

  test('and is told when the minute is over', async () => {
    const { anyone } = await open()
    for (const url of [...unknown(0, 1, 2, 3, 4), A]) await anyone.get(podcastPath(url))
    expectRefusal(await anyone.get(podcastPath(B)), 429, 'rate_limited')
    expectRefusal(await anyone.get(podcastPath(A)), 404, 'unknown_podcast')
  })

  test('while too many are waited for', async () => {
    const { anyone, hold, askedFor, script } = await open({})
    const held = hold()
    const waiting = Array.from({ length: 32 }, (_, n) => anyone.get(podcastPath(unknown(n)[0] ?? '')))
    await askedFor(4)
    for (const url of [A, NEW]) expectRefusal(await anyone.get(podcastPath(url)), 503, 'unavailable')
    script.answer = async () => failed()
    for (const url of held.urls()) held.release(url, failed())
    await Promise.all(waiting)
  })
})
