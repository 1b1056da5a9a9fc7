import { describe, expect, test } from 'bun:test'
import { feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { type Answer, clientOf, cookieOf, signUp } from '../../support/client.ts'
import { BLUE, png, scriptedPictures } from '../../support/pictures.ts'
import { expectError } from '../error.ts'

/** The rules of fetching pictures are tested in test/domain/directory. */

const FEED = 'https://feeds.example/harbour'
const LOGO = 'https://pictures.example/harbour.png'
const OWN = 'https://pictures.example/fog.png'
const RELEASED = Date.UTC(2025, 1, 20) / 1000
const media = (name: string) => `https://cdn.example/${name}.mp3`

/** Name, picture URL, and whether it differs from that of the podcast. */
const EPISODES = [
  ['fog', OWN, true],
  ['gulls', '', false],
  ['ropes', LOGO, false],
] as const

const pathOf = (url: string, size: number | string = 64, query: object = {}) =>
  `/artwork/${size}?${new URLSearchParams({ url, ...query })}`
const ofEpisode = (name: string, size: number | string = 64, feed = FEED) =>
  pathOf(feed, size, { episode: /:/.test(name) ? name : media(name) })
const UNKNOWN = { episode: media('fog') }

const documentOf = (logoUrl: string) =>
  feedOf('', {
    document: feedDocument({
      logoUrl,
      episodes: EPISODES.map(([name, image], n) =>
        feedEpisode({
          ...{ url: media(name), guid: name, title: name, imageUrl: image },
          released: RELEASED - n * 3600,
        }),
      ),
    }),
  })

/** Ida subscribes to a feed with pictures; bob does not. */
async function open({ feed = FEED, logoUrl = LOGO } = {}) {
  const pictures = scriptedPictures(({ url }) => ({
    ...{ kind: 'picture', bytes: png(700, 700, ...(url === OWN ? [() => BLUE] : [])) },
  }))
  const scene = await openFeedScene([feed], { pictures, settings: { rate_limit: 'false' } })
  scene.script.answer = async () => documentOf(logoUrl)
  await scene.runJob()
  return { ...scene, pictures, anyone: clientOf(scene.app), bob: await signUp(scene.app, 'bob', 'driftwood') }
}

const cachedAs = ({ headers }: Answer) => headers.get('cache-control')

test.each([
  ['a podcast', (size: number) => pathOf(FEED, size), LOGO, 'public, max-age=86400'],
  ['an episode', (size: number) => ofEpisode('fog', size), OWN, 'private, max-age=86400'],
] as const)('the picture of %s is a WebP in four sizes, fetched once', async (what, pathFor, picture, cached) => {
  const { app, ida, pictures } = await open()
  const headers = what === 'a podcast' ? {} : cookieOf(await ida.get('/api/2/me'))
  for (const size of [64, 128, 300, 600]) {
    const response = await app.fetch(new Request(`http://localhost${pathFor(size)}`, { headers }))
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ 'content-type': 'image/webp', 'x-content-type-options': 'nosniff', 'cache-control': cached },
      ...(what === 'an episode' && { vary: 'Authorization, Cookie' }),
    })
    const metadata = await new Bun.Image(await response.bytes()).metadata()
    expect(metadata).toEqual({ width: size, height: size, format: 'webp' })
  }
  expect(pictures.asked).toEqual([{ url: picture, mayReachPrivate: false }])
})

test('pictures have ETags and are revalidated', async () => {
  const { anyone, ida, bob } = await open()
  const etag = (await anyone.get(pathOf(FEED))).headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-z]+"$/)
  const again = await anyone.get(pathOf(FEED), { headers: { 'if-none-match': `"a", W/${etag}` } })
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
  expect(cachedAs(again)).toBe('public, max-age=86400')
  for (const given of ['"a"', '', etag.slice(1, -1)])
    expect(await anyone.get(pathOf(FEED), { headers: { 'if-none-match': given } })).toMatchObject({ status: 200 })
  const other = (await ida.get(ofEpisode('fog'))).headers.get('etag') ?? ''
  expect((await bob.get(ofEpisode('fog'), { headers: { 'if-none-match': other } })).status).toBe(304)
  expect(new Set([etag, other, (await anyone.get(pathOf(FEED, 128))).headers.get('etag')]).size).toBe(3)
})

test('a picture is not publicly cacheable if the answer sets a cookie', async () => {
  const { app, ida } = await open()
  const byPassword = await ida.get(pathOf(FEED))
  expect(cachedAs(byPassword)).toBe('private, max-age=86400')
  const byCookie = await clientOf(app, cookieOf(byPassword)).get(pathOf(FEED))
  expect([byCookie.headers.get('set-cookie'), cachedAs(byCookie)]).toEqual([null, 'public, max-age=86400'])
})

test('invalid and unknown URLs are refused and not fetched', async () => {
  const { anyone, ida, asked, pictures } = await open()
  const before = asked.length
  for (const [path, field] of [
    [pathOf(FEED, '064'), 'size'],
    ['/artwork/64', 'url'],
    [pathOf('data:image/png;base64,AAAA'), 'url'],
    [ofEpisode('fog', 65), 'size'],
    ...['data:image/png;base64,AAAA', 'javascript:alert(1)'].map((url) => [ofEpisode(url), 'episode'] as const),
    [pathOf(FEED, 64, { episode: '' }), 'episode'],
  ] as const)
    expectError(await ida.get(path), 400, 'validation_failed', field)
  for (const url of ['https://feeds.example/another', LOGO, 'http://127.0.0.1:8080/admin.png', `${FEED}?token=1`])
    for (const path of [pathOf(url), pathOf(url, 64, UNKNOWN)])
      for (const client of [anyone, ida]) {
        const answer = await client.get(path)
        expectError(answer, 404, 'unknown_podcast')
        expect(cachedAs(answer)).toBe('no-store')
      }
  for (const name of ['nowhere', OWN]) expectError(await ida.get(ofEpisode(name)), 404, 'unknown_episode')
  expect([pictures.asked, asked.slice(before)]).toEqual([[], []])
})

test('without a picture the answer is empty, and cacheable unless the feed has not been fetched yet', async () => {
  const { anyone, ida, pictures } = await open({ logoUrl: '' })
  for (const [answer, cached] of [
    [await anyone.get(pathOf(FEED)), 'public, max-age=300'],
    [await anyone.call('HEAD', pathOf(FEED)), 'public, max-age=300'],
    [await ida.get(ofEpisode('gulls')), 'private, max-age=300'],
    [await (await openFeedScene([FEED])).ida.get(pathOf(FEED)), 'no-store'],
  ] as const)
    expect([answer.status, answer.text, answer.headers.get('etag'), cachedAs(answer)]).toEqual([204, '', null, cached])
  expect(pictures.asked).toEqual([])
})

test('anonymous clients get no pictures of episodes and cannot probe for episodes', async () => {
  const { anyone, ida, pictures } = await open()
  await ida.get(ofEpisode('fog'))
  for (const name of ['fog', 'nowhere']) {
    const answer = await anyone.get(ofEpisode(name))
    expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([204, '', null])
    expect([cachedAs(answer), answer.headers.get('vary')]).toEqual(['private, max-age=300', 'Authorization, Cookie'])
  }
  expect(pictures.asked).toHaveLength(1)
})

describe('has_picture', () => {
  type Listed = readonly { readonly url: string; readonly has_picture: boolean }[]
  const itemsIn = ({ json }: Answer): Listed => Object(json).items.map(({ episode }: { episode: Listed }) => episode)
  const inbox = '/api/2/me/inbox'
  const LISTS: [string, (answer: Answer) => Listed][] = [
    [inbox, itemsIn],
    ['/api/2/me/in-progress', itemsIn],
    [`/api/2/me/podcast/episodes?url=${FEED}`, ({ json }) => Object(json).episodes],
    ['/api/2/favorites/ida.json', ({ json }) => json as Listed],
    [
      '/api/2/me/history',
      ({ json }) => Object(json).events.map((each: { episode: string }) => ({ ...each, url: each.episode })),
    ],
    ...EPISODES.map(([name]): [string, (answer: Answer) => Listed] => [
      `/api/2/me/podcast/episode?${new URLSearchParams({ podcast: FEED, url: media(name) })}`,
      ({ json }) => [json] as unknown as Listed,
    ]),
  ]
  const play = { podcast: FEED, action: 'play', timestamp: '2025-03-02T08:00:00', started: 0, position: 60, total: 900 }

  test('is the same in every list', async () => {
    const { ida } = await open()
    const actions = EPISODES.map(([name]) => ({ ...play, episode: media(name) }))
    await ida.post('/api/2/episodes/ida.json', actions)
    for (const { podcast, episode } of actions)
      await ida.post(`/api/2/settings/ida/episode.json?${new URLSearchParams({ podcast, episode })}`, {
        set: { is_favorite: true },
      })
    const all = EPISODES.map(([name, , hasPicture]) => [media(name), hasPicture] as const)
    for (const [path, listIn] of LISTS) {
      const listed = listIn(await ida.get(path)).map(({ url, has_picture }) => [url, has_picture] as const)
      const expected = path.includes('/episode?') ? all.filter(([url]) => url === listed[0]?.[0]) : all
      expect([path, listed.toSorted()]).toEqual([path, [...expected]])
    }
  })

  test('and the picture of a private podcast are for its subscribers', async () => {
    const secret = `${FEED}?token=1`
    const { ida, bob, anyone, pictures } = await open({ feed: secret })
    expect(await ida.get(ofEpisode('fog', 64, secret))).toMatchObject({ status: 200 })
    for (const client of [bob, anyone])
      expectError(await client.get(ofEpisode('fog', 64, secret)), 404, 'unknown_podcast')
    expect(pictures.asked).toHaveLength(1)
    await bob.post('/api/2/episodes/bob.json', [{ ...play, podcast: secret, episode: media('fog') }])
    expect(itemsIn(await bob.get('/api/2/me/in-progress'))).toMatchObject([{ has_picture: false }])
    expect(Object((await bob.get('/api/2/me/history')).json).events).toMatchObject([{ has_picture: false }])
  })
})
