import { expect, test } from 'bun:test'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../../support/app.ts'
import { basic, clientOf, signUp } from '../../support/client.ts'

async function open(settings: Record<string, string> = {}, options: TestAppOptions = {}) {
  const app = startTestApp({ ...options, settings: { access_log: 'true', ...settings } })
  const ida = await signUp(app)
  await linesOf(app)
  app.logs.length = 0
  return { app, ida, anyone: clientOf(app) }
}

/** Log lines, after those of requests were written. */
async function linesOf({ logs }: TestApp): Promise<Record<string, unknown>[]> {
  await new Promise((resolve) => setImmediate(resolve))
  const lines = logs.join('').split('\n')
  return lines.filter((line) => line !== '').map((line): Record<string, unknown> => JSON.parse(line))
}

const DELTA = '/api/2/subscriptions/:username/:device'

test.each<[method: string, path: string, status: number, route: string, userId: number | undefined]>([
  ['GET', '/api/2/subscriptions/ida/ida-pixel.json?since=0', 200, DELTA, 1],
  ['POST', '/api/2/subscriptions/ida/ida-pixel.json', 200, DELTA, 1],
  // An error at each stage: authorization, device ID, parameters.
  ['POST', '/api/2/subscriptions/ole/ida-pixel.json', 403, DELTA, 1],
  ['GET', '/api/2/subscriptions/ida/ida-pixel.json?since=yesterday', 400, DELTA, 1],
  ['GET', '/search.json?q=ida', 200, '/search.:format', 1],
  ['GET', '/login', 200, '/login', undefined],
  ['OPTIONS', '/api/2/subscriptions/ida/ida-pixel.json', 204, 'none', undefined],
  ['GET', '/ida-pixel', 404, 'none', undefined],
  ['PUT', '/api/2/subscriptions/ida/ida-pixel.json', 405, 'none', undefined],
])('%s %s is logged in one line without its path', async (method, path, status, route, userId) => {
  const { app, ida } = await open()
  const body = method === 'POST' ? { add: ['https://feeds.example/s3cret'] } : undefined
  expect(await ida.call(method, path, { body })).toMatchObject({ status })
  expect(await linesOf(app)).toEqual([
    {
      ...{ level: 'info', time: expect.any(String), msg: 'request', method, route, status, ms: 0 },
      ...(userId !== undefined && { user_id: userId }),
      request_id: expect.stringMatching(/^[0-9a-f]{12}$/),
    },
  ])
  expect(app.logs.join('')).not.toMatch(/ida|ole|seaglass|s3cret|yesterday/)
})

const ME = '/api/2/me'
type Texts = Record<string, string>

test.each<[string, settings: Texts, headers: Texts, path: string, expected: object]>([
  ['below a sub-path contains it', { base_url: 'http://localhost/casts' }, {}, `/casts${ME}`, { route: `/casts${ME}` }],
  ['with a malformed address names no route', {}, { host: 'a.example,b.example' }, '/', { route: 'none', status: 400 }],
  ['with wrong credentials names no user', {}, basic('ida', 'wrong'), ME, { route: ME, status: 401 }],
])('the line of a request %s', async (_case, settings, headers, path, expected) => {
  const { app } = await open(settings)
  await clientOf(app, headers).get(path)
  const lines = await linesOf(app)
  expect(lines).toMatchObject([expected])
  expect(lines[0]).not.toHaveProperty('user_id')
})

test('health checks are logged at level debug', async () => {
  const { app, anyone } = await open()
  const paths = ['/healthz', '/readyz', '/health']
  for (const path of paths) await anyone.get(path)
  const lines = (await linesOf(app)).map(({ level, route }) => `${level} ${route}`)
  expect(lines).toEqual(paths.map((path) => `debug ${path}`))
})

test('a fault of the server has its own ID in the answer, the error line and the line of the request', async () => {
  const { app, ida } = await open({}, { db: openMemoryDatabase() })
  app.db.run('ALTER TABLE devices RENAME TO lost')
  const { text } = await ida.get('/api/2/devices/ida.json')
  await ida.get('/nowhere')
  const [failure, line, other] = await linesOf(app)
  expect(line).toMatchObject({ msg: 'request', route: '/api/2/devices/:username', status: 500 })
  expect(failure).toMatchObject({ msg: 'request failed', request_id: line?.['request_id'] })
  expect(text).toContain(String(line?.['request_id']))
  expect(other?.['request_id']).not.toBe(line?.['request_id'])
})

test('an error response has the ID of its log line, and other responses have none', async () => {
  const { app, ida, anyone } = await open()
  const failed = [
    await anyone.get('/api/2/me'),
    await ida.call('HEAD', '/nowhere'),
    await ida.call('PUT', '/api/2/me'),
    await clientOf(app, { host: 'a.example,b.example' }).get('/'),
  ]
  expect((await ida.get('/api/2/me')).headers.has('x-request-id')).toBe(false)
  const lines = await linesOf(app)
  expect(failed.map(({ headers }) => headers.get('x-request-id'))).toEqual(
    lines.slice(0, 4).map((line) => String(line['request_id'])),
  )
})

test('access_log = false writes no lines', async () => {
  const { app, ida } = await open({ access_log: 'false' })
  for (const path of ['/api/2/me', '/nowhere']) await ida.get(path)
  expect(await linesOf(app)).toEqual([])
})
