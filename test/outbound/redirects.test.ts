import { afterAll, describe, expect, test } from 'bun:test'
import { startRawServer, startWebServer, writeEndlessly } from '../support/web-server.ts'
import { connectBy, fetched, haveInternet, keepAnswers, namesAre, refused, textOf } from './fetching.ts'

const to = (location: string, status = 302) => new Response(null, { status, headers: { location } })

/** `/via?to=…&status=…` leads there; `/chain?statuses=301,302` by way of them, one after the other. */
const server = startWebServer({
  '/feed.xml': () => new Response('a feed'),
  '/here/feed.xml': () => new Response('a feed here'),
  '/here/via': (request) => via(request),
  '/via': (request) => via(request),
  '/chain': (request) => {
    const [status, ...rest] = (new URL(request.url).searchParams.get('statuses') ?? '').split(',')
    return to(rest.length > 0 ? `/chain?statuses=${rest.join()}` : '/feed.xml', Number(status))
  },
  '/loop': () => to('/loop'),
  '/ping': () => to('/pong'),
  '/pong': () => to('/ping'),
  '/nowhere': () => new Response('no way', { status: 302 }),
  '/choice': () => new Response('choose', { status: 300, headers: { location: '/feed.xml' } }),
  '/created': () => new Response('done', { status: 201, headers: { location: '/feed.xml' } }),
  '/unchanged': () => new Response(null, { status: 304, headers: { location: '/feed.xml' } }),
})
afterAll(() => server[Symbol.asyncDispose]())

function via(request: Request): Response {
  const { searchParams } = new URL(request.url)
  return to(searchParams.get('to') ?? '', Number(searchParams.get('status') ?? 302))
}

const origin = (host = 'pods.example') => `http://${host}:${server.port}`
const at = (path: string) => `${origin()}${path}`
const viaTo = (location: string, from = '/via') => at(`${from}?to=${encodeURIComponent(location)}`)
const chain = (statuses: readonly number[]) => at(`/chain?statuses=${statuses.join()}`)

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('with status %i is followed', async (status) => {
    const answer = await fetched(chain([status]))
    expect([textOf(answer), answer.url]).toEqual(['a feed', at('/feed.xml')])
  })

  test.each([
    ['/feed.xml', '/via', '/feed.xml'],
    ['feed.xml', '/here/via', '/here/feed.xml'],
    ['../feed.xml', '/here/via', '/feed.xml'],
    ['//other.example:PORT/feed.xml', '/via', 'http://other.example:PORT/feed.xml'],
    ['http://other.example:PORT/feed.xml', '/via', 'http://other.example:PORT/feed.xml'],
    ['HTTP://OTHER.example:PORT/feed.xml', '/via', 'http://other.example:PORT/feed.xml'],
    ['/feed.xml#latest', '/via', '/feed.xml'],
    [' /feed.xml ', '/via', '/feed.xml'],
    ['?to=/feed.xml', '/via', '/feed.xml'],
  ])('to %p from %s leads to %s', async (location, from, expected) => {
    const withPort = (text: string) => text.replace('PORT', `${server.port}`)
    const answer = await fetched(viaTo(withPort(location), from))
    expect([answer.status, answer.url]).toEqual([200, new URL(withPort(expected), origin()).href])
  })

  test('may be written in UTF-8', async () => {
    const head = Buffer.from(
      'HTTP/1.1 301 Moved\r\nLocation: /höre.xml\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    )
    await using raw = await startRawServer((socket, asked) =>
      socket.end(asked.startsWith('GET /old ') ? head : 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'),
    )
    const { url } = await fetched(`http://pods.example:${raw.port}/old`)
    expect(url).toEndWith('/h%C3%B6re.xml')
    expect(raw.asked.at(-1)).toStartWith('GET /h%C3%B6re.xml HTTP/1.1')
  })

  test.each([
    [302, '/nowhere', 'no way'],
    [300, '/choice', 'choose'],
    [201, '/created', 'done'],
    [304, '/unchanged', ''],
  ])('is none with status %i at %s', async (status, path, text) => {
    const answer = await fetched(at(path))
    expect([answer.status, textOf(answer), answer.url]).toEqual([status, text, at(path)])
  })

  test('asks the other host by its own name, and without the credentials for the first one', async () => {
    await fetched(
      `http://ole:secret@pods.example:${server.port}/via?to=${encodeURIComponent(`${origin('b.example')}/feed.xml`)}`,
    )
    const [first, second] = server.asked.slice(-2)
    expect(first?.headers.get('authorization')).toStartWith('Basic ')
    expect(second?.headers.get('authorization')).toBeNull()
    expect(second?.headers.get('host')).toBe(`b.example:${server.port}`)
  })

  test('keeps credentials on the same host', async () => {
    await fetched(`http://ole:secret@pods.example:${server.port}/via?to=/feed.xml`)
    expect(server.asked.at(-1)?.headers.get('authorization')).toStartWith('Basic ')
  })

  test('tells every host what is wanted, but only the first one who asks', async () => {
    const wanted = { Accept: 'text/xml', 'If-None-Match': '"7"', 'if-modified-since': 'Sun, 02 Mar 2025 10:00:00 GMT' }
    const secret = { Authorization: 'secret', 'X-Auth-Key': 'secret', cookie: 'a=secret', 'if-match': 'secret' }
    const back = viaTo('/feed.xml')
    await fetched(viaTo(`${origin('b.example')}/via?to=${encodeURIComponent(back)}`), {
      headers: { ...wanted, ...secret },
    })
    const asked = server.asked.slice(-4).map(({ headers }) => {
      expect(headers.toJSON()).toMatchObject(new Headers(wanted).toJSON())
      return [headers.get('host'), Object.keys(secret).filter((name) => headers.get(name)?.includes('secret')).length]
    })
    const first = [`pods.example:${server.port}`, 4]
    expect(asked).toEqual([first, [`b.example:${server.port}`, 0], first, first])
  })

  test('is not read, however much it says, and left before the next host is asked', async () => {
    using _answers = keepAnswers()
    await using next = startWebServer({ '/feed.xml': () => endless.closed.then(() => new Response('a feed')) })
    await using endless = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 302 Found\r\nLocation: http://b.example:${next.port}/feed.xml\r\n\r\n`)
      writeEndlessly(socket)
    })
    expect(textOf(await fetched(`http://pods.example:${endless.port}/`))).toBe('a feed')
  })
})

describe('redirects', () => {
  const five = [302, 301, 307, 308, 303]

  test('may be five', async () => {
    expect(textOf(await fetched(chain(five)))).toBe('a feed')
  })

  test.each([
    ['six', chain([...five, 302])],
    ['a loop', at('/loop')],
    ['a circle of two', at('/ping')],
    ['one to an empty address, which is the same again', viaTo('')],
  ])('must not be %s', async (_case, url) => {
    const before = server.asked.length
    expect(await refused(url)).toMatchObject({ reason: 'too_many_redirects', message: 'more than 5 redirects' })
    expect(server.asked.length - before).toBe(6)
  })
})

describe('a redirect to', () => {
  test.each([
    'file:///etc/passwd',
    'ftp://pods.example/feed.xml',
    'gopher://127.0.0.1:70/',
    'data:text/xml,<rss/>',
    'javascript:alert(1)',
    's3://pods/feed.xml',
    'feed://pods.example/feed.xml',
    'http://',
    'http://[::1',
    'http://pods.example:99999/',
    'https://a b.example/',
  ])('%s is refused', async (location) => {
    expect(await refused(viaTo(location))).toMatchObject({ reason: 'bad_url' })
  })

  test('a port of another service is refused', async () => {
    expect(await refused(viaTo('http://pods.example:25/'))).toMatchObject({ reason: 'forbidden' })
  })

  test.each([1, 2, 3, 4, 5])('a private address is refused as number %i, for everybody', async (hops) => {
    await using trap = await startRawServer((socket) => socket.end())
    using internet = haveInternet()
    const resolve = namesAre('1.1.1.1')
    let url = `http://127.0.0.1:${trap.port}/`
    for (let hop = 0; hop < hops; hop++) url = viaTo(url)
    for (const mayReachPrivate of [false, true]) {
      const failure = await refused(url, { resolve, mayReachPrivate, allowed: ['10.0.0.0/8', 'pods.example'] })
      expect(failure).toMatchObject({ reason: 'forbidden' })
      expect(failure).toHaveProperty('message', expect.stringContaining('127.0.0.1 is in a private network'))
    }
    expect(trap.connections).toBe(0)
    expect(internet.reached).toEqual(Array.from({ length: 2 * hops }, () => `1.1.1.1:${server.port}`))
  })

  test('another private address is refused though the first one is allowed', async () => {
    await using trap = await startRawServer((socket) => socket.end())
    const failure = await refused(viaTo(`http://127.0.0.1:${trap.port}/`), { allowed: [`pods.example:${server.port}`] })
    expect(failure).toMatchObject({ reason: 'forbidden' })
    expect(trap.connections).toBe(0)
  })

  test('an allowed private address is followed, but not for strangers', async () => {
    using _internet = haveInternet()
    const url = viaTo(`http://127.0.0.1:${server.port}/feed.xml`)
    const resolve = namesAre('1.1.1.1')
    expect(textOf(await fetched(url, { resolve }))).toBe('a feed')
    expect(await refused(url, { resolve, mayReachPrivate: false })).toMatchObject({ reason: 'forbidden' })
  })

  test.each([
    ['the internet alone', 'http://pods.example/', ['http://1.1.1.1/'], false],
    ['an allowed place', 'http://10.0.0.1/', [], true],
    ['a name of one', 'http://inside.example/', [], true],
    ['the internet, which leads inside', 'http://pods.example/', ['http://10.0.0.1/'], true],
    ['an allowed place, which leads out', 'http://10.0.0.1/', ['http://pods.example/'], true],
    ['a way that is inside in the middle', 'http://pods.example/', ['http://10.0.0.1/', 'http://1.1.1.1/'], true],
  ])('it is told whether the way needs what is allowed: %s', async (_way, first, rest, isInside) => {
    const left = [...rest]
    using _connect = connectBy(async () => {
      const location = left.shift()
      return new Response('a feed', location === undefined ? {} : { status: 302, headers: { location } })
    })
    const resolve = async (host: string) => [host === 'inside.example' ? '10.0.0.1' : '1.1.1.1']
    expect(await fetched(first, { resolve, allowed: ['10.0.0.0/8'] })).toMatchObject({ status: 200, isInside })
  })
})

describe('the address for good', () => {
  const THERE = '/feed.xml'
  test.each([
    [[], THERE],
    [[301], THERE],
    [[308], THERE],
    [[301, 308, 301], THERE],
    [[302], '/chain?statuses=302'],
    [[303], '/chain?statuses=303'],
    [[307], '/chain?statuses=307'],
    [[301, 302], '/chain?statuses=302'],
    [[301, 302, 301], '/chain?statuses=302,301'],
    [[302, 301], '/chain?statuses=302,301'],
    [[308, 308, 307, 308, 308], '/chain?statuses=307,308,308'],
  ])('after redirects %p is %s', async (statuses, path) => {
    const url = statuses.length === 0 ? at(THERE) : chain(statuses)
    expect(await fetched(url)).toMatchObject({ url: at(THERE), permanentUrl: at(path) })
  })

  test('is told even where nothing is to be found', async () => {
    expect(await fetched(at('/via?to=/unknown&status=301'))).toMatchObject({
      status: 404,
      permanentUrl: at('/unknown'),
    })
  })
})
