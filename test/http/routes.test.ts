import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { fillPath, needsCredentials, operationsOf } from '../support/openapi.ts'
import { expectError } from './error.ts'
import { stored } from './stored.ts'

/** What holds for every route of the API: who may use it, who may keep the answer, and how HEAD and other origins are answered. */

const CHALLENGE = 'Basic realm="podcast sync", charset="UTF-8"'
const FOREIGN = 'https://evil.example'

const app = startTestApp({ settings: { rate_limit: 'false' } })
const ida = await signUp(app)
const ole = await signUp(app, 'ole')
await signUp(app, 'kim')
await ida.post('/api/admin/users/kim/deactivate')
await ida.post('/api/2/devices/ida/phone.json', {})
await ida.put('/subscriptions/ida/phone.txt', 'https://feeds.example/a\n')
const signIn = async (name: string) =>
  clientOf(app, cookieOf(await clientOf(app, basic(name, 'seaglass')).post(`/api/2/auth/${name}/login.json`)))
const idaByCookie = await signIn('ida')
const oleByCookie = await signIn('ole')
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
/** The path names a user. Signing in says in words of its own that the names differ. */
const NAMED = CLOSED.filter(
  ({ path }) => path.includes('{username}') && !path.startsWith('/api/admin/') && !path.includes('/auth/'),
)
/** All but streams of events. */
const READS = ALL.filter(({ method, path }) => method === 'GET' && !/\/(?:events|connection)$/.test(path))

/** Bodies that nobody may send who is refused: good, broken, of the wrong type, and larger than any. */
const bodiesFor = (method: string): readonly unknown[] =>
  method === 'GET' ? [undefined] : [undefined, {}, '{', [], new Uint8Array(11 * 1024 * 1024)]

test('the tables are long', () => {
  expect([CLOSED.length > 40, ADMIN.length > 20, NAMED.length > 12, READS.length > 40]).toEqual(Array(4).fill(true))
})

describe.each(CLOSED)('$method $path', ({ method, path }) => {
  test('asks anybody to sign in first, whichever user the path names and whatever the body is', async () => {
    for (const username of ['ida', 'nobody'])
      for (const body of bodiesFor(method)) {
        const answer = await anyone.call(method, fillPath(path, { username }), { body })
        expectError(answer, 401, 'unauthorized')
        expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE)
      }
    expect(await stored(app)).toBe(before)
  })

  test('sends no challenge to a script, so that no browser asks for a password', async () => {
    const answer = await anyone.call(method, fillPath(path), { headers: { 'x-requested-with': 'x' } })
    expectError(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toBeNull()
  })

  test('takes no wrong password, not even beside a good cookie', async () => {
    for (const client of [anyone, idaByCookie]) {
      const answer = await client.call(method, fillPath(path), { headers: basic('ida', 'wrong') })
      expectError(answer, 401, 'invalid_credentials')
      expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE)
    }
    expect(await stored(app)).toBe(before)
  })
})

test.each(NAMED)('$method $path is forbidden to others, whether or not there is such a user (D23)', async (route) => {
  const { method, path } = route
  // However the name is spelt; the Kelvin sign folds to a k.
  const names = ['nobody', 'IDA', 'ida%20', '%2569da', 'olef', 'current', 'bo%E2%84%AA']
  for (const client of [ole, oleByCookie]) {
    for (const body of bodiesFor(method))
      expectError(await client.call(method, fillPath(path), { body }), 403, 'forbidden')
    const { text } = await client.call(method, fillPath(path))
    for (const username of names) expect((await client.call(method, fillPath(path, { username }))).text).toBe(text)
  }
  // The first account is an administrator, which opens nobody's data either.
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

test.each(ADMIN)('$method $path is closed to ordinary users, whatever it names and the body is', async (route) => {
  const { method, path } = route
  for (const client of [ole, oleByCookie])
    for (const username of ['ida', 'nobody'])
      for (const body of bodiesFor(method))
        expectError(await client.call(method, fillPath(path, { username }), { body }), 403, 'admin_required')
  expect(await stored(app)).toBe(before)
})

test.each(READS)('HEAD $path is GET without the body', async ({ path }) => {
  for (const client of [ida, anyone]) {
    const get = await client.get(fillPath(path))
    const head = await client.call('HEAD', fillPath(path))
    expect([head.status, head.text]).toEqual([get.status, ''])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)))
    for (const name of ['content-type', 'cache-control', 'access-control-allow-origin', 'set-cookie'])
      expect(head.headers.get(name)).toBe(get.headers.get(name))
  }
})

test.each(READS)('GET $path is kept only if it is for everybody, and its type is not guessed', async ({ path }) => {
  const isKept = /^\/(?:toplist|clientconfig)|^\/api\/2\/(?:tags?\/|trending)/.test(path)
  for (const client of [ida, anyone]) {
    const { headers } = await client.get(fillPath(path))
    expect(headers.get('cache-control')).toBe(isKept ? 'public, max-age=300' : 'no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test.each(READS)('GET $path runs and loads nothing where a browser shows it, and is in no frame', async ({ path }) => {
  for (const client of [ida, anyone]) {
    const { headers } = await client.get(fillPath(path))
    const policy = headers.get('content-security-policy')
    expect(policy).toStartWith("default-src 'none'; ")
    expect(policy).toEndWith("frame-ancestors 'none'")
  }
})

test.each(READS)('GET $path tells nothing of the programs behind it', async ({ path }) => {
  const { headers } = await ida.get(fillPath(path))
  for (const name of ['server', 'x-powered-by', 'x-runtime']) expect(headers.has(name)).toBe(false)
})

test.each(ALL.filter(({ path }) => !path.endsWith('/events')))('$method $path by CORS', async ({ method, path }) => {
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
})
