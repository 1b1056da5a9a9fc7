import { describe, expect, spyOn, test } from 'bun:test'
import type { FeedFailureReason } from '../../src/domain/feeds/ports.ts'
import { UNKNOWN_CERTIFICATE } from '../support/certificate.ts'
import { openSource, type Route, rss } from './sources.ts'

/** What nobody but the feed's server may hear of. */
const SECRET = '/hunter2?token=hunter3'

const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Route =>
  () =>
    new Response(body, { status, headers })
const bodyOf = (body: string, type = 'text/html'): Route => answering(200, { 'content-type': type }, body)
const leadingTo = (location: string) => answering(302, { location })

describe('a feed cannot be had', () => {
  test.each<[FeedFailureReason, number]>([
    ['gone', 410],
    ['not_found', 404],
    ['denied', 403],
    ['refused', 429],
    ['refused', 301],
    ['server_error', 500],
  ])('as %s when its server answers %i', async (reason, status) => {
    await using scene = openSource({ '/hunter2': answering(status) })
    const message = `the feed's server answers ${status}`
    expect(await scene.ask(SECRET)).toEqual({ kind: 'failed', reason, message, retryAfter: undefined })
  })

  test.each<[string, Route, FeedFailureReason, string]>([
    ['leads in circles', leadingTo(SECRET), 'server_error', 'more than 5 redirects'],
    ['is larger than wanted', bodyOf(rss('x'.repeat(100_001))), 'too_large', 'the answer is larger than 100000 bytes'],
    ['is a web page', bodyOf('<html></html>'), 'not_a_feed', 'the address leads to a web page, not to a feed'],
  ])('because it %s', async (_case, route, reason, message) => {
    await using scene = openSource({ '/hunter2': route })
    expect(await scene.ask(SECRET)).toEqual({ kind: 'failed', reason, message, retryAfter: undefined })
  })

  test('because it is in a private network, or leads into one: the message says which setting would help', async () => {
    await using closed = openSource({ '/hunter2': bodyOf(rss('Harbour Talk')) }, { allowed: '127.0.0.2' })
    const message = expect.stringMatching(/^127\.0\.0\.1 .*feed_allow_private/)
    expect(await closed.ask(SECRET)).toMatchObject({ reason: 'forbidden', message })
    expect(closed.asked()).toEqual([])
    await using leading = openSource({ '/hunter2': leadingTo(`http://169.254.169.254${SECRET}`) })
    const answer = await leading.ask(SECRET)
    expect(answer).toMatchObject({ reason: 'forbidden', message: expect.stringContaining('169.254.169.254') })
    expect(JSON.stringify(answer)).not.toContain('hunter')
  })

  test('because nobody vouches for its server, or nobody is there', async () => {
    const scene = openSource({ '/hunter2': bodyOf(rss('Harbour Talk')) }, { certificate: UNKNOWN_CERTIFICATE })
    for (const reason of ['tls', 'unreachable']) {
      const answer = await scene.ask(SECRET)
      expect(answer).toMatchObject({ reason, message: expect.stringContaining('127.0.0.1') })
      expect(JSON.stringify(answer)).not.toContain('hunter')
      expect(scene.asked()).toEqual([])
      await scene[Symbol.asyncDispose]()
    }
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

test('a failure tells when its server wants to be asked again', async () => {
  await using scene = openSource({ '/f': answering(503, { 'retry-after': 'Sun, 02 Mar 2025 11:00:00 GMT' }) })
  expect(await scene.ask('/f')).toMatchObject({ kind: 'failed', retryAfter: 3600 })
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
