import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { normalizeUrl } from '../../src/http/request-url.ts'
import { startTestApp } from '../support/app.ts'
import { clientOf, signIn, signUp } from '../support/client.ts'
import { fillPath, needsBrowser, operationsOf, recordAt } from '../support/openapi.ts'
import { openWire } from '../support/wire.ts'
import { expectError } from './error.ts'

const ORIGIN = 'http://pods.example:8080'
const normalizePath = (path: string) => normalizeUrl(ORIGIN + path)?.slice(ORIGIN.length)

test.each([
  ['//api/2/devices/ida.json', '/api/2/devices/ida.json'],
  ['/api///2//devices////ida.json///', '/api/2/devices/ida.json'],
  ['//', '/'],
  ['/api/2/devices/ida.jsoN', '/api/2/devices/ida.json'],
  ['/subscriptions/ida.Jsonp', '/subscriptions/ida.jsonp'],
  ['/subscriptions/ida.XML/', '/subscriptions/ida.xml'],
  ['//a.JSON/?jsonp=X//Y/', '/a.json?jsonp=X//Y/'],
  ['/subscriptions/ida/My.JSON.TXT', '/subscriptions/ida/My.JSON.txt'],
])('the path %s is normalized to %s', (given, expected) => {
  expect(normalizePath(given)).toBe(expected)
  expect(normalizePath(expected)).toBe(expected)
})

test('other parts of a URL are unchanged, and invalid URLs rejected', () => {
  const PATHS = ['/', '/?a=//b/', '/api/2/episodes/ida.json?podcast=https://feeds.example//A/']
  for (const path of [...PATHS, '/subscriptions/ida/phone.MP3', '/a%2F%2Fb.json', '/a/b%2F', '/%zz'])
    expect(normalizePath(path)).toBe(path)
  for (const url of ['http://[::1]:8080/a', 'http://localhost/a', 'https://a/b,c', 'http://a/?x,y'])
    expect(normalizeUrl(url)).toBe(url)
  const ELSEWHERE = ['http://a.example,b.example/api/2/me', '/api/2/me', '', '*', 'pods.example/a', 'ftp://a/b']
  for (const url of [...ELSEWHERE, 'http://']) expect(normalizeUrl(url)).toBeUndefined()
})

async function open(settings: Record<string, string> = {}) {
  const app = startTestApp({ settings })
  return { app, ida: await signUp(app), anyone: clientOf(app) }
}

test('the format follows the last dot, and must be one that the path supports', async () => {
  const { ida } = await open()
  for (const device of ['v1.2.json', '.hidden', 'téléphone']) {
    const path = encodeURIComponent(device)
    expect(await ida.post(`/api/2/devices/ida/${path}.json`, { caption: 'x' })).toMatchObject({ status: 200 })
    expect((await ida.get('/api/2/devices/ida.json')).json).toContainEqual(expect.objectContaining({ id: device }))
    expect(await ida.get(`/subscriptions/ida/${path}.txt`)).toMatchObject({ status: 200 })
  }
  for (const path of ['/api/2/devices/ida', '/api/2/devices/ida.xml', '/api/2/sync-devices/ida.txt'])
    expectError(await ida.get(path), 404, 'not_found')
})

test('an unknown path is not found with any method', async () => {
  const { ida, anyone } = await open()
  for (const path of ['/api/2/nothing/ida.json', '/api/admin', '/api/admin/users/kai/email'])
    for (const client of [ida, anyone])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await client.call(method, path)
        expectError(answer, 404, 'not_found')
        expect(answer.headers.get('allow')).toBeNull()
      }
})

test('an unsupported method is answered with the supported ones, for HEAD as well', async () => {
  const { ida } = await open()
  const answer = await ida.get('//api/2/register/')
  expectError(answer, 405, 'method_not_allowed')
  const head = await ida.call('HEAD', '/api/2/register')
  expect([head.status, head.text]).toEqual([405, ''])
  for (const { headers } of [answer, head]) expect(headers.get('allow')).toBe('POST')
})

test.each<[string, string, number, string, string | undefined]>([
  ['GET', '/api/2/devices/%zz.json', 400, 'validation_failed', 'username'],
  ['POST', '/api/2/devices/ida/%E0%A4%A.json', 400, 'validation_failed', 'device'],
  ['DELETE', '/api/admin/users/%', 400, 'validation_failed', 'username'],
  ['GET', '/artwork/%?url=https://feeds.example/f', 400, 'validation_failed', 'size'],
  ['PUT', '/subscriptions/ida/%ff.opml', 400, 'validation_failed', 'device'],
  ['PUT', '/api/2/lists/ida/list/%ff.opml', 400, 'validation_failed', 'name'],
  ['POST', '/api/2/lists/ida/create.%ff', 400, 'invalid_format', undefined],
  ['GET', '/search.%', 400, 'invalid_format', undefined],
  ['GET', '/toplist/%', 404, 'not_found', undefined],
  ['GET', '/api/2/%', 404, 'not_found', undefined],
])('an invalid percent escape is refused in plain words: %s %s', async (method, path, status, code, field) => {
  const { ida } = await open()
  const answer = await ida.call(method, path)
  expectError(answer, status, code, field)
  expect(answer.text).not.toContain('Expected')
  if (field !== undefined) expect(answer.json).toMatchObject({ message: `${field} cannot be decoded` })
})

const { json: document } = await clientOf(startTestApp()).get('/openapi.json')

test.each(operationsOf(document).filter(({ path }) => path.includes('{id}')))(
  'the ID of $method $path has at most fifteen digits',
  async ({ method, path, operation }) => {
    const { app, ida } = await open()
    const client = needsBrowser(operation) ? await signIn(app) : ida
    const hasBody = operation['requestBody'] !== undefined
    const body = hasBody ? recordAt(operation, 'requestBody', 'content', 'application/json')['example'] : undefined
    const call = (id: string) => client.call(method.toUpperCase(), fillPath(path, { id }), { body })
    for (const id of ['x', '-1', '1.5', '0x1', "1'--", '%00', '1234567890123456'])
      expectError(await call(id), 400, 'validation_failed', 'id')
    for (const id of ['0', '999999', '000000000999999', '999999999999999']) expect((await call(id)).status).toBe(404)
  },
)

test('with a sub-path in base_url, all paths and their CORS rules are below it', async () => {
  const { ida, anyone } = await open({ base_url: 'https://home.example/podcasts' })
  for (const path of ['/api/2/devices/ida.json', '//api/2/me/', '/subscriptions/ida.OPML', '/openapi.json'])
    expect([path, (await ida.get(`//podcasts${path}`)).status]).toEqual([path, 200])
  expect(await ida.post('/podcasts/api/2/auth/ida/login.json')).toMatchObject({ status: 200 })
  for (const [path, status, origin] of [
    ['/podcasts/api/2/me', 204, '*'],
    ['/api/2/me', 404, null],
  ] as const) {
    expect((await anyone.call('OPTIONS', path)).status).toBe(status)
    expect((await anyone.get(path)).headers.get('access-control-allow-origin')).toBe(origin)
  }
  for (const path of ['/api/2/me', '/podcast/api/2/me', '/podcastsapi/2/me', '/podcasts/podcasts/api/2/me'])
    expectError(await ida.get(path), 404, 'not_found')
})

// A real connection, for requests that `new Request` would normalize or refuse.
const app = startTestApp()
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })

beforeAll(async () => {
  await signUp(app)
})
afterAll(() => server.stop(true))

/** Sends these lines as the head of a request, and returns the whole response. */
async function exchange(lines: readonly string[], body = ''): Promise<string> {
  using wire = await openWire(server.port ?? 0)
  wire.send([...lines, 'Connection: close', '', body].join('\r\n'))
  return await wire.until('}')
}

const statusOf = (answer: string) => Number(answer.split(' ', 2)[1])

describe('the Host header', () => {
  test('may be a name or an IP address', async () => {
    for (const host of ['pods.example:8080', '127.0.0.1', '[::1]:8080', 'pods_1', 'xn--pds-0na.example'])
      expect([host, statusOf(await exchange(['GET /healthz HTTP/1.1', `Host: ${host}`]))]).toEqual([host, 200])
    // Some load balancers send HTTP/1.0, which does not require it.
    expect(await exchange(['GET /healthz HTTP/1.0'])).toContain('{"status":"ok"}')
    expect(statusOf(await exchange(['GET //api/2/me HTTP/1.0']))).toBe(401)
  })

  // The last one is two headers, which may disagree.
  test.each(['a b', 'a/b', 'a?b', 'a@b', '"><script>', '', 'a,b', 'pods.example\r\nHost: evil.example'])(
    'is refused with the error object when malformed: %p',
    async (host) => {
      const answer = await exchange(['GET /healthz HTTP/1.1', `Host: ${host}`])
      expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*"error":"validation_failed"[\s\S]*"field":"Host"/)
      if (host.length > 3) expect(answer).not.toContain(host)
    },
  )

  test.each(['pods.example:99999', 'pods.example:x', '1.2.3.4.5', '[::1', 'a%b'])(
    'is refused when its URL cannot be parsed: %s',
    async (host) => {
      for (const line of ['HEAD /healthz', 'POST //api/2/register', 'OPTIONS /healthz']) {
        using wire = await openWire(server.port ?? 0)
        wire.send(`${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
        await wire.closed()
        expect(await wire.until('')).toStartWith('HTTP/1.1 400 ')
      }
    },
  )
})

test('request lines are normalized', async () => {
  const authorization = `Authorization: Basic ${btoa('ida:seaglass')}`
  for (const [line, status] of [
    ['GET //api//2/devices/ida.json/', 200],
    ['GET //pods.example/healthz', 404],
    ['GET http://pods.example/healthz', 200],
    ['GET /a/../healthz', 200],
    ['GET /api/2/devices/%zz.json', 400],
    ['GET /api/2/devices/%69da.json', 200],
  ] as const) {
    const answer = await exchange([`${line} HTTP/1.1`, 'Host: pods.example', authorization])
    expect([line, statusOf(answer)]).toEqual([line, status])
    if (status !== 200) expect(answer).toContain(`{"code":${status},`)
  }
})

const REGISTER = ['POST /api/2/register HTTP/1.1', 'Host: pods.example']

test('a body is refused by its Content-Length before it is sent', async () => {
  const answer = await exchange([...REGISTER, `Content-Length: ${10 * 1024 * 1024 + 1}`])
  expect(answer).toMatch(/^HTTP\/1.1 413 [\s\S]*"error":"payload_too_large"/)
})
