import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { type Answer, basic, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { COMMAND_LINE } from '../support/command-line.ts'
import { PROTECTED } from './accounts.ts'
import { expectRefusal } from './refusal.ts'

interface Scene {
  readonly app: TestApp
  /** Administrator, by password. */
  readonly ida: Client
  readonly anyone: Client
}

const eva = { username: 'eva', password: 'seagrass', email: 'eva@pods.example' }
const asEva = basic(eva.username, eva.password)
const UPLOAD = '/api/2/subscriptions/ida/phone.json'

/** Every word an answer can carry today, its status, the field it blames, and a request that provokes it. */
const REFUSALS: readonly [
  word: string,
  status: number,
  field: string | undefined,
  (scene: Scene) => Promise<Answer>,
][] = [
  ['invalid_json', 400, undefined, ({ ida }) => ida.post(UPLOAD, '{')],
  ['validation_failed', 400, 'add', ({ ida }) => ida.post(UPLOAD, { add: 7 })],
  ['invalid_format', 400, undefined, ({ ida }) => ida.get('/subscriptions/ida.pdf')],
  ['username_mismatch', 400, undefined, ({ ida }) => ida.post('/api/2/auth/ole/login.json')],
  ['unauthorized', 401, undefined, ({ anyone }) => anyone.get('/api/2/me')],
  ['invalid_credentials', 401, undefined, ({ anyone }) => anyone.get('/api/2/me', { headers: basic('ida', 'wrong') })],
  ['forbidden', 403, undefined, ({ ida }) => ida.get('/api/2/devices/ole.json')],
  ['account_pending', 403, undefined, ({ anyone }) => anyone.get('/api/2/me', { headers: asEva })],
  [
    'account_inactive',
    403,
    undefined,
    async ({ app, anyone }) => {
      await app.services.administration.setActive('eva', false, COMMAND_LINE)
      return anyone.get('/api/2/me', { headers: asEva })
    },
  ],
  [
    'wrong_password',
    403,
    'old_password',
    ({ ida }) => ida.post('/api/2/me/password', { old_password: 'wrong', new_password: 'driftwood' }),
  ],
  [
    'csrf_rejected',
    403,
    undefined,
    async ({ ida, anyone }) => {
      const headers = { ...cookieOf(await ida.get('/api/2/me')), origin: 'https://evil.example' }
      return anyone.post(UPLOAD, {}, { headers })
    },
  ],
  ['not_found', 404, undefined, ({ anyone }) => anyone.get('/nothing')],
  ['unknown_device', 404, undefined, ({ ida }) => ida.delete('/api/2/devices/ida/none.json')],
  ['method_not_allowed', 405, undefined, ({ anyone }) => anyone.put('/api/2/me')],
  ['username_taken', 409, 'username', ({ anyone }) => anyone.post('/api/2/register', { ...eva, email: 'e@x' })],
  ['email_taken', 409, 'email', ({ anyone }) => anyone.post('/api/2/register', { ...eva, username: 'liv' })],
  ['payload_too_large', 413, undefined, ({ ida }) => ida.post(UPLOAD, ' '.repeat(10 * 1024 * 1024 + 1))],
  [
    'unsupported_encoding',
    415,
    undefined,
    ({ ida }) => ida.post(UPLOAD, '{}', { headers: { 'content-encoding': 'br' } }),
  ],
  [
    'rate_limited',
    429,
    undefined,
    async ({ anyone }) => {
      for (let n = 0; n < 10; n++) await anyone.get('/api/2/me', { headers: basic('ida', `wrong ${n}`) })
      return anyone.get('/api/2/me', { headers: basic('ida', 'wrong') })
    },
  ],
  [
    'internal',
    500,
    undefined,
    ({ app, ida }) => {
      app.db.run('DROP TABLE devices')
      return ida.get('/api/2/devices/ida.json')
    },
  ],
  [
    'unavailable',
    503,
    undefined,
    ({ app, ida }) => {
      app.db.run('PRAGMA query_only = ON')
      return ida.post(UPLOAD, {})
    },
  ],
]

async function open(): Promise<Scene> {
  const app = startTestApp({ settings: { registration: 'invite' } })
  app.clock.advance(1)
  await signUp(app)
  const anyone = clientOf(app)
  expect(await anyone.post('/api/2/register', eva)).toMatchObject({ status: 200 })
  return { app, ida: clientOf(app, basic('ida', 'seaglass')), anyone }
}

describe('every refusal is the one error object', () => {
  test.each(REFUSALS)('%s is %i', async (word, status, field, provoke) => {
    const answer = await provoke(await open())
    expectRefusal(answer, status, word, field)
    const { headers } = answer
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.has('retry-after')).toBe(status === 429 || status === 503)
    expect(headers.has('allow')).toBe(status === 405)
    expect(headers.has('www-authenticate')).toBe(status === 401)
  })

  test('whatever the client would rather have', async () => {
    const { anyone } = await open()
    for (const accept of ['text/html', 'application/xml', 'image/png;q=1, */*;q=0', '']) {
      expectRefusal(await anyone.get('/api/2/me', { headers: { accept } }), 401, 'unauthorized')
    }
  })
})

describe('a rejected body is not shown again', () => {
  const canary = 'canary-in-the-body'
  const bodies: readonly [string, unknown][] = [
    ['as broken JSON', `{"add": ["${canary}"`],
    ['as text', canary],
    ['as a JSON text', JSON.stringify(canary)],
    ['as a key', { [canary]: [{ [canary]: canary }] }],
    ['as a list', [canary]],
    ['as a list of objects', [{ podcast: canary, episode: 7, action: canary, timestamp: canary, device: canary }]],
    [
      'as every field, of the wrong type',
      Object.fromEntries(
        ['add', 'remove', 'caption', 'type', 'old_password', 'new_password', 'username', 'password', 'email']
          .concat('synchronize', 'stop-synchronize')
          .map((key) => [key, { [canary]: canary }]),
      ),
    ],
  ]
  const paths = [
    '/api/2/register',
    ...PROTECTED.filter(([method, path]) => method === 'POST' && path.endsWith('.json')).map(([, path]) => path),
    '/api/2/me/password',
  ]

  test.each(bodies)('%s', async (_case, body) => {
    const { ida, app } = await open()
    let refused = 0
    for (const path of paths) {
      const answer = await ida.post(path, body)
      if (answer.status !== 200) refused++
      expect(answer.text).not.toContain(canary)
      expect(JSON.stringify([...answer.headers])).not.toContain(canary)
    }
    // A device change ignores keys it does not know.
    expect(refused).toBeGreaterThanOrEqual(paths.length - 3)
    expect(app.logs.join('')).not.toContain(canary)
  })
})
