import { afterEach, expect, test } from 'bun:test'
import { failed, feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../../support/client.ts'
import { FakeTimer } from '../../support/clock.ts'
import { reasonOf } from '../../support/values.ts'
import { expectError } from '../error.ts'
import { sendFile } from '../transfer/scene.ts'

/** docs/protocol.md#live: open pages receive hints about changes of their own account. */

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'
const EVENTS = '/api/2/me/events'
const CHANGES = '/api/2/subscriptions/ida/phone.json'
const EPISODES = '/api/2/episodes/ida.json'
const OLE = '/api/admin/users/ole'
const HEARTBEAT = 'event: heartbeat\ndata: {}\n\n'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** A server and a listening page of ida. Hints are sent when the test advances the timer. */
async function openScene(options: TestAppOptions = {}) {
  const timer = new FakeTimer()
  const app = startTestApp({ ...options, hintTimer: timer.start })
  const ida = await signUp(app)
  const ole = await signUp(app, 'ole', 'driftwood')
  return { app, ida, ole, timer, page: await listen(app, timer) }
}

/** A listening page, authenticated by `headers`. */
async function listen(app: TestApp, timer: FakeTimer, headers = basic('ida', 'seaglass')) {
  const response = await app.fetch(
    new Request(`http://localhost${EVENTS}`, { headers: { host: 'localhost', ...headers } }),
  )
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  /** The next chunk of the stream; undefined at its end. */
  async function next(): Promise<string | undefined> {
    const { value } = (await reader?.read()) ?? {}
    return value && decoder.decode(value)
  }
  const end = async () => void (await reader?.cancel())
  open.push(end)
  expect(await next()).toBe('event: ready\ndata: {}\n\n')
  return {
    response,
    next,
    end,
    /** Hints since the last call, up to the next heartbeat. */
    async hints(): Promise<unknown[]> {
      timer.pass(100)
      heartbeat(app)
      const text = (await next()) ?? ''
      return [...text.matchAll(/event: hint\ndata: (.*)\n\n/g)].map(([, json = '']) => JSON.parse(json))
    },
  }
}

const sessionOf = async (app: TestApp, name = 'ida', password = 'seaglass') =>
  cookieOf(await clientOf(app, basic(name, password)).post(`/api/2/auth/${name}/login.json`))

const heartbeat = (app: TestApp) => app.jobs.find(({ name }) => name === 'heartbeat')?.run()

const play = (podcast: string, position: number) => ({
  ...{ podcast, episode: `${podcast}/1.mp3`, device: 'phone', action: 'play', timestamp: '2025-03-02T09:00:00' },
  ...{ started: 0, position, total: 100 },
})

test('the stream starts at once, and is neither cached, buffered nor compressed', async () => {
  const { app, ida, timer } = await openScene()
  // HEAD opens no stream.
  for (let n = 0; n < 30; n++) expect((await ida.call('HEAD', EVENTS)).status).toBe(200)
  const { response } = await listen(app, timer, { ...basic('ida', 'seaglass'), 'accept-encoding': 'gzip' })
  expect(response.status).toBe(200)
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' }
  expect(Object.fromEntries(response.headers)).toMatchObject(headers)
  expect(response.headers.has('content-encoding')).toBe(false)
})

const DEVICES = { topic: 'devices' }
const SUBSCRIPTIONS = { topic: 'subscriptions' }
const SETTINGS = { topic: 'settings' }
const ACCOUNT = { topic: 'account' }
const PLAYED = { topic: 'episodes', podcast: A }
const JOIN = '/api/2/sync-devices/ida.json'
const CHAPTER = { podcast: A, episode: `${A}/1.mp3`, chapters_add: [{ start: 1, end: 2 }], chapters_remove: [] }
const RESTORE = { device: 'phone', time: 1_740_909_600 }
const MAIL = { email: 'ida@pods.example', password: 'seaglass' }
const WEBHOOK = { url: 'https://hooks.example/x', format: 'json', events: ['new_device'] }
const set = (path: string) => (ida: Client) => ida.post(`/api/2/settings/ida/${path}`, { set: { is_favorite: true } })
const OPML = '<opml version="2.0"><body><outline type="rss" xmlUrl="https://feeds.example/b"/></body></opml>'

test.each<[string, (ida: Client) => Promise<unknown>, readonly unknown[]]>([
  ['subscribes', (ida) => ida.post(CHANGES, { add: [B] }), [SUBSCRIPTIONS, DEVICES]],
  ['uploads a whole list', (ida) => ida.put('/subscriptions/ida/phone.opml', OPML), [SUBSCRIPTIONS, DEVICES]],
  ['sends an empty change', (ida) => ida.post(CHANGES, { add: [], remove: [] }), [DEVICES]],
  ['asks for changes', (ida) => ida.get(`${CHANGES}?since=0`), [DEVICES]],
  ['plays', (ida) => ida.post(EPISODES, [play(A, 10)]), [PLAYED, DEVICES]],
  ['plays two podcasts', (ida) => ida.post(EPISODES, [play(A, 10), play(B, 20)]), [{ topic: 'episodes' }, DEVICES]],
  ['sets a caption', (ida) => ida.post('/api/2/devices/ida/phone.json', { caption: 'Phone' }), [DEVICES]],
  [
    'synchronizes with another device',
    (ida) => ida.post(JOIN, { synchronize: [['phone', 'laptop']] }),
    [DEVICES, SUBSCRIPTIONS],
  ],
  ['changes a setting of the account', set('account.json'), [SETTINGS, DEVICES, SUBSCRIPTIONS]],
  ['changes a setting of a podcast', set(`podcast.json?podcast=${A}`), [SETTINGS, { topic: 'podcast', url: A }]],
  ['changes a setting of a device', set('device.json?device=phone'), [SETTINGS, DEVICES]],
  ['adds a favorite', set(`episode.json?podcast=${A}&episode=${A}/1.mp3`), [SETTINGS, PLAYED]],
  ['marks a chapter', (ida) => ida.post('/api/2/chapters/ida.json', CHAPTER), [PLAYED]],
  ['restores a list', (ida) => ida.post('/api/2/me/restore', RESTORE), [SUBSCRIPTIONS, DEVICES]],
  ['removes a device', (ida) => ida.delete('/api/2/devices/ida/laptop.json'), [DEVICES, SUBSCRIPTIONS]],
  ['changes the email address', (ida) => ida.post('/api/2/me/email', MAIL), [ACCOUNT]],
  ['signs in elsewhere', (ida) => ida.post('/api/2/auth/ida/login.json'), [ACCOUNT]],
  ['sets a webhook', (ida) => ida.put('/api/2/me/webhook', WEBHOOK), [ACCOUNT]],
])('pages of the user, and of no other, get a hint when an app %s', async (_case, act, expected) => {
  const { app, ida, ole, timer } = await openScene()
  await ida.post(CHANGES, { add: [A] })
  await ida.post('/api/2/devices/ida/laptop.json', {})
  await ole.get('/api/2/me')
  const [page, others] = [await listen(app, timer), await listen(app, timer, basic('ole', 'driftwood'))]
  app.clock.advance(1)
  expect(await act(ida)).toMatchObject({ status: 200 })
  expect(await page.hints()).toEqual([...expected])
  expect(await others.hints()).toEqual([])
})

test('creating, revoking and granting app passwords sends hints', async () => {
  const { app, timer } = await openScene()
  const cookie = await sessionOf(app)
  const [browser, page] = [clientOf(app, cookie), await listen(app, timer, cookie)]
  const made = await browser.post('/api/2/me/app-passwords', { name: 'AntennaPod', scope: 'sync' })
  expect(await page.hints()).toEqual([{ topic: 'app-passwords' }])
  await browser.delete(`/api/2/me/app-passwords/${Reflect.get(Object(made.json), 'id')}`)
  expect(await page.hints()).toEqual([{ topic: 'app-passwords' }, { topic: 'account' }])
  const { login } = (await clientOf(app).post('/index.php/login/v2')).json as { login: string }
  const fromPage = { headers: { origin: 'http://localhost' } }
  expect((await browser.post(new URL(login).pathname, undefined, fromPage)).status).toBe(200)
  expect(await page.hints()).toEqual([{ topic: 'app-passwords' }])
})

test('hints are batched, repeated actions cause none, and idle streams get heartbeats', async () => {
  const { app, ida, page, timer } = await openScene()
  for (let n = 0; n < 5; n++) await ida.post(CHANGES, { add: [`${A}/${n}`] })
  expect(await page.hints()).toEqual([SUBSCRIPTIONS, DEVICES])
  for (const expected of [[PLAYED, DEVICES], [DEVICES]]) {
    await ida.post(EPISODES, [play(A, 10)])
    expect(await page.hints()).toEqual(expected)
  }
  const nothing = page.next()
  heartbeat(app)
  expect(await nothing).toBe(HEARTBEAT)
  expect(timer.waiting).toBe(0)
})

test('many pending hints become one for everything', async () => {
  const { ida, page } = await openScene()
  for (let n = 0; n < 60; n++) await ida.post(EPISODES, [play(`${A}/${n}`, 10)])
  expect(await page.hints()).toEqual([{ topic: 'all' }])
  await ida.post('/api/2/devices/ida/phone.json', {})
  expect(await page.hints()).toEqual([DEVICES])
})

test('an import sends hints about its progress', async () => {
  const { app, ida, page } = await openScene()
  expect((await sendFile(ida, OPML, 'list.opml')).status).toBe(202)
  await app.idle()
  expect(await page.hints()).toEqual(expect.arrayContaining([{ topic: 'import', id: 1 }, SUBSCRIPTIONS]))
})

test('only subscribers get a hint when a feed changes, fails or recovers', async () => {
  const timer = new FakeTimer()
  const scene = await openFeedScene([A], { hintTimer: timer.start })
  const { app, script } = scene
  await signUp(app, 'ole', 'driftwood')
  const [page, others] = [await listen(app, timer), await listen(app, timer, basic('ole', 'driftwood'))]
  const received: unknown[] = []
  const talk = feedOf('Harbour Talk')
  for (const answer of [talk, talk, failed(), failed(), talk, feedOf('Harbour Tales')]) {
    script.answer = async () => answer
    await scene.pass(10 * 86_400)
    received.push(await page.hints())
    expect(await others.hints()).toEqual([])
  }
  const news = [{ topic: 'podcast', url: A }]
  expect(received).toEqual([news, [], news, [], news, news])
})

test('administrators get the progress of a refresh, from and until a change of the role', async () => {
  const timer = new FakeTimer()
  const { app, ida } = await openFeedScene([A, B], { hintTimer: timer.start })
  await signUp(app, 'ole', 'driftwood')
  const [page, oles] = [await listen(app, timer), await listen(app, timer, basic('ole', 'driftwood'))]
  const refresh = async () => {
    await ida.post('/api/admin/feeds/update')
    await app.idle()
  }
  const progress = { topic: 'refresh', running: false, done: 2, failed: 0, total: 2 }
  await refresh()
  expect(await page.hints()).toContainEqual(progress)
  expect(await oles.hints()).toEqual([])
  await ida.post(`${OLE}/role`, { is_admin: true })
  expect(await oles.hints()).toEqual([ACCOUNT])
  await refresh()
  expect(await oles.hints()).toContainEqual(progress)
  await ida.post(`${OLE}/role`, { is_admin: false })
  await refresh()
  expect(await oles.hints()).toEqual([ACCOUNT])
})

test.each<[string, (ida: Client, ole: Client, app: TestApp) => Promise<unknown>]>([
  ['is deleted', (ida) => ida.delete(OLE)],
  ['is deactivated', (ida) => ida.post(`${OLE}/deactivate`)],
  ['gets another password', (ida) => ida.post(`${OLE}/password`, { password: 'new-driftwood' })],
  ['signs out', (_ida, ole) => ole.post('/api/2/auth/ole/logout.json')],
  [
    'ends all other sessions',
    async (_ida, _ole, app) => clientOf(app, await sessionOf(app, 'ole', 'driftwood')).delete('/api/2/me/sessions'),
  ],
])('the stream ends at once with the session of a user who %s', async (_case, act) => {
  const { app, ida, timer, page } = await openScene()
  const headers = await sessionOf(app, 'ole', 'driftwood')
  const { next } = await listen(app, timer, headers)
  expect(await act(ida, clientOf(app, headers), app)).toMatchObject({ status: 200 })
  timer.pass(100)
  expect(await next()).toBeUndefined()
  heartbeat(app)
  expect(await page.next()).toStartWith('event: ')
  expectError(await clientOf(app, headers).get(EVENTS), 401, 'unauthorized')
})

test('an open stream ends with its session, which it does not extend', async () => {
  const { app, ida, timer } = await openScene({ settings: { session_days: '30' } })
  const cookies = [await sessionOf(app), await sessionOf(app)]
  const [used, unused] = [await listen(app, timer, cookies[0]), await listen(app, timer, cookies[1])]
  app.clock.advance(16 * 86_400)
  heartbeat(app)
  for (const { next } of [used, unused]) expect(await next()).toBe(HEARTBEAT)
  // Waits until the use of the sessions is written.
  await ida.post('/api/2/devices/ida/phone.json', {})
  const answer = await clientOf(app, cookies[0]).get('/api/2/me')
  expect(answer.headers.get('set-cookie')).toContain('Max-Age=2592000')
  await app.idle()
  app.clock.advance(14 * 86_400 + 1)
  heartbeat(app)
  expect(await unused.next()).toBeUndefined()
  expect(await used.next()).toStartWith('event: ')
})

test('the stream ends when the server stops', async () => {
  const { app, ida, page } = await openScene()
  const last = page.next()
  app.beginStop()
  expect(await last).toBeUndefined()
  expectError(await ida.get(EVENTS), 503, 'unavailable')
})

test('each user may have 20 streams', async () => {
  const { app, ida, timer, page } = await openScene()
  for (let n = 1; n < 20; n++) await listen(app, timer)
  const refused = await ida.get(EVENTS)
  expectError(refused, 429, 'rate_limited')
  expect(refused.headers.get('retry-after')).toBe('60')
  expect((await listen(app, timer, basic('ole', 'driftwood'))).response.status).toBe(200)
  await page.end()
  expect((await listen(app, timer)).response.status).toBe(200)
})

test('streams fail and free their places when the session cannot be checked', async () => {
  const { app, ida, timer, page } = await openScene()
  const pages = [page]
  for (let n = 1; n < 20; n++) pages.push(await listen(app, timer))
  const last = pages.map(({ next }) => reasonOf(next()))
  await app.rowsOf('ALTER TABLE users RENAME TO elsewhere')
  heartbeat(app)
  expect(await Promise.all(last)).toEqual(pages.map(() => expect.any(Error)))
  await app.rowsOf('ALTER TABLE elsewhere RENAME TO users')
  expect((await listen(app, timer)).response.status).toBe(200)
  expect((await ida.get('/api/2/me')).status).toBe(200)
  open.length = 0
})
