import { describe, expect, test } from 'bun:test'
import type { FetchFailureReason } from '../../src/outbound/fetch-failure.ts'
import { startRawServer } from '../support/web-server.ts'
import { type FetchCase, fetched, namesAre, refused, textOf } from './fetching.ts'

const OK = 'HTTP/1.1 200 OK\r\n'

/** A server that sends these bytes, whatever it is asked, and hangs up. */
const saying = (answer: string) => startRawServer((socket) => socket.end(answer))

describe('an answer', () => {
  test.each([
    ['is nothing', ''],
    ['is no HTTP', 'low tide at seven\r\n\r\n'],
    ['is a page without a head', '<html>hi</html>'],
    ['is of another protocol', '220 mail.example ESMTP\r\n'],
    ['has a status of two digits', 'HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nhi'],
    ['has letters for a status', 'HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nhi'],
    ['ends in the middle of its head', `${OK}Content-Le`],
    ['ends after the announcement of another one', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['ends before its body does', `${OK}Content-Length: 20\r\n\r\nhi`],
    ['ends in the middle of a chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhi`],
    ['ends before the last chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n`],
    ['has a chunk of no size', `${OK}Transfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n0\r\n\r\n`],
    ['has a chunk of more than it says', `${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nhi you\r\n0\r\n\r\n`],
    ['has hundreds of headers', `${OK}${'X: a\r\n'.repeat(300)}Content-Length: 2\r\n\r\nhi`],
    ['wants to speak another protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n'],
  ])('that %s is none', async (_case, answer) => {
    await using server = await saying(answer)
    const failure = await refused(`http://pods.example:${server.port}/`)
    expect(failure.reason).toBe('unreachable')
    expect(failure.message).toMatch(/^pods\.example cannot be reached \(\w+\)$/)
    await server.closed
  })

  test.each([
    ['is of HTTP 1.0', 'HTTP/1.0 200 OK\r\n\r\nhi'],
    ['has no words for its status', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi'],
    ['has header names in capitals', `${OK}CONTENT-LENGTH: 2\r\n\r\nhi`],
    ['has headers without a space', `${OK}Content-Length:2\r\n\r\nhi`],
    [
      'has both a length and chunks',
      `${OK}Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`,
    ],
    ['has extensions and trailers', `${OK}Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n`],
    ['has more than it says', `${OK}Content-Length: 2\r\n\r\nhi and much more`],
    [
      'is announced three times',
      `${'HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n'.repeat(3)}${OK}Content-Length: 2\r\n\r\nhi`,
    ],
    ['has a hundred headers', `${OK}${'X: a\r\n'.repeat(100)}Content-Length: 2\r\n\r\nhi`],
  ])('that %s is one all the same', async (_case, answer) => {
    await using server = await saying(answer)
    expect(textOf(await fetched(`http://pods.example:${server.port}/`))).toBe('hi')
  })

  test('may have a status that nobody knows', async () => {
    await using server = await saying('HTTP/1.1 999 Low Tide\r\nContent-Length: 2\r\n\r\nhi')
    expect(await fetched(`http://pods.example:${server.port}/`)).toMatchObject({ status: 999 })
  })

  test('that is broken off hard is none', async () => {
    await using server = await startRawServer((socket) => socket.resetAndDestroy())
    expect(await refused(`http://pods.example:${server.port}/`)).toMatchObject({ reason: 'unreachable' })
  })

  test('is none where nobody listens', async () => {
    const { port, [Symbol.asyncDispose]: close } = await saying('')
    await close()
    expect(await refused(`http://pods.example:${port}/`)).toMatchObject({
      reason: 'unreachable',
      message: 'pods.example cannot be reached (ECONNREFUSED)',
    })
  })

  test('that breaks off is one as far as it leads elsewhere', async () => {
    await using server = await startRawServer((socket, head) => {
      const redirect = 'HTTP/1.1 302 Found\r\nLocation: /feed.xml\r\nContent-Length: 9\r\n\r\nno'
      socket.end(head.startsWith('GET / ') ? redirect : `${OK}Content-Length: 6\r\n\r\na feed`)
    })
    for (let n = 0; n < 20; n++) expect(textOf(await fetched(`http://pods.example:${server.port}/`))).toBe('a feed')
  })

  test('that breaks off after a redirect is blamed on the host that broke it off', async () => {
    await using broken = await saying('')
    await using server = await saying(
      `HTTP/1.1 302 Found\r\nLocation: http://b.example:${broken.port}/\r\nContent-Length: 0\r\n\r\n`,
    )
    const failure = await refused(`http://pods.example:${server.port}/`)
    expect(failure.message).toStartWith('b.example cannot be reached')
  })
})

describe('a failure keeps secrets:', () => {
  const redirect = (location: string) => `HTTP/1.1 301 Moved\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`
  const cases: [FetchFailureReason, string, string, FetchCase?][] = [
    ['forbidden', 'hi', '', { allowed: [] }],
    ['forbidden', redirect('http://10.0.0.1/s3cret?s3cret'), ''],
    ['bad_url', redirect('file:///s3cret?s3cret'), ''],
    ['bad_url', redirect('http://s3cret:s3cret@[::1/s3cret'), ''],
    ['unresolved', 'hi', '', { resolve: namesAre() }],
    ['unresolved', 'hi', '', { resolve: () => Promise.reject(new Error('s3cret')) }],
    ['unreachable', '', ''],
    ['unreachable', 's3cret', ''],
    ['unreachable', `${OK}Content-Length: 10\r\n\r\ns3cret`, ''],
    ['unreachable', `${OK}Transfer-Encoding: chunked\r\n\r\ns3cret`, ''],
    ['tls', 's3cret', 's'],
    ['too_large', `${OK}\r\ns3cret`, '', { limits: { maxBytes: 1 } }],
    ['too_many_redirects', redirect('/s3cret'), ''],
    ['bad_encoding', `${OK}Content-Encoding: s3cret\r\n\r\ns3cret`, ''],
    ['bad_encoding', `${OK}Content-Encoding: gzip\r\n\r\ns3cret`, ''],
  ]
  test.each(cases.map((entry) => ({ reason: entry[0], answer: entry[1], secure: entry[2], options: entry[3] ?? {} })))(
    '$reason',
    async ({ reason, answer, secure, options }) => {
      await using server = await saying(answer)
      const url = `http${secure}://s3cret:s3cret@pods.example:${server.port}/s3cret/feed.xml?token=s3cret#s3cret`
      const failure = await refused(url, options)
      expect(failure.reason).toBe(reason)
      // All that a log could tell of it, causes and properties included.
      expect(Bun.inspect(failure).replace(failure.stack ?? '', '')).not.toContain('s3cret')
      expect(failure.message).not.toMatch(/s3cret|feed\.xml|token|https?:/)
      expect(failure.cause).toBeUndefined()
    },
  )
})
