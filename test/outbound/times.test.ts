import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from 'bun:test'
import { getEventListeners } from 'node:events'
import { startRawServer, writeEndlessly } from '../support/web-server.ts'
import { connectBy, fetched, LIMITS, namesAre, refused, textOf } from './fetching.ts'

const { totalMs: TOTAL, answerMs: ANSWER } = LIMITS
const FEED = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na feed'
const TOO_LONG = { reason: 'timeout', message: 'pods.example takes too long' }

/** Time limits in the order in which they were set; time passes only by hand. */
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

/** Lets the limit that was set last with this time run out. */
const expire = (ms: number) => limits.findLast((limit) => limit.ms === ms)?.expire()
const urlOf = ({ port }: { readonly port: number }) => `http://pods.example:${port}/`

/** The next answer's head has come, and all that follows from it at once has happened. */
async function afterHead(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  using _connected = connectBy(async (real, target, init) => {
    const response = await real(target, init)
    setImmediate(resolve)
    return response
  })
  await promise
}

describe('a fetch', () => {
  test('has a limit for all of it, and one for the answer of each host', async () => {
    await using server = await startRawServer((socket, head) =>
      socket.end(head.startsWith('GET / ') ? 'HTTP/1.1 302 Found\r\nLocation: /feed.xml\r\n\r\n' : FEED),
    )
    expect(textOf(await fetched(urlOf(server)))).toBe('a feed')
    expect(limits.map(({ ms }) => ms)).toEqual([TOTAL, ANSWER, ANSWER])
  })

  test('leaves nobody listening to its limits, and does not mind when they run out', async () => {
    await using server = await startRawServer((socket) => socket.end(FEED))
    await fetched(urlOf(server))
    const answerLimits = limits.filter(({ ms }) => ms === ANSWER)
    expect(answerLimits.flatMap(({ signal }) => getEventListeners(signal, 'abort'))).toEqual([])
    for (const limit of limits) limit.expire()
    await new Promise((next) => setImmediate(next))
  })
})

describe('an answer is not waited for', () => {
  test('when the name is not resolved in time', async () => {
    const resolve = () => {
      expire(TOTAL)
      return new Promise<never>(() => undefined)
    }
    expect(await refused('http://pods.example/', { resolve })).toMatchObject(TOO_LONG)
  })

  test('when the name turns out to be unknown too late, either', async () => {
    const resolve = async () => {
      expire(TOTAL)
      await new Promise((next) => setImmediate(next))
      throw new Error('ENOTFOUND')
    }
    expect(await refused('http://pods.example/', { resolve })).toMatchObject(TOO_LONG)
    await new Promise((next) => setImmediate(() => setImmediate(next)))
  })

  test.each([
    ['the answer', ANSWER],
    ['everything', TOTAL],
  ])('when the server is silent until the time for %s is over', async (_case, ms) => {
    await using server = await startRawServer(() => expire(ms))
    expect(await refused(urlOf(server))).toMatchObject(TOO_LONG)
    await server.closed
  })

  test('when the server is silent before there is any TLS', async () => {
    await using server = await startRawServer(() => expire(ANSWER))
    expect(await refused(urlOf(server).replace('http', 'https'))).toMatchObject(TOO_LONG)
    await server.closed
  })

  test.each([
    ['begins and does not go on', 'HTTP/1.1 200 OK\r\nContent-'],
    ['is announced but does not come', 'HTTP/1.1 103 Early Hints\r\nLink: </logo.png>\r\n\r\n'],
    ['is to be continued', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('when it %s', async (_case, beginning) => {
    await using server = await startRawServer((socket) => socket.write(beginning, () => expire(ANSWER)))
    expect(await refused(urlOf(server))).toMatchObject(TOO_LONG)
    await server.closed
  })

  test('when the time is over at another host', async () => {
    await using silent = await startRawServer(() => expire(TOTAL))
    const location = `http://b.example:${silent.port}/`
    await using server = await startRawServer((socket) =>
      socket.end(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`),
    )
    expect(await refused(urlOf(server))).toMatchObject({ reason: 'timeout', message: 'b.example takes too long' })
  })
})

describe('of several addresses', () => {
  const resolve = namesAre('127.0.0.1', '127.0.0.1', '127.0.0.1')

  test('the next one is tried when one is silent for too long', async () => {
    await using server = await startRawServer((socket) => {
      if (server.connections === 1) expire(ANSWER)
      else socket.end(FEED)
    })
    expect(textOf(await fetched(urlOf(server), { resolve }))).toBe('a feed')
    expect(server.connections).toBe(2)
  })

  test('none is tried after the end', async () => {
    await using server = await startRawServer(() => expire(TOTAL))
    expect(await refused(urlOf(server), { resolve })).toMatchObject(TOO_LONG)
    expect(server.connections).toBe(1)
  })
})

describe('a body', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na'

  test('may take longer than the answer', async () => {
    await using server = await startRawServer(async (socket) => {
      socket.write(HEAD)
      await head
      expire(ANSWER)
      socket.end(' feed')
    })
    const head = afterHead()
    expect(textOf(await fetched(urlOf(server)))).toBe('a feed')
  })

  test.each([
    ['comes in drops', ''],
    ['comes in drops, packed', 'Content-Encoding: gzip\r\n'],
    ['comes in drops, packed as nobody knows what', 'Content-Encoding: br\r\n'],
  ])('is not waited for any longer than allowed in all when it %s', async (_case, coding) => {
    await using server = await startRawServer(async (socket) => {
      socket.write(HEAD.replace('\r\n\r\n', `\r\n${coding}\r\n`))
      await head
      socket.write('b', () => expire(TOTAL))
    })
    const head = afterHead()
    expect(await refused(urlOf(server))).toMatchObject(TOO_LONG)
    await server.closed
  })

  test('without end is not waited for, either, when there is room for it', async () => {
    await using server = await startRawServer(async (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      writeEndlessly(socket)
      await head
      expire(TOTAL)
    })
    const head = afterHead()
    expect(await refused(urlOf(server), { limits: { maxBytes: 2 ** 40 } })).toMatchObject(TOO_LONG)
    await server.closed
  })
})
