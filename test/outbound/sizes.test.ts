import { describe, expect, test } from 'bun:test'
import { Readable, type Transform } from 'node:stream'
import {
  constants,
  createBrotliCompress,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { startRawServer, startWebServer, writeEndlessly } from '../support/web-server.ts'
import { fetched, keepAnswers, LIMITS, refused } from './fetching.ts'

const MAX = LIMITS.maxBytes
const TOO_LARGE = { reason: 'too_large', message: `the answer is larger than ${MAX} bytes` }
const HEADERS_TOO_LARGE = { reason: 'too_large', message: 'the headers of the answer are too large' }

/** What becomes of an answer that a server writes in one go. */
async function answeredBy<T>(head: string, body: Uint8Array | string, meet: (url: string) => Promise<T>): Promise<T> {
  await using server = await startRawServer((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n`)
    socket.end(body)
  })
  const outcome = await meet(`http://pods.example:${server.port}/`)
  await server.closed
  return outcome
}

const chunked = (body: Buffer) =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])

describe('a body', () => {
  const ways = [
    ['with its length', (body: Buffer) => ({ head: `Content-Length: ${body.length}\r\n`, body })],
    ['in chunks', (body: Buffer) => ({ head: 'Transfer-Encoding: chunked\r\n', body: chunked(body) })],
    ['until the connection ends', (body: Buffer) => ({ head: '', body })],
  ] as const

  test.each(ways)('sent %s may have as many bytes as are allowed', async (_way, sent) => {
    const { head, body } = sent(Buffer.alloc(MAX, 'a'))
    expect((await answeredBy(head, body, fetched)).body).toHaveLength(MAX)
  })

  test.each(ways)('sent %s must not have one more', async (_way, sent) => {
    const { head, body } = sent(Buffer.alloc(MAX + 1, 'a'))
    expect(await answeredBy(head, body, refused)).toMatchObject(TOO_LARGE)
  })

  test('counts when it is unpacked', async () => {
    const head = 'Content-Encoding: gzip\r\n'
    expect((await answeredBy(head, gzipSync(Buffer.alloc(MAX)), fetched)).body).toHaveLength(MAX)
    expect(await answeredBy(head, gzipSync(Buffer.alloc(MAX + 1)), refused)).toMatchObject(TOO_LARGE)
  })

  test('counts when it is packed, even if nothing is in it', async () => {
    const nothing = Buffer.concat(Array.from({ length: MAX / 20 + 1 }, () => gzipSync('')))
    expect(await answeredBy('Content-Encoding: gzip\r\n', nothing, refused)).toMatchObject(TOO_LARGE)
  })

  test('may be announced as larger than it is allowed to be, but is not waited for', async () => {
    await using server = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 9007199254740991\r\n\r\n${'a'.repeat(MAX + 1)}`)
    })
    expect(await refused(`http://pods.example:${server.port}/`)).toMatchObject(TOO_LARGE)
    await server.closed
  })
})

describe('a body without end', () => {
  test.each([
    ['as it is', '', TOO_LARGE],
    ['as if packed', 'Content-Encoding: gzip\r\n', TOO_LARGE],
    ['packed as nobody asked for', 'Content-Encoding: compress\r\n', { reason: 'bad_encoding' }],
    ['after headers that are too large', `X: ${'a'.repeat(70_000)}\r\n`, HEADERS_TOO_LARGE],
    ['of a redirect to no address', 'Location: file:///etc/passwd\r\n', { reason: 'bad_url' }],
  ])('%s is broken off', async (_case, head, failure) => {
    using _answers = keepAnswers()
    const status = head.startsWith('Location') ? '302 Found' : '200 OK'
    await using server = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 ${status}\r\n${head}\r\n`)
      writeEndlessly(socket)
    })
    expect(await refused(`http://pods.example:${server.port}/`)).toMatchObject(failure)
    await server.closed
  })
})

test.each([
  ['that is packed as nobody asked for', '200 OK\r\nContent-Encoding: compress\r\n'],
  ['with headers that are too large', `200 OK\r\nX: ${'a'.repeat(70_000)}\r\n`],
  ['that redirects to no address', '302 Found\r\nLocation: file:///etc/passwd\r\n'],
])('an answer %s is hung up on, even if it says no more', async (_case, head) => {
  using _answers = keepAnswers()
  await using server = await startRawServer((socket) => socket.write(`HTTP/1.1 ${head}\r\nhi`))
  await refused(`http://pods.example:${server.port}/`)
  await server.closed
})

describe('half a gigabyte of zeros', () => {
  const MEBIBYTE = Buffer.alloc(1 << 20)
  const times = <T>(value: T): T[] => Array.from({ length: 512 }, () => value)
  const ended = { finishFlush: constants.Z_FULL_FLUSH }

  async function through(packer: Transform): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of Readable.from(times(MEBIBYTE)).pipe(packer)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  const repeated =
    (block: Buffer, head = Buffer.alloc(0)) =>
    async () =>
      Buffer.concat([head, ...times(block)])

  test.each([
    ['gzip', 'packed in one', repeated(deflateRawSync(MEBIBYTE, ended), gzipSync('').subarray(0, 10))],
    ['gzip', 'packed in many', repeated(gzipSync(MEBIBYTE))],
    ['deflate', 'packed in one', repeated(deflateRawSync(MEBIBYTE, ended), deflateSync('').subarray(0, 2))],
    ['deflate', 'packed without wrapping', repeated(deflateRawSync(MEBIBYTE, ended))],
    ['br', 'packed in one', () => through(createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }))],
    ['zstd', 'packed in one', () => through(createZstdCompress())],
    ['zstd', 'packed in many', repeated(zstdCompressSync(MEBIBYTE))],
  ] as const)('with %s, %s, are not unpacked', async (coding, _case, make) => {
    const bomb = await make()
    await using server = startWebServer({
      '/': () => new Response(bomb, { headers: { 'content-encoding': coding } }),
    })
    const peak = () => process.resourceUsage().maxRSS
    const before = peak()
    const limits = { maxBytes: 1 << 24 }
    expect(await refused(`http://pods.example:${server.port}/`, { limits })).toMatchObject({ reason: 'too_large' })
    expect(peak() - before).toBeLessThan(150_000)
  })
})

describe('headers', () => {
  test('may have 64 KiB', async () => {
    const { headers } = await answeredBy(`X-Much: ${'a'.repeat(65_000)}\r\n`, 'hi', fetched)
    expect(headers.get('x-much')).toHaveLength(65_000)
  })

  test.each([
    ['in one', `X-Much: ${'a'.repeat(65_536)}\r\n`],
    ['in many', Array.from({ length: 200 }, (_, n) => `X-${n}: ${'a'.repeat(400)}\r\n`).join('')],
  ])('must not have more, %s', async (_case, head) => {
    expect(await answeredBy(head, 'hi', refused)).toMatchObject(HEADERS_TOO_LARGE)
  })

  test('must not have more on the way, either', async () => {
    await using server = await startRawServer((socket) =>
      socket.end(`HTTP/1.1 301 Moved\r\nLocation: /${'a'.repeat(70_000)}\r\nContent-Length: 0\r\n\r\n`),
    )
    expect(await refused(`http://pods.example:${server.port}/`)).toMatchObject(HEADERS_TOO_LARGE)
    expect(server.connections).toBe(1)
  })

  test('without end are broken off', async () => {
    await using server = await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Much: ')
      writeEndlessly(socket)
    })
    expect(await refused(`http://pods.example:${server.port}/`)).toMatchObject(HEADERS_TOO_LARGE)
    await server.closed
  })
})
