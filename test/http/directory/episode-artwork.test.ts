import { describe, expect, test } from 'bun:test'
import { feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { type Answer, clientOf, signUp } from '../../support/client.ts'
import { BLUE, png, scriptedPictures } from '../../support/pictures.ts'
import { expectError } from '../error.ts'

const FEED = 'https://feeds.example/harbour'
const LOGO = 'https://pictures.example/harbour.png'
const OWN = 'https://pictures.example/fog.png'
const media = (name: string) => `https://cdn.example/${name}.mp3`
const RELEASED = Date.UTC(2025, 1, 20) / 1000

/** What its feed says of the picture of each episode, and whether that is one of its own. */
const EPISODES = [
  ['fog', OWN, true],
  ['gulls', '', false],
  ['ropes', LOGO, false],
] as const

const pathOf = (feed: string, episode: string, size: number | string = 64) =>
  `/artwork/${size}?${new URLSearchParams({ url: feed, episode })}`

/** Ida has a feed with a picture, of which some episodes have one; Bob has an account. */
async function open({ feed = FEED, logoUrl = LOGO } = {}) {
  const pictures = scriptedPictures(({ url }) =>
    url === OWN ? { kind: 'picture', bytes: png(700, 700, () => BLUE) } : { kind: 'picture', bytes: png(80, 80) },
  )
  const scene = await openFeedScene([feed], { pictures, settings: { rate_limit: 'false', registration: 'open' } })
  const episodes = EPISODES.map(([name, imageUrl], n) =>
    feedEpisode({ ...{ url: media(name), guid: name, title: name, imageUrl }, released: RELEASED - n * 3600 }),
  )
  scene.script.answer = async () => feedOf('', { document: feedDocument({ logoUrl, episodes }) })
  await scene.runJob()
  return { ...scene, pictures, anyone: clientOf(scene.app), bob: await signUp(scene.app, 'bob', 'driftwood') }
}

describe('the picture of an episode', () => {
  test.each([64, 128, 300, 600])('is for users a WebP of %d pixels', async (size) => {
    const { app, ida, pictures } = await open()
    const { headers } = await ida.get('/api/2/me')
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    const request = new Request(`http://localhost${pathOf(FEED, media('fog'), size)}`, { headers: { cookie } })
    const response = await app.fetch(request)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('image/webp')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cache-control')).toBe('private, max-age=86400')
    expect(response.headers.get('vary')).toBe('Authorization, Cookie')
    const metadata = await new Bun.Image(await response.bytes()).metadata()
    expect(metadata).toEqual({ width: size, height: size, format: 'webp' })
    expect(pictures.asked).toEqual([{ url: OWN, mayReachPrivate: false }])
  })

  test('has a tag, and is not sent again to a client that has it', async () => {
    const { ida, bob } = await open()
    const etag = (await ida.get(pathOf(FEED, media('fog')))).headers.get('etag') ?? ''
    const again = await bob.get(pathOf(FEED, media('fog')), { headers: { 'if-none-match': etag } })
    expect(again).toMatchObject({ status: 304, text: '' })
    expect((await ida.get(`/artwork/64?url=${encodeURIComponent(FEED)}`)).headers.get('etag')).not.toBe(etag)
  })

  test('is not for anonymous clients, who have nothing fetched and are not told what is here', async () => {
    const { anyone, ida, pictures } = await open()
    await ida.get(pathOf(FEED, media('fog')))
    for (const name of ['fog', 'nowhere']) {
      const { status, text, headers } = await anyone.get(pathOf(FEED, media(name)))
      expect([status, text, headers.get('etag')]).toEqual([204, '', null])
      expect(headers.get('cache-control')).toBe('private, max-age=300')
      expect(headers.get('vary')).toBe('Authorization, Cookie')
    }
    expect(pictures.asked).toHaveLength(1)
  })

  test('is none where the feed names none, and the podcast’s where the feed repeats that', async () => {
    const { ida, pictures } = await open()
    expect(await ida.get(pathOf(FEED, media('gulls')))).toMatchObject({ status: 204, text: '' })
    expect(pictures.asked).toEqual([])
    expect(await ida.get(pathOf(FEED, media('ropes')))).toMatchObject({ status: 200 })
    expect(pictures.asked.map(({ url }) => url)).toEqual([LOGO])
  })

  test('of a private podcast is for its subscribers', async () => {
    const secret = `${FEED}?token=1`
    const { ida, bob, anyone, pictures } = await open({ feed: secret })
    expect(await ida.get(pathOf(secret, media('fog')))).toMatchObject({ status: 200 })
    for (const client of [bob, anyone])
      expectError(await client.get(pathOf(secret, media('fog'))), 404, 'unknown_podcast')
    expect(pictures.asked).toHaveLength(1)
  })

  test.each([
    ['an episode that the podcast does not have', pathOf(FEED, media('nowhere')), 404, 'unknown_episode', undefined],
    ['a podcast that is not known', pathOf(`${FEED}/2`, media('fog')), 404, 'unknown_podcast', undefined],
    ['a picture in the place of an episode', pathOf(FEED, OWN), 404, 'unknown_episode', undefined],
    ['bytes', pathOf(FEED, 'data:image/png;base64,AAAA'), 400, 'validation_failed', 'episode'],
    ['a script', pathOf(FEED, 'javascript:alert(1)'), 400, 'validation_failed', 'episode'],
    ['nothing', pathOf(FEED, ''), 400, 'validation_failed', 'episode'],
    ['another size', pathOf(FEED, media('fog'), 65), 400, 'validation_failed', 'size'],
  ] as const)('cannot be had of %s, and nothing is fetched', async (_what, path, status, code, field) => {
    const { ida, pictures } = await open()
    expectError(await ida.get(path), status, code, field)
    expect(pictures.asked).toEqual([])
  })
})

describe('whether an episode has a picture of its own is told', () => {
  interface Told {
    readonly url: string
    readonly has_picture: boolean
  }

  const OWN_ONES = EPISODES.map(([name, , hasPicture]) => ({ url: media(name), has_picture: hasPicture }))
  const told = (list: readonly Told[]) =>
    list.map(({ url, has_picture }) => ({ url, has_picture })).toSorted((a, b) => (a.url < b.url ? -1 : 1))
  const itemsIn = ({ json }: Answer): Told[] => Object(json).items.map(({ episode }: { episode: Told }) => episode)

  test.each([
    ['the inbox', '/api/2/me/inbox', itemsIn],
    ['what was begun', '/api/2/me/in-progress', itemsIn],
    [
      'the episodes of a podcast',
      `/api/2/me/podcast/episodes?url=${encodeURIComponent(FEED)}`,
      ({ json }: Answer): Told[] => Object(json).episodes,
    ],
    ['favorites', '/api/2/favorites/ida.json', ({ json }: Answer) => json as Told[]],
    [
      'the history',
      '/api/2/me/history',
      ({ json }: Answer): Told[] =>
        Object(json).events.map((event: { episode: string }) => ({ ...event, url: event.episode })),
    ],
  ])('by %s', async (_what, path, listIn) => {
    const { ida } = await open()
    const played = {
      podcast: FEED,
      action: 'play',
      timestamp: '2025-03-02T08:00:00',
      started: 0,
      position: 60,
      total: 900,
    }
    await ida.post(
      '/api/2/episodes/ida.json',
      EPISODES.map(([name]) => ({ ...played, episode: media(name) })),
    )
    for (const [name] of EPISODES) {
      const query = new URLSearchParams({ podcast: FEED, episode: media(name) })
      await ida.post(`/api/2/settings/ida/episode.json?${query}`, { set: { is_favorite: true } })
    }
    expect(told(listIn(await ida.get(path)))).toEqual(OWN_ONES)
  })

  test.each(EPISODES)('by the page of an episode: %s', async (name, _image, hasPicture) => {
    const { ida } = await open()
    const { json } = await ida.get(
      `/api/2/me/podcast/episode?${new URLSearchParams({ podcast: FEED, url: media(name) })}`,
    )
    expect(json).toMatchObject({ url: media(name), has_picture: hasPicture })
  })

  test('where the podcast has none', async () => {
    const { ida } = await open({ logoUrl: '' })
    expect(itemsIn(await ida.get('/api/2/me/inbox')).map(({ has_picture }) => has_picture)).toEqual([true, false, true])
  })

  test('also after the feed has changed its mind', async () => {
    const { ida, script, feeds } = await open()
    const episodes = EPISODES.map(([name], n) =>
      feedEpisode({ ...{ url: media(name), guid: name, imageUrl: OWN }, released: RELEASED - n * 3600 }),
    )
    script.answer = async () => feedOf('', { document: feedDocument({ logoUrl: OWN, episodes }) })
    await feeds.refresh(FEED)
    expect(itemsIn(await ida.get('/api/2/me/inbox')).map(({ has_picture }) => has_picture)).toEqual([
      false,
      false,
      false,
    ])
  })

  test('of a private podcast to its subscribers alone', async () => {
    const secret = `${FEED}?token=1`
    const { bob } = await open({ feed: secret })
    const played = { podcast: secret, episode: media('fog'), action: 'play', timestamp: '2025-03-02T08:00:00' }
    await bob.post('/api/2/episodes/bob.json', [{ ...played, started: 0, position: 60, total: 900 }])
    expect(itemsIn(await bob.get('/api/2/me/in-progress'))).toMatchObject([{ has_picture: false }])
    expect(Object((await bob.get('/api/2/me/history')).json).events).toMatchObject([{ has_picture: false }])
  })
})
