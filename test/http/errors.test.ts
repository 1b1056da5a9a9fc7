import { describe, expect, test } from 'bun:test'
import { createPasswordHasher } from '../../src/platform/password.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Answer, basic, type CallOptions, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { expectError } from './error.ts'

interface Scene {
  readonly app: TestApp
  /** Administrator, by password. */
  readonly ida: Client
  readonly anyone: Client
}

const UPLOAD = '/api/2/subscriptions/ida/phone.json'
const ME = '/api/2/me'

/** On SQLite, whose tables the tests break. */
async function open(): Promise<Scene> {
  const app = startTestApp({ db: openMemoryDatabase() })
  app.clock.advance(1)
  return { app, ida: await signUp(app), anyone: clientOf(app) }
}

/** Log lines as objects. */
const logged = ({ logs }: TestApp): unknown[] => logs.map((line) => JSON.parse(line))

// An error of each status, and a request that causes it.
test.each<[code: string, status: number, (scene: Scene) => Promise<Answer>]>([
  ['invalid_json', 400, ({ ida }) => ida.post(UPLOAD, '{')],
  ['validation_failed', 400, ({ ida }) => ida.post(UPLOAD, { add: 7 })],
  ['invalid_credentials', 401, ({ anyone }) => anyone.get(ME, { headers: basic('ida', 'wrong') })],
  ['forbidden', 403, ({ ida }) => ida.get('/api/2/devices/ole.json')],
  ['not_found', 404, ({ anyone }) => anyone.get('/nothing')],
  ['method_not_allowed', 405, ({ anyone }) => anyone.put(ME)],
  ['unauthorized', 401, ({ anyone }) => anyone.get(ME, { headers: { accept: 'text/html' } })],
  ['last_admin', 409, ({ ida }) => ida.delete('/api/admin/users/ida')],
  ['payload_too_large', 413, ({ ida }) => ida.post(UPLOAD, ' '.repeat(10 * 1024 * 1024 + 1))],
  ['unsupported_encoding', 415, ({ ida }) => ida.post(UPLOAD, '', { headers: { 'content-encoding': 'br' } })],
  [
    'rate_limited',
    429,
    async ({ anyone }) => {
      for (let n = 0; n < 10; n++) await anyone.get(ME, { headers: basic('ida', `wrong ${n}`) })
      return anyone.get(ME, { headers: basic('ida', 'wrong') })
    },
  ],
  [
    'internal',
    500,
    ({ app, ida }) => {
      app.db.run('DROP TABLE devices')
      return ida.get('/api/2/devices/ida.json')
    },
  ],
  [
    'unavailable',
    503,
    ({ app, ida }) => {
      app.db.run('PRAGMA query_only = ON')
      return ida.post(UPLOAD, {})
    },
  ],
])('%s is %i and the one error object', async (code, status, cause) => {
  const scene = await open()
  const answer = await cause(scene)
  expectError(answer, status, code, code === 'validation_failed' ? 'add' : undefined)
  const { headers } = answer
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.has('retry-after')).toBe(status === 429 || status === 503)
  expect(headers.has('allow')).toBe(status === 405)
  expect(headers.has('www-authenticate')).toBe(status === 401)
  // Only faults of the server are logged.
  if (status < 500) expect(scene.app.logs.filter((line) => line.includes('"error"'))).toEqual([])
})

test.each<[method: string, path: string, body: unknown]>([
  ['GET', '/api/2/devices/ida.json', undefined],
  ['POST', '/api/2/devices/ida/ida-pixel.json', { caption: 'Pixel' }],
  ['PUT', '/subscriptions/ida/ida-pixel.txt', 'https://feeds.example/a\n'],
])('a fault is 500 with a reference to its log line, which names no user: %s %s', async (method, path, body) => {
  // Fails like a bug would.
  const { app, ida } = await open()
  app.db.run('ALTER TABLE devices RENAME TO lost')
  const answer = await ida.call(method, path, { body })
  expectError(answer, 500, 'internal')
  const [, reference = ''] = /"internal error, noted in the server's log as ([0-9a-f]{12})"/.exec(answer.text) ?? []
  const devices = expect.stringContaining('devices')
  expect(logged(app)).toEqual([
    expect.objectContaining({
      ...{ level: 'error', msg: 'request failed', request_id: reference, method },
      error: expect.objectContaining({ message: devices, stack: devices }),
    }),
  ])
  expect(logged(app)).not.toContainEqual(expect.objectContaining({ path: expect.stringContaining('ida') }))
})

test('a stored password hash in an unknown format is a fault, and stays secret', async () => {
  const app = startTestApp({ db: openMemoryDatabase(), hasher: createPasswordHasher() })
  app.db.run(`INSERT INTO users (username, username_key, password_hash, state, created_at)
    VALUES ('ida', 'ida', 'canary$hash', 'active', 0)`)
  const answer = await clientOf(app, basic('ida', 'seaglass')).get(ME)
  expectError(answer, 500, 'internal')
  expect(logged(app)).toHaveLength(1)
  expect(app.logs.join('') + answer.text).not.toMatch(/canary|seaglass/)
})

describe('no log line and no answer contains passwords, cookies, Authorization values, or their hashes', () => {
  const [PASSWORD, NEXT, WRONG] = ['canary1seaglass', 'canary2driftwood', 'canary3wrong']
  const UNDECODABLE = 'canary5undecodable!'
  const FOREIGN_COOKIE = 'canary6'.padEnd(43, 'x')
  /** Too long and too short for a password, since users paste wrong texts. */
  const LONG = `canary7${'x'.repeat(300)}`
  const SHORT = '~7~'

  /** Collects all secrets that were sent, received or stored. */
  async function openWatched() {
    const app = startTestApp({ db: openMemoryDatabase(), settings: { registration: 'open' } })
    await signUp(app, 'ida', PASSWORD)
    const answers: Answer[] = []
    const secrets = new Set([PASSWORD, NEXT, WRONG, 'canary4bearer', UNDECODABLE, FOREIGN_COOKIE, LONG, SHORT])

    async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
      const [scheme, encoded] = options.headers?.['authorization']?.split(' ', 2) ?? []
      if (scheme === 'Basic' && encoded) secrets.add(encoded)
      const answer = await clientOf(app).call(method, path, options)
      const cookie = /sessionid=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1]
      if (cookie) secrets.add(cookie)
      answers.push(answer)
      return answer
    }

    function expectNothingShown(): void {
      const { db } = app
      for (const { hash } of db.query<{ hash: string }, []>('SELECT password_hash AS hash FROM users').all())
        if (hash) secrets.add(hash)
      for (const { hash } of db.query<{ hash: Uint8Array }, []>('SELECT token_hash AS hash FROM sessions').all())
        for (const encoding of ['hex', 'base64'] as const) secrets.add(Buffer.from(hash).toString(encoding))
      const seen = answers.map(({ status, headers, text }) => {
        // The only header that contains a secret on purpose.
        const shown = [...headers].filter(([name]) => name !== 'set-cookie')
        return JSON.stringify([status, shown]) + text
      })
      const shown = [...seen, ...app.logs].join('\n')
      expect([...secrets].filter((secret) => shown.includes(secret))).toEqual([])
    }
    return { app, call, answers, expectNothingShown }
  }

  const good = basic('ida', PASSWORD)

  test('after signing in, in requests that succeed and fail', async () => {
    const { call, expectNothingShown } = await openWatched()
    const login = '/api/2/auth/ida/login.json'
    const change = '/api/2/me/password'
    const cookie = cookieOf(await call('POST', login, { headers: good }))
    const right = { old_password: PASSWORD, new_password: NEXT }
    const requests: [status: number, method: string, path: string, headers: Record<string, string>, body?: unknown][] =
      [
        [401, 'POST', login, basic('ida', WRONG)],
        [401, 'POST', login, basic(WRONG, PASSWORD)],
        [200, 'GET', ME, good],
        [401, 'GET', ME, basic('nobody', WRONG)],
        [401, 'GET', ME, { authorization: 'Bearer canary4bearer' }],
        [400, 'GET', ME, { authorization: `Basic ${UNDECODABLE}` }],
        [401, 'GET', ME, { cookie: `sessionid=${FOREIGN_COOKIE}` }],
        [200, 'GET', ME, cookie],
        [404, 'GET', '/nowhere', { ...cookie, ...good }],
        [405, 'PATCH', ME, { ...cookie, ...good }],
        [403, 'GET', '/api/2/devices/ole.json', { ...cookie, ...good }],
        [403, 'POST', change, good, { ...right, old_password: WRONG }],
        [400, 'POST', change, good, { ...right, new_password: SHORT }],
        [400, 'POST', change, good, { ...right, new_password: LONG }],
        [400, 'POST', change, good, { ...right, new_password: { value: NEXT } }],
        [400, 'POST', change, good, `{"old_password": "${PASSWORD}", "new_password": "${NEXT}`],
        [403, 'POST', change, { ...cookie, origin: 'https://evil.example' }, right],
        [200, 'POST', change, cookie, right],
        [200, 'POST', '/api/2/auth/ida/logout.json', cookie],
      ]
    for (const [status, method, path, headers, body] of requests)
      expect([path, (await call(method, path, { headers, body })).status]).toEqual([path, status])
    expectNothingShown()
  })

  test('after registration, too many failures, and faults of the server', async () => {
    const { app, call, answers, expectNothingShown } = await openWatched()
    const ole = { username: 'ole', password: PASSWORD }
    const wrong = [{ password: WRONG }, { password: SHORT }, { password: LONG }, { username: 'not a name' }]
    for (const body of [ole, ...wrong.map((each) => ({ ...ole, ...each })), `{"password": "${PASSWORD}`])
      await call('POST', '/api/2/register', { body })
    const cookie = cookieOf(await call('GET', ME, { headers: good }))
    app.db.run('ALTER TABLE devices RENAME TO gone')
    app.db.run('ALTER TABLE users RENAME COLUMN email_key TO gone')
    for (const headers of [good, cookie]) await call('GET', '/api/2/devices/ida.json', { headers })
    const eva = { username: 'eva', password: NEXT, email: 'eva@pods.example' }
    await call('POST', '/api/2/register', { body: eva })
    for (let n = 0; n < 11; n++) await call('GET', ME, { headers: basic('ida', `${WRONG}${n}`) })
    const statuses = answers.map(({ status }) => status)
    expect([statuses.slice(0, 10), statuses.at(-1)]).toEqual([[200, 409, 400, 400, 400, 400, 200, 500, 500, 500], 429])
    expectNothingShown()
  })
})
