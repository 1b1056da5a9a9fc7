import { expect, test } from 'bun:test'
import { notesOf } from '../../../src/formats/notes.ts'
import { feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument, feedEpisode, T } from '../../store/contract/fixtures.ts'
import { basic, clientOf, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { episodePath, episodesPath, podcastPath } from './scene.ts'

const A = 'https://feeds.example/a?x=1&y=2'
const B = 'https://feeds.example/b'
const SECRET = 'https://feeds.example/secret?token=1'
/** The same media URL in all feeds, with a different episode in each. */
const FOG = 'https://cdn.example/fog.mp3?x=1&y=2'
const SILENT = 'https://cdn.example/2'

const NOTES = '<p>Boats &amp; <em>birds</em></p><ul><li>Gulls</li></ul>'
const TEXT = 'Boats & birds\nGulls'
const SUPPORT = 'https://tidewater.example/support'

const TAGS: Readonly<Record<string, readonly string[]>> = {
  [A]: ['Society & Culture', 'Sea', 'sea', '???'],
  [B]: ['Sea'],
  [SECRET]: ['Sea', 'Hidden Lore'],
}

const fog = feedEpisode({
  url: FOG,
  description: NOTES,
  website: 'https://tidewater.example/fog',
  released: T - 60,
  guid: 'tag:tidewater.example,2025:fog',
  imageUrl: 'https://tidewater.example/fog.png',
  chaptersUrl: 'https://tidewater.example/fog.json',
  transcriptUrl: 'https://tidewater.example/fog.vtt',
})
const silent = feedEpisode({
  ...{ url: SILENT, title: '', description: '', guid: '', mimeType: '' },
  ...{ released: undefined, duration: undefined, size: undefined },
})
const NOTHING = { title: '', author: '', description: '', website: '', logoUrl: '', language: '' }

/** Ida subscribes to A with full metadata, B without any, and a private feed; ole to nothing. */
async function open() {
  const scene = await openFeedScene([A, B, SECRET], { settings: { feed_on_demand: 'off', rate_limit: 'false' } })
  const full = feedDocument({ description: NOTES, fundingUrl: SUPPORT, episodes: [fog, silent] })
  const empty = feedDocument({ ...NOTHING, episodes: [feedEpisode({ url: FOG, title: 'Fog of B' })] })
  scene.script.answer = async ({ url }) =>
    feedOf('', { document: { ...(url === A ? full : empty), tags: [...(TAGS[url] ?? [])] } })
  await scene.runJob()
  return { ...scene, anyone: clientOf(scene.app), ole: await signUp(scene.app, 'ole', 'driftwood') }
}

const PODCAST = {
  ...{ url: A, title: 'Harbour Talk', author: 'Tidewater', description: TEXT, language: 'en' },
  website: 'https://tidewater.example/',
  logo_url: 'https://tidewater.example/logo.png',
  scaled_logo_url: 'https://tidewater.example/logo.png',
  ...{ subscribers: 1, subscribers_last_week: 1 },
  mygpo_link: `http://localhost/podcast?url=${encodeURIComponent(A)}`,
}

const EPISODE = {
  ...{ title: 'Fog', url: FOG, podcast_title: 'Harbour Talk', podcast_url: A, description: TEXT },
  website: 'https://tidewater.example/fog',
  released: '2025-03-02T09:59:00',
  mygpo_link: `http://localhost/episode?podcast=${encodeURIComponent(A)}&url=${encodeURIComponent(FOG)}`,
  guid: 'tag:tidewater.example,2025:fog',
  ...{ duration: 3600, size: 4096, mime_type: 'audio/mpeg' },
  image_url: 'https://tidewater.example/fog.png',
  chapters_url: 'https://tidewater.example/fog.json',
  transcript_url: 'https://tidewater.example/fog.vtt',
}

test('a podcast has all keys, without metadata its URL as title, and no nulls (D20)', async () => {
  const { anyone } = await open()
  expect((await anyone.get(podcastPath(A))).json).toEqual(PODCAST)
  expect((await anyone.get(podcastPath(B))).json).toEqual({
    ...{ url: B, title: B, author: '', description: '', website: '', logo_url: '', scaled_logo_url: '', language: '' },
    ...{ subscribers: 1, subscribers_last_week: 1 },
    mygpo_link: `http://localhost/podcast?url=${encodeURIComponent(B)}`,
  })
})

test('an episode has all keys, without metadata its URL as title and null as numbers (D21)', async () => {
  const { anyone } = await open()
  expect((await anyone.get(episodePath(A, FOG))).json).toEqual(EPISODE)
  expect((await anyone.get(episodePath(B, FOG))).json).toMatchObject({ title: 'Fog of B', podcast_url: B })
  expect((await anyone.get(episodePath(A, SILENT))).json).toEqual({
    ...{ title: SILENT, url: SILENT, podcast_title: 'Harbour Talk', podcast_url: A },
    ...{ description: '', website: '', released: '', guid: '', mime_type: '' },
    ...{ image_url: '', chapters_url: '', transcript_url: '', duration: null, size: null },
    mygpo_link: `http://localhost/episode?podcast=${encodeURIComponent(A)}&url=${encodeURIComponent(SILENT)}`,
  })
})

test('an episode that only an action names is unknown, even to its user', async () => {
  const { ida, anyone } = await open()
  const played = 'https://cdn.example/bonus.mp3'
  const action = { podcast: A, episode: played, action: 'play', position: 1, guid: 'secret' }
  expect(await ida.post('/api/2/episodes/ida.json', [action])).toMatchObject({ status: 200 })
  const unknown = await anyone.get(episodePath(A, 'https://cdn.example/never'))
  for (const client of [anyone, ida]) {
    const answer = await client.get(episodePath(A, played))
    expectError(answer, 404, 'unknown_episode')
    expect(answer.text).toBe(unknown.text)
    expect((await client.get(episodesPath(A))).json).toMatchObject({ total: 2 })
  }
})

test.each([podcastPath(B), episodePath(B, FOG), episodesPath(B)])(
  '%s is public and cacheable (D1, D4)',
  async (path) => {
    const { anyone, ida } = await open()
    const { text } = await anyone.get(path)
    const vary = 'Authorization, Cookie, Accept-Encoding'
    for (const headers of [{}, basic('ida', 'wrong'), { cookie: 'sessionid=old' }]) {
      const answer = await anyone.get(path, { headers })
      expect(answer).toMatchObject({ status: 200, text })
      expect(
        ['cache-control', 'vary', 'access-control-allow-origin', 'set-cookie'].map((name) => answer.headers.get(name)),
      ).toEqual(['public, max-age=300', vary, '*', null])
    }
    const own = await ida.get(path)
    expect(own).toMatchObject({ status: 200, text })
    expect([own.headers.get('cache-control'), own.headers.get('vary')]).toEqual(['no-store', vary])
  },
)

const aboutPath = (url: string) => `/api/2/me/podcast/about?url=${encodeURIComponent(url)}`
const notesPath = (feed: string, url: string) =>
  `/api/2/me/podcast/episode?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(url)}`

test('users get notes as blocks, tags and the funding URL of a podcast', async () => {
  const { ida } = await open()
  expect((await ida.get(aboutPath(A))).json).toEqual({
    ...PODCAST,
    notes: notesOf(NOTES, 1),
    tags: [
      { title: 'Society & Culture', tag: 'society-culture', usage: 1 },
      { title: 'Sea', tag: 'sea', usage: 2 },
    ],
    funding_url: SUPPORT,
  })
  expect((await ida.get(notesPath(A, FOG))).json).toEqual({
    ...EPISODE,
    has_picture: true,
    notes: notesOf(NOTES, 2),
    chapters: [],
    season: null,
    number: null,
    explicit: false,
  })
})

test('notes and tags of a private podcast are for its subscribers only, and its tags not counted (D56)', async () => {
  const { ida, ole } = await open()
  expect((await ida.get(aboutPath(SECRET))).json).toMatchObject({
    tags: [
      { tag: 'sea', usage: 2 },
      { title: 'Hidden Lore', tag: 'hidden-lore', usage: 0 },
    ],
  })
  expect(await ida.get(notesPath(SECRET, FOG))).toMatchObject({ status: 200 })
  const unknown = await ole.get(aboutPath('https://feeds.example/nobody-has-this'))
  for (const path of [aboutPath(SECRET), notesPath(SECRET, FOG)]) {
    const answer = await ole.get(path)
    expectError(answer, 404, 'unknown_podcast')
    expect(answer.text).toBe(unknown.text)
  }
})

const LONG = `https://feeds.example/${'x'.repeat(2048)}`

test('URLs in queries are required and validated (D50)', async () => {
  const { ida, asked } = await open()
  const before = asked.length
  const invalid = ['', '%20%09%0A', '%C2%A0%EF%BB%BF', 'harbour', 'ftp://feeds.example/a', 'javascript:alert(1)']
  for (const [path, field] of [
    ['/api/2/data/podcast.json?', 'url'],
    ['/api/2/data/podcast/episodes.json?page=0&', 'url'],
    [`/api/2/data/episode.json?podcast=${B}&`, 'url'],
    [`/api/2/data/episode.json?url=${FOG}&`, 'podcast'],
    ['/api/2/me/podcast?', 'url'],
    ['/api/2/me/podcast/about?', 'url'],
    [`/api/2/me/podcast/episode?podcast=${B}&`, 'url'],
    [`/api/2/me/podcast/episode?url=${FOG}&`, 'podcast'],
  ] as const)
    for (const value of [undefined, ...invalid, 'http://', '//feeds.example/a', '%00', '%FF', LONG]) {
      const answer = await ida.get(`${path}${value === undefined ? '' : `${field}=${value}`}`)
      expectError(answer, 400, 'validation_failed', field)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  expect(asked).toHaveLength(before)
})
