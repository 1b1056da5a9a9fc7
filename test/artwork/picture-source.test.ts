import { expect, test } from 'bun:test'
import { createPictureSource } from '../../src/artwork/picture-source.ts'
import { DomainError } from '../../src/domain/shared/errors.ts'
import { allowedPlace } from '../../src/outbound/address-rules.ts'
import { FetchFailure, type FetchFailureReason } from '../../src/outbound/fetch-failure.ts'
import { createGuardedFetch, type FetchRequest } from '../../src/outbound/guarded-fetch.ts'
import { namesAre, USER_AGENT } from '../outbound/fetching.ts'
import { reasonOf } from '../support/values.ts'
import { startRawServer } from '../support/web-server.ts'

const URL_A = 'http://pictures.example/a'

/** Asks for a picture whose server answers with this status, or that cannot be fetched. */
async function ask(outcome: number | FetchFailureReason, mayReachPrivate = true) {
  const requests: FetchRequest[] = []
  const source = createPictureSource({
    async fetch(request) {
      requests.push(request)
      if (typeof outcome === 'string') throw new FetchFailure(outcome, 'low tide')
      const body = new TextEncoder().encode('any bytes')
      const headers = new Headers({ 'content-type': 'text/html' })
      return { status: outcome, headers, body, url: URL_A, permanentUrl: URL_A, leads: [], isInside: false }
    },
  })
  return { answer: await source.ask(URL_A, mayReachPrivate), requests }
}

test('a picture is returned unchanged with any content type', async () => {
  for (const mayReachPrivate of [true, false]) {
    const { answer, requests } = await ask(200, mayReachPrivate)
    expect(answer).toEqual({ kind: 'picture', bytes: new TextEncoder().encode('any bytes') })
    expect(requests).toMatchObject([{ url: URL_A, mayReachPrivate, limits: { maxBytes: 8 * 1024 * 1024 } }])
    expect(Object.keys(requests[0]?.headers ?? {})).toEqual(['accept'])
  }
})

test.each([
  [404, 'gone', 'its server answers 404'],
  [410, 'gone', 'its server answers 410'],
  [403, 'unavailable', 'its server answers 403'],
  [304, 'unavailable', 'its server answers 304'],
  ['forbidden', 'forbidden', 'low tide'],
  ['bad_url', 'unavailable', 'low tide'],
  ['unreachable', 'unavailable', 'low tide'],
] as const)('after %p it is %s: %s', async (outcome, reason, message) => {
  expect((await ask(outcome)).answer).toEqual({ kind: 'failed', reason, message })
})

test('a server out of file descriptors draws no conclusion about the picture', async () => {
  expect(await reasonOf(ask('out_of_files'))).toMatchObject({ code: 'unavailable', retryAfter: 30 })
})

test('once closed, running and later requests fail because the server stops', async () => {
  const asked = Promise.withResolvers<void>()
  await using server = await startRawServer(() => asked.resolve())
  const allowed = [allowedPlace('127.0.0.1')]
  const source = createPictureSource(
    createGuardedFetch({ userAgent: USER_AGENT, resolve: namesAre('127.0.0.1'), allowed }),
  )
  const underWay = reasonOf(source.ask(`http://pictures.example:${server.port}/a`, true))
  await asked.promise
  source.close()
  for (const reason of [await underWay, await reasonOf(source.ask(URL_A, true))])
    expect([reason instanceof DomainError, reason]).toMatchObject([true, { code: 'unavailable' }])
})
