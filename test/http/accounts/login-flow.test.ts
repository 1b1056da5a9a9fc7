import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp } from '../../support/app.ts'
import { type Answer, basic, type Client, clientOf, cookieOf, signIn, signUp } from '../../support/client.ts'
import { signUpByProvider } from '../accounts.ts'
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

async function open(parts: Parameters<typeof startTestApp>[0] = {}) {
  const app = startTestApp(parts)
  app.clock.advance(1)
  const ida = await signUp(app)
  const browser = await signIn(app)
  const phone = clientOf(app, { 'user-agent': 'AntennaPod/3.8.0' })
  return {
    ...{ app, ida, browser, phone },
    begin: async (path = BEGIN) => (await phone.post(path, '')).json as Flow,
    poll: (token: string) =>
      phone.post(POLL, `token=${token}`, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  }
}

const pageOf = ({ login }: Flow) => new URL(login).pathname
const infoOf = (flow: Flow) => `/api/2/login-flow/${pageOf(flow).split('/').at(-1)}`
const grant = (browser: Client, flow: Flow, headers: Record<string, string> = OWN) =>
  browser.post(pageOf(flow), undefined, { headers })

/** A header as the server receives it: one character per byte. */
function bytesOf(text: string, encoding: 'utf8' | 'latin1'): string {
  return Buffer.from(text, encoding).toString('latin1')
}

function expectWaiting(answer: Answer): void {
  expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([404, '[]', 'application/json'])
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

test('AntennaPod in Nextcloud mode gets an app password for a user without a password', async () => {
  const { app, phone, poll, begin } = await open()
  const ole = await signUpByProvider(app, 'ole')
  expect((await phone.get('/status.php')).json).toEqual({
    ...{ installed: true, maintenance: false, needsDbUpgrade: false },
    ...{ version: '30.0.0.0', versionstring: '30.0.0', edition: '', productname: 'podcast sync' },
  })
  const flow = await begin()
  expect(flow).toEqual({
    poll: { token: expect.stringMatching(/^[\w-]{43}$/), endpoint: `http://localhost${POLL}` },
    login: expect.stringMatching(/^http:\/\/localhost\/login\/flow\/[\w-]{43}$/),
  })
  expect(flow.login).not.toContain(flow.poll.token)
  expectWaiting(await poll(flow.poll.token))
  // The browser opens the page and presses the button.
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

  // From now on the app sends Basic and no cookie.
  const antennaPod = clientOf(app, { ...basic('ole', String(appPassword)), 'user-agent': 'AntennaPod/3.8.0' })
  expect((await antennaPod.get(`${NEXTCLOUD}/subscriptions?since=0`)).json).toMatchObject({ add: [], remove: [] })
  const change = { add: [FEED], remove: [] }
  expect((await antennaPod.post(`${NEXTCLOUD}/subscription_change/create`, change)).status).toBe(200)
  // Music Assistant sends Bearer.
  const assistant = clientOf(app, { authorization: `Bearer ${appPassword}` })
  expect((await assistant.get(`${NEXTCLOUD}/subscriptions?since=0`)).json).toMatchObject({ add: [FEED] })
  expect((await ole.get('/api/2/me/app-passwords')).json).toMatchObject([
    { name: 'AntennaPod/3.8.0', scope: 'sync', client: 'AntennaPod' },
  ])
  expect((await ole.get(ME)).json).toMatchObject({ has_password: false })
})

test.each<[string, begin: string, poll: (phone: Client, token: string) => Promise<Answer>]>([
  ['the short addresses', '/login/v2', (phone, token) => phone.post('/login/v2/poll', `a=b&token=${token}`)],
  ['double slashes', '//index.php/login//v2', (phone, token) => phone.post(`/${POLL}`, `token=${token}`)],
  ['JSON', BEGIN, (phone, token) => phone.post(POLL, { token }, { headers: { 'content-type': 'application/json' } })],
  ['a token in the query', BEGIN, (phone, token) => phone.post(`${POLL}?token=${token}`)],
  ['a token in the query beside a form', BEGIN, (phone, token) => phone.post(`${POLL}?token=${token}`, 'client=x')],
])('the flow works with %s', async (_case, start, ask) => {
  const { phone, browser, begin } = await open()
  const flow = await begin(start)
  expectWaiting(await ask(phone, flow.poll.token))
  await grant(browser, flow)
  expect(await ask(phone, flow.poll.token)).toMatchObject({ status: 200, json: { loginName: 'ida' } })
})

test('URLs are public ones, below a sub-path and behind a proxy, without redirects', async () => {
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
  for (const path of ['/podcasts/status.php', pageOf(flow)]) expect((await phone.get(path)).status).toBe(200)
})

test('access is granted only from our own page in a full browser session', async () => {
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

test('tokens are neither stored nor logged, and good for nothing but their purpose', async () => {
  const { app, browser, begin, poll } = await open({ settings: { access_log: 'true' } })
  const flow = await begin()
  await browser.get(infoOf(flow))
  await grant(browser, flow)
  const { token } = flow.poll
  for (const headers of [basic('ida', token), { authorization: `Bearer ${token}` }])
    expectError(await clientOf(app, headers).get(ME), 401, 'invalid_credentials')
  expectError(await clientOf(app).get(`/feeds/${token}/new.rss`), 404, 'not_found')
  const stored = await app.rowsOf('SELECT * FROM login_flows')
  await poll(token)
  const text = JSON.stringify(stored) + app.logs.join('\n')
  expect([text.includes(token), text.includes(pageOf(flow))]).toEqual([false, false])
  const next = await begin()
  expectError(await browser.get(`/api/2/login-flow/${next.poll.token}`), 404, 'not_found')
  const page = pageOf(next).split('/').at(-1) ?? ''
  await grant(browser, next)
  expectWaiting(await poll(page))
})

test('a poll is refused without a token, with malformed JSON, and if too large', async () => {
  const { phone } = await open()
  for (const body of ['', 'a=b', '{"token":7}'])
    expectError(await phone.post(POLL, body), 400, 'validation_failed', 'token')
  expectError(await phone.post(POLL, '{"token":'), 400, 'invalid_json')
  expectError(await phone.post(POLL, `token=${'x'.repeat(70_000)}`), 413, 'payload_too_large')
  expectWaiting(await phone.post(POLL, `token=${'x'.repeat(60_000)}`))
})

test('the page shows a short, printable name of the app, or a default', async () => {
  const { app, browser } = await open()
  for (const [userAgent, shown] of [
    ['  \u0007 ', 'Podcast app'],
    ['Kasts <b>&"</b>', 'Kasts <b>&"</b>'],
    // Headers arrive as bytes.
    [bytesOf('Pödcäst ☃/1', 'utf8'), 'Pödcäst ☃/1'],
    [bytesOf('Pödcäst/1', 'latin1'), 'Pödcäst/1'],
    [bytesOf('☃'.repeat(101), 'utf8'), '☃'.repeat(100)],
  ] as const) {
    const flow = (await clientOf(app, { 'user-agent': userAgent }).post(BEGIN)).json as Flow
    expect((await browser.get(infoOf(flow))).json).toMatchObject({ client: shown })
  }
})

test('guessing tokens is limited without affecting known tokens and sign-ins', async () => {
  const { app, ida, browser, begin, poll } = await open()
  const flow = await begin()
  for (let n = 0; n < 2400; n++) expect((await poll(`guess${n}`)).status).toBe(404)
  expectError(await poll('one-more'), 429, 'rate_limited')
  expect((await ida.get(ME)).status).toBe(200)
  await grant(browser, flow)
  expect((await poll(flow.poll.token)).status).toBe(200)
  app.clock.advance(5 * MINUTE)
  expectWaiting(await poll('later'))
})

test('an address may start twenty flows; a flood drops no flow and leaves other networks a few', async () => {
  const { app, browser, begin, poll } = await open({ db: openMemoryDatabase() })
  const early = await begin()
  for (let n = 1; n < 20; n++) await begin()
  expectError(await clientOf(app).post(BEGIN), 429, 'rate_limited')
  // Fills the share of all networks.
  app.db.run(`WITH RECURSIVE n (i) AS (SELECT 21 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    INSERT INTO login_flows (poll_hash, page_hash, user_agent, expires_at)
    SELECT randomblob(32), randomblob(32), '', ${app.clock.seconds() + 20 * MINUTE} FROM n`)
  app.setPeer('203.0.113.5')
  const late = await begin()
  for (const flow of [early, late]) {
    expect(await grant(browser, flow)).toMatchObject({ status: 200 })
    expect(await poll(flow.poll.token)).toMatchObject({ status: 200 })
  }
  // A network has four flows of its own during a flood.
  for (let n = 1; n < 4; n++) expect(await begin()).toHaveProperty('login')
  app.setPeer('203.0.113.6')
  const refused = await clientOf(app).post(BEGIN)
  expectError(refused, 503, 'unavailable')
  expect(refused.headers.get('retry-after')).toBe('60')
  app.clock.advance(20 * MINUTE)
  expect(await begin()).toHaveProperty('login')
})

test('access that no app collected in time does not count as an app password', async () => {
  const { app, browser, begin } = await open()
  for (let n = 0; n < 99; n++) await browser.post('/api/2/me/app-passwords', { name: `app ${n}` })
  expect((await grant(browser, await begin())).status).toBe(200)
  expectError(await grant(browser, await begin()), 409, 'quota_exceeded')
  expectError(await browser.post('/api/2/me/app-passwords', { name: 'one more' }), 409, 'quota_exceeded')
  const late = await begin()
  app.clock.advance(20 * MINUTE - 1)
  expect((await browser.get(infoOf(late))).status).toBe(200)
  app.clock.advance(1)
  for (const answer of [await grant(browser, late), await browser.get(infoOf(late))])
    expectError(answer, 404, 'not_found')
  expect((await grant(browser, await begin())).status).toBe(200)
  app.clock.advance(20 * MINUTE)
  expect((await browser.post('/api/2/me/app-passwords', { name: 'one more' })).status).toBe(200)
})
