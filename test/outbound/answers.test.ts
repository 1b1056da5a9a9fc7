import { afterAll, describe, expect, test } from 'bun:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { FetchFailureReason } from '../../src/outbound/fetch-failure.ts'
import { startRawServer, startWebServer } from '../support/web-server.ts'
import { type FetchCase, fetched, namesAre, refused, textOf, USER_AGENT } from './fetching.ts'

const FEED = `<rss version="2.0"><channel><title>Tidewater</title>${'<item><title>Ebb</title></item>'.repeat(2000)}</channel></rss>`
const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`
const MALFORMED = 'sends an invalid HTTP response (Malformed_HTTP_Response)'
const BAD_LENGTH = 'sends an invalid HTTP response (InvalidContentLength)'
const TWO = 'Content-Length: 2\r\n\r\nhi'

/** The next response of `/packed`. */
let coding: string | undefined
let pieces: readonly Uint8Array<ArrayBuffer>[] = []

const server = startWebServer({
  '/feed.xml': () => new Response('a feed', { headers: { etag: '"7"' } }),
  '/gone': () => new Response('no more episodes', { status: 410 }),
  '/unchanged': () => new Response(null, { status: 304, headers: { 'content-encoding': 'gzip' } }),
  '/packed': () =>
    new Response(streamOf([...pieces]), { headers: coding === undefined ? {} : { 'content-encoding': coding } }),
})
afterAll(() => server[Symbol.asyncDispose]())

function streamOf(rest: Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull(controller) {
      const next = rest.shift()
      if (next) controller.enqueue(next)
      else controller.close()
    },
  })
}

const at = (path: string, host = 'pods.example') => `http://${host}:${server.port}${path}`

function answering(name: string | undefined, ...parts: readonly Uint8Array<ArrayBuffer>[]): string {
  coding = name
  pieces = parts
  return at('/packed')
}

/** A server that sends these bytes and closes the connection. */
const saying = (answer: string) => startRawServer((socket) => socket.end(answer))
const urlOf = ({ port }: { readonly port: number }) => `http://pods.example:${port}/`

describe('a request', () => {
  async function askedBy(path: string, options: FetchCase = {}, host?: string) {
    await fetched(at(path, host), options)
    return server.asked.at(-1)?.headers ?? new Headers()
  }

  test('keeps its own User-Agent, Host and Accept-Encoding, and sends other headers', async () => {
    const modified = { 'if-modified-since': 'Sun, 02 Mar 2025 10:00:00 GMT' }
    const wanted = { accept: 'text/xml', 'if-none-match': 'W/"7"', ...modified }
    const lies = { 'User-Agent': 'Mozilla/5.0', Host: 'b.example', 'Accept-Encoding': 'compress' }
    const headers = Object.fromEntries(await askedBy('/feed.xml', { headers: { ...wanted, ...lies } }))
    const truth = { 'user-agent': USER_AGENT, host: `pods.example:${server.port}` }
    expect(headers).toMatchObject({ ...wanted, ...truth, 'accept-encoding': 'gzip, deflate, br, zstd' })
  })

  test('has only the credentials of its URL, no referrer and no cookies', async () => {
    const signedIn = await askedBy('/feed.xml', {}, 'ole:p%40ss@pods.example')
    expect(signedIn.get('authorization')).toBe(`Basic ${btoa('ole:p@ss')}`)
    const headers = await askedBy('/feed.xml')
    expect(['authorization', 'referer', 'cookie'].map((name) => headers.get(name))).toEqual([null, null, null])
  })

  test('does not keep its connection for another name', async () => {
    await using kept = await startRawServer((socket) => socket.write(`${OK}Connection: keep-alive\r\n${TWO}`))
    for (const name of ['a.example', 'b.example']) {
      expect(textOf(await fetched(`http://${name}:${kept.port}/`))).toBe('hi')
      await kept.closed
    }
    expect(kept.connections).toBe(2)
  })

  test('ignores proxies of the environment, which would resolve names themselves', async () => {
    await using proxy = await saying('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
    const before = { ...process.env }
    const names = 'HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy'.split(' ')
    for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`
    try {
      expect(textOf(await fetched(at('/feed.xml')))).toBe('a feed')
      expect(await refused(at('/feed.xml').replace('http', 'https'))).toMatchObject({ reason: 'tls' })
    } finally {
      for (const name of names) delete process.env[name]
      Object.assign(process.env, before)
    }
    expect(proxy.connections).toBe(0)
  })

  test('is not made for an invalid URL, which is not resolved either', async () => {
    const broken = ['', 'feed', '/feed.xml', 'pods.example/feed.xml', 'http://', 'http://[::1', 'http://a b.example/']
    const others = ['file:///etc/passwd', 'ftp://pods.example/', 'data:text/xml,<rss/>', 'blob:http://pods.example/7']
    const more = ['s3://pods/feed.xml', 'javascript:alert(1)', 'feed:http://pods.example/', 'unix:/run/podstep.sock']
    let lookups = 0
    const resolve = async () => {
      lookups++
      return ['127.0.0.1']
    }
    for (const url of [...broken, ...others, ...more, 'http://pods.example:99999/', 'ws://pods.example/'])
      expect([url, (await refused(url, { resolve })).reason]).toEqual([url, 'bad_url'])
    expect(lookups).toBe(0)
  })
})

describe('a response', () => {
  test.each([
    [200, '/feed.xml', 'a feed'],
    [404, '/unknown', 'nothing here'],
    [410, '/gone', 'no more episodes'],
    [304, '/unchanged', ''],
  ])('may have any status: %i', async (status, path, text) => {
    const answer = await fetched(at(path))
    expect([answer.status, textOf(answer), answer.url, answer.permanentUrl]).toEqual([status, text, at(path), at(path)])
  })

  test('has the normalized URL, and the requested one as its permanent URL', async () => {
    const written = ` HTTP://PODS.example:${server.port}/a/../feed.xml#latest `
    expect(await fetched(written)).toMatchObject({ permanentUrl: written, url: at('/feed.xml') })
  })

  test.each([
    ['is empty', '', 'cannot be reached (ECONNRESET)'],
    ['is not HTTP', 'low tide at seven\r\n\r\n', MALFORMED],
    ['ends before its body does', `${OK}Content-Length: 20\r\n\r\nhi`, 'cannot be reached (ECONNRESET)'],
    ['ends before the last chunk', `${CHUNKED}2\r\nhi\r\n`, 'cannot be reached (ECONNRESET)'],
    ['has a damaged chunk', `${CHUNKED}zz\r\nhi\r\n`, 'sends an invalid HTTP response (InvalidHTTPResponse)'],
    ['has a line that is not a header', `${OK}nonsense\r\n${TWO}`, MALFORMED],
    ['has a negative length', `${OK}Content-Length: -1\r\n\r\nhi`, BAD_LENGTH],
    [
      'switches to another protocol',
      'HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n',
      'sends an invalid HTTP response (UnrequestedUpgrade)',
    ],
  ])('that %s is refused', async (_case, answer, words) => {
    await using raw = await saying(answer)
    const { reason, message } = await refused(urlOf(raw))
    expect([reason, message]).toEqual(['unreachable', `pods.example ${words}`])
    await raw.closed
  })

  test('fails if the connection is reset or refused', async () => {
    await using raw = await startRawServer((socket) => socket.resetAndDestroy())
    expect(await refused(urlOf(raw))).toMatchObject({ reason: 'unreachable' })
    await raw[Symbol.asyncDispose]()
    const message = 'pods.example cannot be reached (ECONNREFUSED)'
    expect(await refused(urlOf(raw))).toMatchObject({ reason: 'unreachable', message })
  })
})

const redirect = (location: string) => `HTTP/1.1 301 Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`

test.each<[FetchFailureReason, string, FetchCase]>([
  ['forbidden', 'hi', { allowed: [] }],
  ['forbidden', redirect('http://10.0.0.1/s3cret?s3cret'), {}],
  ['bad_url', redirect('file:///s3cret?s3cret'), {}],
  ['unresolved', 'hi', { resolve: namesAre() }],
  ['unresolved', 'hi', { resolve: () => Promise.reject(new Error('s3cret')) }],
  ['unreachable', `${OK}Content-Length: 10\r\n\r\ns3cret`, {}],
  ['tls', 's3cret', {}],
  ['too_large', `${OK}\r\ns3cret`, { limits: { maxBytes: 1 } }],
  ['too_many_redirects', redirect('/s3cret'), {}],
  ['bad_encoding', `${OK}Content-Encoding: gzip\r\n\r\ns3cret`, {}],
])('a failure contains no secrets: %s', async (reason, answer, options) => {
  await using raw = await saying(answer)
  const scheme = reason === 'tls' ? 'https' : 'http'
  const url = `${scheme}://s3cret:s3cret@pods.example:${raw.port}/s3cret/feed.xml?token=s3cret#s3cret`
  const failure = await refused(url, options)
  expect(failure.reason).toBe(reason)
  // Everything a log could contain, including causes and properties.
  expect(Bun.inspect(failure).replace(failure.stack ?? '', '')).not.toContain('s3cret')
  expect(failure.message).not.toMatch(/s3cret|feed\.xml|token|https?:/)
  expect(failure.cause).toBeUndefined()
})

const PACKINGS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const

describe('a body', () => {
  test.each([...PACKINGS, ['x-gzip', gzipSync], ['GZip', gzipSync], [' br ', brotliCompressSync]] as const)(
    'compressed with %s is decompressed, even byte by byte or empty',
    async (name, pack) => {
      expect(textOf(await fetched(answering(name, pack(FEED))))).toBe(FEED)
      const bytes = [...pack('low tide')].map((byte) => Uint8Array.of(byte))
      expect(textOf(await fetched(answering(name, ...bytes)))).toBe('low tide')
      expect((await fetched(answering(name, pack('')))).body).toHaveLength(0)
      expect((await fetched(answering(name))).body).toHaveLength(0)
    },
  )

  test.each([undefined, '', 'identity', 'Identity'])('with Content-Encoding %p is not changed', async (name) => {
    expect(textOf(await fetched(answering(name, Buffer.from(FEED))))).toBe(FEED)
  })

  test.each([
    ['is a gzip file is decompressed', gzipSync('low tide'), Buffer.from('low tide')],
    ['is another compressed file is not', zstdCompressSync('low tide'), zstdCompressSync('low tide')],
    ['is compressed twice is decompressed once', gzipSync(gzipSync('low tide')), gzipSync('low tide')],
    ['only begins like a gzip file is not changed', Buffer.of(0x1f, 0x8b, 0x20), Buffer.of(0x1f, 0x8b, 0x20)],
  ])('without Content-Encoding that %s', async (_case, file, left) => {
    expect((await fetched(answering(undefined, file))).body).toEqual(new Uint8Array(left))
  })

  test.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const)('may consist of several %s streams', async (name, pack) => {
    const parts = ['<rss>', '', '</rss>'].map((part) => pack(part))
    expect(textOf(await fetched(answering(name, ...parts)))).toBe('<rss></rss>')
    expect(textOf(await fetched(answering(name, Buffer.concat(parts))))).toBe('<rss></rss>')
  })

  test('of any length may be compressed with deflate without a header', async () => {
    for (let length = 0; length < 300; length++) {
      const text = 'a'.repeat(length) + String.fromCharCode(length)
      for (const level of [6, 0])
        expect(textOf(await fetched(answering('deflate', deflateRawSync(text, { level }))))).toBe(text)
    }
  })

  test.each([
    ['gzip', gzipSync, 8],
    ['deflate', deflateSync, 4],
  ] as const)('compressed with %s needs no checksum at its end', async (name, pack, trailer) => {
    for (let cut = 1; cut <= trailer; cut++)
      expect(textOf(await fetched(answering(name, pack(FEED).subarray(0, -cut))))).toBe(FEED)
  })

  test.each(PACKINGS)('that is truncated or not compressed with %s is refused', async (name, pack) => {
    const failure = { reason: 'bad_encoding', message: 'the response cannot be decompressed' }
    const packed = pack(FEED)
    for (const cut of [name === 'br' || name === 'zstd' ? 1 : 20, 40, packed.length - 1])
      expect(await refused(answering(name, packed.subarray(0, -cut)))).toMatchObject(failure)
    for (const body of [Buffer.from(FEED), Buffer.alloc(1000)])
      expect(await refused(answering(name, body))).toMatchObject(failure)
  })

  const twice = gzipSync(brotliCompressSync(FEED))
  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ['UTF-8', Buffer.from(FEED)],
    ['constructor', Buffer.from(FEED)],
    ['__proto__', Buffer.from(FEED)],
    [', ,', Buffer.from(FEED)],
    ['compress', gzipSync(FEED)],
    ['aws-chunked,gzip', gzipSync(FEED)],
    ['identity, gzip;q=1', gzipSync(FEED)],
    ['gzip, gzip', gzipSync(FEED)],
    ['gzip, gzip', gzipSync(gzipSync(FEED))],
    ['br, gzip', twice],
    ['br,utf-8, x-gzip', twice],
    ['gzip, br, zstd', zstdCompressSync(brotliCompressSync(gzipSync(FEED)))],
    ['deflate', gzipSync(FEED)],
    ['gzip', Buffer.concat([gzipSync(FEED), Buffer.from('<!-- cached -->')])],
    ['gzip', Buffer.concat([gzipSync(FEED), Buffer.of(0x1f)])],
    ['deflate', Buffer.concat([deflateSync(FEED), Buffer.from('\n')])],
    ['br', Buffer.concat([brotliCompressSync(FEED), Buffer.from('\n')])],
    ['', Buffer.concat([gzipSync(FEED), Buffer.from('more')])],
  ])('with Content-Encoding %p is read', async (name, body) => {
    expect(textOf(await fetched(answering(name, body)))).toBe(FEED)
    const bytes = [...body].map((byte) => Uint8Array.of(byte))
    expect(textOf(await fetched(answering(name, ...bytes)))).toBe(FEED)
  })

  test('compressed with gzip may have a name, a comment and other fields in its header', async () => {
    const packed = gzipSync(FEED)
    const fields = Buffer.concat([Buffer.of(3, 0, 1, 2, 3), Buffer.from('feed.xml\0a comment\0'), Buffer.of(9, 9)])
    const named = Buffer.concat([packed.subarray(0, 10), fields, packed.subarray(10)])
    named[3] = 4 | 8 | 16 | 2
    expect(textOf(await fetched(answering('gzip', named)))).toBe(FEED)
    expect(await refused(answering('gzip', named.subarray(0, 12)))).toMatchObject({ reason: 'bad_encoding' })
  })

  test('compressed in more than four ways is refused', async () => {
    const failure = { reason: 'bad_encoding', message: 'the response is compressed in more than 4 ways' }
    expect(await refused(answering('gzip,br,gzip,br,gzip', Buffer.from(FEED)))).toMatchObject(failure)
  })
})
