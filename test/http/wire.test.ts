import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openWire } from '../binary/support/wire.ts'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'

/** What only a real connection shows: requests that `new Request` would normalize or refuse before the server saw them. */
const app = startTestApp()
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, development: false, fetch: app.fetch })

beforeAll(async () => {
  await signUp(app)
})
afterAll(() => server.stop(true))

/** Sends these lines as the head of a request; tells the whole answer. */
async function exchange(lines: readonly string[], body = ''): Promise<string> {
  using wire = await openWire(server.port ?? 0)
  wire.send([...lines, 'Connection: close', '', body].join('\r\n'))
  return await wire.until('}')
}

const statusOf = (answer: string) => Number(answer.split(' ', 2)[1])

describe('the Host header', () => {
  test.each(['pods.example:8080', '127.0.0.1', '[::1]:8080', 'pods_1', 'xn--pds-0na.example'])(
    'may be %s',
    async (host) => expect(statusOf(await exchange(['GET /healthz HTTP/1.1', `Host: ${host}`]))).toBe(200),
  )

  // Two of them may disagree about whose server this is.
  test.each(['a b', 'a/b', 'a?b', 'a@b', '"><script>', '', 'a,b', 'pods.example\r\nHost: evil.example'])(
    'is refused with the error object when malformed: %p',
    async (host) => {
      const answer = await exchange(['GET /healthz HTTP/1.1', `Host: ${host}`])
      expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*"error":"validation_failed"[\s\S]*"field":"Host"/)
      if (host.length > 3) expect(answer).not.toContain(host)
    },
  )

  test('is not needed in HTTP/1.0, in which some load balancers still ask', async () => {
    expect(await exchange(['GET /healthz HTTP/1.0'])).toContain('{"status":"ok"}')
    expect(statusOf(await exchange(['GET //api/2/me HTTP/1.0']))).toBe(401)
  })

  test('is refused when missing', async () => {
    using wire = await openWire(server.port ?? 0)
    wire.send('GET /healthz HTTP/1.1\r\n\r\n')
    expect(await wire.until('\r\n\r\n')).toStartWith('HTTP/1.1 400 ')
  })
})

test.each([
  ['GET //api//2/devices/ida.json/', 200],
  ['GET //pods.example/healthz', 404],
  ['GET http://pods.example/healthz', 200],
  ['GET /a/../healthz', 200],
  ['GET /api/2/devices/%zz.json', 400],
  ['GET /api/2/devices/%69da.json', 200],
])('the address %s is %i', async (line, status) => {
  const authorization = `Authorization: Basic ${Buffer.from('ida:seaglass').toString('base64')}`
  const answer = await exchange([`${line} HTTP/1.1`, 'Host: pods.example', authorization])
  expect(statusOf(answer)).toBe(status)
  if (status !== 200) expect(answer).toContain(`{"code":${status},`)
})

const REGISTER = ['POST /api/2/register HTTP/1.1', 'Host: pods.example']

test('a body announced as too long is refused before it is sent', async () => {
  const answer = await exchange([...REGISTER, `Content-Length: ${10 * 1024 * 1024 + 1}`])
  expect(answer).toMatch(/^HTTP\/1.1 413 [\s\S]*"error":"payload_too_large"/)
})

test('a body may come in chunks', async () => {
  const chunks = ['{"use', 'rname": "ole"}', ''].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
  const answer = await exchange([...REGISTER, 'Transfer-Encoding: chunked'], chunks.join(''))
  expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*"field":"password"/)
})

test('HEAD tells the length and sends no body', async () => {
  using wire = await openWire(server.port ?? 0)
  wire.send('HEAD /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  const answer = await wire.until('\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1.1 200 [\s\S]*content-length: 15\r\n/i)
  expect(answer).not.toContain('status')
})
