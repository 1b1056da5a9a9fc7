import { describe, expect, test } from 'bun:test'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { createBodyRoom } from '../../src/http/body-room.ts'
import { startTestApp } from '../support/app.ts'
import { type Answer, basic, type CallOptions, signIn, signUp } from '../support/client.ts'
import { FakeTimer } from '../support/clock.ts'
import { fillPath, isRecord, needsBrowser, operationsOf, recordAt, resolveRef } from '../support/openapi.ts'
import { expectError } from './error.ts'
import { stored } from './stored.ts'

// Rules for every request body: content type, compression, size and schema.

const DELTA = '/api/2/subscriptions/ida/phone.json'
const FEED = 'https://feeds.example/a'
const UPLOAD = JSON.stringify({ add: [FEED] })
const MIB = 1024 * 1024
const TOO_LARGE = ' '.repeat(10 * MIB + 1)
const TOO_DEEP = '['.repeat(500_000)

const app = startTestApp({ settings: { rate_limit: 'false', registration: 'open' } })
const ida = await signUp(app)
await signUp(app, 'ole')
const browser = await signIn(app)
const before = await stored(app)

type Json = Record<string, unknown>

const { json: document } = await ida.get('/openapi.json')
const BODIES = operationsOf(document).flatMap(({ method, path, operation }) => {
  if (!isRecord(operation['requestBody'])) return []
  const content = recordAt(operation['requestBody'], 'content')
  if (!Object.hasOwn(content, 'application/json')) return []
  const { schema, example } = recordAt(content, 'application/json')
  const ref = recordAt(schema)['$ref']
  return [
    {
      method: method.toUpperCase(),
      path,
      // Administrators cannot change their own account.
      address: fillPath(path, path.startsWith('/api/admin/') ? { username: 'ole' } : {}),
      client: needsBrowser(operation) ? browser : ida,
      isForm: Object.hasOwn(content, 'application/x-www-form-urlencoded'),
      isNeeded: operation['requestBody']['required'] === true && method !== 'delete',
      schema: recordAt(typeof ref === 'string' ? resolveRef(document, ref) : schema),
      example,
    },
  ]
})
const OBJECTS = BODIES.filter(({ schema }) => schema['type'] === 'object')

/** Values of a different type than the property. */
function othersThan(property: Json): unknown[] {
  const choices = Array.isArray(property['anyOf']) ? property['anyOf'].map((each) => recordAt(each)) : [property]
  const types = choices.map(({ type }) => type)
  return [
    7,
    [[7]],
    ...(types.includes('null') ? [] : [null]),
    ...(types.includes('string') ? [] : ['canary']),
    ...(types.includes('object') ? [] : [{ canary: 'canary' }]),
  ]
}

test.each(BODIES.filter(({ isForm }) => !isForm))(
  '$method $path refuses broken, mistyped, large and deep JSON, and changes nothing',
  async (route) => {
    const { method, address, client, isNeeded, schema } = route
    const refuse = async (body: unknown, status: number, code: string, field?: string) => {
      const answer = await client.call(method, address, { body })
      expectError(answer, status, code, field)
      expect(answer.text + app.logs.join('')).not.toContain('canary')
    }

    for (const body of ['{', '{"canary":', 'canary', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])])
      await refuse(body, 400, 'invalid_json')
    if (isNeeded) for (const body of [undefined, '', '   ']) await refuse(body, 400, 'invalid_json')
    // An optional body may also be null (D5b).
    for (const body of ['"canary"', '7', schema['type'] === 'array' ? {} : [], isNeeded ? 'null' : [[7]]])
      await refuse(body, 400, 'validation_failed', 'body')
    await refuse(TOO_LARGE, 413, 'payload_too_large')
    expect([400, 413]).toContain((await client.call(method, address, { body: TOO_DEEP })).status)
    expect(await stored(app)).toBe(before)
  },
)

describe.each(OBJECTS)('the body of $method $path', ({ method, address, client, schema, example }) => {
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []

  test.each(Object.entries(recordAt(schema, 'properties')))('is refused for %s of another type', async (name, its) => {
    for (const value of othersThan(recordAt(its))) {
      const answer = await client.call(method, address, { body: { ...recordAt(example), [name]: value } })
      expectError(answer, 400, 'validation_failed', name)
      expect(answer.text).not.toContain('canary')
    }
    if (required.includes(name)) {
      const { [name]: _, ...rest } = recordAt(example)
      expectError(await client.call(method, address, { body: rest }), 400, 'validation_failed', name)
    }
    expect(await stored(app)).toBe(before)
  })
})

/** Uploads `body` as changes; returns the response and the list of the device. */
async function upload(body: CallOptions['body'], headers: Record<string, string> = {}) {
  const own = await signUp(startTestApp())
  const answer = await own.post(DELTA, body, { headers })
  const list = await own.get('/subscriptions/ida/phone.txt')
  return { answer, list: list.status === 200 ? list.text : '' }
}

async function expectAccepted(body: CallOptions['body'], headers: Record<string, string> = {}): Promise<void> {
  const { answer, list } = await upload(body, headers)
  expect([answer.status, list]).toEqual([200, `${FEED}\n`])
}

function expectRefused({ answer, list }: { answer: Answer; list: string }, status: number, error: string): void {
  expectError(answer, status, error)
  expect(list).toBe('')
}

test.each([
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/html; charset=iso-8859-1',
  'nonsense',
])('a JSON body may have any content type (D5): %s', (type) => expectAccepted(UPLOAD, { 'content-type': type }))

const codings: [string, (text: string) => Uint8Array][] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['identity', (text) => new TextEncoder().encode(text)],
]

test.each(codings)('a body with encoding %s may have 10 MiB when decompressed (D6)', async (coding, pack) => {
  const headers = { 'content-encoding': coding }
  await expectAccepted(pack(UPLOAD.padEnd(10 * MIB)), headers)
  expectRefused(await upload(pack(UPLOAD.padEnd(10 * MIB + 1)), headers), 413, 'payload_too_large')
})

test.each(['br', 'zstd', 'compress', 'gzip, gzip', 'constructor'])(
  'a body with encoding %s is refused',
  async (coding) => {
    expectRefused(await upload(UPLOAD, { 'content-encoding': coding }), 415, 'unsupported_encoding')
  },
)

test.each<[string, string | Uint8Array]>([
  ['gzip', UPLOAD],
  ['deflate', UPLOAD],
  ['gzip', gzipSync(UPLOAD).subarray(0, -9)],
  ['deflate', deflateSync(UPLOAD).subarray(0, -5)],
  ['deflate', deflateRawSync(UPLOAD).subarray(0, -3)],
  ['gzip', gzipSync(UPLOAD).map((byte, at, all) => (at === all.length - 5 ? byte ^ 1 : byte))],
  ['gzip', new Uint8Array()],
])('a damaged or truncated %s body is refused', async (coding, bytes) => {
  expectRefused(await upload(bytes, { 'content-encoding': coding }), 400, 'invalid_json')
})

test('a body without Content-Length is cancelled when it gets too long', async () => {
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      // Ends, so that a failure does not fill the memory.
      if (sent >= 32 * MIB) return controller.close()
      sent += MIB
      controller.enqueue(new Uint8Array(MIB).fill(0x20))
    },
  })
  const headers = { authorization: `Basic ${btoa('ida:seaglass')}` }
  const response = await app.fetch(new Request(`http://localhost${DELTA}`, { method: 'POST', headers, body }))
  expect([response.status, await response.json()]).toMatchObject([413, { error: 'payload_too_large' }])
  expect(sent).toBeLessThan(16 * MIB)
  expect(await stored(app)).toBe(before)
})

/** Large JSON values of tiny parts, which would take much more memory. */
/** Large JSON values of tiny parts, which would take much more memory. */
const scraps: [string, string][] = [
  ['lists', `[${'[],'.repeat(3_000_000)}[]]`],
  ['nulls', `[${'null,'.repeat(2_000_000)}0]`],
  ['keys', `[{${Array.from({ length: 900_000 }, (_, n) => `"${n}":1`).join()}}]`],
]
test.each<[string, string, (json: string) => string]>([
  ['POST', '/api/2/episodes/ida.json', (json) => json],
  ['POST', '/api/2/episodes/ida.json', (json) => `{"actions":${json}}`],
  ['PUT', '/subscriptions/ida/phone.json', (json) => json],
  ['POST', '/api/2/devices/ida/phone.json', (json) => `{"caption":${json}}`],
  ['POST', '/api/2/settings/ida/account.json', (json) => `{"set":{"a":${json}}}`],
])('%s %s refuses millions of tiny values', async (method, path, wrap) => {
  for (const [what, json] of scraps) {
    const { status } = await ida.call(method, path, { body: wrap(json) })
    expect([what, status]).toEqual([what, 413])
  }
  expect(await stored(app)).toBe(before)
})

test.each([
  ['txt', '\n'.repeat(10_000_000)],
  ['opml', `<opml>${'<a/>'.repeat(2_500_000)}</opml>`],
  ['opml', `<opml ${Array.from({ length: 500_000 }, (_, n) => `a${n}="1"`).join(' ')}/>`],
])('10 MB of empty items are refused: PUT a list as %s', async (format, body) => {
  expectError(await ida.put(`/subscriptions/ida/phone.${format}`, body), 413, 'payload_too_large')
  expect(await stored(app)).toBe(before)
})

const request = () => new Request('http://localhost/')

test('memory for bodies is reserved up to the last byte, by current need, and released', () => {
  const room = createBodyRoom({ maxBytes: 100, timer: new FakeTimer().start })
  const [first, second] = [request(), request()]
  for (const bytes of [10, 50, 100, 60]) room.reserve(first, bytes)
  room.reserve(second, 40)
  expect(() => room.reserve(request(), 1)).toThrow(expect.objectContaining({ code: 'unavailable', retryAfter: 5 }))
  expect(() => room.reserve(first, 61)).toThrow()
  for (let n = 0; n < 2; n++) room.release(second)
  room.reserve(first, 100)
  expect(() => room.reserve(second, 1)).toThrow()
})

test('a body that takes longer than a minute is cancelled', async () => {
  const timer = new FakeTimer()
  const room = createBodyRoom({ maxBytes: 100, timer: timer.start })
  // The connection has ended, so cancelling fails.
  const readable = new ReadableStream<Uint8Array>({ cancel: () => Promise.reject(new Error('gone')) })
  const read = room.inTime(readable, async (reader) => (await reader.read()).done)
  timer.pass(59_999)
  expect(timer.waiting).toBe(1)
  timer.pass(1)
  await expect(read).rejects.toMatchObject({ code: 'invalid_json' })
  expect(timer.waiting).toBe(0)
})

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  /** Begins an upload; `send` sends parts of its body. */
  function begin() {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const headers = { ...basic('ida', 'seaglass'), 'content-length': String(10 * MIB) }
    const answer = app.fetch(new Request(`http://localhost${DELTA}`, { method: 'POST', headers, body: readable }))
    const send = (text: string) => writer.write(new TextEncoder().encode(text))
    return { answer, send, end: () => writer.close() }
  }
  return { ida, begin }
}

test('concurrent large uploads block further large ones, but no small ones', async () => {
  const { ida, begin } = await open()
  const three = [begin(), begin(), begin()]
  // They count once their first bytes have been read.
  await Promise.all(three.map(({ send }) => send(' ')))
  const large = { add: ['https://a.example/f'], titles: { x: 'y'.repeat(3 * MIB) } }
  const refused = await ida.post(DELTA, large)
  expectError(refused, 503, 'unavailable')
  expect(refused.headers.get('retry-after')).toBe('5')
  expect((await ida.get('/subscriptions/ida/phone.txt')).status).toBe(404)

  const small = { add: ['https://b.example/f'], titles: { x: 'y'.repeat(60_000) } }
  expect((await ida.post(DELTA, small)).status).toBe(200)
  const headers = { 'content-encoding': 'gzip' }
  const packed = (body: object) => ida.post(DELTA, Bun.gzipSync(JSON.stringify(body)), { headers })
  expect((await packed(small)).status).toBe(200)
  expectError(await packed(large), 503, 'unavailable')

  for (const { send, end, answer } of three) {
    await send('{"add":["https://c.example/f"]}')
    await end()
    expect((await answer).status).toBe(200)
  }
  expect((await ida.post(DELTA, large)).status).toBe(200)
})

test('refused large uploads release their memory', async () => {
  const { ida, begin } = await open()
  for (let round = 0; round < 5; round++) {
    const { send, end, answer } = begin()
    await send('no JSON')
    await end()
    expect((await answer).status).toBe(400)
  }
  expect((await ida.post(DELTA, `{"add":[]${' '.repeat(9 * MIB)}}`)).status).toBe(200)
})
