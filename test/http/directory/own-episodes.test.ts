import { expect, test } from 'bun:test'
import { feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { type Answer, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { openDirectory, urlOf } from './scene.ts'

const RELEASED = Date.UTC(2025, 1, 20) / 1000
const media = (name: string) => `https://cdn.example/${name}.mp3`

/** Titles, newest first. */
const NAMES = ['Nebel', 'Übermorgen', 'uber alles', 'Bell', 'Fog'] as const

async function open(fields: Parameters<typeof feedEpisode>[0] = {}) {
  const episodes = NAMES.map((name, n) =>
    feedEpisode({
      ...{ url: media(name), guid: name, title: name, released: RELEASED - n * 3600, duration: 1800 },
      ...{ season: n < 2 ? 2 : n < 4 ? 1 : undefined, ...fields },
    }),
  )
  const scene = await openDirectory({
    people: { ida: ['a'], bob: [] },
    feeds: { a: feedDocument({ title: 'Podcast a', episodes }) },
  })
  const ida = scene.as('ida')
  const path = `/api/2/me/podcast/episodes?url=${encodeURIComponent(urlOf('a'))}`
  return { ...scene, ida, path, list: (query = '') => ida.get(path + query) }
}

interface Listed {
  readonly title: string
  readonly state: string
  readonly favorite: boolean
  readonly description: string
}

const episodesIn = ({ json }: Answer): Listed[] => Object(json).episodes
const titlesIn = (answer: Answer) => episodesIn(answer).map(({ title }) => title)

test('the episodes of a podcast are ordered, filtered and paged', async () => {
  const { list } = await open()
  for (const [query, titles] of [
    ['', NAMES],
    ['&order=oldest', NAMES.toReversed()],
    ['&per_page=2&page=1', ['uber alles', 'Bell']],
    ['&per_page=2&page=9', []],
    ['&q=UBER', ['Übermorgen', 'uber alles']],
    ['&q=%C3%BCber&order=oldest', ['uber alles', 'Übermorgen']],
    ['&q=nothing', []],
    ['&season=2', ['Nebel', 'Übermorgen']],
    ['&season=2&q=uber', ['Übermorgen']],
  ] as const)
    expect([query, titlesIn(await list(query))]).toEqual([query, [...titles]])
  expectError(await list('&season=two'), 400, 'validation_failed', 'season')
})

test('the episodes of a podcast have their state, and whether they are favorites', async () => {
  const { ida, list } = await open()
  const play = { podcast: urlOf('a'), device: 'phone', action: 'play', timestamp: '2025-03-02T08:00:00', started: 0 }
  await ida.post('/api/2/episodes/ida.json', [
    { ...play, episode: media('Fog'), position: 600, total: 1800 },
    { ...play, episode: media('Bell'), position: 1800, total: 1800 },
  ])
  const target = new URLSearchParams({ podcast: urlOf('a'), episode: media('Nebel') })
  await ida.post(`/api/2/settings/ida/episode.json?${target}`, { set: { is_favorite: true } })
  const answer = await list()
  expect(episodesIn(answer).map(({ title, state, favorite }) => [title, state, favorite])).toEqual([
    ['Nebel', 'new', true],
    ['Übermorgen', 'new', false],
    ['uber alles', 'new', false],
    ['Bell', 'played', false],
    ['Fog', 'in_progress', false],
  ])
  expect(episodesIn(answer).at(-1)).toMatchObject({ position: 600, total: 1800, device: 'phone', duration: 1800 })
  expect(answer.json).toMatchObject({ url: urlOf('a'), total: 5, seasons: [2, 1] })
  const unplayed = await list('&unplayed=true')
  expect(titlesIn(unplayed)).toEqual(['Nebel', 'Übermorgen', 'uber alles', 'Fog'])
  expect(unplayed.json).toMatchObject({ total: 4 })
})

test('the episodes of a podcast have excerpts of their notes', async () => {
  const { list } = await open({ description: `<p>Fog</p>${'<br />'.repeat(495)}<a href="https://a.example/b">c</a>` })
  expect(episodesIn(await list())[0]?.description).toBe('Fog')
})

test('an episode has its chapters, season, number and explicit flag', async () => {
  const chapters = JSON.stringify([[520, 'What a pilot sees', 'https://tidewater.example/']])
  const { ida } = await open({ chapters, number: 5, isExplicit: true })
  const query = new URLSearchParams({ podcast: urlOf('a'), url: media('Nebel') })
  expect((await ida.get(`/api/2/me/podcast/episode?${query}`)).json).toMatchObject({
    chapters: [{ start: 520, title: 'What a pilot sees', link: 'https://tidewater.example/', has_picture: false }],
    season: 2,
    number: 5,
    explicit: true,
  })
})

test('the chapters of an episode come from the file that its feed names', async () => {
  const episodes = [feedEpisode({ url: media('Fog'), chaptersUrl: 'https://cdn.example/fog.json' })]
  const { as } = await openDirectory({
    people: { ida: ['a'] },
    feeds: { a: feedDocument({ episodes }) },
    chapterSource: {
      read: async (url) => JSON.stringify({ chapters: [{ startTime: 5, title: url }] }),
      close: () => undefined,
    },
  })
  const query = new URLSearchParams({ podcast: urlOf('a'), url: media('Fog') })
  expect((await as('ida').get(`/api/2/me/podcast/chapters?${query}`)).json).toEqual({
    chapters: [{ start: 5, title: 'https://cdn.example/fog.json', link: '', has_picture: false }],
  })
})

test('the transcript of an episode comes from the file that its feed names, unless the podcast is private', async () => {
  const WORDS = { transcriptUrl: 'https://cdn.example/fog.vtt', transcriptType: 'text/vtt' }
  const cues = [{ start: 1, end: 2.5, speaker: 'Ida', text: 'Fog.' }]
  const SECRET = 'secret?token=1'
  const asked: unknown[] = []
  const spoken = feedDocument({ episodes: [feedEpisode({ url: media('Fog'), ...WORDS })] })
  const { as } = await openDirectory({
    people: { ida: ['a', SECRET], bob: [] },
    feeds: { a: spoken, [SECRET]: spoken },
    transcriptSource: async (file) => {
      asked.push(file)
      const text = JSON.stringify(cues)
      return { kind: 'file', file: text, size: text.length }
    },
  })
  const find = (user: string, feed: string, more = {}) => {
    const query = new URLSearchParams({ podcast: urlOf(feed), episode: media('Fog'), ...more })
    return as(user).get(`/api/2/me/podcast/transcript?${query}`)
  }
  expectError(await find('bob', SECRET), 404, 'unknown_podcast')
  expectError(await find('ida', 'a', { episode: media('never') }), 404, 'unknown_episode')
  expectError(await find('ida', 'a', { episode: '' }), 400, 'validation_failed', 'episode')
  expectError(await find('ida', 'a', { podcast: 'ftp://x' }), 400, 'validation_failed', 'podcast')
  expect(asked).toEqual([])
  for (const user of ['ida', 'bob']) expect((await find(user, 'a')).json).toEqual({ state: 'ready', cues })
  expect(asked).toEqual([{ url: WORDS.transcriptUrl, type: 'text/vtt' }])
  expect((await find('ida', SECRET)).json).toMatchObject({ state: 'ready' })
})

test('a subscriber can refresh a podcast once a minute', async () => {
  const url = urlOf('a')
  const { app, ida, script, asked } = await openFeedScene([url])
  script.answer = async () => feedOf('', { document: feedDocument({ episodes: [feedEpisode({})] }) })
  const refresh = (client = ida) => client.post('/api/2/me/podcast/refresh', { url })
  expect((await refresh()).json).toEqual({ status: 'ok', episodes: 1 })
  expectError(await refresh(), 429, 'rate_limited')
  app.clock.advance(61)
  expect((await refresh()).status).toBe(200)
  expect(asked).toHaveLength(2)
  expectError(await refresh(await signUp(app, 'bob')), 404, 'unknown_podcast')
  await ida.post('/api/2/subscriptions/ida/phone.json', { remove: [url] })
  expectError(await refresh(), 404, 'unknown_podcast')
  expectError(await ida.post('/api/2/me/podcast/refresh', { url: 'x' }), 400, 'validation_failed', 'url')
})
