import { describe, expect, test } from 'bun:test'
import { basic } from '../support/client.ts'
import { A, B, episodePath, episodesPath, FOG, openPodcasts, podcastPath, silent, TEXT } from './podcast-data-scene.ts'
import { expectRefusal } from './refusal.ts'

describe('a podcast', () => {
  test('has all keys of the podcast object', async () => {
    const { anyone } = await openPodcasts()
    expect((await anyone.get(podcastPath(A))).json).toEqual({
      url: A,
      title: 'Harbour Talk',
      author: 'Tidewater',
      description: TEXT,
      website: 'https://tidewater.example/',
      logo_url: 'https://tidewater.example/logo.png',
      scaled_logo_url: 'https://tidewater.example/logo.png',
      language: 'en-gb',
      subscribers: 1,
      subscribers_last_week: 1,
      mygpo_link: `http://localhost/podcast?url=${encodeURIComponent(A)}`,
    })
  })

  test('whose feed says nothing has its address as title, and nothing is null (D20)', async () => {
    const { anyone } = await openPodcasts()
    expect((await anyone.get(podcastPath(B))).json).toEqual({
      url: B,
      title: B,
      ...{ author: '', description: '', website: '', logo_url: '', scaled_logo_url: '', language: '' },
      ...{ subscribers: 1, subscribers_last_week: 1 },
      mygpo_link: `http://localhost/podcast?url=${encodeURIComponent(B)}`,
    })
  })
})

describe('an episode (D21)', () => {
  test('has all keys of the episode object', async () => {
    const { anyone } = await openPodcasts()
    expect((await anyone.get(episodePath(A, FOG))).json).toEqual({
      title: 'Fog',
      url: FOG,
      podcast_title: 'Harbour Talk',
      podcast_url: A,
      description: TEXT,
      website: 'https://tidewater.example/fog',
      released: '2025-03-02T09:59:00',
      mygpo_link: `http://localhost/episode?podcast=${encodeURIComponent(A)}&url=${encodeURIComponent(FOG)}`,
      guid: 'tag:tidewater.example,2025:fog',
      duration: 3600,
      size: 4096,
      mime_type: 'audio/mpeg',
      image_url: 'https://tidewater.example/fog.png',
      chapters_url: 'https://tidewater.example/fog.json',
      transcript_url: 'https://tidewater.example/fog.vtt',
    })
  })

  test('of which nothing is known has its address as title, and null where a number is unknown', async () => {
    const { anyone } = await openPodcasts()
    expect((await anyone.get(episodePath(A, silent.url))).json).toEqual({
      title: silent.url,
      url: silent.url,
      podcast_title: 'Harbour Talk',
      podcast_url: A,
      ...{ description: '', website: '', released: '', guid: '', mime_type: '' },
      ...{ image_url: '', chapters_url: '', transcript_url: '' },
      ...{ duration: null, size: null },
      mygpo_link: `http://localhost/episode?podcast=${encodeURIComponent(A)}&url=${encodeURIComponent(silent.url)}`,
    })
  })

  test('that only somebody’s action has named is unknown, to that person as well', async () => {
    const { ida, anyone } = await openPodcasts()
    const played = 'https://cdn.example/bonus.mp3'
    const action = { podcast: A, episode: played, action: 'play', position: 1, guid: 'secret' }
    expect(await ida.post('/api/2/episodes/ida.json', [action])).toMatchObject({ status: 200 })
    const unknown = await anyone.get(episodePath(A, 'https://cdn.example/never'))
    for (const client of [anyone, ida]) {
      const answer = await client.get(episodePath(A, played))
      expectRefusal(answer, 404, 'unknown_episode')
      expect(answer.text).toBe(unknown.text)
    }
  })
})

describe.each([[podcastPath(B)], [episodePath(B, FOG)], [episodesPath(B)]])('%s', (path) => {
  test('may be kept for five minutes by anybody who has not signed in, and used by any page (D1, D4)', async () => {
    const { anyone, ida } = await openPodcasts()
    const { text } = await anyone.get(path)
    for (const headers of [{}, basic('ida', 'wrong'), { cookie: 'sessionid=old' }]) {
      const answer = await anyone.get(path, { headers })
      expect(answer).toMatchObject({ status: 200, text })
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
      expect(answer.headers.get('vary')).toBe('Authorization, Cookie, Accept-Encoding')
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
    const own = await ida.get(path)
    expect(own).toMatchObject({ status: 200, text })
    expect([own.headers.get('cache-control'), own.headers.get('vary')]).toEqual([
      'no-store',
      'Authorization, Cookie, Accept-Encoding',
    ])
  })
})
