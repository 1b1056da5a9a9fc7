import { describe, expect, test } from 'bun:test'
import { createBodyRoom } from '../../src/http/body-room.ts'
import { startTestApp } from '../support/app.ts'
import { basic, signUp } from '../support/client.ts'
import { FakeTimer } from '../support/clock.ts'
import { expectError } from './error.ts'

const MIB = 1024 * 1024
const DELTA = '/api/2/subscriptions/ida/phone.json'
const request = () => new Request('http://localhost/')

describe('the room of large bodies', () => {
  test('is given out to the last byte, counts what a request needs now, and is free again after a release', () => {
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

  test('is not for bodies that take longer than a minute', async () => {
    const timer = new FakeTimer()
    const room = createBodyRoom({ maxBytes: 100, timer: timer.start })
    const { readable } = new TransformStream<Uint8Array, Uint8Array>()
    const read = room.inTime(readable, async (reader) => (await reader.read()).done)
    timer.pass(59_999)
    expect(timer.waiting).toBe(1)
    timer.pass(1)
    await expect(read).rejects.toMatchObject({ code: 'invalid_json' })
    expect(timer.waiting).toBe(0)
  })
})

describe('large uploads under way', () => {
  async function open() {
    const app = startTestApp()
    const ida = await signUp(app)
    /** An upload whose body arrives when the test says so. */
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

  test('keep others from sending large ones, but nobody from sending small ones', async () => {
    const { ida, begin } = await open()
    const three = [begin(), begin(), begin()]
    // They are there as soon as their first bytes have been taken.
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

  test('that are refused or break off give their room back', async () => {
    const { ida, begin } = await open()
    for (let round = 0; round < 5; round++) {
      const { send, end, answer } = begin()
      await send('no JSON')
      await end()
      expect((await answer).status).toBe(400)
    }
    expect((await ida.post(DELTA, `{"add":[]${' '.repeat(9 * MIB)}}`)).status).toBe(200)
  })
})
