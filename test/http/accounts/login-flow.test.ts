import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { type Answer, basic, type Client, clientOf, cookieOf, signIn, signUp } from '../../support/client.ts'
import { comeByProvider, runJob } from '../accounts.ts'
import { expectError } from '../error.ts'

const BEGIN = '/index.php/login/v2'
const POLL = '/index.php/login/v2/poll'
const ME = '/api/2/me'
const NEXTCLOUD = '/index.php/apps/gpoddersync'
const FEED = 'https://feeds.example/a'
const OWN = { origin: 'http://localhost', 'content-type': 'application/json' }
const MINUTE = 60

interface Flow {
  readonly poll: { readonly token: string; readonly endpoint: string }
  readonly login: string
}

interface AppPasswordJson {
  readonly id: number
  readonly last_used: string
}

async function open(parts: Parameters<typeof startTestApp>[0] = {}) {
  const app = startTestApp(parts)
  app.clock.advance(1)
  const ida = await signUp(app)
  const browser = await signIn(app)
  const phone = clientOf(app, { 'user-agent': 'AntennaPod/3.8.0' })
  return { app, ida, browser, phone, ...helpers(phone) }
}

function helpers(phone: Client) {
  return {
    begin: async (path = BEGIN) => (await phone.post(path, '')).json as Flow,
    poll: (token: string) =>
      phone.post(POLL, `token=${token}`, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  }
}

const pageOf = ({ login }: Flow) => new URL(login).pathname
const infoOf = (flow: Flow) => `/api/2/login-flow/${pageOf(flow).split('/').at(-1)}`
const grant = (browser: Client, flow: Flow, headers: Record<string, string> = OWN) =>
  browser.post(pageOf(flow), undefined, { headers })

/** A header as the server gets it from the network: a character for each byte. */
function bytesOf(text: string, encoding: 'utf8' | 'latin1'): string {
  return Buffer.from(text, encoding).toString('latin1')
}

async function expectTaken(upload: Promise<Answer>): Promise<void> {
  expect(await upload).toMatchObject({ status: 200, json: { timestamp: expect.any(Number) } })
}

function expectWaiting(answer: Answer): void {
  expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([404, '[]', 'application/json'])
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

test.each([undefined, '', 'client=x'])('the token may be in the query, with the body %j', async (body) => {
  const { browser, phone, begin } = await open()
  const flow = await begin()
  expectWaiting(await phone.post(`${POLL}?token=${flow.poll.token}`, body))
  await grant(browser, flow)
  expect(await phone.post(`${POLL}?token=${flow.poll.token}`, body)).toMatchObject({ json: { loginName: 'ida' } })
})

test('AntennaPod in Nextcloud mode gets an app password of somebody who has no password at all', async () => {
  const { app, phone, poll, begin } = await open()
  const ole = await comeByProvider(app, 'ole')
  expect((await phone.get('/status.php')).json).toEqual({
    installed: true,
    maintenance: false,
    needsDbUpgrade: false,
    version: '30.0.0.0',
    versionstring: '30.0.0',
    edition: '',
    productname: 'podcast sync',
  })
  const flow = await begin()
  expect(flow).toEqual({
    poll: { token: expect.stringMatching(/^[\w-]{43}$/), endpoint: `http://localhost${POLL}` },
    login: expect.stringMatching(/^http:\/\/localhost\/login\/flow\/[\w-]{43}$/),
  })
  expect(flow.login).not.toContain(flow.poll.token)
  expectWaiting(await poll(flow.poll.token))
  // What the browser does: the page, what it shows, and the button.
  const page = await clientOf(app).get(pageOf(flow))
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect((await clientOf(app).get(infoOf(flow))).json).toEqual({ client: 'AntennaPod/3.8.0', granted: false })
  expect(await grant(ole, flow)).toMatchObject({ status: 200, json: { status: 'ok' } })
  expect((await ole.get(infoOf(flow))).json).toEqual({ client: 'AntennaPod/3.8.0', granted: true })

  const { status, json } = await poll(flow.poll.token)
  const { server, loginName, appPassword } = json as Record<string, string>
  expect([status, server, loginName]).toEqual([200, 'http://localhost', 'ole'])
  expect(appPassword).toMatch(/^(\w{4}-){5}\w{4}$/)
  expectWaiting(await poll(flow.poll.token))
  expectError(await ole.get(infoOf(flow)), 404, 'not_found')

  // From then on Basic with every request, and no cookie.
  const antennaPod = clientOf(app, { ...basic('ole', String(appPassword)), 'user-agent': 'AntennaPod/3.8.0' })
  const play = { podcast: FEED, episode: `${FEED}/1.mp3`, guid: '1', action: 'PLAY', timestamp: '2025-03-02T10:00:00' }
  const progress = { started: 0, position: 61, total: 1800 }
  expect((await antennaPod.get(`${NEXTCLOUD}/subscriptions?since=0`)).json).toMatchObject({ add: [], remove: [] })
  await expectTaken(antennaPod.post(`${NEXTCLOUD}/subscription_change/create`, { add: [FEED], remove: [] }))
  expect((await antennaPod.get(`${NEXTCLOUD}/episode_action?since=0`)).json).toMatchObject({ actions: [] })
  await expectTaken(antennaPod.post(`${NEXTCLOUD}/episode_action/create`, [{ ...play, ...progress }]))
  expect((await ole.get('/subscriptions/ole.json')).json).toMatchObject([{ url: FEED }])
  // As Music Assistant does it.
  const assistant = clientOf(app, { authorization: `Bearer ${appPassword}` })
  expect((await assistant.get(`${NEXTCLOUD}/episode_action?since=0`)).json).toMatchObject({
    actions: [{ ...play, ...progress }],
  })
  expect((await ole.get('/api/2/me/app-passwords')).json).toMatchObject([
    { name: 'AntennaPod/3.8.0', scope: 'sync', client: 'AntennaPod' },
  ])
  expect((await ole.get(ME)).json).toMatchObject({ has_password: false })
})

test.each([
  ['the short addresses', '/login/v2', '/login/v2/poll', undefined],
  ['double slashes', '//index.php/login//v2', '//index.php/login/v2/poll', undefined],
  ['JSON', BEGIN, POLL, 'application/json'],
])('the flow works with %s', async (_case, start, ask, type) => {
  const { phone, browser, begin } = await open()
  const flow = await begin(start)
  const send = () =>
    type === undefined
      ? phone.post(ask, `a=b&token=${encodeURIComponent(flow.poll.token)}`)
      : phone.post(ask, { token: flow.poll.token }, { headers: { 'content-type': type } })
  expectWaiting(await send())
  await grant(browser, flow)
  expect(await send()).toMatchObject({ status: 200, json: { loginName: 'ida' } })
})

test('below a sub-path and behind a proxy all addresses are those that the app can reach, without a redirect', async () => {
  const base = 'https://home.example/podcasts'
  const app = startTestApp({ settings: { base_url: base } })
  const phone = clientOf(app)
  const ida = await signUp(app)
  const browser = clientOf(app, cookieOf(await ida.post('/podcasts/api/2/auth/ida/login.json')))
  const begun = await phone.post(`/podcasts${BEGIN}`, '')
  const flow = begun.json as Flow
  expect(flow.poll.endpoint).toBe(`${base}${POLL}`)
  expect(flow.login.startsWith(`${base}/login/flow/`)).toBe(true)
  expectError(await grant(browser, flow), 403, 'csrf_rejected')
  const granted = await grant(browser, flow, { ...OWN, origin: 'https://home.example' })
  const collected = await phone.post(new URL(flow.poll.endpoint).pathname, `token=${flow.poll.token}`)
  expect(collected).toMatchObject({ status: 200, json: { server: base } })
  for (const { status, headers } of [begun, granted, collected])
    expect([status, headers.get('location')]).toEqual([200, null])
  expect((await phone.get('/podcasts/status.php')).status).toBe(200)
  expect((await phone.get(pageOf(flow))).status).toBe(200)
})

test('a proxy that is trusted names the host and the scheme', async () => {
  const { phone } = await open({ settings: { trusted_proxies: '192.0.2.1' } })
  const forwarded = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'pods.example',
    'x-forwarded-for': '198.51.100.7',
  }
  const { poll } = (await phone.post(BEGIN, '', { headers: forwarded })).json as Flow
  expect(poll.endpoint).toBe(`https://pods.example${POLL}`)
})

test('only a click on a page of this server, in a session of the account itself, grants access', async () => {
  const { app, ida, browser, begin, poll } = await open()
  const flow = await begin()
  const { password } = (await browser.post('/api/2/me/app-passwords', { name: 'Phone' })).json as { password: string }
  const login = (headers: Record<string, string>) => clientOf(app, headers).post('/api/2/auth/ida/login.json')
  const cookie = (await login(basic('ida', password))).headers.get('set-cookie')?.split(';')[0] ?? ''
  expectError(await grant(clientOf(app), flow), 401, 'unauthorized')
  for (const client of [ida, clientOf(app, basic('ida', password)), clientOf(app, { cookie })])
    expectError(await grant(client, flow), 403, 'forbidden')
  for (const origin of ['null', 'https://evil.example', 'http://localhost.evil.example'])
    for (const type of ['application/json', 'application/x-www-form-urlencoded'])
      expectError(await grant(browser, flow, { origin, 'content-type': type }), 403, 'csrf_rejected')
  expectError(await grant(browser, flow, {}), 403, 'csrf_rejected')
  expectError(await grant(browser, flow, { 'sec-fetch-site': 'cross-site' }), 403, 'csrf_rejected')
  expectWaiting(await poll(flow.poll.token))
})

test('what two ask for at once is given to exactly one', async () => {
  const { app, browser, begin, poll } = await open()
  const flow = await begin()
  await Promise.all([grant(browser, flow), grant(browser, flow)])
  const answers = await Promise.all(Array.from({ length: 10 }, () => poll(flow.poll.token)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 9 }, () => 404)])
  expect(app.db.query('SELECT * FROM app_passwords').all()).toHaveLength(1)
})

test('a flow is granted by the first user who does so, and by nobody after twenty minutes', async () => {
  const { app, browser, begin, poll } = await open()
  await signUp(app, 'ole')
  const ole = await signIn(app, 'ole')
  const [one, two] = [await begin(), await begin()]
  await grant(ole, one)
  expectError(await grant(browser, one), 404, 'not_found')
  app.clock.advance(20 * MINUTE - 1)
  expect((await browser.get(infoOf(two))).status).toBe(200)
  app.clock.advance(1)
  for (const answer of [await grant(browser, two), await browser.get(infoOf(two))])
    expectError(answer, 404, 'not_found')
  expectWaiting(await poll(one.poll.token))
  await runJob(app, 'housekeeping')
  expect(app.db.query('SELECT * FROM login_flows').all()).toEqual([])
})

test('access that has been granted outlasts a restart, and ends with a reset of the password', async () => {
  const db = openMemoryDatabase()
  const { app, browser, begin } = await open({ db })
  const [one, two] = [await begin(), await begin()]
  await grant(browser, one)
  await app.idle()
  const again = startTestApp({ db })
  const { poll } = helpers(clientOf(again))
  expect((await poll(one.poll.token)).status).toBe(200)
  await grant(await signIn(again), two)
  await again.services.administration.setPassword('ida', 'starfish', { name: undefined, via: 'command_line' })
  expectWaiting(await poll(two.poll.token))
})

test('no token is stored or logged, and the page has another one than the app', async () => {
  const { app, browser, begin, poll } = await open({ settings: { access_log: 'true' } })
  const flow = await begin()
  await browser.get(infoOf(flow))
  await grant(browser, flow)
  const stored = app.db.query('SELECT * FROM login_flows').all()
  await poll(flow.poll.token)
  const told = JSON.stringify(stored) + app.logs.join('\n')
  expect([told.includes(flow.poll.token), told.includes(pageOf(flow))]).toEqual([false, false])
  // The one is good for nothing in the place of the other.
  const next = await begin()
  expectError(await browser.get(`/api/2/login-flow/${next.poll.token}`), 404, 'not_found')
  const page = pageOf(next).split('/').at(-1) ?? ''
  await grant(browser, next)
  expectWaiting(await poll(page))
})

test.each([
  ['', 'AntennaPod <script>'],
  ['a=b', 'x'],
  ['{}', 'x'],
  ['{"token":7}', 'x'],
])('a poll of %j, which holds no token, is 400', async (body) => {
  const { phone } = await open()
  expectError(await phone.post(POLL, body), 400, 'validation_failed', 'token')
})

test('a poll of broken JSON, or of very much, is refused', async () => {
  const { phone } = await open()
  expectError(await phone.post(POLL, '{"token":'), 400, 'invalid_json')
  expectError(await phone.post(POLL, `token=${'x'.repeat(70_000)}`), 413, 'payload_too_large')
  expectWaiting(await phone.post(POLL, `token=${'x'.repeat(60_000)}`))
})

test.each([
  ['', 'Podcast app'],
  ['  \u0007 ', 'Podcast app'],
  ['Kasts <b>&"</b>', 'Kasts <b>&"</b>'],
  [`A${'b'.repeat(500)}`, `A${'b'.repeat(99)}`],
  // Headers come as their bytes.
  [bytesOf('Pödcäst ☃/1', 'utf8'), 'Pödcäst ☃/1'],
  [bytesOf('Pödcäst/1', 'latin1'), 'Pödcäst/1'],
  [bytesOf('☃'.repeat(101), 'utf8'), '☃'.repeat(100)],
])('an app that calls itself %j is shown as %j', async (userAgent, shown) => {
  const { app, browser } = await open()
  const flow = (await clientOf(app, { 'user-agent': userAgent }).post(BEGIN)).json as Flow
  expect((await browser.get(infoOf(flow))).json).toMatchObject({ client: shown })
})

test('polling every second for five minutes is never refused and costs no attempt to sign in', async () => {
  const { app, browser, begin, poll, ida } = await open()
  const flow = await begin()
  for (let second = 0; second < 300; second++) {
    expectWaiting(await poll(flow.poll.token))
    app.clock.advance(1)
  }
  expect((await ida.get(ME)).status).toBe(200)
  await grant(browser, flow)
  expect((await poll(flow.poll.token)).status).toBe(200)
  // It may go on like that with a token that has been used.
  for (let second = 0; second < 300; second++) {
    expectWaiting(await poll(flow.poll.token))
    app.clock.advance(1)
  }
})

test('guessing tokens is bounded, and keeps no app waiting', async () => {
  const { app, browser, begin, poll } = await open()
  const flow = await begin()
  for (let n = 0; n < 2400; n++) expect((await poll(`guess${n}`)).status).toBe(404)
  expectError(await poll('one-more'), 429, 'rate_limited')
  await grant(browser, flow)
  expect((await poll(flow.poll.token)).status).toBe(200)
  app.clock.advance(5 * MINUTE)
  expectWaiting(await poll('later'))
})

test('a flood of flows from 500 addresses pushes out no other, and leaves room for apps elsewhere', async () => {
  const { app, browser, begin, poll } = await open()
  const early = await begin()
  for (let n = 0; n < 500; n++) {
    app.setPeer(`10.${n >> 8}.${n & 255}.7`)
    for (let k = 0; k < 20; k++) await clientOf(app).post(BEGIN)
  }
  expectError(await clientOf(app).post(BEGIN), 429, 'rate_limited')
  app.setPeer('203.0.113.5')
  const late = await begin()
  for (const flow of [early, late]) {
    expect(await grant(browser, flow)).toMatchObject({ status: 200 })
    expect(await poll(flow.poll.token)).toMatchObject({ status: 200 })
  }
  // A network that has begun four waits until the flood is over.
  for (let n = 1; n < 4; n++) expect(await begin()).toHaveProperty('login')
  app.setPeer('203.0.113.6')
  const refused = await clientOf(app).post(BEGIN)
  expectError(refused, 503, 'unavailable')
  expect(refused.headers.get('retry-after')).toBe('60')
  app.clock.advance(20 * MINUTE)
  expect(await begin()).toHaveProperty('login')
})

test('access that an app has not collected yet is in the list of app passwords, and can be revoked there', async () => {
  const { app, browser, begin, poll } = await open()
  const [one, two] = [await begin(), await begin()]
  const list = async () => (await browser.get('/api/2/me/app-passwords')).json as AppPasswordJson[]
  expect(await list()).toEqual([])
  for (const flow of [one, two]) await grant(browser, flow)
  const [first, second] = await list()
  const unused = { name: 'AntennaPod/3.8.0', scope: 'sync', created: '2025-03-02T10:00:01', last_used: '', client: '' }
  for (const each of [first, second]) expect(each).toMatchObject(unused)
  expect((await browser.delete(`/api/2/me/app-passwords/${first?.id}`)).status).toBe(200)
  expectWaiting(await poll(one.poll.token))
  expectError(await grant(browser, one), 404, 'not_found')
  const collected = await poll(two.poll.token)
  expect(await list()).toMatchObject([{ id: second?.id, last_used: '' }])
  const phone = clientOf(app, basic('ida', (collected.json as { appPassword: string }).appPassword))
  expect((await phone.get('/api/2/devices/ida.json')).status).toBe(200)
  expect((await browser.delete(`/api/2/me/app-passwords/${second?.id}`)).status).toBe(200)
  expectError(await phone.get('/api/2/devices/ida.json'), 401, 'invalid_credentials')
})

test('the token that an app polls with is no password, even after access is granted', async () => {
  const { app, browser, begin } = await open()
  const flow = await begin()
  await grant(browser, flow)
  const { token } = flow.poll
  expectError(await clientOf(app, basic('ida', token)).get(ME), 401, 'invalid_credentials')
  expectError(await clientOf(app, { authorization: `Bearer ${token}` }).get(ME), 401, 'invalid_credentials')
  expectError(await clientOf(app).get(`/feeds/${token}/new.rss`), 404, 'not_found')
})

test('twenty flows at a time may be begun at one address', async () => {
  const { app, phone, begin } = await open()
  for (let n = 0; n < 20; n++) expect(await begin()).toHaveProperty('login')
  expectError(await phone.post(BEGIN), 429, 'rate_limited')
  app.setPeer('198.51.100.7')
  expect(await begin()).toHaveProperty('login')
  app.setPeer('192.0.2.1')
  app.clock.advance(20 * MINUTE)
  expect(await begin()).toHaveProperty('login')
})

test('an account that is full of app passwords grants no more', async () => {
  const { browser, begin } = await open()
  for (let n = 0; n < 100; n++) await browser.post('/api/2/me/app-passwords', { name: `app ${n}` })
  expectError(await grant(browser, await begin()), 409, 'quota_exceeded')
})

test('access that no app has collected in time takes no place of an app password', async () => {
  const { app, browser, begin } = await open()
  for (let n = 0; n < 99; n++) await browser.post('/api/2/me/app-passwords', { name: `app ${n}` })
  expect((await grant(browser, await begin())).status).toBe(200)
  expectError(await grant(browser, await begin()), 409, 'quota_exceeded')
  expectError(await browser.post('/api/2/me/app-passwords', { name: 'one more' }), 409, 'quota_exceeded')
  app.clock.advance(20 * MINUTE)
  expect((await grant(browser, await begin())).status).toBe(200)
  app.clock.advance(20 * MINUTE)
  expect((await browser.post('/api/2/me/app-passwords', { name: 'one more' })).status).toBe(200)
})

test('nothing else of Nextcloud is there, and wrong methods are told', async () => {
  const { app } = await open()
  const client: Client = clientOf(app as TestApp)
  for (const path of ['/index.php', '/ocs/v1.php/cloud/user', '/remote.php/dav', '/index.php/login/flow/x'])
    expectError(await client.get(path), 404, 'not_found')
  const answer = await client.get(BEGIN)
  expectError(answer, 405, 'method_not_allowed')
  expect(answer.headers.get('allow')).toBe('POST')
})
