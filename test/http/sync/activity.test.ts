import { expect, test } from 'bun:test'
import { nextTurn } from '../../../src/platform/clock.ts'
import { startTestApp } from '../../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../../support/client.ts'
import { countedDatabase } from '../../support/database.ts'
import { expectError } from '../error.ts'
import { A, B, BROWSER, CHANGES, DEVICES, EPISODES, openSync, PHONE, SETTINGS } from './scene.ts'

const ACTIVITY = '/api/2/me/activity'
const LIST = '/subscriptions/ida/phone.json'
const NEXTCLOUD = '/index.php/apps/gpoddersync'
const ACTION = { podcast: A, episode: `${A}/1`, action: 'play', position: 10, started: 0, total: 100 }
const APP = { 'user-agent': 'AntennaPod/3.9.0' }
/** The fake clock's time. */
const NOW = 1_740_909_600

interface Item {
  readonly kind: string
  readonly [key: string]: unknown
}

/** Starts a server with Ida's phone "Pixel", whose app is AntennaPod; `items` is the list that her browser gets. */
async function open() {
  const counted = countedDatabase()
  const { app } = await openSync({ db: counted.db })
  const ida = clientOf(app, { ...basic('ida', 'seaglass'), ...APP })
  const session = { ...cookieOf(await ida.get('/api/2/me')), ...BROWSER }
  const browser = clientOf(app, session)
  await browser.post(PHONE, { caption: 'Pixel' })
  async function items(only?: 'app', client: Client = browser): Promise<Item[]> {
    const answer = await client.get(ACTIVITY)
    expect(answer.status).toBe(200)
    const list = (answer.json as { items: Item[] }).items
    // Leaves out the request above.
    return list.filter(({ by, kind }) => by === 'app' || (!only && kind !== 'updated_device'))
  }
  /** When an app last used the phone. */
  async function lastSeen(): Promise<string> {
    const devices = (await browser.get(DEVICES)).json as { id: string; last_contact: string }[]
    return devices.find(({ id }) => id === 'phone')?.last_contact ?? ''
  }
  async function runJob(name: string): Promise<void> {
    app.jobs.find((job) => job.name === name)?.run()
    await app.idle()
  }
  /** Items after a restart of the server. */
  async function afterRestart(): Promise<Item[]> {
    await app.idle()
    // Each of the two reads in a transaction that lasts until its turn ends.
    await nextTurn()
    const restarted = await items(undefined, clientOf(startTestApp({ db: app.db, clock: app.clock }), session))
    await nextTurn()
    return restarted
  }
  return { app, ida, browser, items, lastSeen, runJob, afterRestart, during: counted.during }
}

/** The fields of an item that differ from the defaults. */
type Fields = Partial<Item> & Pick<Item, 'kind'>

const item = (rest: Fields): Item => ({
  ...{ time: NOW, since: NOW, count: 1, reason: null, added: 0, removed: 0, items: 0 },
  ...{ device: 'phone', device_caption: 'Pixel', app: 'AntennaPod', by: 'app' },
  ...rest,
})

const NO_DEVICE = { device: null, device_caption: '' }
/** The virtual device before its first upload creates it. */
const NEXTCLOUD_DEVICE = { device: 'gpoddersync', device_caption: '' }

const CHAPTERS = '/api/2/chapters/ida.json'
const DEVICE_SETTINGS = '/api/2/settings/ida/device.json?device=phone'
const TWO_DEVICES = ['phone', 'desk'].map((device) => ({ ...ACTION, device }))
const CHANGED = { set: { a: 1, b: 2 }, remove: ['c'] }
const MARKED = { podcast: A, episode: `${A}/1`, device: 'phone', chapters_add: [{ start: 1, end: 2 }], timestamp: 0 }

const REQUESTS: readonly (readonly [method: string, path: string, body: unknown, expected: Fields])[] = [
  ['POST', CHANGES, { add: [A, B], remove: ['https://c.example/'] }, { kind: 'sent_changes', added: 2, removed: 1 }],
  ['GET', CHANGES, undefined, { kind: 'fetched_changes' }],
  ['PUT', LIST, [A, B, A], { kind: 'sent_list', items: 2 }],
  ['POST', '/subscriptions/ida/phone.txt', A, { kind: 'sent_list', items: 1 }],
  ['GET', LIST, undefined, { kind: 'fetched_list' }],
  ['GET', '/subscriptions/ida.json', undefined, { kind: 'fetched_list', ...NO_DEVICE }],
  ['POST', EPISODES, [{ ...ACTION, device: 'phone' }, ACTION], { kind: 'sent_actions', items: 2 }],
  ['POST', EPISODES, [ACTION], { kind: 'sent_actions', items: 1, ...NO_DEVICE }],
  ['POST', EPISODES, TWO_DEVICES, { kind: 'sent_actions', items: 2, ...NO_DEVICE }],
  ['GET', `${EPISODES}?device=phone`, undefined, { kind: 'fetched_actions' }],
  ['GET', EPISODES, undefined, { kind: 'fetched_actions', ...NO_DEVICE }],
  ['GET', `${EPISODES}?device=${'x'.repeat(5000)}`, undefined, { kind: 'fetched_actions', ...NO_DEVICE }],
  ['POST', PHONE, { caption: 'Pixel' }, { kind: 'updated_device' }],
  ['GET', DEVICE_SETTINGS, undefined, { kind: 'fetched_settings' }],
  ['POST', DEVICE_SETTINGS, { set: { speed: 1 } }, { kind: 'sent_settings', items: 1 }],
  ['POST', `${SETTINGS}?device=phone`, CHANGED, { kind: 'sent_settings', items: 3, ...NO_DEVICE }],
  ['GET', `${CHAPTERS}?podcast=${A}&episode=${A}/1`, undefined, { kind: 'fetched_chapters', ...NO_DEVICE }],
  ['POST', CHAPTERS, MARKED, { kind: 'sent_chapters', added: 1 }],
  ['GET', '/api/2/updates/ida/phone.json?since=0', undefined, { kind: 'fetched_updates' }],
  ['POST', '/api/2/auth/ida/login.json', undefined, { kind: 'signed_in', ...NO_DEVICE }],
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

test.each(REQUESTS)(
  'records a request of an app and the use of its device: %s %s',
  async (method, path, body, expected) => {
    const { ida, browser, items, lastSeen } = await open()
    expect((await browser.call(method, path, { body })).status).toBe(200)
    expect(await lastSeen()).toBe('')
    expect((await ida.call(method, path, { body })).status).toBe(200)
    const { device_caption, ...rest } = item(expected)
    expect(await items('app')).toMatchObject([rest])
    if ('device_caption' in expected) expect(await items('app')).toMatchObject([{ device_caption }])
    expect(await lastSeen()).toBe(rest['device'] === 'phone' || body === TWO_DEVICES ? '2025-03-02T10:00:00' : '')
  },
)

test('ignores settings that the web client keeps for its own use', async () => {
  const { browser, items } = await open()
  expect((await browser.post(SETTINGS, { set: { 'podstep.checklist': 'hidden' } })).status).toBe(200)
  expect((await browser.post(SETTINGS, { remove: ['podstep.checklist'] })).status).toBe(200)
  expect(await items()).toEqual([])
  await browser.post(SETTINGS, { set: { 'podstep.checklist': 'hidden', auto_sync: true } })
  expect(await items()).toMatchObject([{ kind: 'sent_settings', items: 2, by: 'browser' }])
})

const REFUSED: readonly (readonly [method: string, path: string, body: unknown, expected: Partial<Item>])[] = [
  ['POST', CHANGES, { add: [A], remove: [A] }, { reason: 'validation_failed' }],
  ['POST', CHANGES, '{', { reason: 'invalid_json' }],
  ['GET', '/subscriptions/ida/tv.json', undefined, { reason: 'unknown_device', device: 'tv', device_caption: '' }],
  ['GET', '/subscriptions/ole/phone.json', undefined, { reason: 'forbidden' }],
  [
    'GET',
    `/api/2/subscriptions/ida/${'x'.repeat(5000)}.json`,
    undefined,
    { reason: 'validation_failed', ...NO_DEVICE },
  ],
  ['POST', EPISODES, [{ ...ACTION, action: 'hum', device: 'phone' }], { reason: 'validation_failed', ...NO_DEVICE }],
  ['POST', `${NEXTCLOUD}/episode_action/create`, '{', { reason: 'invalid_json', ...NEXTCLOUD_DEVICE }],
  ['DELETE', '/api/2/me/app-passwords/1', undefined, { reason: 'forbidden', ...NO_DEVICE }],
]

test.each(REFUSED)('records why an app was refused, but not a browser: %s %s', async (method, path, body, expected) => {
  const { ida, browser, items, lastSeen } = await open()
  for (const client of [ida, browser])
    expect((await client.call(method, path, { body })).status).toBeGreaterThanOrEqual(400)
  expect(await items()).toEqual([item({ kind: 'refused', ...expected })])
  expect(await lastSeen()).toBe('')
})

test('wrong passwords and too many attempts are shown only to the user whose name was used', async () => {
  const { app, items } = await open()
  const ole = await signUp(app, 'ole')
  const guess = (name: string, password: string, headers: Record<string, string> = APP) =>
    clientOf(app, { ...basic(name, password), ...headers }).get(LIST)
  expect((await guess('ida', 'wrong')).status).toBe(401)
  expect((await guess('Ida', 'wrong', BROWSER)).status).toBe(401)
  const refused = { kind: 'refused', reason: 'invalid_credentials', ...NO_DEVICE }
  expect(await items()).toEqual([item(refused), item({ ...refused, app: 'Firefox on Linux', by: 'browser' })])
  for (let n = 0; n < 12; n++) await guess('ida', `wrong ${n}`)
  expect((await items()).map(({ reason, count }) => [reason, count])).toEqual([
    ['invalid_credentials', 9],
    ['invalid_credentials', 1],
    ['rate_limited', 4],
  ])
  expect((await guess('nobody', 'wrong')).status).toBe(401)
  expect(await items(undefined, ole)).toEqual([])
  expect(JSON.stringify((await guess('ole', 'wrong')).json)).not.toContain('userId')
})

test('app passwords are refused by scope or after revocation, without naming a device', async () => {
  const { app, browser, items } = await open()
  const make = async (scope: string) =>
    (await browser.post('/api/2/me/app-passwords', { name: 'Pixel', scope })).json as { id: number; password: string }
  const [sync, read, feeds] = [await make('sync'), await make('read'), await make('feeds')]
  const use = ({ password }: { password: string }) => clientOf(app, { ...basic('ida', password), ...APP })
  expect((await use(read).post(CHANGES, {})).status).toBe(403)
  expect((await use(feeds).get(CHANGES)).status).toBe(403)
  expect(await items()).toEqual([item({ kind: 'refused', reason: 'forbidden', count: 2 })])
  for (const each of [sync, read]) expect((await use(each).get(ACTIVITY)).status).toBe(200)
  expect((await use(feeds).get(ACTIVITY)).status).toBe(403)
  app.clock.advance(1)
  expect((await use(feeds).post('/api/2/auth/ida/login.json')).status).toBe(403)
  expect((await items())[0]).toMatchObject({ reason: 'forbidden', device: null })
  app.clock.advance(1)
  await browser.delete(`/api/2/me/app-passwords/${sync.id}`)
  expect((await use(sync).get(CHANGES)).status).toBe(401)
  expect((await items())[0]).toMatchObject({ kind: 'refused', reason: 'invalid_credentials', device: null })
  // Without a username, there is no user to show it to.
  const bearer = clientOf(app, { authorization: `Bearer ${sync.password}` })
  expect((await bearer.get(CHANGES)).status).toBe(401)
  expect((await items())[0]).toMatchObject({ count: 1 })
})

test('granting access to an app in the browser counts as a sign-in of the app', async () => {
  const { app, browser, items } = await open()
  const nextcloud = clientOf(app, APP)
  const begun = (await nextcloud.post('/index.php/login/v2')).json as { poll: { token: string }; login: string }
  await browser.post(new URL(begun.login).pathname, undefined, { headers: { origin: 'http://localhost' } })
  const polled = await nextcloud.post('/index.php/login/v2/poll', { token: begun.poll.token })
  expect(polled.status).toBe(200)
  expect(await items()).toEqual([item({ kind: 'signed_in', ...NO_DEVICE })])
})

test('records changes from a browser, but neither reads nor sign-ins', async () => {
  const { app, browser, items } = await open()
  await browser.get(LIST)
  await browser.get(EPISODES)
  expect(await items()).toEqual([])
  await browser.post(CHANGES, { add: [A] })
  app.clock.advance(1)
  await browser.post('/api/2/me/episodes/mark', { as: 'played', podcast: A })
  await clientOf(app, { ...basic('ida', 'seaglass'), ...BROWSER }).post('/api/2/auth/ida/login.json')
  const firefox = { app: 'Firefox on Linux', by: 'browser' }
  expect(await items()).toEqual([
    item({ kind: 'sent_actions', ...NO_DEVICE, ...firefox, time: NOW + 1, since: NOW + 1 }),
    item({ kind: 'sent_changes', added: 1, ...firefox }),
  ])
})

test('polls write nothing; one job writes all of them, and a stop writes the rest', async () => {
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
  // For the polls and the caption of the phone: a row each, and a check of the number of rows.
  expect(await writes(() => runJob('activity'))).toHaveLength(4)
  expect(await writes(() => runJob('activity'))).toEqual([])
  expect(app.jobs.find(({ name }) => name === 'activity')?.pattern).toBe('*/5 * * * *')
  await ida.get(LIST)
  expect(await afterRestart()).toMatchObject([{ kind: 'fetched_changes', count: 21 }])
  app.beginStop()
  await app.idle()
  expect(await afterRestart()).toHaveLength(2)
})

test('store_user_agent = false removes the names of apps, including stored ones', async () => {
  const { app, ida, items, runJob } = await open()
  await ida.get(CHANGES)
  await runJob('activity')
  await ida.get(LIST)
  await ida.post(SETTINGS, { set: { store_user_agent: false } })
  expect((await items()).map(({ app: name }) => name)).toEqual(['', '', ''])
  await runJob('activity')
  expect(JSON.stringify(app.db.query('SELECT * FROM activity').all())).not.toContain('AntennaPod')
  await ida.post(SETTINGS, { set: { store_user_agent: true } })
  await ida.get('/subscriptions/ida.json')
  expect((await items()).map(({ app: name }) => name)).toContain('AntennaPod')
})

test('each page continues where the last one ended, across stored and pending items', async () => {
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

test('counts the items of fetched lists', async () => {
  const { ida, items } = await open()
  await ida.put(LIST, [A, B])
  for (const path of [LIST, '/subscriptions/ida.json', `${CHANGES}?since=0`, '/api/2/updates/ida/phone.json?since=0'])
    await ida.get(path)
  expect(Object.fromEntries((await items()).map((each) => [each.kind, [each['added'], each['items']]]))).toEqual({
    fetched_updates: [2, 0],
    fetched_changes: [2, 0],
    fetched_list: [0, 2],
    sent_list: [0, 2],
  })
})

test('counts the actions of a long history as far as it was read', async () => {
  const { app, ida, items } = await open()
  await ida.post(
    EPISODES,
    [...Array(3000).keys()].map((n) => ({ ...ACTION, episode: `${A}/${n}` })),
  )
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
