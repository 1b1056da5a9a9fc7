import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { type Answer, basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { type FakeClock, fakeClock } from '../support/clock.ts'
import { operationsOf } from '../support/openapi.ts'
import { PROTECTED, sessionCount } from './accounts.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

/** What browsers say of a page that is not of this server, here at localhost. */
const FOREIGN: readonly Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'http://localhost:9090' },
  { origin: 'null' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://localhost:9090', 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
]

/** What apps say, and browsers of our own pages and of addresses that people type. */
const OWN: readonly Record<string, string>[] = [
  {},
  { origin: 'http://localhost' },
  { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
]

/** What a page may send without the browser asking first; no type at all is one of them. */
const FORM_TYPES: readonly Record<string, string>[] = [
  {},
  ...[
    '',
    'text/plain',
    'text/plain;charset=UTF-8',
    ' Text/Plain ; charset=utf-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ].map((type) => ({ 'content-type': type })),
]

const ASKED_TYPES: readonly Record<string, string>[] = [
  'application/json',
  'application/json; charset=utf-8',
  'application/octet-stream',
  'text/x-opml',
].map((type) => ({ 'content-type': type }))

const { json: document } = await clientOf(startTestApp()).get('/openapi.json')
const ROUTES = [
  ...operationsOf(document).map(({ method, path }) => [method.toUpperCase(), fill(path)] as const),
  ['POST', '/auth/sso/link'] as const,
]

const POSTS = ROUTES.filter(([method]) => method === 'POST')
/** All but the one that never ends. */
const READING = ROUTES.filter(([method, path]) => method === 'GET' && !path.endsWith('/events'))

function fill(path: string): string {
  const values: Record<string, string> = { username: 'ida', deviceid: 'phone', format: 'jsonp', count: '5', size: '64' }
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '1')
}

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
  const cookie = cookieOf(await ida.post('/api/2/auth/ida/login.json'))
  return { app, ida, browser: clientOf(app, cookie), anyone: clientOf(app) }
}

function combinations(senders: readonly Record<string, string>[], types: readonly Record<string, string>[]) {
  return senders.flatMap((sender) => types.map((type) => ({ ...sender, ...type })))
}

const cookiesOf = ({ headers }: Answer) => headers.getSetCookie()

/** For requests that change nothing. */
const { app, ida, browser, anyone } = await open()
const before = stored(app)

describe('a page of another site, where the browser does not ask first,', () => {
  test('is tried on many routes', () => expect(POSTS.length).toBeGreaterThan(25))

  test.each(POSTS)('changes nothing by %s %s, whoever uses the browser', async (method, path) => {
    for (const headers of combinations(FOREIGN, FORM_TYPES))
      for (const person of [ida, browser, anyone])
        expectRefusal(await person.call(method, path, { headers, body: bytes({}) }), 403, 'csrf_rejected')
    expect(stored(app)).toBe(before)
  })
})

describe('a page of another site, where the browser has asked,', () => {
  const changes = PROTECTED.filter(([method]) => method !== 'GET')
  const [evil = {}] = FOREIGN
  const [json = {}] = ASKED_TYPES

  test.each([...combinations([evil], ASKED_TYPES), ...combinations(FOREIGN.slice(1), [json])])(
    'may use a password of its own, and starts no session: %p',
    async (headers) => {
      const { ida } = await open()
      for (const [method, path, body] of changes) {
        const answer = await ida.call(method, path, { headers, body: bytes(body) })
        expect([method, path, answer.status, cookiesOf(answer)]).toEqual([method, path, 200, []])
      }
    },
  )

  test.each(changes)('changes nothing by cookie: %s %s', async (method, path, body) => {
    for (const headers of combinations(FOREIGN, ASKED_TYPES))
      expectRefusal(await browser.call(method, path, { headers, body: bytes(body) }), 403, 'csrf_rejected')
    expect(stored(app)).toBe(before)
  })

  test('finds out by a sign-in whether a password is right, and that is all', async () => {
    const { app, anyone } = await open()
    const before = sessionCount(app)
    for (const sender of FOREIGN)
      for (const [password, status] of [
        ['seaglass', 200],
        ['driftwood', 401],
      ] as const) {
        const headers = { ...sender, ...basic('ida', password), 'content-type': 'application/json' }
        const answer = await anyone.post('/api/2/auth/ida/login.json', undefined, { headers })
        expect([answer.status, cookiesOf(answer)]).toEqual([status, []])
      }
    expect(sessionCount(app) - before).toBeLessThanOrEqual(1)
  })
})

describe('apps and pages of this server', () => {
  test.each(OWN)('change and read what they like: %p', async (sender) => {
    const { ida } = await open()
    const headers = { 'content-type': 'text/plain', ...sender }
    for (const [method, path, body] of PROTECTED) {
      const answer = await ida.call(method, path, { headers, body: bytes(body) })
      expect([method, path, answer.status, cookiesOf(answer).length]).toEqual([method, path, 200, 1])
    }
  })

  test.each(OWN)('sign in: %p', async (headers) => {
    const { app, ida } = await open()
    const before = sessionCount(app)
    const answer = await ida.post('/api/2/auth/ida/login.json', undefined, { headers })
    expect([answer.status, cookiesOf(answer).length, sessionCount(app)]).toEqual([200, 1, before + 1])
  })
})

describe('the first account of a server', () => {
  const account = bytes({ username: 'eve', password: 'seaglass' })

  test('is made by no page of another site, asked first or not', async () => {
    const app = startTestApp({ settings: { registration: 'open' } })
    const anyone = clientOf(app)
    for (const headers of combinations(FOREIGN, [...FORM_TYPES, ...ASKED_TYPES]))
      expectRefusal(await anyone.post('/api/2/register', account, { headers }), 403, 'csrf_rejected')
    expect(await anyone.get('/api/2/server')).toMatchObject({ json: { first_run: true } })
  })

  test.each(OWN)('is made by apps and pages of this server: %p', async (headers) => {
    const answer = await clientOf(startTestApp()).post('/api/2/register', account, { headers })
    expect(answer).toMatchObject({ status: 200, json: { is_admin: true } })
  })

  test('makes way for others, which pages of other sites may make where the browser asks', async () => {
    const { anyone } = await open()
    const headers = { origin: 'https://other.example', 'content-type': 'application/json' }
    expect(await anyone.post('/api/2/register', account, { headers })).toMatchObject({ status: 200 })
  })
})

describe('a browser that shows an answer as a page', () => {
  const headers = { 'upgrade-insecure-requests': '1' }

  test.each(['/api/2/me', '/api/2/server', '/subscriptions/ida.opml'])(
    'does not keep the session of the password it sends: %s',
    async (path) => {
      expect(cookiesOf(await ida.get(path))).toHaveLength(1)
      const answer = await ida.get(path, { headers })
      expect([answer.status, cookiesOf(answer)]).toEqual([200, []])
    },
  )

  test('keeps the session it has, and longer', async () => {
    const clock = fakeClock()
    const { browser } = await open(clock)
    clock.advance(16 * 24 * 3600)
    expect(cookiesOf(await browser.get('/api/2/me/export', { headers }))).toHaveLength(1)
  })
})

/** What is the same for everybody who asks without credentials. */
const PUBLIC = new Set([
  '/toplist/5.jsonp',
  '/toplist.jsonp',
  '/search.jsonp',
  '/api/2/search/all',
  '/api/2/search/external',
  '/api/2/tags/5.json',
  '/api/2/tag/1/5.json',
  '/api/2/trending',
])

/** The same with credentials: nobody is told more. */
const ALWAYS_PUBLIC = new Set([...PUBLIC].filter((path) => path !== '/api/2/search/all'))

describe('a page of another origin loads no script or picture', () => {
  const embeddable = ({ headers }: Answer) => headers.get('cross-origin-resource-policy') !== 'same-origin'
  const query = '?jsonp=show&q=harbour'

  test.each(READING)('that not everybody may see: %s %s', async (_method, path) => {
    for (const headers of [{}, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }]) {
      expect([path, embeddable(await anyone.get(path + query, { headers }))]).toEqual([path, PUBLIC.has(path)])
      for (const person of [ida, browser])
        expect([path, embeddable(await person.get(path + query, { headers }))]).toEqual([path, ALWAYS_PUBLIC.has(path)])
    }
  })

  test.each(READING)('of an answer to HEAD or of an error either: %s %s', async (_method, path) => {
    expect(embeddable(await ida.call('HEAD', path + query))).toBe(ALWAYS_PUBLIC.has(path))
    for (const [method, address] of [
      ['DELETE', '/toplist.jsonp'],
      ['GET', '/search.jsonp?jsonp=show'],
      ['GET', `${path}/nothing`],
    ] as const)
      expect(embeddable(await anyone.call(method, address))).toBe(false)
  })

  test('of the public search, which tells nobody more, with a feed that cannot be had', async () => {
    const found = await ida.get('/search.jsonp?jsonp=show&q=https://feeds.example/a%3Ftoken=s3cret')
    expect([found.text, embeddable(found)]).toEqual(['show([])', true])
  })

  test('that is a page, unless it is for everybody', async () => {
    for (const [path, expected] of [
      ['/', false],
      ['/login', false],
      ['/docs', true],
      ['/openapi.json', true],
    ] as const)
      expect([path, embeddable(await anyone.get(path))]).toEqual([path, expected])
  })
})
