import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Answer, basic, clientOf, cookieOf, signIn, signUp } from '../support/client.ts'
import { type FakeClock, fakeClock } from '../support/clock.ts'
import { fillPath, operationsOf } from '../support/openapi.ts'
import { PROTECTED, sessionCount } from './accounts.ts'
import { expectError } from './error.ts'
import { stored } from './stored.ts'

type Headers = Record<string, string>

const EVIL: Headers = { origin: 'https://evil.example' }

/** Headers that browsers add for pages of other sites; this server is at localhost. */
const FOREIGN: readonly Headers[] = [
  EVIL,
  { origin: 'http://localhost:9090' },
  { origin: 'null' },
  { ...EVIL, 'sec-fetch-site': 'cross-site' },
  { origin: 'http://localhost:9090', 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
]

/** Headers of apps, and of browsers for our own pages and typed addresses. */
const OWN: readonly Headers[] = [
  {},
  { origin: 'http://localhost' },
  { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
]

/** Origins of web views of installed apps. */
const APP_ORIGINS = [
  ...['tauri://localhost', 'http://tauri.localhost', 'https://tauri.localhost', 'capacitor://localhost'],
  ...['ionic://localhost', 'app://localhost', 'app://.', 'app://org.example.player', 'app://-'],
]
const NATIVE = APP_ORIGINS.map((origin): Headers => ({ origin }))
const ENGINE = APP_ORIGINS.map(
  (origin): Headers => ({ origin, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }),
)

/** Origins that a website or a server on the user's machine may have. */
const LOOKALIKES = [
  ...`http://localhost:3000 http://127.0.0.1 http://[::1] http://asset.localhost https://capacitor http://app
      http://tauri.localhost:1420 http://tauri.localhost:8080 https://tauri.localhost:8443
      http://tauri.localhost.evil.example http://evil.tauri.localhost http://xtauri.localhost
      http://tauri.localhost. http://tauri.localhost@evil.example http://evil.example/tauri.localhost
      http://evil.example#http://tauri.localhost tauri://localhost.evil.example tauri://evil.example
      tauri://localhost:80 tauri://x@localhost tauri:// capacitor://evil.example ionic://localhost:1
      https://app.evil.example app://x@localhost app://localhost:3000 app://evil.example/ app:// app
      app:localhost xapp://localhost web+app://localhost file:// chrome-extension://abcdef
      moz-extension://abcdef`.split(/\s+/),
  ...['app://a b', 'null, tauri://localhost', 'tauri://localhost, https://evil.example'],
  'https://evil.example, tauri://localhost',
].map((origin): Headers => ({ origin }))

const typed = (...types: string[]): Headers[] => types.map((type) => ({ 'content-type': type }))
const JSON_TYPE: Headers = { 'content-type': 'application/json' }

/** Types that a page may send without a preflight. */
const FORM_TYPES: readonly Headers[] = [
  {},
  ...typed('', 'text/plain', ' Text/Plain ; charset=utf-8'),
  ...typed('application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'),
]
const PREFLIGHTED_TYPES: readonly Headers[] = [
  JSON_TYPE,
  ...typed('application/json; charset=utf-8', 'application/octet-stream', 'text/x-opml'),
]

const { json: document } = await clientOf(startTestApp()).get('/openapi.json')
const ROUTES = [
  ...operationsOf(document).map(
    ({ method, path }) => [method.toUpperCase(), fillPath(path, { format: 'jsonp' })] as const,
  ),
  ['POST', '/auth/sso/link'] as const,
]
const POSTS = ROUTES.filter(([method]) => method === 'POST')
/** All except the endless stream. */
const READING = ROUTES.filter(([method, path]) => method === 'GET' && !path.endsWith('/events'))
const CHANGES = PROTECTED.filter(([method]) => method !== 'GET')
const LOGIN = '/api/2/auth/ida/login.json'
const LOGOUT = '/api/2/auth/ida/logout.json'
const CHANGES_AND_SESSIONS: typeof CHANGES = [
  ...CHANGES,
  ...[LOGIN, LOGOUT].map((path) => ['POST', path, undefined] as const),
]

/** Bytes, which imply no content type. */
function bytes(body: unknown): Uint8Array | undefined {
  if (body === undefined) return undefined
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Starts a server with Ida's account and two devices; signs her in with a browser. */
async function open(clock: FakeClock = fakeClock()) {
  const app = startTestApp({ clock, settings: { registration: 'open', rate_limit: 'false' } })
  const ida = await signUp(app)
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: ['https://feeds.example/a?token=s3cret'] })
  await ida.post('/api/2/devices/ida/desk.json', {})
  return { app, ida, browser: await signIn(app), anyone: clientOf(app) }
}

function combinations(senders: readonly Headers[], types: readonly Headers[]) {
  return senders.flatMap((sender) => types.map((type) => ({ ...sender, ...type })))
}

const cookiesOf = ({ headers }: Answer) => headers.getSetCookie()

/** Server for requests that change nothing. */
const { app, ida, browser, anyone } = await open()
const before = await stored(app)

/** Calls every route in `calls` with `headers`, all of which must succeed. */
async function expectAll(client: typeof ida, calls: typeof PROTECTED, headers: Headers, cookies?: number) {
  for (const [method, path, body] of calls) {
    const answer = await client.call(method, path, { headers, body: bytes(body) })
    expect([method, path, answer.status]).toEqual([method, path, 200])
    if (cookies !== undefined) expect([path, cookiesOf(answer).length]).toEqual([path, cookies])
  }
}

async function expectRefused(client: typeof ida, method: string, path: string, headers: Headers, body: unknown = {}) {
  expectError(await client.call(method, path, { headers, body: bytes(body) }), 403, 'csrf_rejected')
}

test('the table of routes is not empty by mistake', () => expect(POSTS.length).toBeGreaterThan(25))

test.each(POSTS)('a page of another site changes nothing without a preflight: %s %s', async (method, path) => {
  for (const headers of [...FOREIGN, ...combinations([EVIL], FORM_TYPES)])
    for (const client of [ida, browser, anyone]) await expectRefused(client, method, path, headers)
  expect(await stored(app)).toBe(before)
})

describe('a page of another site, after a preflight,', () => {
  test.each([...combinations([EVIL], PREFLIGHTED_TYPES), ...combinations(FOREIGN.slice(1), [JSON_TYPE])])(
    'may use a password, but starts no session: %p',
    async (headers) => expectAll((await open()).ida, CHANGES, headers, 0),
  )

  const doubled = ['POST', '//api/2//devices/ida/x.json/', {}] as const
  test.each([...CHANGES_AND_SESSIONS, doubled])('changes nothing by cookie: %s %s', async (method, path, body) => {
    for (const headers of combinations(FOREIGN, PREFLIGHTED_TYPES))
      await expectRefused(browser, method, path, headers, body)
    expect(await stored(app)).toBe(before)
    expect((await browser.get('/api/2/me')).status).toBe(200)
  })

  test('learns from a sign-in only whether the password is right', async () => {
    const own = await open()
    const sessions = await sessionCount(own.app)
    for (const sender of FOREIGN)
      for (const [password, status] of [
        ['seaglass', 200],
        ['driftwood', 401],
      ] as const) {
        const headers = { ...sender, ...basic('ida', password), ...JSON_TYPE }
        const answer = await own.anyone.post(LOGIN, undefined, { headers })
        expect([answer.status, cookiesOf(answer)]).toEqual([status, []])
      }
    expect((await sessionCount(own.app)) - sessions).toBeLessThanOrEqual(1)
  })
})

test.each(OWN)('apps and pages of this server may sign in, read and change: %p', async (sender) => {
  const own = await open()
  const sessions = await sessionCount(own.app)
  const login = await own.ida.post(LOGIN, undefined, { headers: sender })
  expect([login.status, cookiesOf(login).length, await sessionCount(own.app)]).toEqual([200, 1, sessions + 1])
  await expectAll(own.ida, PROTECTED, { 'content-type': 'text/plain', ...sender }, 1)
})

describe('the web view of an installed app', () => {
  test.each([...NATIVE, ...ENGINE])('may sign in, read and change with a password: %p', async (sender) => {
    const own = await open()
    for (const type of FORM_TYPES) await expectAll(own.ida, [['POST', LOGIN, undefined]], { ...sender, ...type }, 1)
    await expectAll(own.ida, PROTECTED, sender)
  })

  test.each(NATIVE)('may use its cookie: %p', async (sender) => {
    const own = await open()
    const calls = [LOGIN, LOGOUT].map((path) => ['POST', path, undefined] as const)
    await expectAll(own.browser, [...PROTECTED, ...calls], sender)
    expect((await own.browser.get('/api/2/me')).status).toBe(401)
  })

  test.each(CHANGES_AND_SESSIONS)(
    'changes nothing by a cookie that a browser engine adds: %s %s',
    async (method, path, body) => {
      const sites = ['cross-site', 'same-site', 'same-origin', 'none']
      for (const headers of ENGINE.flatMap((each) => sites.map((site) => ({ ...each, 'sec-fetch-site': site }))))
        await expectRefused(browser, method, path, headers, body)
      expect(await stored(app)).toBe(before)
      expect((await browser.get('/api/2/me')).status).toBe(200)
    },
  )

  test.each(LOOKALIKES)('is not a page with a similar origin: %p', async (headers) => {
    for (const client of [ida, browser, anyone])
      for (const path of [LOGIN, '/api/2/devices/ida/x.json', '/api/2/register'])
        await expectRefused(client, 'POST', path, headers)
    for (const [method, path, body] of CHANGES)
      await expectRefused(browser, method, path, { ...headers, ...JSON_TYPE }, body)
    expect(await stored(app)).toBe(before)
  })

  test.each([...NATIVE, ...ENGINE])('cannot create the first account or sign in by proxy: %p', async (headers) => {
    const empty = clientOf(startTestApp({ settings: { registration: 'open' } }))
    for (const type of [...FORM_TYPES, ...PREFLIGHTED_TYPES])
      expectError(await register(empty, { ...headers, ...type }), 403, 'csrf_rejected')
    expect(await empty.get('/api/2/server')).toMatchObject({ json: { first_run: true } })
    const behind = startTestApp({ settings: { proxy_user_header: 'Remote-User', trusted_proxies: '192.0.2.1' } })
    await signUp(behind)
    const proxied = clientOf(behind, { 'remote-user': 'ida', ...headers })
    expectError(await proxied.post('/auth/proxy/login'), 403, 'csrf_rejected')
    expect(await sessionCount(behind)).toBe(0)
  })
})

const account = bytes({ username: 'eve', password: 'seaglass' })
const register = (client: typeof anyone, headers: Headers) => client.post('/api/2/register', account, { headers })

test('a page of another site cannot create the first account, and others only after a preflight', async () => {
  const empty = clientOf(startTestApp({ settings: { registration: 'open' } }))
  for (const headers of combinations(FOREIGN, [...FORM_TYPES, ...PREFLIGHTED_TYPES]))
    expectError(await register(empty, headers), 403, 'csrf_rejected')
  expect(await empty.get('/api/2/server')).toMatchObject({ json: { first_run: true } })
  expect(await register((await open()).anyone, { ...EVIL, ...JSON_TYPE })).toMatchObject({ status: 200 })
})

describe('the origin of this server', () => {
  const PROXIED = { 'x-forwarded-host': 'pods.example' }
  const HOME = { base_url: 'https://home.example/podcasts' }

  /** Whether a change by cookie succeeds with these headers on a server reached as `host`. */
  async function passes(host: string, headers: Headers, settings: Headers = {}): Promise<boolean> {
    const server = startTestApp({ settings })
    await signUp(server)
    const at = (path: string) => `${'base_url' in settings ? '/podcasts' : ''}/api/2/${path}.json`
    const login = await clientOf(server, { host, ...basic('ida', 'seaglass') }).post(at('auth/ida/login'))
    const answer = await clientOf(server, { host, ...cookieOf(login) }).post(at('devices/ida/x'), {}, { headers })
    if (answer.status !== 200) expectError(answer, 403, 'csrf_rejected')
    return answer.status === 200
  }

  test.each<[string, string, boolean, Headers?, Headers?]>([
    ['pods.example', 'https://pods.example', true],
    ['PODS.example', 'https://pods.example', true],
    ['pods.example:443', 'https://pods.example', true],
    ['pods.example:8080', 'http://pods.example:8080', true],
    ['[::1]:8080', 'http://[::1]:8080', true],
    ['pods.example:8080', 'http://pods.example:9090', false],
    ['pods.example', 'https://pods.example:8443', false],
    ['pods.example', 'https://pods.example.evil.example', false],
    ['pods.example', 'https://sub.pods.example', false],
    ['pods.example', 'http://localhost', false],
    ['pods.example', 'https://localhost', false],
    ['pods.example', 'ftp://pods.example', false],
    ['pods.example', 'tauri://pods.example', false],
    ['pods.example', '', false],
    ['pods.example', 'pods.example', false],
    // Behind a proxy.
    ['inside:8080', 'https://pods.example', false, { trusted_proxies: '198.51.100.1' }, PROXIED],
    ['inside:8080', 'https://pods.example', true, { trusted_proxies: '192.0.2.1' }, PROXIED],
    // base_url overrides the Host header.
    ['inside.example', 'https://home.example', true, HOME],
    ['inside.example', 'http://home.example', false, HOME],
    ['inside.example', 'https://inside.example', false, HOME],
  ])('at %s includes %p: %p', async (host, origin, expected, ...[settings, headers]) => {
    expect(await passes(host, { origin, ...headers }, settings)).toBe(expected)
  })
})

test('a page load with a password starts no session, and one with a cookie renews it', async () => {
  const headers = { 'upgrade-insecure-requests': '1' }
  for (const path of ['/api/2/me', '/api/2/server', '/subscriptions/ida.opml']) {
    expect(cookiesOf(await ida.get(path))).toHaveLength(1)
    const answer = await ida.get(path, { headers })
    expect([answer.status, cookiesOf(answer)]).toEqual([200, []])
  }
  const clock = fakeClock()
  const own = await open(clock)
  clock.advance(16 * 24 * 3600)
  expect(cookiesOf(await own.browser.get('/api/2/me/export', { headers }))).toHaveLength(1)
})

describe('a page of another origin loads no script or picture', () => {
  /** The same response for all users and for anonymous requests. */
  const ALWAYS_PUBLIC = new Set([
    ...['/toplist/5.jsonp', '/toplist.jsonp', '/search.jsonp', '/api/2/search/external'],
    ...['/api/2/tags/5.json', '/api/2/tag/1/5.json', '/api/2/trending'],
    ...['/clientconfig.json', '/api/2/lists/ida.json'],
  ])
  /** The same response for all anonymous requests. */
  const PUBLIC = new Set([...ALWAYS_PUBLIC, '/api/2/search/all'])
  const embeddable = ({ headers }: Answer) => headers.get('cross-origin-resource-policy') !== 'same-origin'
  const query = '?jsonp=show&q=harbour'

  test.each(READING)('unless it is public: %s %s', async (_, path) => {
    const headers = { ...EVIL, 'sec-fetch-site': 'cross-site' }
    const answers = [anyone, ida, browser].flatMap((client) => [
      client.get(path + query),
      client.get(path + query, { headers }),
    ])
    const head = await ida.call('HEAD', path + query)
    expect([...(await Promise.all(answers)), head].map(embeddable)).toEqual([
      ...[PUBLIC.has(path), PUBLIC.has(path)],
      ...Array(5).fill(ALWAYS_PUBLIC.has(path)),
    ])
    expect(embeddable(await anyone.get(`${path}/nothing`))).toBe(false)
  })

  test('that is an error or a private page', async () => {
    for (const [method, path, expected] of [
      ['DELETE', '/toplist.jsonp', false],
      ['GET', '/search.jsonp?jsonp=show', false],
      ['GET', '/', false],
      ['GET', '/login', false],
      ['GET', '/docs', true],
      ['GET', '/openapi.json', true],
    ] as const)
      expect([path, embeddable(await anyone.call(method, path))]).toEqual([path, expected])
    // The public search does not reveal private feeds.
    const found = await ida.get('/search.jsonp?jsonp=show&q=https://feeds.example/a%3Ftoken=s3cret')
    expect([found.text, embeddable(found)]).toEqual(['show([])', true])
  })
})
