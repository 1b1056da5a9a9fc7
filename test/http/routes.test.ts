import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, signIn, signUp } from '../support/client.ts'
import { fillPath, needsCredentials, operationsOf } from '../support/openapi.ts'
import { expectError } from './error.ts'
import { stored } from './stored.ts'

// Rules for every route of the API: authorization, caching, HEAD and CORS.

const CHALLENGE = 'Basic realm="podcast sync", charset="UTF-8"'
const FOREIGN = 'https://evil.example'

const app = startTestApp({ settings: { rate_limit: 'false' } })
const ida = await signUp(app)
const ole = await signUp(app, 'ole')
await signUp(app, 'kim')
await ida.post('/api/admin/users/kim/deactivate')
await ida.post('/api/2/devices/ida/phone.json', {})
await ida.put('/subscriptions/ida/phone.txt', 'https://feeds.example/a\n')
const idaByCookie = await signIn(app)
const oleByCookie = await signIn(app, 'ole')
const anyone = clientOf(app)
const before = await stored(app)

const { json: document } = await anyone.get('/openapi.json')
const ALL = operationsOf(document).map(({ method, path, operation }) => ({
  method: method.toUpperCase(),
  path,
  isClosed: needsCredentials(operation),
}))
const CLOSED = ALL.filter(({ isClosed }) => isClosed)
const ADMIN = CLOSED.filter(({ path }) => path.startsWith('/api/admin/'))
/** Paths with a username. Signing in has its own error for a different name. */
const NAMED = CLOSED.filter(
  ({ path }) => path.includes('{username}') && !path.startsWith('/api/admin/') && !path.includes('/auth/'),
)
/** All except event streams. */
const READS = ALL.filter(({ method, path }) => method === 'GET' && !/\/(?:events|connection)$/.test(path))

/** Bodies that are valid, broken, of the wrong type, and too large: authorization comes first. */
const BODIES = [undefined, {}, '{', [], new Uint8Array(11 * 1024 * 1024)]

/** Requests with each body, and one for an unknown user. */
const requestsOf = (method: string, path: string) => [
  ...(method === 'GET' ? [undefined] : BODIES).map((body) => ({ address: fillPath(path), body })),
  { address: fillPath(path, { username: 'nobody' }), body: undefined },
]

test('the tables are not empty by mistake', () => {
  for (const table of [CLOSED, ADMIN, NAMED, READS, MANAGING]) expect(table.length).toBeGreaterThan(12)
})

describe.each(CLOSED)('$method $path', ({ method, path }) => {
  test('requires credentials, regardless of path and body', async () => {
    for (const { address, body } of requestsOf(method, path)) {
      const answer = await anyone.call(method, address, { body })
      expectError(answer, 401, 'unauthorized')
      expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE)
    }
    // A challenge to a script would make the browser ask for a password.
    const answer = await anyone.call(method, fillPath(path), { headers: { 'x-requested-with': 'x' } })
    expectError(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toBeNull()
    expect(await stored(app)).toBe(before)
  })

  test('refuses a wrong password, even with a valid cookie', async () => {
    for (const client of [anyone, idaByCookie]) {
      const answer = await client.call(method, fillPath(path), { headers: basic('ida', 'wrong') })
      expectError(answer, 401, 'invalid_credentials')
      expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE)
    }
    expect(await stored(app)).toBe(before)
  })
})

test.each(NAMED)('$method $path is forbidden for other usernames, known or not (D23)', async (route) => {
  const { method, path } = route
  // The last one has a Kelvin sign, which folds to a k.
  const names = ['nobody', 'IDA', 'ida%20', '%2569da', 'olef', 'current', 'bo%E2%84%AA']
  for (const client of [ole, oleByCookie]) {
    for (const { address, body } of requestsOf(method, path))
      expectError(await client.call(method, address, { body }), 403, 'forbidden')
    const { text } = await client.call(method, fillPath(path))
    for (const username of names) expect((await client.call(method, fillPath(path, { username }))).text).toBe(text)
  }
  // Administrators have no access to data of others.
  expectError(await ida.call(method, fillPath(path, { username: 'ole' })), 403, 'forbidden')
  expect(await stored(app)).toBe(before)
})

test.each(ALL.filter(({ path }) => path.includes('{username}') && !path.startsWith('/api/admin/')))(
  '$method $path does not reveal which users exist or are active',
  async ({ method, path }) => {
    const credentials = [() => ({}), (name: string) => basic(name, 'wrong'), () => basic('ida', 'seaglass')]
    for (const headersOf of credentials)
      for (const format of ['json', 'txt', 'rss']) {
        const answers = await Promise.all(
          ['ole', 'kim', 'nobody', '%20', 'a/b', 'x'.repeat(65)].map(async (username) => {
            const named = fillPath(path, { username: encodeURIComponent(username), format })
            const { status, text, headers: sent } = await anyone.call(method, named, { headers: headersOf(username) })
            return [status, text, JSON.stringify([...sent])]
          }),
        )
        expect(new Set(answers.map(String)).size).toBe(1)
      }
    expect(await stored(app)).toBe(before)
  },
)

test.each(ADMIN)('$method $path requires an administrator, regardless of path and body', async (route) => {
  const { method, path } = route
  for (const client of [ole, oleByCookie])
    for (const { address, body } of requestsOf(method, path))
      expectError(await client.call(method, address, { body }), 403, 'admin_required')
  expect(await stored(app)).toBe(before)
})

/** Management of accounts and the server. Written out, since the API description follows the code. */
const MANAGING = ALL.filter(
  ({ method, path }) =>
    /^\/api\/admin\/|^\/api\/2\/me\/(?:password|email|import|webhook|second-factor|app-passwords)/.test(path) ||
    (method === 'DELETE' && /^\/api\/2\/me(?:$|\/sessions|\/identities)/.test(path)),
)

test('app passwords cannot manage accounts or the server', async () => {
  const own = startTestApp({ settings: { rate_limit: 'false' } })
  await signUp(own)
  const browser = await signIn(own)
  for (const scope of ['sync', 'read', 'feeds']) {
    const { json } = await browser.post('/api/2/me/app-passwords', { name: scope, scope })
    const client = clientOf(own, basic('ida', String(Object(json).password)))
    for (const { method, path } of MANAGING) {
      const answer = await client.call(method, fillPath(path), method === 'GET' ? {} : { body: {} })
      const code = path.startsWith('/api/admin/') ? 'admin_required' : 'forbidden'
      expect([method, path, Object(answer.json).error]).toEqual([method, path, code])
    }
  }
})

test.each(READS)('HEAD $path answers as GET, without the body', async ({ path }) => {
  for (const client of [ida, anyone]) {
    const get = await client.get(fillPath(path))
    const head = await client.call('HEAD', fillPath(path))
    expect([head.status, head.text]).toEqual([get.status, ''])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)))
    for (const name of ['content-type', 'cache-control', 'access-control-allow-origin', 'set-cookie'])
      expect(head.headers.get(name)).toBe(get.headers.get(name))
  }
})

test.each(READS)('GET $path has strict caching and security headers, and names no software', async ({ path }) => {
  const isCacheable = /^\/(?:toplist|clientconfig)|^\/api\/2\/(?:tags?\/|trending)/.test(path)
  for (const client of [ida, anyone]) {
    const { headers } = await client.get(fillPath(path))
    expect(headers.get('cache-control')).toBe(isCacheable ? 'public, max-age=300' : 'no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const policy = headers.get('content-security-policy')
    expect(policy).toStartWith("default-src 'none'; ")
    expect(policy).toEndWith("frame-ancestors 'none'")
    for (const name of ['server', 'x-powered-by', 'x-runtime']) expect(headers.has(name)).toBe(false)
  }
})

test.each(ALL.filter(({ path }) => !path.endsWith('/events')))(
  '$method $path grants CORS without credentials',
  async ({ method, path }) => {
    const isShared = /^\/(?:api\/2|subscriptions|suggestions|toplist|search|clientconfig)\b/.test(path)
    const headers = { origin: FOREIGN, 'access-control-request-method': method }
    const preflight = await anyone.call('OPTIONS', fillPath(path), { headers })
    const answer = await anyone.call(method, fillPath(path), { headers: { origin: FOREIGN } })
    for (const each of [preflight, answer]) {
      const granted = Object.fromEntries([...each.headers].filter(([name]) => name.startsWith('access-control-')))
      if (isShared) expect(granted).toMatchObject({ 'access-control-allow-origin': '*' })
      else expect(granted).toEqual({})
      expect(granted).not.toHaveProperty('access-control-allow-credentials')
    }
    if (!isShared) return expectError(preflight, 405, 'method_not_allowed')
    expect([preflight.status, preflight.text]).toEqual([204, ''])
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
      'access-control-allow-headers': 'Authorization, Content-Type',
    })
  },
)
