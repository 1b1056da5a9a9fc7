import { describe, expect, test } from 'bun:test'
import { createPictureSource } from '../../src/artwork/picture-source.ts'
import { DomainError } from '../../src/domain/shared/errors.ts'
import { allowedPlace } from '../../src/outbound/address-rules.ts'
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts'
import { namesAre, USER_AGENT } from '../outbound/fetching.ts'
import { reasonOf } from '../support/values.ts'
import { startRawServer, startWebServer } from '../support/web-server.ts'

/** Names are this machine, which alone of the private network may be reached. */
function open(allowed: readonly string[] = ['127.0.0.1']) {
  const fetcher = createGuardedFetch({
    userAgent: USER_AGENT,
    resolve: namesAre('127.0.0.1'),
    allowed: allowed.map(allowedPlace),
  })
  return createPictureSource(fetcher)
}

describe('a picture of the internet', () => {
  test('is taken as it is, whatever it is said to be', async () => {
    await using server = startWebServer({
      '/a': () => new Response('any bytes', { headers: { 'content-type': 'text/html' } }),
    })
    const { kind, ...answer } = await open().ask(`http://pictures.example:${server.port}/a`, true)
    expect([kind, 'bytes' in answer && Buffer.from(answer.bytes).toString()]).toEqual(['picture', 'any bytes'])
    expect(server.asked[0]?.headers.get('accept')).toStartWith('image/webp, image/png')
    expect(server.asked[0]?.headers.get('cookie')).toBeNull()
  })

  test.each([
    [404, 'gone'],
    [403, 'unavailable'],
    [304, 'unavailable'],
  ] as const)('of which its server answers %d is %s', async (status, reason) => {
    await using server = startWebServer({ '/a': () => new Response(null, { status }) })
    expect(await open().ask(`http://pictures.example:${server.port}/a`, true)).toEqual({
      ...{ kind: 'failed', reason },
      message: `its server answers ${status}`,
    })
  })

  test.each([
    ['the place itself', '/a', false, ['127.0.0.1']],
    ['where a redirect leads', '/moved', true, ['127.0.0.1']],
  ] as const)('is not fetched from a private network: %s', async (_what, path, mayReachPrivate, allowed) => {
    await using server = startWebServer({
      '/a': () => new Response('inside'),
      '/moved': () => Response.redirect('http://192.168.1.1/a'),
    })
    const answer = await open(allowed).ask(`http://pictures.example:${server.port}${path}`, mayReachPrivate)
    expect(answer).toMatchObject({ kind: 'failed', reason: 'forbidden' })
    expect(JSON.stringify(answer)).not.toContain('/a')
    expect(server.asked.map((asked) => asked.path)).toEqual(path === '/moved' ? ['/moved'] : [])
  })

  test.each([
    ['a file', 'file:///etc/passwd'],
    ['no address', 'logo.png'],
    ['nobody there', 'http://pictures.example:1/a'],
  ])('is none for %s', async (_what, url) => {
    expect((await open().ask(url, true)).kind).toBe('failed')
  })
})

test('when it is closed, what is under way and what comes later is told that the server stops', async () => {
  const asked = Promise.withResolvers<void>()
  await using server = await startRawServer(() => asked.resolve())
  const source = open()
  const underWay = reasonOf(source.ask(`http://pictures.example:${server.port}/a`, true))
  await asked.promise
  source.close()
  for (const reason of [await underWay, await reasonOf(source.ask(`http://pictures.example:${server.port}/a`, true))])
    expect([reason instanceof DomainError, reason]).toMatchObject([true, { code: 'unavailable' }])
})
