import { expect, test } from 'bun:test'
import { FetchFailure, type FetchFailureReason } from '../../src/outbound/fetch-failure.ts'
import type { Fetched, FetchRequest } from '../../src/outbound/guarded-fetch.ts'
import { createFetchers } from '../../src/worker/fetch-feed.ts'
import { fetchTranscript } from '../../src/worker/fetch-transcript.ts'
import { startWebServer } from '../support/web-server.ts'

const ASKED = { url: 'https://cdn.tidewater.example/fog.vtt', type: 'text/vtt' }
const FOG = 'WEBVTT\n\n00:01.000 --> 00:02.000\nFög.\n'

async function ask(answer: () => Pick<Fetched, 'status' | 'body'>, contentType = 'text/vtt') {
  const requests: FetchRequest[] = []
  let begun = 0
  const fetcher = {
    async fetch(request: FetchRequest) {
      requests.push(request)
      return { headers: new Headers({ 'content-type': contentType }), ...answer() } as Fetched
    },
  }
  const transcript = await fetchTranscript(fetcher, ASKED, () => begun++)
  return { transcript, requests, begun }
}

test('a transcript is fetched with limits, and parsed', async () => {
  const { transcript, requests, begun } = await ask(() => ({ status: 200, body: new TextEncoder().encode(FOG) }))
  const file = '[{"start":1,"end":2,"speaker":"","text":"Fög."}]'
  expect(transcript).toEqual({ kind: 'file', file, size: 2 * file.length })
  expect(requests).toMatchObject([{ url: ASKED.url, limits: { maxBytes: 4_194_304, totalMs: 15_000 } }])
  expect(begun).toBe(1)
})

test('a transcript is decoded with the charset of the response', async () => {
  const body = Buffer.from(FOG, 'latin1')
  const { transcript } = await ask(() => ({ status: 203, body }), 'text/vtt; charset=latin1')
  expect(transcript).toMatchObject({ file: expect.stringContaining('Fög.') })
})

test.each<[FetchFailureReason, string]>([
  ['too_large', 'too_large'],
  ['timeout', 'unavailable'],
  ['forbidden', 'unavailable'],
])('the failure %s is reported as %s', async (reason, reported) => {
  const { transcript, begun } = await ask(() => {
    throw new FetchFailure(reason, 'x')
  })
  expect(transcript).toEqual({ kind: 'failed', reason: reported } as never)
  expect(begun).toBe(0)
})

test.each([
  [404, FOG, 'unavailable'],
  [200, '', 'unreadable'],
  [200, '<html>Sign in', 'unreadable'],
])('status %i with %j is %s', async (status, text, reason) => {
  const { transcript } = await ask(() => ({ status, body: new TextEncoder().encode(text) }))
  expect(transcript).toEqual({ kind: 'failed', reason } as never)
})

test('an internal error is thrown', async () => {
  const asking = ask(() => {
    throw new Error('low tide')
  })
  await expect(asking).rejects.toThrow('low tide')
})

test('a file of 16 MiB is too large', async () => {
  await using server = startWebServer({ '/fog.vtt': () => new Response(new Uint8Array(16 * 1024 * 1024)) })
  const limits = { feedTimeoutSeconds: 5, feedMaxBytes: 32 * 1024 * 1024, feedMaxEpisodes: 3 }
  const { fetchTranscript: ask } = createFetchers({ version: '1', feedAllowPrivate: ['127.0.0.1'], ...limits }, () => 0)
  const answer = await ask({ url: `http://127.0.0.1:${server.port}/fog.vtt`, type: 'text/vtt' }, () => undefined)
  expect(answer).toEqual({ kind: 'failed', reason: 'too_large' })
})
