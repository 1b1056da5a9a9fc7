import { afterAll, describe, expect, test } from 'bun:test'
import { startRawServer, startWebServer } from '../support/web-server.ts'
import { type FetchCase, fetched, refused, textOf, USER_AGENT } from './fetching.ts'

const FEED = '<rss version="2.0"/>'
const server = startWebServer({
  '/feed.xml': () => new Response(FEED, { headers: { etag: '"7"', 'content-type': 'application/rss+xml' } }),
  '/empty': () => new Response(null, { status: 200 }),
  '/gone': () => new Response('no more episodes', { status: 410 }),
  '/unchanged': () => new Response(null, { status: 304, headers: { etag: '"7"', 'content-encoding': 'gzip' } }),
  '/nothing': () => new Response(null, { status: 204 }),
  '/busy': () => new Response('low tide', { status: 503, headers: { 'retry-after': '120' } }),
})
afterAll(() => server[Symbol.asyncDispose]())

const at = (path: string, host = 'pods.example') => `http://${host}:${server.port}${path}`

/** What the server is asked for one fetch. */
async function askedBy(url: string, options: FetchCase = {}) {
  await fetched(url, options)
  const asked = server.asked.at(-1)
  if (!asked) throw new Error('nobody asked')
  return asked
}

describe('an answer', () => {
  test('comes with status, headers, body and address', async () => {
    const answer = await fetched(at('/feed.xml?page=1'))
    expect(answer).toMatchObject({ status: 200, url: at('/feed.xml?page=1'), permanentUrl: at('/feed.xml?page=1') })
    expect(answer.headers.get('etag')).toBe('"7"')
    expect(textOf(answer)).toBe(FEED)
  })

  test.each([
    [404, '/unknown', 'nothing here'],
    [410, '/gone', 'no more episodes'],
    [503, '/busy', 'low tide'],
    [304, '/unchanged', ''],
    [204, '/nothing', ''],
    [200, '/empty', ''],
  ])('is one with any status: %i', async (status, path, text) => {
    const answer = await fetched(at(path))
    expect([answer.status, textOf(answer)]).toEqual([status, text])
  })

  test.each([
    ['HTTP://PODS.example:PORT/feed.xml', 'http://pods.example:PORT/feed.xml'],
    ['http://pods.example:PORT/feed.xml#latest', 'http://pods.example:PORT/feed.xml'],
    [' http://pods.example:PORT/a/../feed.xml ', 'http://pods.example:PORT/feed.xml'],
  ])('to %p comes from %s, while the address stays as it was written', async (given, from) => {
    const url = given.replace('PORT', `${server.port}`)
    expect(await fetched(url)).toMatchObject({ permanentUrl: url, url: from.replace('PORT', `${server.port}`) })
  })
})

describe('a request', () => {
  test('names the host of the address, though it goes to what that resolves to', async () => {
    const { path, headers } = await askedBy(at('/feed.xml?page=2'), { headers: { Host: 'b.example' } })
    expect([headers.get('host'), path]).toEqual([`pods.example:${server.port}`, '/feed.xml?page=2'])
  })

  test('says honestly who asks, whatever the principal would have said', async () => {
    const { headers } = await askedBy(at('/feed.xml'), { headers: { 'User-Agent': 'Mozilla/5.0', accept: 'text/xml' } })
    expect([headers.get('user-agent'), headers.get('accept')]).toEqual([USER_AGENT, 'text/xml'])
  })

  test('takes all packings that can be unpacked', async () => {
    const { headers } = await askedBy(at('/feed.xml'), {
      headers: { 'Accept-Encoding': 'compress' },
    })
    expect(headers.get('accept-encoding')).toBe('gzip, deflate, br, zstd')
  })

  test('passes on the conditions of the principal', async () => {
    const conditions = { 'if-none-match': 'W/"7"', 'if-modified-since': 'Sun, 02 Mar 2025 10:00:00 GMT' }
    const { headers } = await askedBy(at('/feed.xml'), { headers: conditions })
    expect(headers.toJSON()).toMatchObject(conditions)
  })

  test('signs in with what stands in the address', async () => {
    const { headers } = await askedBy(at('/feed.xml', 'ole:p%40ss@pods.example'))
    expect(headers.get('authorization')).toBe(`Basic ${btoa('ole:p@ss')}`)
  })

  test('has no credentials otherwise, no referrer and no cookie', async () => {
    const { headers } = await askedBy(at('/feed.xml'))
    expect([headers.get('authorization'), headers.get('referer'), headers.get('cookie')]).toEqual([null, null, null])
  })

  test('keeps no connection that another name could be asked over', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi'
    await using kept = await startRawServer((socket) => socket.write(answer))
    for (const name of ['a.example', 'b.example']) {
      expect(textOf(await fetched(`http://${name}:${kept.port}/`))).toBe('hi')
      await kept.closed
    }
    expect(kept.connections).toBe(2)
  })
})

test.each([
  ['HTTP_PROXY', 'http_proxy'],
  ['HTTPS_PROXY', 'https_proxy'],
  ['ALL_PROXY', 'all_proxy'],
])('the proxy of %s is not asked, for it would look for the address itself', async (upper, lower) => {
  const names = [upper, lower]
  await using proxy = await startRawServer((socket) =>
    socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'),
  )
  const before = names.map((name) => process.env[name])
  for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`
  try {
    expect(textOf(await fetched(at('/feed.xml')))).toBe(FEED)
    expect(await refused(at('/feed.xml').replace('http', 'https'))).toMatchObject({ reason: 'tls' })
  } finally {
    for (const [index, name] of names.entries()) {
      const value = before[index]
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  expect(proxy.connections).toBe(0)
})

describe('an address that cannot be fetched', () => {
  test.each([
    '',
    'feed',
    '/feed.xml',
    'pods.example/feed.xml',
    'http://',
    'http://[::1',
    'http://pods.example:99999/',
    'http://a b.example/',
    'http://%00.example/',
    'file:///etc/passwd',
    'ftp://pods.example/feed.xml',
    'gopher://pods.example/',
    'data:text/xml,<rss/>',
    'blob:http://pods.example/7',
    's3://pods/feed.xml',
    'javascript:alert(1)',
    'feed:http://pods.example/',
    'itpc://pods.example/feed.xml',
    'ws://pods.example/',
    'unix:/run/podstep.sock',
    'view-source:http://pods.example/',
  ])('%p is refused before anything is looked up', async (url) => {
    let lookups = 0
    const resolve = async () => {
      lookups++
      return ['127.0.0.1']
    }
    expect(await refused(url, { resolve })).toMatchObject({ reason: 'bad_url' })
    expect(lookups).toBe(0)
  })
})
