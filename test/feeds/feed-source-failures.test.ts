import { describe, expect, spyOn, test } from 'bun:test'
import type { FeedFailureReason } from '../../src/domain/feeds/ports.ts'
import { UNKNOWN_CERTIFICATE } from '../support/certificate.ts'
import { openSource, type Route, rss } from './sources.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** What nobody but the feed's server may hear of. */
const SECRET = '/hunter2?token=hunter3'

const answering = (status: number, headers: Record<string, string> = {}, body = ''): Route => {
  return () => new Response(body, { status, headers })
}
const bodyOf = (body: string, type = 'text/html'): Route => answering(200, { 'content-type': type }, body)

describe('a feed cannot be had', () => {
  test.each<[string, Route, FeedFailureReason, string]>([
    ['is gone for good', answering(410), 'gone', "the feed's server answers 410"],
    ['is not there', answering(404), 'not_found', "the feed's server answers 404"],
    ['wants a password', answering(401), 'denied', "the feed's server answers 401"],
    ['is for others', answering(403), 'denied', "the feed's server answers 403"],
    ['asks too often', answering(429), 'refused', "the feed's server answers 429"],
    ['is a teapot', answering(418), 'refused', "the feed's server answers 418"],
    ['has no content', answering(204), 'refused', "the feed's server answers 204"],
    ['leads nowhere', answering(301), 'refused', "the feed's server answers 301"],
    ['is broken', answering(500), 'server_error', "the feed's server answers 500"],
    ['is being repaired', answering(503), 'server_error', "the feed's server answers 503"],
    ['leads in circles', answering(302, { location: SECRET }), 'server_error', 'more than 5 redirects'],
    [
      'leads elsewhere',
      answering(302, { location: 'ftp://a.example/hunter2' }),
      'server_error',
      'not an http or https address',
    ],
    [
      'is packed in a strange way',
      answering(200, { 'content-encoding': 'hunter' }, 'x'),
      'server_error',
      'the answer is packed in a way nobody asked for',
    ],
    ['is larger than wanted', bodyOf(rss('x'.repeat(100_001))), 'too_large', 'the answer is larger than 100000 bytes'],
    [
      'is a web page',
      bodyOf('<!doctype html><html><body>404</body></html>'),
      'not_a_feed',
      'the address leads to a web page, not to a feed',
    ],
    ['is nothing', bodyOf(''), 'not_a_feed', 'the document is empty'],
    ['is broken JSON', bodyOf('{"version":', 'application/json'), 'not_a_feed', 'the document is broken JSON'],
  ])('because it %s', async (_case, route, reason, message) => {
    await using scene = openSource({ '/hunter2': route })
    expect(await scene.ask(SECRET)).toEqual({ kind: 'failed', reason, message, retryAfter: undefined })
  })

  test('because it is in a private network: the message says which setting would help', async () => {
    await using scene = openSource({ '/hunter2': bodyOf(rss('Harbour Talk')) }, { allowed: '127.0.0.2' })
    expect(await scene.ask(SECRET)).toMatchObject({
      reason: 'forbidden',
      message: expect.stringMatching(/^127\.0\.0\.1 .*feed_allow_private/),
    })
    expect(scene.asked()).toEqual([])
  })

  test('because it leads into a private network', async () => {
    await using scene = openSource({ '/hunter2': answering(301, { location: `http://169.254.169.254${SECRET}` }) })
    const answer = await scene.ask(SECRET)
    expect(answer).toMatchObject({ reason: 'forbidden', message: expect.stringContaining('169.254.169.254') })
    expect(JSON.stringify(answer)).not.toContain('hunter')
  })

  test('because nobody vouches for its server', async () => {
    await using scene = openSource({ '/hunter2': bodyOf(rss('Harbour Talk')) }, { certificate: UNKNOWN_CERTIFICATE })
    const answer = await scene.ask(SECRET)
    expect(answer).toMatchObject({ reason: 'tls', message: expect.stringContaining('127.0.0.1') })
    expect(JSON.stringify(answer)).not.toContain('hunter')
    expect(scene.asked()).toEqual([])
  })

  test('because nobody is there', async () => {
    const scene = openSource({})
    await scene[Symbol.asyncDispose]()
    const answer = await scene.ask(SECRET)
    expect(answer).toMatchObject({ reason: 'unreachable', message: expect.stringContaining('127.0.0.1') })
    expect(JSON.stringify(answer)).not.toContain('hunter')
  })

  test('because its server says nothing: ten seconds are enough, and less if the setting says so', async () => {
    const limits: (number | undefined)[] = []
    const timers: (() => void)[] = []
    using _timeout = spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const limit = new AbortController()
      timers.push(() => limit.abort(new DOMException('too late', 'TimeoutError')))
      limits.push(ms)
      return limit.signal
    })
    const silence = () => {
      for (const expire of timers) expire()
      return new Promise<never>(() => undefined)
    }
    await using scene = openSource({ '/hunter2': silence })
    expect(await scene.ask(SECRET)).toMatchObject({ reason: 'timeout', message: '127.0.0.1 takes too long' })
    expect(limits).toEqual([5000, 5000])
  })
})

describe('a server wants to be left alone', () => {
  test.each<[number, string, number]>([
    [429, '3600', HOUR],
    [429, '999999', DAY],
    [503, 'Sun, 02 Mar 2025 11:00:00 GMT', HOUR],
    [403, '60', 60],
    [410, '0', 0],
  ])('saying %i, for %s', async (status, value, seconds) => {
    await using scene = openSource({ '/f': answering(status, { 'retry-after': value }) })
    expect(await scene.ask('/f')).toMatchObject({ kind: 'failed', retryAfter: seconds })
  })
})

test('a fault of ours is no answer of a feed', async () => {
  const fault = new TypeError('undefined is not a function')
  const parse = () => {
    throw fault
  }
  await using scene = openSource({ '/f': bodyOf(rss('Harbour Talk')) }, { parse })
  const outcome = await scene.ask('/f').catch((error: unknown) => error)
  expect(outcome).toBe(fault)
})
