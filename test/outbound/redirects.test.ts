import { afterAll, describe, expect, test } from 'bun:test'
import { startRawServer, startWebServer, writeEndlessly } from '../support/web-server.ts'
import { connectBy, fetched, haveInternet, keepAnswers, namesAre, refused, textOf } from './fetching.ts'

const to = (location: string, status = 302) => new Response(null, { status, headers: { location } })

let cookieCount = 0
const setting = (location: string, ...cookies: string[]) => {
  const response = to(location)
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}
const allOf = (request: Request, name: string) => new URL(request.url).searchParams.getAll(name)

/** `/via?to=…&status=…` redirects there; `/chain?statuses=301,302` redirects with each of these statuses in turn. */
const server = startWebServer({
  '/feed.xml': () => new Response('a feed'),
  '/here/feed.xml': () => new Response('a feed here'),
  '/here/via': (request) => via(request),
  '/via': (request) => via(request),
  '/chain': (request) => {
    const [status, ...rest] = (new URL(request.url).searchParams.get('statuses') ?? '').split(',')
    return to(rest.length > 0 ? `/chain?statuses=${rest.join()}` : '/feed.xml', Number(status))
  },
  '/ping': () => to('/pong'),
  '/pong': () => to('/ping'),
  '/big': () => setting('/feed.xml', `big=${'x'.repeat(16 * 1024)}`, 'a=1'),
  '/ever': () => setting('/ever', `n=${cookieCount++}`),
  '/cookie-circle': () => setting('/cookie-circle', 'ok=1'),
  '/foreign': () => setting(`http://pods.example:${server.port}/foreign`),
  '/gate': ({ headers }) =>
    headers.get('cookie') === 'ok=1' ? new Response('a feed') : setting('/gate', 'ok=1; Path=/'),
  '/moved-gate': ({ headers }) => (headers.has('cookie') ? new Response('a feed') : to('/gatekeeper', 301)),
  '/gatekeeper': () => setting('/moved-gate', 'a=1'),
  '/set': (request) => setting(`${new URL(request.url).searchParams.get('to')}`, ...allOf(request, 'set')),
  '/nowhere': () => new Response('no way', { status: 302 }),
  '/choice': () => new Response('choose', { status: 300, headers: { location: '/feed.xml' } }),
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
const FIVE = [302, 301, 307, 308, 303]
const TEN = [...FIVE, ...FIVE]

describe('a redirect', () => {
  test.each([[301], [302], [303], [307], [308], FIVE])('with status %i is followed', async (...statuses) => {
    const answer = await fetched(chain(statuses))
    expect([textOf(answer), answer.url]).toEqual(['a feed', at('/feed.xml')])
  })

  test.each([
    ['feed.xml', '/here/via', '/here/feed.xml'],
    ['//other.example:PORT/feed.xml', '/via', 'http://other.example:PORT/feed.xml'],
    [' /feed.xml#latest ', '/via', '/feed.xml'],
  ])('to %p from %s leads to %s', async (location, from, expected) => {
    const withPort = (text: string) => text.replace('PORT', `${server.port}`)
    const answer = await fetched(viaTo(withPort(location), from))
    expect([answer.status, answer.url]).toEqual([200, new URL(withPort(expected), origin()).href])
  })

  test('may be encoded in UTF-8', async () => {
    const moved = 'HTTP/1.1 301 Moved\r\nLocation: /höre.xml\r\nContent-Length: 0\r\n\r\n'
    await using raw = await startRawServer((socket, asked) =>
      socket.end(asked.startsWith('GET /old ') ? moved : 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'),
    )
    const { url } = await fetched(`http://pods.example:${raw.port}/old`)
    expect(url).toEndWith('/h%C3%B6re.xml')
    expect(raw.asked.at(-1)).toStartWith('GET /h%C3%B6re.xml HTTP/1.1')
  })

  test.each([
    [302, '/nowhere', 'no way'],
    [300, '/choice', 'choose'],
    [304, '/unchanged', ''],
  ])('is not followed for status %i at %s', async (status, path, text) => {
    const answer = await fetched(at(path))
    expect([answer.status, textOf(answer), answer.url]).toEqual([status, text, at(path)])
  })

  test('keeps the credentials of the URL on the same host, and sends them to no other', async () => {
    const signedIn = (location: string) =>
      fetched(`http://ole:secret@pods.example:${server.port}/via?to=${encodeURIComponent(location)}`)
    await signedIn('/feed.xml')
    expect(server.asked.at(-1)?.headers.get('authorization')).toStartWith('Basic ')
    await signedIn(`${origin('b.example')}/feed.xml`)
    const [first, second] = server.asked.slice(-2)
    expect(first?.headers.get('authorization')).toStartWith('Basic ')
    expect(second?.headers.get('authorization')).toBeNull()
    expect(second?.headers.get('host')).toBe(`b.example:${server.port}`)
  })

  test('sends conditions to every host, but secret headers to the first one only', async () => {
    const wanted = { Accept: 'text/xml', 'If-None-Match': '"7"', 'if-modified-since': 'Sun, 02 Mar 2025 10:00:00 GMT' }
    const secret = { Authorization: 'secret', 'X-Auth-Key': 'secret', cookie: 'a=secret', 'if-match': 'secret' }
    const back = viaTo('/feed.xml')
    const url = viaTo(`${origin('b.example')}/via?to=${encodeURIComponent(back)}`)
    await fetched(url, { headers: { ...wanted, ...secret } })
    const asked = server.asked.slice(-4).map(({ headers }) => {
      expect(headers.toJSON()).toMatchObject(new Headers(wanted).toJSON())
      return [headers.get('host'), Object.keys(secret).filter((name) => headers.get(name)?.includes('secret')).length]
    })
    const first = [`pods.example:${server.port}`, 4]
    expect(asked).toEqual([first, [`b.example:${server.port}`, 0], first, first])
  })

  test('has its body ignored and its connection closed before the next request', async () => {
    using _answers = keepAnswers()
    await using next = startWebServer({ '/feed.xml': () => endless.closed.then(() => new Response('a feed')) })
    await using endless = await startRawServer((socket) => {
      socket.write(`HTTP/1.1 302 Found\r\nLocation: http://b.example:${next.port}/feed.xml\r\n\r\n`)
      writeEndlessly(socket)
    })
    expect(textOf(await fetched(`http://pods.example:${endless.port}/`))).toBe('a feed')
  })

  test('is followed even if its body is truncated, and errors name the host at its end', async () => {
    await using broken = await startRawServer((socket) => socket.end(''))
    await using raw = await startRawServer((socket, head) => {
      const location = head.startsWith('GET / ') ? '/feed.xml' : `http://b.example:${broken.port}/`
      socket.end(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 9\r\n\r\nno`)
    })
    const { message } = await refused(`http://pods.example:${raw.port}/`)
    expect(message).toStartWith('b.example cannot be reached')
  })

  test('is followed ten times at most', async () => {
    expect(textOf(await fetched(chain(TEN)))).toBe('a feed')
    const before = server.asked.length
    const message = 'more than 10 redirects'
    expect(await refused(chain([...TEN, 302]))).toMatchObject({ reason: 'too_many_redirects', message })
    expect(server.asked.length - before).toBe(11)
  })

  test.each([
    ['of two', at('/ping'), 2],
    ['to an empty address, which is the same one', viaTo(''), 1],
    ['that sets another cookie each time', at('/ever'), 11],
    ['that continues after a cookie', at('/cookie-circle'), 2],
    ['that sets cookies for another host only', viaTo(at('/foreign')), 2],
  ])('in a circle is refused: %s', async (_case, url, requests) => {
    const before = server.asked.length
    const message = 'the redirects form a loop'
    expect(await refused(url)).toMatchObject({ reason: 'too_many_redirects', message })
    expect(server.asked.length - before).toBe(requests)
  })

  test.each([
    ['bad_url', 'file:///etc/passwd'],
    ['bad_url', 'http://[::1'],
    ['forbidden', 'http://pods.example:25/'],
  ])('is refused as %s to %s', async (reason, location) => {
    expect(await refused(viaTo(location))).toMatchObject({ reason })
  })
})

describe('cookies', () => {
  /** A URL that sets these cookies and redirects. */
  const setTo = (location: string, ...cookies: readonly string[]) =>
    at(`/set?${new URLSearchParams([['to', location], ...cookies.map((each): [string, string] => ['set', each])])}`)
  const sent = () => server.asked.at(-1)?.headers.get('cookie')

  test('of a redirect are sent to the host that set them, during the same fetch', async () => {
    for (let fetches = 0; fetches < 2; fetches++) expect(textOf(await fetched(at('/gate')))).toBe('a feed')
    await fetched(at('/feed.xml'))
    expect(sent()).toBeNull()
  })

  test('are not sent to other hosts, including parent domains and subdomains', async () => {
    for (const host of ['b.example', 'www.pods.example', 'example']) {
      await fetched(setTo(`${origin(host)}/feed.xml`, 'a=1; Domain=example; Path=/'))
      expect(sent()).toBeNull()
    }
    await fetched(setTo(`${origin('b.example')}/via?to=${encodeURIComponent(at('/feed.xml'))}`, 'a=1'))
    expect(sent()).toBe('a=1')
  })

  test.each([
    [['a=1', 'b=2; HttpOnly'], 'a=1; b=2'],
    [['a=1', 'a=2'], 'a=2'],
    [['a=1', 'a=; Max-Age=0'], null],
    [['a=1', 'a=gone; expires=Thu, 01 Jan 1970 00:00:00 GMT'], null],
    [['a=b=c; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], 'a=b=c'],
    [['s=1; Secure', 'a='], 'a='],
    [['nothing', '=nothing', ''], null],
  ])('%j are sent as %p', async (cookies, expected) => {
    await fetched(setTo('/feed.xml', ...cookies))
    expect(sent()).toBe(expected)
  })

  test('have limits of number and size', async () => {
    await fetched(at('/big'))
    expect(sent()).toBe('a=1')

    await fetched(setTo('/feed.xml', ...Array.from({ length: 60 }, (_, n) => `c${n}=1`)))
    expect(sent()?.split('; ')).toHaveLength(50)
  })

  test('do not make a redirect back permanent', async () => {
    const url = at('/moved-gate')
    expect(await fetched(url)).toMatchObject({ url, permanentUrl: url, leads: [] })
  })
})

describe('a redirect to a private address', () => {
  const resolve = namesAre('1.1.1.1')

  test.each([1, 2, 10])('is refused as number %i, even if private addresses may be reached', async (hops) => {
    await using trap = await startRawServer((socket) => socket.end())
    using internet = haveInternet()
    let url = `http://127.0.0.1:${trap.port}/`
    for (let hop = 0; hop < hops; hop++) url = viaTo(url)
    for (const mayReachPrivate of [false, true]) {
      const failure = await refused(url, { resolve, mayReachPrivate, allowed: ['10.0.0.0/8', 'pods.example'] })
      expect(failure).toMatchObject({ reason: 'forbidden' })
      expect(failure.message).toContain('127.0.0.1 is in a private network')
    }
    expect(trap.connections).toBe(0)
    expect(internet.reached).toEqual(Array.from({ length: 2 * hops }, () => `1.1.1.1:${server.port}`))
  })

  test('is refused even if the first host is allowed, or the name has changed its address', async () => {
    const url = viaTo(`http://127.0.0.1:${server.port}/feed.xml`)
    expect(await refused(url, { allowed: [`pods.example:${server.port}`] })).toMatchObject({ reason: 'forbidden' })
    using internet = haveInternet()
    const answers = ['1.1.1.1', '127.0.0.1']
    const changing = async () => [answers.shift() ?? '']
    expect(await refused(viaTo('/feed.xml'), { resolve: changing, allowed: [] })).toMatchObject({ reason: 'forbidden' })
    expect(internet.reached).toEqual([`1.1.1.1:${server.port}`])
  })

  test('is followed if it is allowed, but not for anonymous clients', async () => {
    using _internet = haveInternet()
    const url = viaTo(`http://127.0.0.1:${server.port}/feed.xml`)
    expect(textOf(await fetched(url, { resolve }))).toBe('a feed')
    expect(await refused(url, { resolve, mayReachPrivate: false })).toMatchObject({ reason: 'forbidden' })
  })

  test.each([
    ['the internet alone', ['http://pods.example/', 'http://1.1.1.1/'], false],
    ['an allowed address', ['http://10.0.0.1/'], true],
    ['a name of a private address', ['http://inside.example/'], true],
    ['a redirect from the internet to a private address', ['http://pods.example/', 'http://10.0.0.1/'], true],
    ['a private address between public ones', ['http://pods.example/', 'http://10.0.0.1/', 'http://1.1.1.1/'], true],
  ])('sets isInside: %s', async (_way, [first = '', ...left], isInside) => {
    using _connect = connectBy(async () => {
      const location = left.shift()
      return new Response('a feed', location === undefined ? {} : { status: 302, headers: { location } })
    })
    const inside = async (host: string) => [host === 'inside.example' ? '10.0.0.1' : '1.1.1.1']
    expect(await fetched(first, { resolve: inside, allowed: ['10.0.0.0/8'] })).toMatchObject({ status: 200, isInside })
  })
})

test.each([
  [[301, 308, 301], '/feed.xml'],
  [[302], '/chain?statuses=302'],
  [[301, 302, 301], '/chain?statuses=302,301'],
  [[308, 308, 307, 308, 308], '/chain?statuses=307,308,308'],
])('after redirects %p the permanent URL is %s', async (statuses, path) => {
  expect(await fetched(chain(statuses))).toMatchObject({ url: at('/feed.xml'), permanentUrl: at(path) })
  const nowhere = await fetched(at('/via?to=/unknown&status=301'))
  expect(nowhere).toMatchObject({ status: 404, permanentUrl: at('/unknown') })
})

test('permanent redirects, and those to the same URL with https, are listed', async () => {
  const led = async (...statuses: number[]) => (await fetched(chain(statuses))).leads
  expect(await led(301, 308)).toEqual([at('/chain?statuses=308'), at('/feed.xml')])
  expect(await led(301, 302, 301)).toEqual([at('/chain?statuses=302,301')])
  expect(await led(302, 301)).toEqual([])
  const ways: Record<string, string> = {
    'http://pods.example/f': 'https://pods.example/f',
    'http://pods.example/g': 'https://pods.example/h',
  }
  using _connect = connectBy(async (_real, url) => {
    const location = ways[`${url.protocol}//pods.example${url.pathname}`]
    return new Response('a feed', location === undefined ? {} : { status: 302, headers: { location } })
  })
  const resolve = async () => ['1.1.1.1']
  expect((await fetched('http://pods.example/f', { resolve })).leads).toEqual(['https://pods.example/f'])
  expect((await fetched('http://pods.example/g', { resolve })).leads).toEqual([])
})
