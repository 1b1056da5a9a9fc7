import { describe, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { openWire } from '../support/wire.ts'
import { CHANGES, IDA, LIST, type Scene, startScene } from './support/scene.ts'
import type { Server } from './support/server.ts'

const FEEDS = ['https://a.example/feed', 'https://b.example/feed']
const authorization = `Host: localhost\r\nAuthorization: ${IDA['authorization']}\r\n`
const uploadHead = `POST ${CHANGES} HTTP/1.1\r\n${authorization}`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

/** The server stopped at once: it would log what it waited for, up to 8 seconds, before cutting it off. */
function expectNoDelay({ log }: Server): void {
  const messages = log.map(({ msg }) => msg).filter((message) => message !== 'request')
  expect(messages.slice(-2)).toEqual(['stopping', 'stopped'])
}

const expectRefused = (port: number) => expect(openWire(port)).rejects.toThrow('ECONNREFUSED')

describe('a server that is asked to stop', () => {
  test('by SIGINT moves everything into the database file and exits with 0', async () => {
    await using scene = await startScene()
    const { server, folder, ida } = scene
    await ida.post(CHANGES, { add: FEEDS })
    expect(statSync(folder.file('data/podstep.db-wal')).size).toBeGreaterThan(0)
    server.signal('SIGINT')
    expect(await server.ended()).toBe(0)
    expect(existsSync(folder.file('data/podstep.db-wal'))).toBe(false)
    expectNoDelay(server)
  })

  test('by SIGTERM does not wait for idle connections and event streams', async () => {
    await using scene = await startScene()
    const { server } = scene
    using used = await openWire(server.port)
    used.send('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await used.until('{"status":"ok"}')
    using _fresh = await openWire(server.port)
    using events = await openWire(server.port)
    events.send(`GET /api/2/me/events HTTP/1.1\r\n${authorization}\r\n`)
    await events.until('event: ready\ndata: {}\n\n\r\n')
    server.signal('SIGTERM')
    expect(await server.ended()).toBe(0)
    expectNoDelay(server)
    await Promise.all([used.closed(), events.closed()])
  })

  test('receives and stores unfinished uploads, with a length or in chunks, but refuses new connections', async () => {
    await using scene = await startScene()
    const { server, anyone } = scene
    using sized = await openWire(server.port)
    using chunked = await openWire(server.port)
    const [first = '', second = ''] = FEEDS.map((feed) => JSON.stringify({ add: [feed] }))
    sized.send(`${uploadHead}Content-Length: ${first.length}\r\n\r\n${first.slice(0, 9)}`)
    chunked.send(`${uploadHead}Transfer-Encoding: chunked\r\n\r\n${chunk(second.slice(0, 9))}`)
    // Answered later, so the server knows of both uploads.
    await anyone.get('/healthz')
    server.signal('SIGTERM')
    await server.logged('stopping')
    await expectRefused(server.port)
    sized.send(first.slice(9))
    chunked.send(`${chunk(second.slice(9))}0\r\n\r\n`)
    for (const wire of [sized, chunked]) {
      const answer = await wire.until('}')
      expect(answer).toStartWith('HTTP/1.1 200 OK\r\n')
      expect(answer).toContain('"update_urls":[]')
    }
    expect(await server.ended()).toBe(0)
    expectNoDelay(server)
    await using again = await scene.again()
    expect(new Set((await again.ida.get(LIST)).json as string[])).toEqual(new Set(FEEDS))
  })
})

/** A connection with an upload that never ends. */
async function openUpload({ server }: Scene) {
  const wire = await openWire(server.port)
  wire.send(`${uploadHead}Content-Length: 1000\r\n\r\n{`)
  await server.client().get('/healthz')
  return wire
}

// Concurrent, since these tests mostly wait.
describe.concurrent('a server that is asked to stop while a client is slow', () => {
  test('sends a long list of episode actions to its end', async () => {
    await using scene = await startScene()
    const { server, ida } = scene
    // More than fits into the buffers between the two processes.
    const total = 10_000
    const filler = 'x'.repeat(1900)
    for (let first = 0; first < total; first += 2500) {
      const actions = Array.from({ length: 2500 }, (_, n) => ({
        podcast: 'https://a.example/feed',
        episode: `https://a.example/${first + n}?${filler}`,
        action: 'download',
        timestamp: '2025-03-02T10:00:00',
      }))
      expect((await ida.post('/api/2/episodes/ida.json', actions)).status).toBe(200)
    }
    using wire = await openWire(server.port)
    wire.pause()
    wire.send(`GET /api/2/episodes/ida.json HTTP/1.1\r\n${authorization}\r\n`)
    await ida.get('/healthz')
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

  test('cuts off a request after 8 seconds, and still stops cleanly', async () => {
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

  test('exits with 1 on a second signal, unless that is the first one delivered twice', async () => {
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

test('clients that disconnect in the middle of a body cause no errors in the log', async () => {
  await using scene = await startScene()
  const { server, anyone } = scene
  for (const length of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
    {
      using wire = await openWire(server.port)
      wire.send(`${uploadHead}${length}\r\n\r\n5\r\n{"add\r\n`)
      await anyone.get('/healthz')
    }
    await anyone.get('/healthz')
  }
  await server.stop()
  expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
})
