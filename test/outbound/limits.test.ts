import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { readLimited } from '../../src/outbound/response-body.ts'
import { startRawServer, startWebServer, writeEndlessly } from '../support/web-server.ts'
import { connectBy, fetched, keepAnswers, LIMITS, namesAre, refused, textOf } from './fetching.ts'

const { totalMs: TOTAL, answerMs: ANSWER, maxBytes: MAX } = LIMITS
const OK = 'HTTP/1.1 200 OK\r\n'
const FEED = `${OK}Content-Length: 6\r\n\r\na feed`
const LONG_HEADER = `X: ${'a'.repeat(70_000)}\r\n`
const TOO_LARGE = { reason: 'too_large', message: `the response is larger than ${MAX} bytes` }
const HEADERS_TOO_LARGE = { reason: 'too_large', message: 'the headers of the response are too large' }
const TOO_LONG = { reason: 'timeout', message: 'pods.example does not answer in time' }

const urlOf = ({ port }: { readonly port: number }) => `http://pods.example:${port}/`

describe('the size of a body', () => {
  /** Fetches from a server that writes its response at once. */
  async function answeredBy<T>(head: string, body: Uint8Array | string, meet: (url: string) => Promise<T>): Promise<T> {
    await using server = await startRawServer((socket) => {
      socket.write(`${OK}${head}\r\n`)
      socket.end(body)
    })
    const outcome = await meet(urlOf(server))
    await server.closed
    return outcome
  }

  const chunked = (body: Buffer) =>
    Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])
  const asItIs = (body: Buffer) => body

  test.each([
    ['with its length', (length: number) => `Content-Length: ${length}\r\n`, asItIs],
    ['in chunks', () => 'Transfer-Encoding: chunked\r\n', chunked],
    ['until the connection ends', () => '', asItIs],
    ['compressed', () => 'Content-Encoding: gzip\r\n', (body: Buffer) => zlib.gzipSync(body)],
  ])('sent %s may be at the limit, but not one byte larger', async (_way, head, sent) => {
    const [most, more] = [Buffer.alloc(MAX, 'a'), Buffer.alloc(MAX + 1, 'a')]
    expect((await answeredBy(head(MAX), sent(most), fetched)).body).toHaveLength(MAX)
    expect(await answeredBy(head(MAX + 1), sent(more), refused)).toMatchObject(TOO_LARGE)
  })

  test('in many pieces does not change their order', async () => {
    const pieces = Array.from({ length: 12 }, (_, n) => new Uint8Array(100_000).fill(n))
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece)
        controller.close()
      },
    })
    const body = await readLimited(new Response(stream), 1_200_000)
    expect(Buffer.concat(pieces).equals(body)).toBe(true)
  })

  test('is also limited before decompression', async () => {
    const nothing = Buffer.concat(Array.from({ length: MAX / 20 + 1 }, () => zlib.gzipSync('')))
    expect(await answeredBy('Content-Encoding: gzip\r\n', nothing, refused)).toMatchObject(TOO_LARGE)
  })

  test('is limited even if a larger one is announced', async () => {
    await using server = await startRawServer((socket) => {
      socket.write(`${OK}Content-Length: 9007199254740991\r\n\r\n${'a'.repeat(MAX + 1)}`)
    })
    expect(await refused(urlOf(server))).toMatchObject(TOO_LARGE)
    await server.closed
  })

  test('of headers is limited to 64 KiB, in one or in many', async () => {
    const { headers } = await answeredBy(`X-Much: ${'a'.repeat(65_000)}\r\n`, 'hi', fetched)
    expect(headers.get('x-much')).toHaveLength(65_000)
    const many = Array.from({ length: 200 }, (_, n) => `X-${n}: ${'a'.repeat(400)}\r\n`).join('')
    for (const head of [`X-Much: ${'a'.repeat(65_536)}\r\n`, many, `Location: /${'a'.repeat(70_000)}\r\n`])
      expect(await answeredBy(head, 'hi', refused)).toMatchObject(HEADERS_TOO_LARGE)
  })

  test.each([
    ['uncompressed', `${OK}\r\n`, TOO_LARGE],
    // The file name in the gzip header never ends. Of other data, either failure may come first.
    ['compressed', `${OK}Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\0`, TOO_LARGE],
    ['compressed in too many ways', `${OK}Content-Encoding: br,gzip,br,gzip,br\r\n\r\n`, { reason: 'bad_encoding' }],
    ['after headers that are too large', `${OK}${LONG_HEADER}\r\n`, HEADERS_TOO_LARGE],
    ['in headers', `${OK}X-Much: `, HEADERS_TOO_LARGE],
    ['of a redirect to no address', 'HTTP/1.1 302 Found\r\nLocation: file:///a\r\n\r\n', { reason: 'bad_url' }],
  ])('of an endless or stalled response is limited: %s', async (_case, head, failure) => {
    using _answers = keepAnswers()
    // A body can exceed the limit only if it continues.
    const ways = failure.reason === 'too_large' ? [writeEndlessly] : [writeEndlessly, () => undefined]
    for (const goOn of ways) {
      await using server = await startRawServer((socket) => {
        socket.write(Buffer.from(`${head}hi`, 'latin1'))
        goOn(socket)
      })
      expect(await refused(urlOf(server))).toMatchObject(failure)
      await server.closed
    }
  })
})

const MEBIBYTE = Buffer.alloc(1 << 20)
const times = <T>(value: T): T[] => Array.from({ length: 512 }, () => value)
const block = zlib.deflateRawSync(MEBIBYTE, { finishFlush: zlib.constants.Z_FULL_FLUSH })
const quick = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }

async function through(packer: Transform): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of Readable.from(times(MEBIBYTE)).pipe(packer)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test.each([
  ['gzip', 'in one stream', () => Buffer.concat([zlib.gzipSync('').subarray(0, 10), ...times(block)])],
  ['gzip', 'in many streams', () => Buffer.concat(times(zlib.gzipSync(MEBIBYTE)))],
  ['deflate', 'in one stream', () => Buffer.concat([zlib.deflateSync('').subarray(0, 2), ...times(block)])],
  ['deflate', 'without a header', () => Buffer.concat(times(block))],
  ['br', 'in one stream', () => through(zlib.createBrotliCompress(quick))],
  ['zstd', 'in one stream', () => through(zlib.createZstdCompress())],
  ['zstd', 'in many streams', () => Buffer.concat(times(zlib.zstdCompressSync(MEBIBYTE)))],
] as const)('half a gigabyte of zeros with %s, %s, is not decompressed', async (coding, _case, make) => {
  const bomb = new Uint8Array(await make())
  await using server = startWebServer({ '/': () => new Response(bomb, { headers: { 'content-encoding': coding } }) })
  const peak = () => process.resourceUsage().maxRSS
  const before = peak()
  expect(await refused(urlOf(server), { limits: { maxBytes: 1 << 24 } })).toMatchObject({ reason: 'too_large' })
  expect(peak() - before).toBeLessThan(150_000)
})

describe('the time of a fetch', () => {
  /** Time limits in the order of their creation. They expire only when told to. */
  let limits: { readonly ms: number; readonly signal: AbortSignal; expire(): void }[] = []
  let spy: Mock<typeof AbortSignal.timeout>
  beforeEach(() => {
    limits = []
    spy = spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const limit = new AbortController()
      const expire = () => limit.abort(new DOMException('too late', 'TimeoutError'))
      limits.push({ ms, signal: limit.signal, expire })
      return limit.signal
    })
  })
  afterEach(() => spy.mockRestore())

  /** Expires the latest limit of this length. */
  const expire = (ms: number) => limits.findLast((limit) => limit.ms === ms)?.expire()
  const turn = () => new Promise((next) => setImmediate(next))

  /** Waits until the head of the next response has been received and handled. */
  async function afterHead(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    using _connected = connectBy(async (real, target, init) => {
      const response = await real(target, init)
      setImmediate(resolve)
      return response
    })
    await promise
  }

  test('has a total limit, and one for the response of each host, without leftover listeners', async () => {
    await using server = await startRawServer((socket, head) =>
      socket.end(head.startsWith('GET / ') ? 'HTTP/1.1 302 Found\r\nLocation: /feed.xml\r\n\r\n' : FEED),
    )
    expect(textOf(await fetched(urlOf(server)))).toBe('a feed')
    expect(limits.map(({ ms }) => ms)).toEqual([TOTAL, ANSWER, ANSWER])
    const answerLimits = limits.filter(({ ms }) => ms === ANSWER)
    expect(answerLimits.flatMap(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([])
    for (const limit of limits) limit.expire()
    await turn()
  })

  test.each([
    ['is never resolved', () => new Promise<never>(() => undefined)],
    ['is unknown', () => turn().then(() => Promise.reject(new Error('ENOTFOUND')))],
  ])('includes resolving a name that %s', async (_case, end) => {
    const resolve = () => {
      expire(TOTAL)
      return end()
    }
    expect(await refused('http://pods.example/', { resolve })).toMatchObject(TOO_LONG)
    await turn().then(turn)
  })

  test.each([
    ['sends nothing before the limit of a response', 'http', '', ANSWER],
    ['sends nothing before the total limit', 'http', '', TOTAL],
    ['sends nothing during the TLS handshake', 'https', '', ANSWER],
    ['stops in its headers', 'http', `${OK}Content-`, ANSWER],
  ])('ends if the server %s', async (_case, scheme, beginning, ms) => {
    await using server = await startRawServer((socket) =>
      beginning === '' ? expire(ms) : void socket.write(beginning, () => expire(ms)),
    )
    expect(await refused(urlOf(server).replace('http', scheme))).toMatchObject(TOO_LONG)
    await server.closed
  })

  test('is enough to try the next address after a silent one, up to the total limit', async () => {
    const resolve = namesAre('127.0.0.1', '127.0.0.1', '127.0.0.1')
    await using server = await startRawServer((socket) => {
      if (server.connections === 1) expire(ANSWER)
      else socket.end(FEED)
    })
    expect(textOf(await fetched(urlOf(server), { resolve }))).toBe('a feed')
    expect(server.connections).toBe(2)
    await using silent = await startRawServer(() => expire(TOTAL))
    expect(await refused(urlOf(silent), { resolve })).toMatchObject(TOO_LONG)
    expect(silent.connections).toBe(1)
  })

  test('may be longer for the body than the limit of a response', async () => {
    await using server = await startRawServer(async (socket) => {
      socket.write(`${OK}Content-Length: 6\r\n\r\na`)
      await head
      expire(ANSWER)
      socket.end(' feed')
    })
    const head = afterHead()
    expect(textOf(await fetched(urlOf(server)))).toBe('a feed')
  })

  test.each([
    ['is slow', 'Content-Length: 6\r\n'],
    ['is slow and compressed', 'Content-Length: 6\r\nContent-Encoding: gzip\r\n'],
    ['is endless', ''],
  ])('ends for a body that %s', async (_case, headers) => {
    await using server = await startRawServer(async (socket) => {
      socket.write(`${OK}${headers}\r\na`)
      if (headers === '') writeEndlessly(socket)
      await head
      socket.write('b', () => expire(TOTAL))
    })
    const head = afterHead()
    expect(await refused(urlOf(server), { limits: { maxBytes: 2 ** 40 } })).toMatchObject(TOO_LONG)
    await server.closed
  })
})
