import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { tempDirs } from '../../store/temp-dir.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { basic, clientOf, signUp } from '../../support/client.ts'
import { fakeClock } from '../../support/clock.ts'
import { startWebServer, type WebServer } from '../../support/web-server.ts'
import { expectError } from '../error.ts'

const dirs = tempDirs()
const MONTHS = 100 * 24 * 3600
const AUDIO = 'https://media.example/1.mp3'

/** Another server with everything that podstep may fetch. */
function startOther(): WebServer {
  const at = (request: Request, path: string) => new URL(path, request.url).href
  const item = (request: Request) =>
    `<item><guid>1</guid><title>One</title><enclosure url="${AUDIO}" type="audio/mpeg" length="1"/>
     <podcast:chapters url="${at(request, '/chapters')}" type="application/json+chapters"/>
     <podcast:transcript url="${at(request, '/words')}" type="text/vtt"/></item>`
  const feed = (request: Request) =>
    new Response(`<rss xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>Harbour Talk</title>
      <image><url>${at(request, '/picture')}</url></image>${item(request)}</channel></rss>`)
  return startWebServer({
    '/feed': feed,
    '/new': feed,
    '/chapters': () => Response.json({ chapters: [{ startTime: 1, title: 'Tide' }] }),
    '/words': () => new Response('WEBVTT\n\n00:01.000 --> 00:02.000\nTide\n'),
    '/api/search/byterm': () => Response.json({ status: 'true', feeds: [] }),
    '/api/podcasts/trending': () => Response.json({ status: 'true', feeds: [] }),
    '/hook': () => new Response(),
  })
}

/** Ida has a feed and a webhook of another server; a hundred days later, podstep restarts with `outbound`. */
async function open(other: WebServer, outbound: 'on' | 'off') {
  const base = `http://127.0.0.1:${other.port}`
  const clock = fakeClock()
  const db = openMemoryDatabase()
  const settings = {
    ...{ data_dir: dirs.make(), rate_limit: 'false', feed_allow_private: '127.0.0.1' },
    ...{ webhook_allow_private: '127.0.0.1', import_allow_private: '127.0.0.1' },
    ...{ directory_key: 'key', directory_secret: 'secret', directory_url: `${base}/api` },
  }
  const before = startTestApp({ clock, db, settings, isOutbound: true })
  await signUp(before)
  const ida = clientOf(before, basic('ida', 'seaglass'))
  await ida.put('/subscriptions/ida/phone.json', [`${base}/feed`])
  await before.idle()
  await ida.put('/api/2/me/webhook', { url: `${base}/hook` })
  await before.idle()
  before.beginStop()
  before.end()
  // Both applications would create the same tokens, since their randomness is seeded alike.
  db.run('DELETE FROM sessions')

  clock.advance(MONTHS)
  const app = startTestApp({ clock, db, settings: { ...settings, outbound }, isOutbound: true })
  let seen = 0
  function asked(): readonly string[] {
    const paths = other.asked.slice(seen).map(({ path }) => path.replace(/\?.*/, ''))
    seen = other.asked.length
    return [...new Set(paths)]
  }
  expect(asked()).toEqual(['/feed'])
  return { app, base, asked, ida: clientOf(app, basic('ida', 'seaglass')) }
}

/** Uses every feature that sends requests to other servers. */
async function useAll({ app, base, ida }: Awaited<ReturnType<typeof open>>) {
  const feed = encodeURIComponent(`${base}/feed`)
  const answers = {
    ofNew: await ida.get(`/api/2/data/podcast.json?url=${encodeURIComponent(`${base}/new`)}`),
    resolved: await ida.post('/api/2/me/resolve', { text: `${base}/elsewhere` }),
    chapters: await ida.get(`/api/2/me/podcast/chapters?podcast=${feed}&url=${encodeURIComponent(AUDIO)}`),
    words: await ida.get(`/api/2/me/podcast/transcript?podcast=${feed}&episode=${encodeURIComponent(AUDIO)}`),
    picture: await ida.get(`/artwork/128?url=${feed}`),
    found: await ida.get('/api/2/search/external?q=harbour'),
    trending: await ida.get('/api/2/trending'),
    refreshed: await ida.post('/api/2/me/podcast/refresh', { url: `${base}/feed` }),
    refreshedAll: await ida.post('/api/admin/feeds/update'),
    refreshedOne: await ida.post(`/api/admin/feeds/update/single?url=${feed}`),
    hook: await ida.put('/api/2/me/webhook', { url: `${base}/hook?2` }),
    hookTest: await ida.post('/api/2/me/webhook/test'),
    imported: await ida.post('/api/2/me/import', { from: `${base}/server`, username: 'ida', password: 'x' }),
    added: await ida.post('/api/2/subscriptions/ida/phone.json', { add: [`${base}/added`], remove: [] }),
  }
  for (const { run } of app.jobs) run()
  await app.idle()
  // The webhook of a new device is sent a minute later.
  app.clock.advance(120)
  for (const { run } of app.jobs) run()
  await app.idle()
  return answers
}

const problems = ({ logs }: TestApp) => logs.filter((line) => /"level":"(?:warn|error)"/.test(line))

test('with outbound off no other server is contacted, and nothing counts as failed', async () => {
  await using other = startOther()
  const scene = await open(other, 'off')
  const { app, base, ida } = scene
  const answers = await useAll(scene)
  expect(scene.asked()).toEqual([])
  expectError(answers.ofNew, 404, 'unknown_podcast')
  expect(answers.resolved.json).toEqual({ candidates: [], reason: 'outbound_off', address: `${base}/elsewhere` })
  expect(answers.chapters.json).toEqual({ chapters: [] })
  expect(answers.words.json).toEqual({ state: 'off', cues: [] })
  expect(answers.picture.status).toBe(204)
  for (const list of [answers.found, answers.trending]) expect(list).toMatchObject({ status: 200, json: [] })
  for (const name of ['refreshed', 'refreshedAll', 'refreshedOne', 'hook', 'hookTest', 'imported'] as const)
    expectError(answers[name], 409, 'outbound_off')
  expect(answers.added.status).toBe(200)
  // Stored data stays.
  const about = await ida.get(`/api/2/data/podcast.json?url=${encodeURIComponent(`${base}/feed`)}`)
  expect(about.json).toMatchObject({ title: 'Harbour Talk' })
  expect((await ida.get('/api/2/me/webhook')).json).toMatchObject({ url: `${base}/hook`, last_failure: '' })
  expect((await ida.get('/api/admin/feeds/status')).json).toMatchObject({ total: 2, failing_total: 0, running: false })
  expect(problems(app)).toEqual([])
})

test('clients and administrators see whether outbound is on', async () => {
  for (const expected of [false, true]) {
    const outbound = expected ? 'on' : 'off'
    const app = startTestApp({ settings: { outbound } })
    const ida = await signUp(app)
    expect((await clientOf(app).get('/api/2/server')).json).toMatchObject({ outbound: expected })
    const { json } = await ida.get('/api/admin/server')
    expect(json).toMatchObject({ outbound: expected })
    const { jobs } = json as { jobs: string[] }
    expect(jobs.includes('feeds')).toBe(expected)
    expect(jobs.includes('upgrades') || jobs.includes('moves')).toBe(expected)
  }
})

test('a podcast that cannot be fetched has the title from its upload', async () => {
  const app = startTestApp({ settings: { outbound: 'off' } })
  const ida = await signUp(app)
  const url = 'https://feeds.example/a'
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [url], remove: [], titles: { [url]: 'Harbour Talk' } })
  expect((await ida.get('/api/2/me/podcasts')).json).toMatchObject([{ url, title: 'Harbour Talk' }])
})

test('with outbound on, the same features contact other servers', async () => {
  await using other = startOther()
  const scene = await open(other, 'on')
  await useAll(scene)
  const paths = ['/added', '/api/podcasts/trending', '/api/search/byterm', '/chapters', '/elsewhere', '/feed', '/hook']
  expect(scene.asked()).toEqual(expect.arrayContaining([...paths, '/new', '/picture', '/words']))
})
