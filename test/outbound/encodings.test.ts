import { afterAll, describe, expect, test } from 'bun:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { startWebServer } from '../support/web-server.ts'
import { fetched, refused, textOf } from './fetching.ts'

const FEED = `<rss version="2.0"><channel><title>Tidewater</title>${'<item><title>Ebb</title></item>'.repeat(2000)}</channel></rss>`

/** What `/` answers next. */
let coding: string | undefined
let pieces: readonly Uint8Array<ArrayBuffer>[] = []
const server = startWebServer({
  '/': () => new Response(streamOf(pieces), { headers: coding === undefined ? {} : { 'content-encoding': coding } }),
})
afterAll(() => server[Symbol.asyncDispose]())

function streamOf(parts: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const rest = [...parts]
  return new ReadableStream({
    pull(controller) {
      const next = rest.shift()
      if (next) controller.enqueue(next)
      else controller.close()
    },
  })
}

function answering(name: string | undefined, ...parts: readonly Uint8Array<ArrayBuffer>[]): string {
  coding = name
  pieces = parts
  return `http://pods.example:${server.port}/`
}

const PACKINGS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const

describe('a body', () => {
  test.each([
    ...PACKINGS,
    ['x-gzip', gzipSync],
    ['GZip', gzipSync],
    [' br ', brotliCompressSync],
    ['deflate', deflateRawSync],
  ] as const)('packed with %s is unpacked', async (name, pack) => {
    expect(textOf(await fetched(answering(name, pack(FEED))))).toBe(FEED)
  })

  test.each([undefined, '', 'identity', 'Identity'])('packed with %p is as it is', async (name) => {
    expect(textOf(await fetched(answering(name, Buffer.from(FEED))))).toBe(FEED)
  })

  test('that is a packed file itself, of which its server says nothing, is unpacked', async () => {
    expect(textOf(await fetched(answering(undefined, gzipSync(FEED))))).toBe(FEED)
  })

  test.each([
    ['is packed in another way stays so', zstdCompressSync('low tide'), zstdCompressSync('low tide')],
    ['is packed twice stays so once', gzipSync(gzipSync('low tide')), gzipSync('low tide')],
    ['only begins like a packed one stays as it is', Buffer.of(0x1f, 0x8b, 0x20), Buffer.of(0x1f, 0x8b, 0x20)],
  ])('that %s', async (_case, file, left) => {
    expect((await fetched(answering(undefined, file))).body).toEqual(new Uint8Array(left))
  })

  test.each(PACKINGS)('packed with %s may come byte for byte', async (name, pack) => {
    const bytes = [...pack('low tide')].map((byte) => Uint8Array.of(byte))
    expect(textOf(await fetched(answering(name, ...bytes)))).toBe('low tide')
  })

  test.each([
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
  ] as const)('may consist of several that are packed with %s', async (name, pack) => {
    const parts = ['<rss>', '', '</rss>'].map((part) => pack(part))
    expect(textOf(await fetched(answering(name, ...parts)))).toBe('<rss></rss>')
    expect(textOf(await fetched(answering(name, Buffer.concat(parts))))).toBe('<rss></rss>')
  })

  test.each([...PACKINGS, ['deflate', deflateRawSync]] as const)(
    'of nothing, packed with %s, is empty',
    async (name, pack) => {
      expect((await fetched(answering(name, pack('')))).body).toHaveLength(0)
      expect((await fetched(answering(name))).body).toHaveLength(0)
    },
  )

  test('of every length survives packing without its wrapping', async () => {
    for (let length = 0; length < 300; length++) {
      const text = 'a'.repeat(length) + String.fromCharCode(length)
      expect(textOf(await fetched(answering('deflate', deflateRawSync(text))))).toBe(text)
      expect(textOf(await fetched(answering('deflate', deflateRawSync(text, { level: 0 }))))).toBe(text)
    }
  })

  test('keeps what its packing was among the headers', async () => {
    expect((await fetched(answering('gzip', gzipSync(FEED)))).headers.get('content-encoding')).toBe('gzip')
  })
})

describe('a body that cannot be unpacked', () => {
  const cuts = PACKINGS.flatMap(([name, pack]) =>
    [1, 4, 40, pack(FEED).length - 1].map((cut) => [name, cut, pack(FEED).subarray(0, -cut)] as const),
  )
  test.each(cuts)(
    'because %s lacks its last %i bytes is refused, and not taken for a shorter one',
    async (name, _cut, body) => {
      const failure = await refused(answering(name, body))
      expect(failure).toMatchObject({ reason: 'bad_encoding', message: 'the answer cannot be unpacked' })
    },
  )

  test.each(PACKINGS)('because it is not packed with %s is refused', async (name) => {
    expect(await refused(answering(name, Buffer.from(FEED)))).toMatchObject({ reason: 'bad_encoding' })
    expect(await refused(answering(name, Buffer.alloc(1000)))).toMatchObject({ reason: 'bad_encoding' })
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ] as const)('because a byte of %s is wrong is refused', async (name, pack) => {
    const broken = Buffer.from(pack(FEED))
    const middle = broken.length >> 1
    broken.writeUInt8(~broken.readUInt8(middle) & 0xff, middle)
    expect(await refused(answering(name, broken))).toMatchObject({ reason: 'bad_encoding' })
  })

  test.each([
    'gzip, gzip',
    'gzip, br',
    'br,gzip',
    'gzip, identity',
    'identity, gzip',
    'compress',
    'x-compress',
    'exi',
    'utf-8',
    'gzip;q=1',
    'constructor',
    '__proto__',
    'toString',
  ])('because it is packed with %p, which nobody asked for, is refused', async (name) => {
    const failure = await refused(answering(name, gzipSync(gzipSync(FEED))))
    expect(failure).toMatchObject({
      reason: 'bad_encoding',
      message: 'the answer is packed in a way nobody asked for',
    })
  })
})
