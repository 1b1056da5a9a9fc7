import { describe, expect, test } from 'bun:test'
import { feedOf, openFeedScene } from '../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../store/contract/fixtures.ts'
import { signUp } from '../support/client.ts'
import { episodePath, podcastPath } from './podcast-data-scene.ts'
import { expectRefusal } from './refusal.ts'

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'
const SECRET = 'https://feeds.example/secret?token=1'
const FOG = 'https://cdn.example/fog.mp3'
const NOTES = '<p>Boats &amp; <em>birds</em></p><ul><li>Gulls</li></ul>'
const SUPPORT = 'https://tidewater.example/support'

const podcastPage = (url: string) => `/api/2/me/podcast/about?url=${encodeURIComponent(url)}`
const episodePage = (feed: string, url: string) =>
  `/api/2/me/podcast/episode?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(url)}`

const TAGS: Readonly<Record<string, readonly string[]>> = {
  [A]: ['Society & Culture', 'Sea', 'sea', '???'],
  [B]: ['Sea'],
  [SECRET]: ['Sea', 'Hidden Lore'],
}

/** Ida has feeds A, B and a private one, which are about something and have notes; Ole has none. */
async function open() {
  const scene = await openFeedScene([A, B, SECRET], { settings: { feed_on_demand: 'off', rate_limit: 'false' } })
  scene.script.answer = async ({ url }) => {
    const episodes = [feedEpisode({ url: FOG, description: NOTES })]
    const tags = TAGS[url] ?? []
    return feedOf('', { document: feedDocument({ description: NOTES, tags, fundingUrl: SUPPORT, episodes }) })
  }
  await scene.runJob()
  return { ...scene, ole: await signUp(scene.app, 'ole', 'driftwood') }
}

describe('GET /api/2/me/podcast/about', () => {
  test('is the podcast object, its notes as HTML, what it is about and where to support it', async () => {
    const { ida } = await open()
    const { json: podcast } = await ida.get(podcastPath(A))
    expect((await ida.get(podcastPage(A))).json).toEqual({
      ...Object(podcast),
      notes_html: NOTES,
      tags: [
        { title: 'Society & Culture', tag: 'society-culture', usage: 1 },
        { title: 'Sea', tag: 'sea', usage: 2 },
      ],
      funding_url: SUPPORT,
    })
  })

  test('leaves what other clients are told in plain text', async () => {
    const { ida } = await open()
    const { json, text } = await ida.get(podcastPath(A))
    expect(json).toMatchObject({ description: 'Boats & birds\nGulls' })
    expect(text).not.toContain('notes_html')
    expect((await ida.get(episodePath(A, FOG))).text).not.toContain('notes')
  })

  test('of a private podcast is for its subscribers alone, and nobody counts its tags (D56)', async () => {
    const { ida, ole } = await open()
    expect((await ida.get(podcastPage(SECRET))).json).toMatchObject({
      tags: [
        { tag: 'sea', usage: 2 },
        { title: 'Hidden Lore', tag: 'hidden-lore', usage: 0 },
      ],
    })
    const answer = await ole.get(podcastPage(SECRET))
    expectRefusal(answer, 404, 'unknown_podcast')
    expect(answer.text).toBe((await ole.get(podcastPage('https://feeds.example/nobody-has-this'))).text)
  })
})

describe('GET /api/2/me/podcast/episode', () => {
  test('is the episode object with its notes as HTML', async () => {
    const { ida } = await open()
    const { json: episode } = await ida.get(episodePath(A, FOG))
    expect((await ida.get(episodePage(A, FOG))).json).toEqual({ ...Object(episode), notes_html: NOTES })
  })

  test('of a private podcast is for its subscribers alone (D56)', async () => {
    const { ida, ole } = await open()
    expect(await ida.get(episodePage(SECRET, FOG))).toMatchObject({ status: 200 })
    expectRefusal(await ole.get(episodePage(SECRET, FOG)), 404, 'unknown_podcast')
  })
})

test.each([
  ['/api/2/me/podcast/about', 'url'],
  [podcastPage('nonsense'), 'url'],
  ['/api/2/me/podcast/episode', 'podcast'],
  [`/api/2/me/podcast/episode?podcast=${A}`, 'url'],
  [`/api/2/me/podcast/episode?url=${FOG}`, 'podcast'],
  [episodePage(A, 'nonsense'), 'url'],
  [episodePage('nonsense', FOG), 'podcast'],
])('%s is refused: %s is no address', async (path, field) => {
  const { ida } = await open()
  expectRefusal(await ida.get(path), 400, 'validation_failed', field)
})
