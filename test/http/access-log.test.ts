import { expect, test } from 'bun:test'
import { startTestApp, type TestApp } from '../support/app.ts'
import { basic, clientOf, signUp } from '../support/client.ts'

async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings: { access_log: 'true', registration: 'open', ...settings } })
  const ida = await signUp(app)
  await linesOf(app)
  app.logs.length = 0
  return { app, ida }
}

/** What the log says, once the lines of requests are written. */
async function linesOf({ logs }: TestApp): Promise<Record<string, unknown>[]> {
  await new Promise((resolve) => setImmediate(resolve))
  return logs
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line))
}

const DELTA = '/api/2/subscriptions/:username/:device'

const REQUESTS: [method: string, path: string, status: number, route: string, userId: number | undefined][] = [
  ['GET', '/api/2/subscriptions/ida/ida-pixel.json?since=0', 200, DELTA, 1],
  ['GET', '//api/2/subscriptions/ida/ida-pixel.JSON', 200, DELTA, 1],
  ['HEAD', '/api/2/subscriptions/ida/ida-pixel.json', 200, DELTA, 1],
  ['POST', '/api/2/subscriptions/ida/ida-pixel.json', 200, DELTA, 1],
  // An error at each stage: authorization, device ID, parameters.
  ['GET', '/api/2/subscriptions/ole/ida-pixel.json', 403, DELTA, 1],
  ['POST', '/api/2/subscriptions/ole/ida-pixel.json', 403, DELTA, 1],
  ['GET', '/api/2/subscriptions/ida/ida-pixel', 404, DELTA, 1],
  ['GET', '/api/2/subscriptions/ida/ida-pixel.json?since=yesterday', 400, DELTA, 1],
  ['GET', '/search.json?q=ida', 200, '/search.:format', 1],
  ['GET', '/login', 200, '/login', undefined],
  ['OPTIONS', '/api/2/subscriptions/ida/ida-pixel.json', 204, 'none', undefined],
  ['GET', '/ida-pixel', 404, 'none', undefined],
  ['PUT', '/api/2/subscriptions/ida/ida-pixel.json', 405, 'none', undefined],
]

test.each(REQUESTS)('one line for %s %s, without its address', async (method, path, status, route, userId) => {
  const { app, ida } = await open()
  const body = method === 'POST' ? { add: ['https://feeds.example/s3cret'] } : undefined
  expect(await ida.call(method, path, { body })).toMatchObject({ status })
  const [line, ...more] = await linesOf(app)
  expect(more).toEqual([])
  expect(line).toEqual({
    level: 'info',
    time: expect.any(String),
    msg: 'request',
    method,
    route,
    status,
    ms: 0,
    ...(userId !== undefined && { user_id: userId }),
    request_id: expect.stringMatching(/^[0-9a-f]{12}$/),
  })
  expect(app.logs.join('')).not.toMatch(/ida|ole|seaglass|s3cret|yesterday/)
})

test('a line holds the route below a sub-path as well', async () => {
  const app = startTestApp({ settings: { access_log: 'true', base_url: 'http://localhost/casts' } })
  await clientOf(app).get('/casts/api/2/me')
  expect(await linesOf(app)).toMatchObject([{ route: '/casts/api/2/me', status: 401 }])
})

test('a malformed address is a line', async () => {
  const { app } = await open()
  await clientOf(app, { host: 'a.example,b.example' }).get('/')
  expect(await linesOf(app)).toMatchObject([{ route: 'none', status: 400 }])
})

test('wrong credentials are nobody’s', async () => {
  const { app } = await open()
  await clientOf(app, basic('ida', 'wrong')).get('/api/2/me')
  expect(await linesOf(app)).toMatchObject([{ route: '/api/2/me', status: 401 }])
  expect((await linesOf(app))[0]).not.toHaveProperty('user_id')
})

test('health checks are lines at debug only', async () => {
  const { app } = await open()
  for (const path of ['/healthz', '/readyz', '/health']) await clientOf(app).get(path)
  expect((await linesOf(app)).map(({ level, route }) => [level, route])).toEqual([
    ['debug', '/healthz'],
    ['debug', '/readyz'],
    ['debug', '/health'],
  ])
})

test('a fault of the server has the same ID in its answer, in its error line and in the line of the request', async () => {
  const { app, ida } = await open()
  app.db.run('ALTER TABLE devices RENAME TO lost')
  const { text } = await ida.get('/api/2/devices/ida.json')
  const [failure, line] = await linesOf(app)
  expect(line).toMatchObject({ msg: 'request', route: '/api/2/devices/:username', status: 500 })
  expect(failure).toMatchObject({ msg: 'request failed', request_id: line?.['request_id'] })
  expect(text).toContain(String(line?.['request_id']))
})

test('requests have an ID each', async () => {
  const { app, ida } = await open()
  await Promise.all([ida.get('/api/2/me'), ida.get('/api/2/me'), ida.get('/nowhere')])
  expect(new Set((await linesOf(app)).map((line) => line['request_id'])).size).toBe(3)
})

test('access_log = false writes none', async () => {
  const { app, ida } = await open({ access_log: 'false' })
  await ida.get('/api/2/me')
  await ida.get('/nowhere')
  expect(await linesOf(app)).toEqual([])
})
