import { describe, expect, spyOn, test } from 'bun:test'
import * as zlib from 'node:zlib'
import { allowedPlace } from '../../src/outbound/address-rules.ts'
import { FetchFailure } from '../../src/outbound/fetch-failure.ts'
import { createGuardedFetch, type FetchLimits } from '../../src/outbound/guarded-fetch.ts'
import { startRawServer, startWebServer, writeEndlessly } from '../support/web-server.ts'
import { LIMITS, namesAre, USER_AGENT } from './fetching.ts'

interface Case {
  readonly limits?: Partial<FetchLimits>
  readonly allowed?: readonly string[]
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

function open(url: string, { limits, allowed = ['127.0.0.1'], signal, headers = {} }: Case = {}) {
  const { open: ask } = createGuardedFetch({
    userAgent: USER_AGENT,
    resolve: namesAre('127.0.0.1'),
    allowed: allowed.map(allowedPlace),
    allowedBy: 'import_allow_private',
  })
  const limited = { ...LIMITS, ...limits }
  return ask({ url, headers, limits: limited, mayReachPrivate: true, ...(signal && { signal }) })
}

/** The body as text, or the failure. */
async function textOf(url: string, options?: Case): Promise<string | FetchFailure> {
  try {
    const { pieces, close } = await open(url, options)
    try {
      const all: Uint8Array[] = []
      for await (const piece of pieces) all.push(piece)
      return Buffer.concat(all).toString()
    } finally {
      close()
    }
  } catch (error) {
    if (error instanceof FetchFailure) return error
    throw error
  }
}

const urlOf = ({ port }: { readonly port: number }) => `http://pods.example:${port}/`
const OK = 'HTTP/1.1 200 OK\r\n'

describe('a streamed response', () => {
  test('has status and headers, and is requested with credentials', async () => {
    await using server = startWebServer({ '/': () => new Response('hi', { status: 418, headers: { 'x-tea': 'pot' } }) })
    const asking = open(urlOf(server), { headers: { authorization: 'Basic x' } })
    const { status, headers, location, pieces, close } = await asking
    expect([status, headers.get('x-tea'), location]).toEqual([418, 'pot', undefined])
    expect(await Array.fromAsync(pieces)).toHaveLength(1)
    close()
    const [asked] = server.asked
    expect([asked?.headers.get('authorization'), asked?.headers.get('user-agent')]).toEqual(['Basic x', USER_AGENT])
  })

  test('is decompressed, and may be empty', async () => {
    const text = 'podcasts '.repeat(10_000)
    const headers = { 'content-encoding': 'br' }
    await using server = startWebServer({
      '/': () => new Response(zlib.brotliCompressSync(text), { headers }),
      '/empty': () => new Response(null, { status: 204 }),
    })
    expect(await textOf(urlOf(server))).toBe(text)
    expect(await textOf(`${urlOf(server)}empty`)).toBe('')
  })

  test('is not followed if it is a redirect', async () => {
    const headers = { location: 'https://evil.example/x?y#z' }
    await using server = startWebServer({ '/': () => new Response(null, { status: 302, headers }) })
    const { status, location, close } = await open(urlOf(server))
    close()
    expect([status, location]).toEqual([302, 'https://evil.example/x?y'])
  })
  const packed = (body: string | Buffer) =>
    Buffer.concat([Buffer.from(`${OK}Content-Encoding: gzip\r\n\r\n`), Buffer.from(body)])

  test.each([
    ['is too large when decompressed', packed(zlib.gzipSync(Buffer.alloc(LIMITS.maxBytes + 1))), 'too_large'],
    ['cannot be decompressed', packed('hello'), 'bad_encoding'],
    ['has enormous headers', `${OK}X: ${'a'.repeat(70_000)}\r\n\r\n`, 'too_large'],
    ['is not HTTP', 'hello', 'unreachable'],
  ])('is refused if it %s', async (_what, answer, reason) => {
    await using server = await startRawServer((socket) => socket.end(answer))
    expect(await textOf(urlOf(server))).toMatchObject({ reason })
  })

  test('is refused if it is endless', async () => {
    await using server = await startRawServer((socket) => {
      socket.write(`${OK}\r\n`)
      writeEndlessly(socket)
    })
    expect(await textOf(urlOf(server))).toMatchObject({ reason: 'too_large' })
    await server.closed
  })

  test.each([
    ['the head', ''],
    ['the next piece', `${OK}\r\n[`],
    ['the next compressed piece', `${OK}Content-Encoding: gzip\r\n\r\n\x1f`],
  ])('times out while waiting for %s', async (_part, sent) => {
    using timers = spyOn(globalThis, 'setTimeout')
    await using server = await startRawServer((socket) => socket.write(sent))
    expect(await textOf(urlOf(server), { limits: { answerMs: 50 } })).toMatchObject({ reason: 'timeout' })
    await server.closed
    // Otherwise the total limit ended the wait.
    if (sent !== '') expect(timers.mock.calls.map(([, ms]) => ms)).toContain(50)
  })

  test('has a total time limit', async () => {
    await using server = await startRawServer((socket) => {
      const drip = setInterval(() => socket.write(' '), 5)
      socket.write(`${OK}\r\n`)
      socket.on('close', () => clearInterval(drip))
    })
    expect(await textOf(urlOf(server), { limits: { totalMs: 60 } })).toMatchObject({ reason: 'timeout' })
  })

  test('can be aborted and closed', async () => {
    await using server = await startRawServer((socket) => socket.write(`${OK}\r\n[`))
    const abort = new AbortController()
    const { pieces } = await open(urlOf(server), { signal: abort.signal })
    const reading = Array.fromAsync(pieces).catch((error: unknown) => error)
    abort.abort()
    expect(await reading).toBeInstanceOf(FetchFailure)
    await server.closed
    await using another = await startRawServer((socket) => socket.write(`${OK}\r\n[`))
    const { close } = await open(urlOf(another))
    close()
    await another.closed
  })

  test('is not requested from a private network unless a setting allows it, which the message names', async () => {
    await using server = startWebServer({ '/': () => new Response('hi') })
    expect(await textOf(urlOf(server), { allowed: [] })).toMatchObject({
      reason: 'forbidden',
      message: 'pods.example is in a private network; import_allow_private could allow it',
    })
    expect(server.asked).toEqual([])
    expect(await textOf('file:///etc/passwd')).toMatchObject({ reason: 'bad_url' })
  })
})
