import { describe, expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'
import type { TestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, signIn } from '../../support/client.ts'
import { expectError } from '../error.ts'
import {
  ACTIONS,
  allOf,
  hourly,
  IN_PROGRESS,
  INBOX,
  LENGTH,
  MARK,
  media,
  open,
  pageIn,
  playedTo,
  RELEASED,
  titlesIn,
  UNPLAYED,
} from './inbox-scene.ts'
import { BOBS, episodeOf, openPrivateFeeds, SECRET } from './private-feeds-scene.ts'
import { openDirectory, urlOf } from './scene.ts'

const allTitles = async (client: Client, path: string) =>
  (await allOf(client, path)).map(({ episode }) => episode.title)

/** Stores episodes titled by their release times, without fetching them. */
function storeEpisodes({ db }: TestApp, rows: readonly { podcast: number; released: number }[]) {
  const episode = db.query('INSERT INTO episodes (podcast_id, url) VALUES (?1, ?2)')
  const details = db.query(
    `INSERT INTO episode_details (episode_id, podcast_id, fingerprint, title, description, website, released, guid,
       mime_type, image_url, chapters_url, transcript_url)
     VALUES (last_insert_rowid(), ?1, '', ?2, '', '', ?2, '', '', '', '', '')`,
  )
  for (const [n, { podcast, released }] of rows.entries()) {
    episode.run(podcast, `https://cdn.example/${n}`)
    details.run(podcast, released)
  }
}

describe('in progress', () => {
  test('lists begun episodes with their metadata, last played first', async () => {
    const { app, ida, tell } = await open({ a: 4, b: 1 })
    expect(pageIn(await ida.get(IN_PROGRESS))).toEqual({ items: [], next: null })
    await tell('a', 0)
    await tell('b', 0, { ...playedTo(60, '2025-03-02T09:00:00'), device: 'desk' })
    await tell('a', 1, playedTo(LENGTH))
    await tell('a', 2, playedTo(0))
    await tell('a', 3, { action: 'download' })
    const { items, next } = pageIn(await ida.get(IN_PROGRESS))
    expect(next).toBeNull()
    expect(items).toMatchObject([{ position: 60 }, { position: 600 }])
    const [feed, url] = [urlOf('b'), media('b', 0)]
    expect(items[0] as unknown).toEqual({
      podcast: {
        ...{ url: feed, title: 'Podcast b', logo_url: 'https://pictures.example/b.png' },
        artwork: `http://localhost/artwork/300?url=${encodeURIComponent(feed)}`,
      },
      episode: {
        ...{ title: 'b 0', url, website: 'https://site.example/b/0', guid: 'b0', released: '2025-02-20T00:01:00' },
        mygpo_link: `http://localhost/episode?podcast=${encodeURIComponent(feed)}&url=${encodeURIComponent(url)}`,
        ...{ duration: LENGTH, image_url: '', has_picture: false },
      },
      ...{ state: 'in_progress', position: 60, total: LENGTH, device: 'desk', timestamp: '2025-03-02T09:00:00' },
    })
    // The latest action decides, not the last upload (D45).
    await tell('b', 0, playedTo(LENGTH, '2025-03-02T07:00:00'))
    expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual(['b 0', 'a 0'])
    await tell('b', 0, playedTo(LENGTH, '2025-03-02T10:00:00'))
    await tell('a', 0, { action: 'new', timestamp: '2025-03-02T10:00:00' })
    expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual([])
    await app.idle()
  })

  test('includes the unfinished episodes of a first upload', async () => {
    const { ida } = await open({ a: 1 })
    const actions = [
      ['a', playedTo(LENGTH)],
      ['b', playedTo(60)],
      ['c', playedTo(70)],
      ['d', playedTo(0)],
      ['c', playedTo(LENGTH, '2025-03-02T09:00:00')],
      ['e', playedTo(80, '2025-03-02T09:00:00')],
    ] as const
    await ida.post(
      ACTIONS,
      actions.map(([name, fields]) => ({ podcast: urlOf(name), episode: media(name, 7), action: 'play', ...fields })),
    )
    expect(pageIn(await ida.get(IN_PROGRESS)).items).toMatchObject([{ position: 80 }, { position: 60 }])
  })

  test('has only URLs of an unknown feed, and the guid of the app unless two podcasts share it', async () => {
    const { ida, tell } = await open({ a: 1 })
    const listed = async () => pageIn(await ida.get(IN_PROGRESS)).items
    await tell('nowhere', 7, { started: null, total: null, position: 5, device: '' })
    expect(await listed()).toMatchObject([
      {
        podcast: { url: urlOf('nowhere'), title: urlOf('nowhere'), logo_url: '' },
        episode: { url: media('nowhere', 7), title: media('nowhere', 7), released: '', duration: null, guid: '' },
        ...{ state: 'in_progress', position: 5 },
      },
    ])
    expect(Object.keys((await listed())[0] ?? {})).toEqual(['podcast', 'episode', 'state', 'position', 'timestamp'])
    await tell('nowhere', 7, { guid: 'fog', timestamp: '2025-03-02T11:00:00' })
    expect(await listed()).toMatchObject([{ episode: { guid: 'fog' } }])
    await tell('elsewhere', 7, { guid: 'fog' })
    expect(await listed()).toMatchObject([{ episode: { guid: '' } }, { episode: { guid: '' } }])
  })

  test('is paged without gaps, also among actions of the same second', async () => {
    const { ida, tell } = await open({ a: 12 })
    for (let n = 0; n < 12; n++) await tell('a', n, { guid: n < 4 ? 'twin' : undefined, ...playedTo(60 + n) })
    const titles = await allTitles(ida, `${IN_PROGRESS}?per_page=5`)
    expect(titles).toEqual(titlesIn(await ida.get(`${IN_PROGRESS}?per_page=100`)))
    expect(new Set(titles).size).toBe(titles.length)
    expect(titles.length).toBe(9)
  })

  test('has only URLs and the guid of the action for a private feed of others', async () => {
    const { ida, bob } = await openPrivateFeeds([SECRET[0], BOBS])
    const action = { podcast: SECRET[0], episode: episodeOf(SECRET[0]), action: 'play', ...playedTo(60) }
    await bob.post('/api/2/episodes/bob.json', [action])
    await ida.post(ACTIONS, [action])
    const [hidden] = pageIn(await bob.get(IN_PROGRESS)).items
    expect(hidden).toMatchObject({ podcast: { title: SECRET[0] }, episode: { title: episodeOf(SECRET[0]), guid: '1' } })
    expect(hidden).toMatchObject({ episode: { website: '', duration: null, image_url: '' } })
    expect(titlesIn(await ida.get(IN_PROGRESS))).toEqual(['Quillwort fog'])
  })
})

describe('inbox', () => {
  test('lists the newest episodes of all podcasts with their state, in pages', async () => {
    const { ida, tell } = await open({ a: 30, b: 40, c: 1 })
    await tell('b', 39, playedTo(LENGTH))
    await tell('b', 38)
    const expected = ['a', 'b', 'c']
      .flatMap((name, minute) =>
        Array.from({ length: { a: 30, b: 40, c: 1 }[name] ?? 0 }, (_, n) => [`${name} ${n}`, n * 60 + minute] as const),
      )
      .toSorted(([, one], [, other]) => other - one)
      .map(([title]) => title)
    for (const size of [1, 7, 100]) expect(await allTitles(ida, `${INBOX}?per_page=${size}`)).toEqual(expected)
    expect(pageIn(await ida.get(INBOX)).items.slice(0, 3)).toMatchObject([
      { podcast: { url: urlOf('b') }, state: 'played', position: LENGTH, device: 'phone' },
      { state: 'in_progress', position: 600 },
      { state: 'new' },
    ])
    expect(pageIn(await ida.get(INBOX)).items).toHaveLength(20)
  })

  test('is filtered by podcast, tag and state', async () => {
    const { ida, tell } = await open({ a: 3, b: 2 })
    await tell('a', 2, playedTo(LENGTH))
    await tell('a', 1)
    await tell('b', 1, { started: undefined, position: undefined, total: undefined })
    for (const [query, titles] of [
      [`podcast=${urlOf('a')}`, ['a 2', 'a 1', 'a 0']],
      ['unplayed=TRUE', ['a 1', 'b 0', 'a 0']],
      ['unplayed=true&per_page=1', ['a 1', 'b 0', 'a 0']],
      [`unplayed=no&podcast=${urlOf('b')}`, ['b 1', 'b 0']],
      [`podcast=${urlOf('z')}`, []],
      ['podcast=nothing', []],
      [`tag=sea&podcast=${urlOf('b')}`, ['b 1', 'b 0']],
      ['tag=land', []],
    ] as const)
      expect([query, await allTitles(ida, `${INBOX}?${query}`)]).toEqual([query, [...titles]])
  })

  test('has the tags of the user’s podcasts, most used first', async () => {
    const tagged = (name: string, tags: string[]) => ({ ...hourly(name, 1), tags })
    const { as } = await openDirectory({
      people: { ida: ['a', 'b', 'c'], bob: [] },
      feeds: { a: tagged('a', ['Sea & Coast', 'Fog']), b: tagged('b', ['Fog']), c: tagged('c', ['Lighthouses']) },
    })
    expect((await as('ida').get('/api/2/me/tags')).json).toEqual([
      { title: 'Fog', tag: 'fog', usage: 2 },
      { title: 'Lighthouses', tag: 'lighthouses', usage: 1 },
      { title: 'Sea & Coast', tag: 'sea-coast', usage: 1 },
    ])
    expect(titlesIn(await as('ida').get(`${INBOX}?tag=sea-coast`))).toEqual(['a 0'])
    expect((await as('bob').get('/api/2/me/tags')).json).toEqual([])
  })

  test('returns an empty page with a cursor after many played episodes', async () => {
    const { ida, mark } = await open({ a: 1300 })
    const newest = { podcast: urlOf('a'), episode: media('a', 199) }
    await mark({ as: 'played', podcast: urlOf('a') })
    await mark({ as: 'new', all: { newest } })
    const first = pageIn(await ida.get(`${INBOX}?unplayed=true`))
    expect(first).toMatchObject({ items: [], next: expect.any(String) })
    expect(await allOf(ida, `${INBOX}?unplayed=true&per_page=100`)).toHaveLength(200)
  })

  test('excludes episodes without a date, and those removed from the feed', async () => {
    const { ida, publish } = await open({ a: 2 })
    const [first, second] = hourly('a', 2).episodes
    if (!first || !second) throw new Error('there are no episodes')
    // Replaces the second episode, which stays for those who know it.
    const moved = { ...second, url: media('moved', 1), title: 'moved' }
    const undated = { ...first, url: media('a', 9), guid: '9', released: undefined }
    await publish('a', feedDocument({ episodes: [first, moved, undated] }))
    expect(titlesIn(await ida.get(INBOX))).toEqual(['moved', 'a 0'])
  })

  test('merges many episodes of several podcasts, whichever has more new ones', async () => {
    const { app, ida } = await open({ a: 0, b: 0, c: 0, d: 0, e: 0 }, { db: openMemoryDatabase() })
    const podcasts = app.db.query('SELECT id FROM podcasts ORDER BY url').values().flat().map(Number)
    // Except for a few episodes, the first podcasts are the oldest.
    const releases = podcasts.flatMap((podcast, n) =>
      Array.from({ length: 250 }, (_, e) => ({
        ...{ podcast, released: RELEASED - e * 60 - (e > 10 ? (5 - n) * 3600 : 0) + n },
      })),
    )
    storeEpisodes(app, releases)
    const expected = releases.map(({ released }) => released).toSorted((one, other) => other - one)
    for (const query of ['?per_page=100', '?per_page=100&unplayed=true']) {
      const titles = await allTitles(ida, `${INBOX}${query}`)
      expect(titles.map(Number)).toEqual(expected)
    }
  })

  test('has a podcast with two URLs once, with actions of both', async () => {
    const [OLD, NEW] = ['http://old.example/feed', 'https://new.example/feed']
    const { ida, script, pass, app } = await openFeedScene([OLD])
    script.answer = async ({ url }) => feedOf('', { document: hourly('a', 3), leads: url === OLD ? [NEW] : [] })
    await ida.post('/api/2/subscriptions/ida/laptop.json', { add: [NEW] })
    for (let hour = 0; hour < 30; hour++) await pass(3600)
    await app.idle()
    const tell = (n: number, fields: object) =>
      ida.post(ACTIONS, [{ podcast: OLD, episode: media('a', n), action: 'play', ...playedTo(600), ...fields }])
    await tell(2, { guid: 'a2' })
    await tell(1, playedTo(LENGTH))
    expect(pageIn(await ida.get(INBOX)).items.map(({ podcast, state }) => [podcast.url, state])).toEqual([
      [NEW, 'in_progress'],
      [NEW, 'played'],
      [NEW, 'new'],
    ])
    for (const url of [OLD, NEW])
      expect(titlesIn(await ida.get(`${INBOX}?podcast=${url}&unplayed=true`))).toEqual(['a 2', 'a 0'])
    expect((await ida.get(UNPLAYED)).json).toEqual([{ url: NEW, unplayed: 2, new: 1 }])
    expect((await ida.post(MARK, { as: 'played', podcast: OLD })).json).toMatchObject({ marked: 2 })
    expect((await ida.get(UNPLAYED)).json).toEqual([{ url: NEW, unplayed: 0, new: 0 }])
  })

  test('counts unplayed episodes among the newest hundred of each podcast', async () => {
    const { ida, tell } = await open({ a: 3, b: 120, c: 0 })
    await tell('a', 0, playedTo(LENGTH))
    await tell('a', 1)
    expect((await ida.get(UNPLAYED)).json).toEqual([
      { url: urlOf('a'), unplayed: 2, new: 1 },
      { url: urlOf('b'), unplayed: 100, new: 1 },
      { url: urlOf('c'), unplayed: 0, new: 0 },
    ])
  })

  test('covers more than 1,000 subscriptions', async () => {
    const { app, ida, change } = await open({ a: 2 }, { db: openMemoryDatabase() })
    const others = Array.from({ length: 1001 }, (_, n) => `x${n}`)
    await change('ida', 'phone', { add: others })
    const podcasts = app.db.query("SELECT id FROM podcasts WHERE url LIKE '%/x%'").values().flat().map(Number)
    storeEpisodes(
      app,
      podcasts.map((podcast) => ({ podcast, released: RELEASED - (podcast % 7) })),
    )
    const all = await allOf(ida, `${INBOX}?per_page=100`)
    expect(all).toHaveLength(1003)
    expect(new Set(all.map(({ podcast }) => podcast.url)).size).toBe(1002)
    expect((await ida.get(UNPLAYED)).json).toHaveLength(1002)
  })
})

test('invalid cursors are refused', async () => {
  const { ida } = await open({})
  for (const before of ['x', '1', '1.', '.1', '1.1.1', '1e9.1', '99999999999999999999.1', ' 1.1', '1.1%00'])
    for (const path of [INBOX, IN_PROGRESS])
      expectError(await ida.get(`${path}?before=${before}`), 400, 'validation_failed', 'before')
})

test('the home page combines the answers of its parts, for its user only', async () => {
  const names = Array.from({ length: 14 }, (_, n) => `p${n}`)
  const { as, ida, tell } = await open({ a: 20, ...Object.fromEntries(names.map((name) => [name, 2])) })
  for (const n of [3, 4]) await tell('a', n)
  await ida.post('/api/2/devices/ida/desk.json', {})
  await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
  const settings = '{"auto_sync":true,"speed":1.0}'
  await ida.post('/api/2/settings/ida/account.json', `{"set":${settings}}`)
  await ida.post('/api/2/me/folders', { name: 'Work' })
  const { json, text } = await ida.get('/api/2/me/home')
  expect(json).toEqual({
    in_progress: pageIn(await ida.get(`${IN_PROGRESS}?per_page=12`)).items,
    inbox: pageIn(await ida.get(`${INBOX}?new=true&per_page=12`)).items,
    devices: (await ida.get('/api/2/devices/ida.json')).json,
    synchronized: [['phone', 'desk']],
    settings: { auto_sync: true, speed: 1 },
    ...Object((await ida.get('/api/2/me/folders')).json),
    server: [],
  })
  expect(text).toContain(`"settings":${settings}`)
  expect((json as { inbox: unknown[] }).inbox).toHaveLength(12)
  const bob = as('bob')
  expect((await bob.get('/api/2/me/home')).json).toMatchObject({ in_progress: [], inbox: [], folders: [] })
  for (const path of [INBOX, IN_PROGRESS]) expect(titlesIn(await bob.get(path))).toEqual([])
  expect((await bob.get(UNPLAYED)).json).toEqual([])
})

test.each([
  ['sync', 200, 200],
  ['read', 200, 403],
  ['feeds', 403, 403],
])('an app password with scope %s reads with %d and changes with %d', async (scope, reading, changing) => {
  const { app } = await open({ a: 1 })
  const { json } = await (await signIn(app)).post('/api/2/me/app-passwords', { name: 'App', scope })
  const client = clientOf(app, basic('ida', String(Object(json).password)))
  const queue = '/api/2/me/queue'
  for (const path of [INBOX, IN_PROGRESS, UNPLAYED, queue, '/api/2/me/folders', '/api/2/me/search?q=quay'])
    expect([path, (await client.get(path)).status]).toEqual([path, reading])
  expect((await client.post(MARK, { as: 'played', podcast: urlOf('a') })).status).toBe(changing)
  expect((await client.put(queue, { episodes: [] })).status).toBe(changing)
  expect((await client.post('/api/2/me/folders', { name: 'Work' })).status).toBe(changing)
})
