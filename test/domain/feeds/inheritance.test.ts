import { describe, expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { type Client, clientOf, signUp } from '../../support/client.ts'
import type { FeedDocument } from '../../support/feed-document.ts'
import { openArtworkScene, pathOf } from '../directory/artwork-scene.ts'
import { failed, feedOf, openFeedScene, START, subscribe } from '../feed-scene.ts'

const HTTP = 'http://feeds.example/harbour'
const HTTPS = 'https://feeds.example/harbour'
const NEW = 'https://elsewhere.example/harbour'
const SECRET = '?token=0f3c1d7e9a5b42b8'

const mediaUrl = (n: number) => `https://cdn.example/${n}.mp3`
const episode = (n: number) =>
  feedEpisode({ url: mediaUrl(n), guid: `guid-${n}`, title: `Fog ${n}`, released: START - n })
const harbour = (count: number, fields: Partial<FeedDocument> = {}) =>
  feedOf('', { document: feedDocument({ episodes: Array.from({ length: count }, (_, n) => episode(n)), ...fields }) })

const encoded = encodeURIComponent
const exchange = (client: Client, from: string, to: string) =>
  from.replace('http:', 'https:') === to
    ? client.post('/api/2/me/upgrades', { http_url: from, https_url: to })
    : client.post('/api/2/me/moves', { url: from, new_url: to })
const podcast = async (client: Client, url: string) =>
  (await client.get(`/api/2/data/podcast.json?url=${encoded(url)}`)).json
const titles = async (client: Client, url: string) => {
  const { json } = await client.get(`/api/2/data/podcast/episodes.json?url=${encoded(url)}&per_page=100`)
  return JSON.stringify(json).match(/"Fog \d+"/g) ?? []
}
const hide = (ida: Client, url: string) =>
  ida.post(`/api/2/settings/ida/podcast.json?podcast=${encoded(url)}`, { set: { public_subscription: false } })
const own = async (client: Client) => (await client.get('/api/2/me/subscriptions')).json
const heard = (url: string, n: number, at = n) => ({
  ...{ podcast: url, episode: mediaUrl(n), action: 'play', device: 'phone' },
  ...{ started: 0, position: 100 + n, total: 3600, timestamp: new Date((START - 100_000 + at) * 1000).toISOString() },
})

/** Ida has `from`, which was fetched and says that it moved to `to`; only `from` answers. */
async function open({ from = HTTP, to = HTTPS, count = 3, document = {} }: Partial<Case> = {}, options = {}) {
  const scene = await openFeedScene([from], options)
  scene.script.answer = async ({ url }) =>
    url === from ? { ...harbour(count, document), movedTo: to } : failed({ reason: 'not_found' })
  await scene.runJob()
  await scene.runDirectoryJob()
  return { ...scene, anyone: clientOf(scene.app), exchange: () => exchange(scene.ida, from, to) }
}

interface Case {
  readonly from: string
  readonly to: string
  readonly count: number
  readonly document: Partial<FeedDocument>
}

describe.each([
  ['after the upgrade to https', HTTPS],
  ['at the new address', NEW],
])('%s a podcast', (_when, to) => {
  test('keeps its title, picture and episodes, though the new address does not answer', async () => {
    const { ida, anyone, runJob, runDirectoryJob, row, ...scene } = await open({ to })
    expect(await scene.exchange()).toMatchObject({ status: 200, json: { devices: ['phone'] } })
    await runJob()
    const known = { url: to, title: 'Harbour Talk', logo_url: 'https://tidewater.example/logo.png' }
    expect(await own(ida)).toMatchObject([{ ...known, author: 'Tidewater', health: { state: 'failing' } }])
    expect(await podcast(anyone, to)).toMatchObject({ ...known, website: 'https://tidewater.example/', subscribers: 1 })
    expect(await titles(anyone, to)).toEqual(['"Fog 0"', '"Fog 1"', '"Fog 2"'])
    await runDirectoryJob()
    expect((await anyone.get('/search.json?q=harbour')).json).toMatchObject([known, { url: HTTP, subscribers: 0 }])
    expect((await anyone.get('/api/2/tags/10.json')).json).toMatchObject([{ title: 'Sea', usage: 2 }])
    expect(await row(to)).toMatchObject({ succeeded_at: null, failures: 1 })
  })

  test('keeps its history, which apps get with the new address', async () => {
    const { ida, ...scene } = await open({ to })
    const uploaded = await ida.post('/api/2/episodes/ida.json', [heard(HTTP, 0), heard(HTTP, 1), heard(HTTP, 77)])
    const { timestamp } = uploaded.json as { timestamp: number }
    await scene.exchange()
    const expected = [0, 1, 77].map((n) => ({ podcast: to, episode: mediaUrl(n), action: 'play', position: 100 + n }))
    const path = `/api/2/episodes/ida.json?podcast=${encoded(to)}&aggregated=true`
    expect((await ida.get(path)).json).toMatchObject({ actions: expected })
    expect((await ida.get(`/api/2/episodes/ida.json?since=${timestamp}`)).json).toMatchObject({ actions: expected })
    expect((await ida.get(`/api/2/episodes/ida.json?podcast=${encoded(HTTP)}`)).json).toMatchObject({ actions: [] })
    expect((await ida.get('/api/2/me/history')).json).toMatchObject({ total: 3 })
  })
})

describe('a podcast at its new address', () => {
  const to = NEW

  test('keeps settings of its episodes, and leaves the history of others at the old address', async () => {
    const { app, ida, ...scene } = await open({ to })
    const ole = await signUp(app, 'ole')
    await ole.post('/api/2/episodes/ole.json', [heard(HTTP, 0)])
    const path = (url: string) =>
      `/api/2/settings/ida/episode.json?podcast=${encoded(url)}&episode=${encoded(mediaUrl(1))}`
    await ida.post(path(HTTP), { set: { is_favorite: true } })
    await scene.exchange()
    expect((await ida.get(path(to))).json).toEqual({ is_favorite: true })
    expect((await ole.get('/api/2/episodes/ole.json')).json).toMatchObject({ actions: [{ podcast: HTTP }] })
  })

  test('is fetched soon', async () => {
    const { app, ida, script, asked, ...scene } = await open({ to }, { fetchesNewFeeds: true })
    asked.length = 0
    script.answer = async () => harbour(4, { title: 'Harbour Talk at home' })
    await scene.exchange()
    await app.idle()
    expect(asked.map(({ url }) => url)).toEqual([to])
    expect(await own(ida)).toMatchObject([{ url: to, title: 'Harbour Talk at home', health: { state: 'ok' } }])
    expect(await titles(ida, to)).toHaveLength(4)
  })

  test('that was already fetched there keeps its data', async () => {
    const { app, ida, script, runJob, ...scene } = await open({ to })
    const ole = await signUp(app, 'ole')
    await subscribe(ole, 'ole', [to])
    script.answer = async () => harbour(1, { title: 'Harbour Talk at home' })
    await runJob()
    await scene.exchange()
    expect(await own(ida)).toMatchObject([{ url: to, title: 'Harbour Talk at home' }])
    expect(await titles(ida, to)).toEqual(['"Fog 0"'])
  })

  test('shows its picture without fetching it again', async () => {
    const scene = await openArtworkScene(undefined, { urls: [HTTP] })
    expect(await scene.statusOf(HTTP)).toBe(200)
    scene.app.db.run('UPDATE podcasts SET moved_to = ?', [to])
    expect(await exchange(scene.ida, HTTP, to)).toMatchObject({ status: 200 })
    await scene.runDirectoryJob()
    const before = scene.pictures.asked.length
    expect(await scene.anyone.get(pathOf(to))).toMatchObject({ status: 200 })
    expect(scene.pictures.asked).toHaveLength(before)
  })
})

describe('the first fetch of a podcast at its new address', () => {
  const fetchedAt = async (to: string) => {
    const { app, ida, script, runJob, ...scene } = await open({ to, count: 4 })
    await ida.post('/api/2/episodes/ida.json', [heard(HTTP, 3)])
    await scene.exchange()
    script.answer = async () => harbour(2)
    await runJob()
    const stored = app.db.query(
      'SELECT COUNT(*) AS count FROM episodes e JOIN podcasts p ON p.id = e.podcast_id WHERE p.url = ?',
    )
    return { ida, stored: stored.get(to) }
  }

  test('drops episodes that its feed does not have, except those heard, since anybody may claim to be there', async () => {
    const { ida, stored } = await fetchedAt(NEW)
    expect(await titles(ida, NEW)).toEqual(['"Fog 0"', '"Fog 1"'])
    // Those two, and the one that was heard.
    expect(stored).toEqual({ count: 3 })
    const events = [{ podcast: NEW, episode_title: 'Fog 3' }]
    expect((await ida.get('/api/2/me/history')).json).toMatchObject({ events })
  })

  test('keeps old episodes by https, where the same server answers', async () => {
    const { ida } = await fetchedAt(HTTPS)
    expect(await titles(ida, HTTPS)).toEqual(['"Fog 0"', '"Fog 1"', '"Fog 2"', '"Fog 3"'])
  })
})

describe('nothing is inherited', () => {
  test('by an address that another user has, on the word of a feed alone', async () => {
    const { app, ida, ...scene } = await open({ to: NEW })
    const ole = await signUp(app, 'ole')
    await subscribe(ole, 'ole', [NEW])
    await scene.exchange()
    expect(await own(ole)).toMatchObject([{ url: NEW, title: NEW }])
    expect(await titles(ida, NEW)).toEqual([])
  })

  // Hiding a podcast can be undone.
  test.each([false, true])('from an address with a secret by one without; hidden: %p', async (isHidden) => {
    const { ida, anyone, runDirectoryJob, ...scene } = await open({ from: HTTP + SECRET, to: NEW })
    if (isHidden) await hide(ida, HTTP + SECRET)
    await scene.exchange()
    await runDirectoryJob()
    if (!isHidden) expect(await podcast(anyone, NEW)).toMatchObject({ url: NEW, title: NEW })
    expect((await anyone.get('/search.json?q=tidewater')).json).toEqual([])
    expect(await titles(ida, NEW)).toEqual([])
  })

  test('from a podcast that a subscriber hides by a public one', async () => {
    const { app, ida, anyone, ...scene } = await open()
    const ole = await signUp(app, 'ole')
    await subscribe(ole, 'ole', [HTTPS])
    await hide(ida, HTTP)
    await scene.exchange()
    expect(await podcast(anyone, HTTPS)).toMatchObject({ url: HTTPS, title: HTTPS })
    expect(await titles(anyone, HTTPS)).toEqual([])
  })
})

describe('a private podcast stays private', () => {
  test.each([
    ['with a secret in its address', SECRET, {}, false],
    ['hidden by its publisher', '', { isBlocked: true }, false],
    ['hidden by its subscriber', '', {}, true],
  ])('%s', async (_who, secret, document, isHidden) => {
    const [from, to] = [HTTP + secret, HTTPS + secret]
    const { ida, anyone, runDirectoryJob, ...scene } = await open({ from, to, document })
    if (isHidden) await hide(ida, from)
    await scene.exchange()
    await runDirectoryJob()
    expect(await own(ida)).toMatchObject([{ url: to, title: 'Harbour Talk' }])
    expect(await titles(ida, to)).toHaveLength(3)
    expect(await podcast(anyone, to)).toMatchObject({ error: 'unknown_podcast' })
  })

  test('in the private network', async () => {
    const { app, row, ...scene } = await open()
    app.db.run('UPDATE podcasts SET is_inside = 1')
    await scene.exchange()
    expect(await row(HTTPS)).toMatchObject({ is_inside: 1 })
  })
})
