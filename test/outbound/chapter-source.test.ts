import { expect, test } from 'bun:test'
import { createChapterSource } from '../../src/outbound/chapter-source.ts'
import { FetchFailure } from '../../src/outbound/fetch-failure.ts'
import type { Fetched, FetchRequest } from '../../src/outbound/guarded-fetch.ts'

const URL = 'https://cdn.tidewater.example/fog.json'

function sourceOf(answer: () => Pick<Fetched, 'status' | 'body'>, contentType = 'application/json') {
  const asked: FetchRequest[] = []
  const source = createChapterSource({
    async fetch(request) {
      asked.push(request)
      return { headers: new Headers({ 'content-type': contentType }), ...answer() } as Fetched
    },
  })
  return { source, asked }
}

test('a file of chapters is fetched with limits of size and time', async () => {
  const { source, asked } = sourceOf(() => ({ status: 200, body: new TextEncoder().encode('{}') }))
  expect(await source.read(URL)).toBe('{}')
  expect(asked).toMatchObject([{ url: URL, limits: { maxBytes: 262_144, totalMs: 8000 } }])
})

test.each([
  ['UTF-8', 'application/json', new TextEncoder().encode('"Größe"')],
  ['the charset of the response', 'application/json; charset=iso-8859-1', Buffer.from('"Größe"', 'latin1')],
])('a file of chapters is decoded as %s, with status 200 and 203', async (_charset, type, body) => {
  for (const status of [200, 203])
    expect(await sourceOf(() => ({ status, body }), type).source.read(URL)).toBe('"Größe"')
})

test('a file that cannot be fetched is undefined, and other errors are thrown', async () => {
  expect(await sourceOf(() => ({ status: 404, body: new Uint8Array() })).source.read(URL)).toBeUndefined()
  const refused = sourceOf(() => {
    throw new FetchFailure('forbidden', 'it is in a private network')
  })
  expect(await refused.source.read(URL)).toBeUndefined()
  const broken = sourceOf(() => {
    throw new Error('a fault')
  })
  await expect(broken.source.read(URL)).rejects.toThrow('a fault')
})

test('closing aborts requests', async () => {
  const { source, asked } = sourceOf(() => ({ status: 404, body: new Uint8Array() }))
  await source.read(URL)
  source.close()
  expect(asked[0]?.signal?.aborted).toBe(true)
})
