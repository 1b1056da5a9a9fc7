import { expect, test } from 'bun:test'
import { nextTurn } from '../../../src/platform/clock.ts'
import { startTestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../../support/client.ts'
import { countedDatabase } from '../../support/database.ts'
import { expectError } from '../error.ts'
import { A, B, CHANGES, EPISODES, openSync, PHONE } from './scene.ts'

const ACTIVITY = '/api/2/me/activity'
const LIST = '/subscriptions/ida/phone.json'
const NEXTCLOUD = '/index.php/apps/gpoddersync'
const ACTION = { podcast: A, episode: `${A}/1`, action: 'play', position: 10, started: 0, total: 100 }
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const APP = { 'user-agent': 'AntennaPod/3.9.0' }
/** Of the fake clock. */
const NOW = 1_740_909_600

interface Item {
  readonly kind: string
  readonly [key: string]: unknown
}

/** Ida with a phone called Pixel, whose app AntennaPod is, and what is told to her browser. */
async function open(settings: Record<string, string> = {}) {
  const counted = countedDatabase()
  const { app } = await openSync({ db: counted.db, settings })
  const ida = clientOf(app, { ...basic('ida', 'seaglass'), ...APP })
  const session = { ...cookieOf(await ida.get('/api/2/me')), ...BROWSER }
  const browser = clientOf(app, session)
  await browser.post(PHONE, { caption: 'Pixel' })
  async function items(client: Client = browser, query = ''): Promise<Item[]> {
    const answer = await client.get(`${ACTIVITY}${query}`)
    expect(answer.status).toBe(200)
    const list = (answer.json as { items: Item[] }).items
    // The browser has named the phone.
    return list.filter(({ by, kind }) => by === 'app' || kind !== 'updated_device')
  }
  async function runJob(name: string): Promise<void> {
    app.jobs.find((job) => job.name === name)?.run()
    await app.idle()
  }
  /** What the next start of the server tells. */
  async function afterRestart(): Promise<Item[]> {
    await app.idle()
    // Each of the two reads in a transaction that lasts until its turn ends.
    await nextTurn()
    const told = await items(clientOf(startTestApp({ db: app.db, clock: app.clock }), session))
    await nextTurn()
    return told
  }
  return { app, ida, browser, items, runJob, afterRestart, during: counted.during }
}

/** What is told of a request, but for what is always the same. */
type Told = Partial<Item> & Pick<Item, 'kind'>

const item = (rest: Told): Item => ({
  ...{ time: NOW, since: NOW, count: 1, reason: null, added: 0, removed: 0, items: 0 },
  ...{ device: 'phone', device_caption: 'Pixel', app: 'AntennaPod', by: 'app' },
  ...rest,
})

const NONE = { device: null, device_caption: '' }
/** Before its first upload, which makes it. */
const NEXTCLOUD_DEVICE = { device: 'gpoddersync', device_caption: '' }

const CHAPTERS = '/api/2/chapters/ida.json'
const ACCOUNT = '/api/2/settings/ida/account.json?device=phone'
const UPLOADED = ['phone', 'desk'].map((device) => ({ ...ACTION, device }))
const CHANGED = { set: { a: 1, b: 2 }, remove: ['c'] }
const MARKED = { podcast: A, episode: `${A}/1`, device: 'phone', chapters_add: [{ start: 1, end: 2 }], timestamp: 0 }

/** Every request of an app that syncs, and what is told of it. */
const REQUESTS: readonly (readonly [method: string, path: string, body: unknown, told: Told])[] = [
  ['POST', CHANGES, { add: [A, B], remove: ['https://c.example/'] }, { kind: 'sent_changes', added: 2, removed: 1 }],
  ['GET', CHANGES, undefined, { kind: 'fetched_changes' }],
  ['PUT', LIST, [A, B, A], { kind: 'sent_list', items: 2 }],
  ['POST', '/subscriptions/ida/phone.txt', A, { kind: 'sent_list', items: 1 }],
  ['GET', LIST, undefined, { kind: 'fetched_list' }],
  ['GET', '/subscriptions/ida.json', undefined, { kind: 'fetched_list', ...NONE }],
  ['POST', EPISODES, [{ ...ACTION, device: 'phone' }, ACTION], { kind: 'sent_actions', items: 2 }],
  ['POST', EPISODES, [ACTION], { kind: 'sent_actions', items: 1, ...NONE }],
  ['POST', EPISODES, UPLOADED, { kind: 'sent_actions', items: 2, ...NONE }],
  ['GET', `${EPISODES}?device=phone`, undefined, { kind: 'fetched_actions' }],
  ['GET', EPISODES, undefined, { kind: 'fetched_actions', ...NONE }],
  ['GET', `${EPISODES}?device=${'x'.repeat(5000)}`, undefined, { kind: 'fetched_actions', ...NONE }],
  ['POST', PHONE, { caption: 'Pixel' }, { kind: 'updated_device' }],
  ['GET', '/api/2/settings/ida/device.json?device=phone', undefined, { kind: 'fetched_settings' }],
  ['POST', ACCOUNT, CHANGED, { kind: 'sent_settings', items: 3, ...NONE }],
  ['GET', `${CHAPTERS}?podcast=${A}&episode=${A}/1`, undefined, { kind: 'fetched_chapters', ...NONE }],
  ['POST', CHAPTERS, MARKED, { kind: 'sent_chapters', added: 1 }],
  ['GET', '/api/2/updates/ida/phone.json?since=0', undefined, { kind: 'fetched_updates' }],
  ['POST', '/api/2/auth/ida/login.json', undefined, { kind: 'signed_in', ...NONE }],
  ['GET', `${NEXTCLOUD}/subscriptions`, undefined, { kind: 'fetched_changes', ...NEXTCLOUD_DEVICE }],
  [
    'POST',
    `${NEXTCLOUD}/subscription_change/create`,
    { add: [A], remove: [B] },
    { kind: 'sent_changes', device: 'gpoddersync', device_caption: 'Nextcloud apps', added: 1, removed: 1 },
  ],
  ['GET', `${NEXTCLOUD}/episode_action`, undefined, { kind: 'fetched_actions', ...NEXTCLOUD_DEVICE }],
  ['POST', `${NEXTCLOUD}/episode_action/create`, [ACTION], { kind: 'sent_actions', device: 'gpoddersync', items: 1 }],
]

test.each(REQUESTS)('what an app did is told of %s %s', async (method, path, body, told) => {
  const { ida, items } = await open()
  expect((await ida.call(method, path, { body })).status).toBe(200)
  const { device_caption, ...rest } = item(told)
  expect(await items()).toMatchObject([rest])
  if ('device_caption' in told) expect(await items()).toMatchObject([{ device_caption }])
})

test('what the web client keeps of itself is not activity', async () => {
  const { browser, items } = await open()
  const settings = '/api/2/settings/ida/account.json'
  expect((await browser.post(settings, { set: { 'podstep.checklist': 'hidden' } })).status).toBe(200)
  expect((await browser.post(settings, { remove: ['podstep.checklist'] })).status).toBe(200)
  expect(await items()).toEqual([])
  await browser.post(settings, { set: { 'podstep.checklist': 'hidden', auto_sync: true } })
  expect(await items()).toMatchObject([{ kind: 'sent_settings', items: 2, by: 'browser' }])
})

/** Every way for an app to be refused, as its user gets to know it. */
const REFUSED: readonly (readonly [method: string, path: string, body: unknown, told: Partial<Item>])[] = [
  ['POST', CHANGES, { add: [A], remove: [A] }, { reason: 'validation_failed' }],
  ['POST', CHANGES, '{', { reason: 'invalid_json' }],
  ['GET', '/subscriptions/ida/tv.json', undefined, { reason: 'unknown_device', device: 'tv', device_caption: '' }],
  ['GET', '/subscriptions/ole/phone.json', undefined, { reason: 'forbidden' }],
  ['GET', `/api/2/subscriptions/ida/${'x'.repeat(5000)}.json`, undefined, { reason: 'validation_failed', ...NONE }],
  ['POST', EPISODES, [{}], { reason: 'validation_failed', ...NONE }],
  ['POST', `${NEXTCLOUD}/episode_action/create`, '{', { reason: 'invalid_json', ...NEXTCLOUD_DEVICE }],
  ['DELETE', '/api/2/me/app-passwords/1', undefined, { reason: 'forbidden', ...NONE }],
]

test.each(REFUSED)('why an app was refused is told of %s %s', async (method, path, body, told) => {
  const { ida, browser, items } = await open()
  expect((await ida.call(method, path, { body })).status).toBeGreaterThanOrEqual(400)
  expect(await items()).toEqual([item({ kind: 'refused', ...told })])
  // What a person does wrong in a browser is told there.
  await browser.call(method, path, { body })
  expect(await items()).toMatchObject([{ count: 1 }])
})

test('a password that is wrong, an app password that is revoked, and too many attempts are told to their user alone', async () => {
  const { app, items } = await open()
  const ole = await signUp(app, 'ole')
  const guess = (name: string, password: string, headers: Record<string, string> = APP) =>
    clientOf(app, { ...basic(name, password), ...headers }).get(LIST)
  expect((await guess('ida', 'wrong')).status).toBe(401)
  expect((await guess('Ida', 'wrong', BROWSER)).status).toBe(401)
  const refused = { kind: 'refused', reason: 'invalid_credentials', ...NONE }
  expect(await items()).toEqual([item(refused), item({ ...refused, app: 'Firefox on Linux', by: 'browser' })])
  for (let n = 0; n < 12; n++) await guess('ida', `wrong ${n}`)
  expect((await items()).map(({ reason, count }) => [reason, count])).toEqual([
    ['invalid_credentials', 9],
    ['invalid_credentials', 1],
    ['rate_limited', 4],
  ])
  expect((await guess('nobody', 'wrong')).status).toBe(401)
  expect(await items(ole)).toEqual([])
  expect(JSON.stringify((await guess('ole', 'wrong')).json)).not.toContain('userId')
})

test('an app password that is revoked, of another user or not good for the request is refused by its reason', async () => {
  const { app, browser, items } = await open()
  const make = async (scope: string) =>
    (await browser.post('/api/2/me/app-passwords', { name: 'Pixel', scope })).json as { id: number; password: string }
  const [sync, read, feeds] = [await make('sync'), await make('read'), await make('feeds')]
  const use = (password: string) => clientOf(app, { ...basic('ida', password), ...APP })
  expect((await use(read.password).post(CHANGES, {})).status).toBe(403)
  expect((await use(feeds.password).get(CHANGES)).status).toBe(403)
  expect(await items()).toEqual([item({ kind: 'refused', reason: 'forbidden', count: 2 })])
  // Activity itself is open to apps that sync or read.
  for (const { password } of [sync, read]) expect((await use(password).get(ACTIVITY)).status).toBe(200)
  expect((await use(feeds.password).get(ACTIVITY)).status).toBe(403)
  app.clock.advance(1)
  expect((await use(feeds.password).post('/api/2/auth/ida/login.json')).status).toBe(403)
  expect((await items())[0]).toMatchObject({ reason: 'forbidden', device: null })
  app.clock.advance(1)
  await browser.delete(`/api/2/me/app-passwords/${sync.id}`)
  expect((await use(sync.password).get(CHANGES)).status).toBe(401)
  expect((await items())[0]).toMatchObject({ kind: 'refused', reason: 'invalid_credentials', device: null })
  // Nobody knows whose it was.
  const bearer = clientOf(app, { authorization: `Bearer ${sync.password}` })
  expect((await bearer.get(CHANGES)).status).toBe(401)
  expect((await items())[0]).toMatchObject({ count: 1 })
})

test('an app that is let in by way of the browser has signed in', async () => {
  const { app, browser, items } = await open()
  const nextcloud = clientOf(app, APP)
  const begun = (await nextcloud.post('/index.php/login/v2')).json as { poll: { token: string }; login: string }
  const page = new URL(begun.login).pathname
  await browser.post(page, undefined, { headers: { origin: 'http://localhost' } })
  const body = { token: begun.poll.token }
  expect((await nextcloud.post('/index.php/login/v2/poll', body)).status).toBe(200)
  expect(await items()).toEqual([item({ kind: 'signed_in', ...NONE })])
})

test('of a browser changes are told, and nothing that it reads', async () => {
  const { app, browser, items } = await open()
  await browser.get(LIST)
  await browser.get(EPISODES)
  expect(await items()).toEqual([])
  await browser.post(CHANGES, { add: [A] })
  app.clock.advance(1)
  await browser.post('/api/2/me/episodes/mark', { as: 'played', podcast: A })
  const of = { app: 'Firefox on Linux', by: 'browser' }
  expect(await items()).toEqual([
    item({ kind: 'sent_actions', ...NONE, ...of, time: NOW + 1, since: NOW + 1 }),
    item({ kind: 'sent_changes', added: 1, ...of }),
  ])
  await clientOf(app, { ...basic('ida', 'seaglass'), ...BROWSER }).post('/api/2/auth/ida/login.json')
  expect((await items()).map(({ kind }) => kind)).not.toContain('signed_in')
})

test('a poll writes nothing, and one job writes all of them; what waits is written at the stop', async () => {
  const { app, ida, runJob, afterRestart, during } = await open()
  await ida.get(CHANGES)
  await app.idle()
  async function writes(work: () => Promise<unknown>): Promise<string[]> {
    const statements = await during(() => work().then(() => app.idle()))
    return statements.filter((sql) => /^(?:INSERT|UPDATE|DELETE)/.test(sql))
  }
  const polls = async () => {
    for (let n = 0; n < 20; n++) await ida.get(CHANGES)
  }
  expect(await writes(polls)).toEqual([])
  // Of the poll and of the browser's naming the phone: a row each, and a look whether there are too many.
  expect(await writes(() => runJob('activity'))).toHaveLength(4)
  expect(await writes(() => runJob('activity'))).toEqual([])
  expect(app.jobs.find(({ name }) => name === 'activity')?.pattern).toBe('*/5 * * * *')
  await ida.get(LIST)
  // Of the polls before, all in one item.
  expect(await afterRestart()).toMatchObject([{ kind: 'fetched_changes', count: 21 }])
  app.beginStop()
  await app.idle()
  expect(await afterRestart()).toHaveLength(2)
})

test('without store_user_agent no app is named, not even those that were stored before', async () => {
  const { app, ida, items, runJob } = await open()
  await ida.get(CHANGES)
  await runJob('activity')
  await ida.get(LIST)
  await ida.post('/api/2/settings/ida/account.json', { set: { store_user_agent: false } })
  expect((await items()).map(({ app: name }) => name)).toEqual(['', '', ''])
  await runJob('activity')
  expect(JSON.stringify(app.db.query('SELECT * FROM activity').all())).not.toContain('AntennaPod')
  await ida.post('/api/2/settings/ida/account.json', { set: { store_user_agent: true } })
  await ida.get('/subscriptions/ida.json')
  expect((await items()).map(({ app: name }) => name)).toContain('AntennaPod')
})

test('pages continue where the previous one ended, over what is stored and what waits', async () => {
  const { app, ida, browser, runJob } = await open()
  for (let n = 0; n < 120; n++) {
    if (n % 4 === 0) app.clock.advance(1)
    await ida.post(`/api/2/devices/ida/d${n}.json`, {})
    if (n === 60) for (const name of ['activity', 'old activity']) await runJob(name)
  }
  const page = async (query: string) =>
    (await browser.get(`${ACTIVITY}${query}`)).json as { items: Item[]; next: number | null }
  const first = await page('')
  expect([first.items.length, first.next]).toEqual([100, first.items.at(-1)?.['time'] as number])
  const second = await page(`?before=${first.next}`)
  expect([second.items.length, second.next]).toEqual([21, null])
  expect(new Set([...first.items, ...second.items].map(({ device }) => device)).size).toBe(121)
  for (const before of ['x', '9'.repeat(16)])
    expectError(await browser.get(`${ACTIVITY}?before=${before}`), 400, 'validation_failed', 'before')
})

test('long lists are counted as well', async () => {
  const { ida, items } = await open()
  const feeds = Array.from({ length: 2001 }, (_, n) => `https://feeds.example/${n}`)
  await ida.put(LIST, feeds)
  for (const path of [LIST, '/subscriptions/ida.json', `${CHANGES}?since=0`, '/api/2/updates/ida/phone.json?since=0'])
    await ida.get(path)
  expect(Object.fromEntries((await items()).map(({ kind, added, items: of }) => [kind, [added, of]]))).toEqual({
    fetched_updates: [2001, 0],
    fetched_changes: [2001, 0],
    fetched_list: [0, 2001],
    sent_list: [0, 2001],
  })
})

test('a long history is counted as far as it was read', async () => {
  const { app, ida, items } = await open()
  const actions = Array.from({ length: 3000 }, (_, n) => ({ ...ACTION, episode: `${A}/${n}` }))
  await ida.post(EPISODES, actions)
  await ida.get(EPISODES)
  const fetched = async () => (await items()).find(({ kind }) => kind === 'fetched_actions')
  expect(await fetched()).toMatchObject({ count: 1, items: 3000 })
  const headers = { host: 'localhost', ...basic('ida', 'seaglass'), ...APP }
  const { body } = await app.fetch(new Request(`http://localhost${EPISODES}`, { headers }))
  const reader = body?.getReader()
  await reader?.read()
  await reader?.cancel()
  expect(await fetched()).toMatchObject({ count: 2 })
  expect((await fetched())?.['items']).toBeLessThan(6000)
})
