import { describe, expect, test } from 'bun:test'
import { createPodcastIndex } from '../../src/outbound/podcast-index.ts'
import { Secret } from '../../src/platform/secret.ts'
import { fakeClock } from '../support/clock.ts'
import { reasonOf } from '../support/values.ts'

const HARBOUR = 'https://feeds.example/harbour'
const KEY = 'a key'
const SECRET = 'the$secret'

/** A directory that answers every request with this JSON. */
function directoryWith(answer: unknown) {
  const url = 'https://directory.example/'
  const body = new TextEncoder().encode(JSON.stringify(answer))
  const fetched = { status: 200, headers: new Headers(), body, url, permanentUrl: url, leads: [], isInside: false }
  const secrets = { key: new Secret(KEY), secret: new Secret(SECRET) }
  return createPodcastIndex({ fetcher: { fetch: async () => fetched }, baseUrl: url, ...secrets, clock: fakeClock() })
}

const found = (...feeds: unknown[]) => directoryWith({ status: 'true', feeds }).search('x', 20)

test('a title or description that is not a text is empty (docs/protocol.md#D79)', async () => {
  for (const text of [null, undefined, 7, true, ['Harbour'], { text: 'Harbour' }, ''])
    expect(await found({ url: HARBOUR, title: text, description: text })).toMatchObject([
      { url: HARBOUR, title: '', description: '' },
    ])
})

describe('of repeated feeds, the first is kept:', () => {
  test.each([
    ['identical', HARBOUR, 1],
    ['with a slash at its end', 'https://feeds.example/harbour/', 1],
    ['with www', 'https://www.feeds.example/harbour', 1],
    ['with all of these', 'http://www.Feeds.example:80/harbour/', 1],
    ['not with a path in another case', 'https://feeds.example/Harbour', 2],
    ['not with another port', 'https://feeds.example:8443/harbour', 2],
    ['not with another host', 'https://www.www.feeds.example/harbour', 2],
  ])('%s', async (_case, other, count) => {
    const titles = ['1', '2'].slice(0, count).map((title) => ({ title }))
    expect(await found({ url: HARBOUR, title: '1' }, { url: other, title: '2' })).toMatchObject(titles)
    expect(await found({ url: other, title: '1' }, { url: HARBOUR, title: '2' })).toMatchObject(titles)
  })

  test('and others take their place', async () => {
    const many = Array.from({ length: 25 }, (_, n) => ({ url: `https://feeds.example/${n}` }))
    const feeds = many.flatMap((each) => [each, { url: `${each.url}/` }])
    expect(await found(...feeds)).toMatchObject(many.slice(0, 20))
  })
})

test('a description is converted to plain text', async () => {
  const description = '<p>Boats &amp; <b>birds</b></p><script>alert(1)</script><p>Gulls</p>'
  expect(await found({ url: HARBOUR, description })).toMatchObject([{ description: 'Boats & birds\nGulls' }])
})

describe('an answer with an error', () => {
  test.each([
    ['false as text', { status: 'false', feeds: [{ url: HARBOUR }] }],
    ['no list', { status: 'true' }],
  ])('is a failure: %s', async (_case, answer) => {
    expect(await reasonOf(directoryWith(answer).search('x', 20))).toMatchObject({ trouble: 'answer' })
    expect(await reasonOf(directoryWith(answer).trending(undefined, 20))).toMatchObject({ trouble: 'answer' })
  })

  test.each([
    [` Low\ntide \u001b[31m${'x'.repeat(1000)}`, /^the directory rejects the request: Low tide \[31mx{50,300}$/],
    [`no such key: ${KEY}`, /^the directory rejects the request$/],
    [`no such key: ${SECRET}`, /^the directory rejects the request$/],
  ])('is reported in one line, without our secrets: %#', async (description, expected) => {
    const failure = await reasonOf(directoryWith({ status: 'false', description }).search('x', 20))
    expect(Object(failure).message).toMatch(expected)
  })
})
