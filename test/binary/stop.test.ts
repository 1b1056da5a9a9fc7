import { describe, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { openWire } from '../support/wire.ts'
import { CHANGES, IDA, LIST, type Scene, startScene } from './support/scene.ts'
import type { Server } from './support/server.ts'

const upload = JSON.stringify({ add: ['https://a.example/feed'] })
const uploadHead =
  'POST /api/2/subscriptions/ida/phone.json HTTP/1.1\r\nHost: localhost\r\n' +
  `Authorization: ${IDA['authorization']}\r\n`

/** It has ended by itself: it gives what holds it up 8 seconds, and says so before it cuts that off. */
function expectNotHeldUp({ log }: Server): void {
  const messages = log.map(({ msg }) => msg).filter((message) => message !== 'request')
  expect(messages.slice(-2)).toEqual(['stopping', 'stopped'])
}

const expectRefused = (port: number) => expect(openWire(port)).rejects.toThrow('ECONNREFUSED')

describe('asked to stop, the server', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'moves everything into the database file and ends with 0 on %s',
    async (signal) => {
      await using scene = await startScene()
      const { server, folder, ida } = scene
      await ida.post(CHANGES, { add: ['https://a.example/feed'] })
      expect(statSync(folder.file('data/podstep.db-wal')).size).toBeGreaterThan(0)
      server.signal(signal)
      expect(await server.ended()).toBe(0)
      expect(existsSync(folder.file('data/podstep.db-wal'))).toBe(false)
      expectNotHeldUp(server)
    },
  )

  test('is not held up by idle connections, used or fresh', async () => {
    await using scene = await startScene()
    const { server } = scene
    using used = await openWire(server.port)
    used.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await used.until('{"status":"ok"}')
    using _fresh = await openWire(server.port)
    server.signal('SIGTERM')
    expect(await server.ended()).toBe(0)
    expectNotHeldUp(server)
    await used.closed()
  })

  test('is not held up by pages that are told what changes', async () => {
    await using scene = await startScene()
    const { server } = scene
    using wire = await openWire(server.port)
    wire.send(`GET /api/2/me/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${IDA['authorization']}\r\n\r\n`)
    await wire.until('event: ready\ndata: {}\n\n\r\n')
    server.signal('SIGTERM')
    expect(await server.ended()).toBe(0)
    expectNotHeldUp(server)
    await wire.closed()
  })

  const [begun, rest] = [upload.slice(0, 9), upload.slice(9)]
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  test.each([
    ['of announced length', `Content-Length: ${upload.length}\r\n\r\n${begun}`, rest],
    ['in chunks', `Transfer-Encoding: chunked\r\n\r\n${chunk(begun)}`, `${chunk(rest)}0\r\n\r\n`],
  ])(
    'takes the rest of a body %s, stores it and answers; new connections are refused meanwhile',
    async (_how, begin, end) => {
      await using scene = await startScene()
      const { server, anyone } = scene
      using wire = await openWire(server.port)
      wire.send(uploadHead + begin)
      // Answered after the wire's bytes have arrived: the server knows of the upload.
      await anyone.get('/healthz')
      server.signal('SIGTERM')
      await server.logged('stopping')
      await expectRefused(server.port)
      wire.send(end)
      const answer = await wire.until('}')
      expect(answer).toStartWith('HTTP/1.1 200 OK\r\n')
      expect(answer).toContain('"update_urls":[]')
      expect(await server.ended()).toBe(0)
      expectNotHeldUp(server)
      await using again = await scene.again()
      expect((await again.ida.get(LIST)).json).toEqual(['https://a.example/feed'])
    },
  )
})

/** A connection on which an upload has begun that does not go on. */
async function openUpload({ server }: Scene) {
  const wire = await openWire(server.port)
  wire.send(`${uploadHead}Content-Length: 1000\r\n\r\n{`)
  await server.client().get('/healthz')
  return wire
}

// At the same time: what takes long here is waiting.
describe.concurrent('asked to stop while a client is slow, the server', () => {
  test('sends a long list of episode actions to its end, however slowly it is taken', async () => {
    await using scene = await startScene()
    const { server } = scene
    const client = scene.ida
    // More than all buffers between the two processes can hold.
    const total = 10_000
    const filler = 'x'.repeat(1900)
    for (let first = 0; first < total; first += 2500) {
      const actions = Array.from({ length: 2500 }, (_, n) => ({
        podcast: 'https://a.example/feed',
        episode: `https://a.example/${first + n}?${filler}`,
        action: 'download',
        timestamp: '2025-03-02T10:00:00',
      }))
      expect((await client.post('/api/2/episodes/ida.json', actions)).status).toBe(200)
    }
    using wire = await openWire(server.port)
    wire.pause()
    wire.send(
      `GET /api/2/episodes/ida.json HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${IDA['authorization']}\r\n\r\n`,
    )
    await client.get('/healthz')
    server.signal('SIGTERM')
    await server.logged('stopping')
    await expectRefused(server.port)
    expect(server.log.at(-1)?.['msg']).toBe('stopping')
    wire.resume()
    const answer = await wire.until('\r\n0\r\n\r\n')
    expect(answer).toEndWith('}\r\n0\r\n\r\n')
    expect(answer.split('"episode":"').length - 1).toBe(total)
    expect(await server.ended()).toBe(0)
  })

  test('gives up on a request that takes longer than 8 seconds, and still ends in order', async () => {
    await using scene = await startScene()
    const { server } = scene
    using _wire = await openUpload(scene)
    const started = performance.now()
    server.signal('SIGTERM')
    expect(await server.ended()).toBe(0)
    expect(performance.now() - started).toBeGreaterThan(7500)
    expect(server.log.map(({ msg }) => msg)).toContain('some requests took too long and were cut off')
    expect(existsSync(scene.folder.file('data/podstep.db-wal'))).toBe(false)
  })

  test('ends at once with 1 on a second signal; the same one told twice is no second', async () => {
    await using scene = await startScene()
    const { server } = scene
    using _wire = await openUpload(scene)
    const started = performance.now()
    server.signal('SIGTERM')
    await server.logged('stopping')
    server.signal('SIGINT')
    const impatience = setInterval(() => server.signal('SIGINT'), 30)
    try {
      expect(await server.ended()).toBe(1)
    } finally {
      clearInterval(impatience)
    }
    expect(performance.now() - started).toBeGreaterThan(95)
    expect(server.log.at(-1)?.['msg']).toBe('stopped at once by a second signal')
  })
})

describe('a client that goes away in the middle of its body', () => {
  const heads = ['Content-Length: 1000', 'Transfer-Encoding: chunked']
  test.each(heads)('is no error in the log (%s)', async (length) => {
    await using scene = await startScene()
    const { server } = scene
    {
      using wire = await openWire(server.port)
      wire.send(`${uploadHead}${length}\r\n\r\n5\r\n{"add\r\n`)
      await server.client().get('/healthz')
    }
    await server.client().get('/healthz')
    await server.stop()
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
  })
})
