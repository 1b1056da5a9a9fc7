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

/** What browsers say of a page that is not of this server, here at localhost. */
const FOREIGN: readonly Headers[] = [
  EVIL,
  { origin: 'http://localhost:9090' },
  { origin: 'null' },
  { ...EVIL, 'sec-fetch-site': 'cross-site' },
  { origin: 'http://localhost:9090', 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
]

/** What apps say, and browsers of our own pages and of addresses that people type. */
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

/** Origins that a website, or a server on the user's machine, may have. */
const LOOKALIKES = [
  ...'http://localhost:3000 http://127.0.0.1 http://[::1] http://asset.localhost https://capacitor http://app'.split(
    ' ',
  ),
  ...'http://tauri.localhost:1420 http://tauri.localhost:8080 https://tauri.localhost:8443'.split(' '),
  ...'http://tauri.localhost.evil.example http://evil.tauri.localhost http://xtauri.localhost'.split(' '),
  ...'http://tauri.localhost. http://tauri.localhost@evil.example http://evil.example/tauri.localhost'.split(' '),
  ...'http://evil.example#http://tauri.localhost tauri://localhost.evil.example tauri://evil.example'.split(' '),
  ...'tauri://localhost:80 tauri://x@localhost tauri:// capacitor://evil.example ionic://localhost:1'.split(' '),
  ...'https://app.evil.example app://x@localhost app://localhost:3000 app://evil.example/ app:// app'.split(' '),
  ...'app:localhost xapp://localhost web+app://localhost file:// chrome-extension://abcdef'.split(' '),
  ...['moz-extension://abcdef', 'app://a b', 'null, tauri://localhost', 'tauri://localhost, https://evil.example'],
  'https://evil.example, tauri://localhost',
].map((origin): Headers => ({ origin }))

const typed = (...types: string[]): Headers[] => types.map((type) => ({ 'content-type': type }))
const JSON_TYPE: Headers = { 'content-type': 'application/json' }

/** What a page may send without the browser asking first; no type at all is one of them. */
const FORM_TYPES: readonly Headers[] = [
  {},
  ...typed('', 'text/plain', ' Text/Plain ; charset=utf-8'),
  ...typed('application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'),
]
const ASKED_TYPES: readonly Headers[] = [
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
/** All but the one that never ends. */
const READING = ROUTES.filter(([method, path]) => method === 'GET' && !path.endsWith('/events'))
const CHANGES = PROTECTED.filter(([method]) => method !== 'GET')

/** Bytes, which bring no type of their own. */
function bytes(body: unknown): Uint8Array | undefined {
  if (body === undefined) return undefined
  return new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Ida, with her password and in a browser, and two devices. */
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

/** For requests that change nothing. */
const { app, ida, browser, anyone } = await open()
const before = await stored(app)

test('many routes are tried', () => expect(POSTS.length).toBeGreaterThan(25))

test.each(POSTS)(
  'a page of another site, unless the browser asks first, changes nothing: %s %s',
  async (method, path) => {
    for (const headers of combinations(FOREIGN, FORM_TYPES))
      for (const client of [ida, browser, anyone])
        expectError(await client.call(method, path, { headers, body: bytes({}) }), 403, 'csrf_rejected')
    expect(await stored(app)).toBe(before)
  },
)

describe('a page of another site, where the browser has asked,', () => {
  test.each([...combinations([EVIL], ASKED_TYPES), ...combinations(FOREIGN.slice(1), [JSON_TYPE])])(
    'may use a password of its own, and starts no session: %p',
    async (headers) => {
      const own = await open()
      for (const [method, path, body] of CHANGES) {
        const answer = await own.ida.call(method, path, { headers, body: bytes(body) })
        expect([method, path, answer.status, cookiesOf(answer)]).toEqual([method, path, 200, []])
      }
    },
  )

  const calls = ['login', 'logout'].map((call) => ['POST', `/api/2/auth/ida/${call}.json`, undefined] as const)
  const doubled = [['POST', '//api/2//devices/ida/x.json/', {}]] as const
  test.each([...CHANGES, ...calls, ...doubled])('changes nothing by cookie: %s %s', async (method, path, body) => {
    for (const headers of combinations(FOREIGN, ASKED_TYPES))
      expectError(await browser.call(method, path, { headers, body: bytes(body) }), 403, 'csrf_rejected')
    expect(await stored(app)).toBe(before)
    expect((await browser.get('/api/2/me')).status).toBe(200)
  })

  test('finds out by a sign-in whether a password is right, and that is all', async () => {
    const own = await open()
    const sessions = await sessionCount(own.app)
    for (const sender of FOREIGN)
      for (const [password, status] of [
        ['seaglass', 200],
        ['driftwood', 401],
      ] as const) {
        const headers = { ...sender, ...basic('ida', password), ...JSON_TYPE }
        const answer = await own.anyone.post('/api/2/auth/ida/login.json', undefined, { headers })
        expect([answer.status, cookiesOf(answer)]).toEqual([status, []])
      }
    expect((await sessionCount(own.app)) - sessions).toBeLessThanOrEqual(1)
  })
})

test.each(OWN)('apps and pages of this server sign in, change and read what they like: %p', async (sender) => {
  const own = await open()
  const sessions = await sessionCount(own.app)
  const login = await own.ida.post('/api/2/auth/ida/login.json', undefined, { headers: sender })
  expect([login.status, cookiesOf(login).length, await sessionCount(own.app)]).toEqual([200, 1, sessions + 1])
  const headers = { 'content-type': 'text/plain', ...sender }
  for (const [method, path, body] of PROTECTED) {
    const answer = await own.ida.call(method, path, { headers, body: bytes(body) })
    expect([method, path, answer.status, cookiesOf(answer).length]).toEqual([method, path, 200, 1])
  }
})

describe('the web view of an installed app', () => {
  test.each([...NATIVE, ...ENGINE])(
    'signs in, changes and reads with its password like any app: %p',
    async (sender) => {
      const own = await open()
      for (const type of FORM_TYPES) {
        const login = await own.ida.post('/api/2/auth/ida/login.json', undefined, { headers: { ...sender, ...type } })
        expect([login.status, login.json, cookiesOf(login).length]).toEqual([200, { status: 'ok' }, 1])
        for (const [method, path, body] of PROTECTED) {
          const answer = await own.ida.call(method, path, { headers: { ...sender, ...type }, body: bytes(body) })
          if (path !== '/api/admin/users' || method === 'GET')
            expect([method, path, answer.status]).toEqual([method, path, 200])
        }
        await own.ida.post('/api/2/devices/ida/desk.json', {})
      }
    },
  )

  test.each(NATIVE)('works with its cookie like any app: %p', async (sender) => {
    const own = await open()
    for (const [method, path, body] of PROTECTED) {
      const answer = await own.browser.call(method, path, { headers: sender, body: bytes(body) })
      expect([method, path, answer.status]).toEqual([method, path, 200])
    }
    const login = await own.browser.post('/api/2/auth/ida/login.json', undefined, { headers: sender })
    expect(login.status).toBe(200)
    const logout = await own.browser.post('/api/2/auth/ida/logout.json', undefined, { headers: sender })
    expect(logout.status).toBe(200)
    expect((await own.browser.get('/api/2/me')).status).toBe(401)
  })

  const byCookie = [
    ...CHANGES,
    ...['login', 'logout'].map((call) => ['POST', `/api/2/auth/ida/${call}.json`, undefined]),
  ]
  test.each(byCookie as typeof CHANGES)(
    'changes nothing by a cookie that a browser engine adds: %s %s',
    async (method, path, body) => {
      const sites = ['cross-site', 'same-site', 'same-origin', 'none']
      for (const headers of ENGINE.flatMap((each) => sites.map((site) => ({ ...each, 'sec-fetch-site': site }))))
        expectError(await browser.call(method, path, { headers, body: bytes(body) }), 403, 'csrf_rejected')
      expect(await stored(app)).toBe(before)
      expect((await browser.get('/api/2/me')).status).toBe(200)
    },
  )

  test.each(LOOKALIKES)('is not a page with a similar origin: %p', async (headers) => {
    for (const client of [ida, browser, anyone])
      for (const type of FORM_TYPES)
        for (const path of ['/api/2/auth/ida/login.json', '/api/2/devices/ida/x.json', '/api/2/register'])
          expectError(await client.post(path, bytes({}), { headers: { ...headers, ...type } }), 403, 'csrf_rejected')
    for (const [method, path, body] of CHANGES)
      expectError(
        await browser.call(method, path, { headers: { ...headers, ...JSON_TYPE }, body: bytes(body) }),
        403,
        'csrf_rejected',
      )
    expect(await stored(app)).toBe(before)
  })

  test.each([...NATIVE, ...ENGINE])('cannot do what is reserved for pages of this server: %p', async (headers) => {
    const empty = clientOf(startTestApp({ settings: { registration: 'open' } }))
    for (const type of [...FORM_TYPES, ...ASKED_TYPES])
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

test('the first account of a server is created by no page of another site, others only where the browser asks', async () => {
  const empty = clientOf(startTestApp({ settings: { registration: 'open' } }))
  for (const headers of combinations(FOREIGN, [...FORM_TYPES, ...ASKED_TYPES]))
    expectError(await register(empty, headers), 403, 'csrf_rejected')
  expect(await empty.get('/api/2/server')).toMatchObject({ json: { first_run: true } })
  expect(await register((await open()).anyone, { ...EVIL, ...JSON_TYPE })).toMatchObject({ status: 200 })
})

describe('the own origin', () => {
  const PROXIED = { 'x-forwarded-host': 'pods.example' }
  const HOME = { base_url: 'https://home.example/podcasts' }

  /** Whether a change by cookie passes with this `Origin`, on a server reached as `host`. */
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
    // With base_url, whatever the host of the request.
    ['inside.example', 'https://home.example', true, HOME],
    ['inside.example', 'http://home.example', false, HOME],
    ['inside.example', 'https://inside.example', false, HOME],
  ])('on %s is that of a page of %p: %p', async (host, origin, expected, ...[settings, headers]) => {
    expect(await passes(host, { origin, ...headers }, settings)).toBe(expected)
  })
})

test('a browser that shows an answer as a page keeps no session of the password it sends, but the one it has', async () => {
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
  /** The same for everybody, with credentials as well: nobody is told more. */
  const ALWAYS_PUBLIC = new Set([
    ...['/toplist/5.jsonp', '/toplist.jsonp', '/search.jsonp', '/api/2/search/external'],
    ...['/api/2/tags/5.json', '/api/2/tag/1/5.json', '/api/2/trending'],
    ...['/clientconfig.json', '/api/2/lists/ida.json'],
  ])
  /** The same for everybody who asks without credentials. */
  const PUBLIC = new Set([...ALWAYS_PUBLIC, '/api/2/search/all'])
  const embeddable = ({ headers }: Answer) => headers.get('cross-origin-resource-policy') !== 'same-origin'
  const query = '?jsonp=show&q=harbour'

  test.each(READING)('unless everybody may see it, by HEAD and in errors as well: %s %s', async (_, path) => {
    for (const headers of [{}, { ...EVIL, 'sec-fetch-site': 'cross-site' }]) {
      expect(embeddable(await anyone.get(path + query, { headers }))).toBe(PUBLIC.has(path))
      for (const client of [ida, browser])
        expect(embeddable(await client.get(path + query, { headers }))).toBe(ALWAYS_PUBLIC.has(path))
    }
    expect(embeddable(await ida.call('HEAD', path + query))).toBe(ALWAYS_PUBLIC.has(path))
    expect(embeddable(await anyone.get(`${path}/nothing`))).toBe(false)
  })

  test('that is an error or a page, unless it is for everybody', async () => {
    for (const [method, path, expected] of [
      ['DELETE', '/toplist.jsonp', false],
      ['GET', '/search.jsonp?jsonp=show', false],
      ['GET', '/', false],
      ['GET', '/login', false],
      ['GET', '/docs', true],
      ['GET', '/openapi.json', true],
    ] as const)
      expect([path, embeddable(await anyone.call(method, path))]).toEqual([path, expected])
    // The public search says no more of a feed that cannot be had.
    const found = await ida.get('/search.jsonp?jsonp=show&q=https://feeds.example/a%3Ftoken=s3cret')
    expect([found.text, embeddable(found)]).toEqual(['show([])', true])
  })
})
