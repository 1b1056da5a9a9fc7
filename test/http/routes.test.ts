import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { basic, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { isRecord, operationsOf } from '../support/openapi.ts'
import { expectRefusal } from './refusal.ts'
import { stored } from './stored.ts'

/** What holds for every route of the API that is not for everybody: who may use it, and what is said to all others. */

const CHALLENGE = 'Basic realm="podcast sync", charset="UTF-8"'
const FOREIGN = 'https://evil.example'

const app = startTestApp({ settings: { rate_limit: 'false' } })
const ida = await signUp(app)
const ole = await signUp(app, 'ole')
await ida.post('/api/2/devices/ida/phone.json', {})
await ida.put('/subscriptions/ida/phone.txt', 'https://feeds.example/a\n')
const signIn = async (name: string) =>
  clientOf(app, cookieOf(await clientOf(app, basic(name, 'seaglass')).post(`/api/2/auth/${name}/login.json`)))
const idaByCookie = await signIn('ida')
const oleByCookie = await signIn('ole')
const anyone = clientOf(app)
const before = stored(app)

const { json: document } = await anyone.get('/openapi.json')
const CLOSED = operationsOf(document).flatMap(({ method, path, operation }) =>
  needsCredentials(operation) ? [{ method: method.toUpperCase(), path }] : [],
)

const ADMIN = CLOSED.filter(({ path }) => path.startsWith('/api/admin/'))
/** The path names a user. Signing in says in words of its own that the names differ. */
const NAMED = CLOSED.filter(
  ({ path }) => path.includes('{username}') && !path.startsWith('/api/admin/') && !path.includes('/auth/'),
)

function needsCredentials({ security }: Record<string, unknown>): boolean {
  return Array.isArray(security) && security.every((way) => isRecord(way) && Object.keys(way).length > 0)
}

function fill(path: string, username = 'ida'): string {
  const values: Record<string, string> = { username, deviceid: 'phone', format: 'json', scope: 'account' }
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '1')
}

/** Bodies that nobody may send who is refused: good, broken, of the wrong type, and larger than any. */
const bodiesFor = (method: string): readonly unknown[] =>
  method === 'GET' ? [undefined] : [undefined, {}, '{', [], new Uint8Array(11 * 1024 * 1024)]

test('the tables are long', () => {
  expect([CLOSED.length > 40, ADMIN.length > 20, NAMED.length > 12]).toEqual([true, true, true])
})

describe.each(CLOSED)('$method $path', ({ method, path }) => {
  test('asks anybody to sign in first, whoever the path names and whatever the body is', async () => {
    for (const name of ['ida', 'nobody'])
      for (const body of bodiesFor(method)) {
        const answer = await anyone.call(method, fill(path, name), { body })
        expectRefusal(answer, 401, 'unauthorized')
        expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE)
        expect(answer.headers.get('cache-control')).toBe('no-store')
        expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
      }
    expect(stored(app)).toBe(before)
  })

  test('sends no challenge to a script, so that no browser asks for a password', async () => {
    const answer = await anyone.call(method, fill(path), { headers: { 'x-requested-with': 'x' } })
    expectRefusal(answer, 401, 'unauthorized')
    expect(answer.headers.get('www-authenticate')).toBeNull()
  })

  test('takes no wrong password, not even beside a good cookie', async () => {
    for (const client of [anyone, idaByCookie]) {
      const answer = await client.call(method, fill(path), { headers: basic('ida', 'wrong') })
      expectRefusal(answer, 401, 'invalid_credentials')
      expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE)
    }
    expect(stored(app)).toBe(before)
  })
})

test.each(NAMED)('$method $path is forbidden to others, whether or not there is such a user (D23)', async (route) => {
  const { method, path } = route
  for (const client of [ole, oleByCookie])
    for (const body of bodiesFor(method)) {
      const existing = await client.call(method, fill(path, 'ida'), { body })
      expectRefusal(existing, 403, 'forbidden')
      expect((await client.call(method, fill(path, 'nobody'), { body })).text).toBe(existing.text)
    }
  // The first account is an administrator, which opens nobody's data either.
  expectRefusal(await ida.call(method, fill(path, 'ole')), 403, 'forbidden')
  expect(stored(app)).toBe(before)
})

describe.each(ADMIN)('$method $path', ({ method, path }) => {
  test('is closed to ordinary users, whatever the path names and the body is', async () => {
    for (const client of [ole, oleByCookie])
      for (const name of ['ida', 'nobody'])
        for (const body of bodiesFor(method))
          expectRefusal(await client.call(method, fill(path, name), { body }), 403, 'admin_required')
    expect(stored(app)).toBe(before)
  })

  test('is read by no page of another origin, which cannot ask about it either', async () => {
    for (const client of [anyone, ole]) {
      const { headers } = await client.call(method, fill(path), { headers: { origin: FOREIGN } })
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
    const preflight = await anyone.call('OPTIONS', fill(path), { headers: { origin: FOREIGN } })
    expectRefusal(preflight, 405, 'method_not_allowed')
  })
})

test('an administrator who is one no longer is shut out at once, by password and by cookie', async () => {
  const own = startTestApp()
  const { administration } = own.services
  await signUp(own)
  const eva = await signUp(own, 'eva')
  await administration.setAdmin('eva', true, COMMAND_LINE)
  const path = '/api/admin/stats'
  const answer = await eva.get(path)
  const browser = clientOf(own, cookieOf(answer))
  expect([answer.status, (await browser.get(path)).status]).toEqual([200, 200])
  await administration.setAdmin('eva', false, COMMAND_LINE)
  for (const client of [eva, browser]) expectRefusal(await client.get(path), 403, 'admin_required')
  await administration.setActive('eva', false, COMMAND_LINE)
  expectRefusal(await eva.get(path), 403, 'account_inactive')
  expectRefusal(await browser.get(path), 401, 'unauthorized')
})

test.each(['/api/admin', '/api/admin/user', '/api/admin/users/kai/email', '/api/2/admin/users'])(
  '%s is no address at all',
  async (path) => expectRefusal(await ida.get(path), 404, 'not_found'),
)
