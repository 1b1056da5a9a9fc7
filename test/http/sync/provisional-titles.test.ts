import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { TITLES_MAX } from '../../../src/store/sync/podcast-rows.ts'
import { failed, feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import type { TestApp } from '../../support/app.ts'
import { type Client, clientOf, signUp } from '../../support/client.ts'
import { isRecord } from '../../support/openapi.ts'
import { A, B, CHANGES, EPISODES } from './scene.ts'

const OPML = `<opml><body><outline text="Dead Air" xmlUrl="${A}"/><outline title="Orbit &amp; Co" text="no" xmlUrl="${B}"/></body></opml>`

/** Starts a server with Ida and Ole; feeds cannot be fetched unless `script` says otherwise. */
async function open() {
  const scene = await openFeedScene([], {
    db: openMemoryDatabase(),
    settings: { rate_limit: 'false', registration: 'open' },
  })
  scene.script.answer = async () => failed()
  const ole = await signUp(scene.app, 'ole', 'driftwood')
  const upload = (body: unknown) => scene.ida.post(CHANGES, body)
  return { ...scene, ole, upload, titles: (user: Client = scene.ida) => titlesOf(user, '/api/2/me/subscriptions') }
}

/** Titles by URL. */
async function titlesOf(client: Client, path: string): Promise<Record<string, unknown>> {
  const { status, json } = await client.get(path)
  expect(status).toBe(200)
  return Object.fromEntries([json].flat().map((item) => (isRecord(item) ? [item['url'], item['title']] : [])))
}

const stored = ({ app }: { readonly app: TestApp }) =>
  app.db.query<{ title: string }, []>('SELECT title FROM provisional_titles ORDER BY title').values().flat()

const LIST = [
  { url: A, title: 'Dead Air' },
  { feed: B, title: 'Orbit & Co' },
]
const TITLES = { [A]: 'Dead Air', 'HTTPS://Feeds.example/b': 'Orbit & Co' }

test.each([
  ['as OPML', 'PUT', '/subscriptions/ida/phone.opml', OPML],
  ['as JSON', 'PUT', '/subscriptions/ida/phone.json', LIST],
  ['with changes', 'POST', CHANGES, { add: Object.keys(TITLES), titles: TITLES }],
])('titles uploaded %s are shown to that user', async (_what, method, path, body) => {
  const { ida, titles, runJob } = await open()
  expect((await ida.call(method, path, { body })).status).toBe(200)
  const expected = { [A]: 'Dead Air', [B]: 'Orbit & Co' }
  expect(await titles()).toEqual(expected)
  await runJob()
  expect(await titlesOf(ida, '/subscriptions/ida.json')).toEqual(expected)
  for (const list of ['/subscriptions/ida.opml', '/subscriptions/ida/phone.opml', '/subscriptions/ida/phone.xml'])
    expect((await ida.get(list)).text).toContain('Orbit &amp; Co')
  expect((await ida.get('/subscriptions/ida/phone.json')).json).toEqual([A, B])
})

test('a provisional title is on the page of the podcast, in the history, in offered moves and in the export', async () => {
  const { app, ida, upload } = await open()
  await upload({ add: [A], titles: { [A]: 'Dead Air' } })
  const play = { podcast: A, episode: `${A}.mp3`, action: 'play', timestamp: '2025-03-02T09:00:00', position: 61 }
  await ida.post(EPISODES, [{ ...play, started: 0, total: 100 }])
  app.db.run('UPDATE podcasts SET moved_to = ? WHERE url = ?', [B, A])
  expect((await ida.get(`/api/2/me/podcast/about?url=${A}`)).json).toMatchObject({ title: 'Dead Air' })
  expect((await ida.get('/api/2/me/history')).text).toContain('"podcast_title":"Dead Air"')
  expect((await ida.get('/api/2/me/listening?days=30')).text).toContain('"title":"Dead Air"')
  expect((await ida.get('/api/2/me/moves')).json).toEqual([{ url: A, new_url: B, title: 'Dead Air' }])
  expect((await ida.get('/api/2/me/export')).json).toMatchObject({ titles: [{ podcast: A, title: 'Dead Air' }] })
})

test('a provisional title is replaced by the title of the feed', async () => {
  const { upload, titles, script, runJob, ...scene } = await open()
  await upload({ add: [A, B], titles: { [A]: 'Dead Air', [B]: 'Orbit' } })
  script.answer = async ({ url }) => (url === A ? failed() : feedOf('Orbit, the show'))
  await runJob()
  expect(await titles()).toEqual({ [A]: 'Dead Air', [B]: 'Orbit, the show' })
  expect(stored(scene)).toEqual(['Dead Air'])
  await upload({ titles: { [A]: 'Dead Air again', [B]: 'Mine' } })
  expect(await titles()).toEqual({ [A]: 'Dead Air again', [B]: 'Orbit, the show' })
})

test('a provisional title is shown to nobody else', async () => {
  const { app, ida, ole, upload, titles, runJob } = await open()
  await upload({ add: [A], titles: { [A]: 'Dead Air' } })
  await ole.post('/api/2/subscriptions/ole/phone.json', { add: [A] })
  await runJob()
  expect(await titles(ole)).toEqual({ [A]: A })
  const SEARCH = ['/search.json?q=dead+air', `/search.json?q=${A}`, '/toplist/50.json']
  const ABOUT = `/api/2/me/podcast/about?url=${A}`
  for (const [client, paths] of [
    [ole, ['/subscriptions/ole.opml', '/subscriptions/ole/phone.opml', ABOUT, '/api/2/me/export', ...SEARCH]],
    [ida, [...SEARCH.filter((path) => !path.endsWith(A)), `/api/admin/feeds?q=${A}`]],
    [clientOf(app), ['/toplist/50.json', `/api/2/data/podcast.json?url=${A}`]],
  ] as const)
    for (const path of paths) {
      const { status, text } = await client.get(path)
      expect([path, status, text.toLowerCase().includes('dead air')]).toEqual([path, 200, false])
    }
})

test('titles are stored only for subscribed podcasts', async () => {
  const { upload, ...scene } = await open()
  expect((await upload({ add: [A], titles: { [B]: 'Orbit', nonsense: 'No feed', [A]: A } })).status).toBe(200)
  expect(stored(scene)).toEqual([])
})

test('the number of titles is limited', async () => {
  const { app, upload, titles } = await open()
  await upload({ add: [A] })
  const many = "SELECT id FROM podcasts WHERE url LIKE 'https://many.example/%'"
  app.db.run(`INSERT INTO podcasts (url, created_at) SELECT 'https://many.example/' || value, 0 FROM json_each(?)`, [
    JSON.stringify([...Array(TITLES_MAX - 1).keys()]),
  ])
  app.db.run(`INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) SELECT 1, id, 1, 1 FROM (${many})`)
  app.db.run(`INSERT INTO provisional_titles SELECT 1, id, 'One of many' FROM (${many})`)
  // Indexing them would take seconds.
  app.db.run('DELETE FROM directory_changes')
  await upload({ add: [B], titles: { [A]: 'Dead Air', [B]: 'Orbit' } })
  expect(await titles()).toMatchObject({ [A]: 'Dead Air', [B]: B })
})
