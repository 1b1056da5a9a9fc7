import { afterEach, expect, mock, test } from 'bun:test'
import { callExternal } from '../../src/web/api/external.ts'
import { isSearchable, typedFeedUrl } from '../../src/web/pages/discover/search.ts'
import { fakeServer } from './support/fake-server.ts'

afterEach(() => {
  mock.restore()
})

test('a search needs two letters, or one character of another script', () => {
  expect(['', ' a ', 'ab', 'ö', '海'].map(isSearchable)).toEqual([false, false, true, true, true])
})

test.each([
  [' HTTP://A.example/f ', 'http://a.example/f'],
  ['feed://a.example/f', 'http://a.example/f'],
  ['a.example/feed.xml', 'http://a.example/feed.xml'],
  ['gopher://a.example/', undefined],
  ['tidewater.example', undefined],
  ['and/or', undefined],
])('the feed URL in %p is %p', (query, url) => {
  expect(typedFeedUrl(query)).toBe(url)
})

test.each([
  ['off', 'off'],
  ['error', 'error'],
  ['', 'ok'],
] as const)('the header %p means %s', async (header, state) => {
  const headers: Record<string, string> = header === '' ? {} : { 'x-external-directory': header }
  const requests = fakeServer(() => Response.json([], { headers }))
  expect(await callExternal('listTrending', { query: { lang: 'de', max: 5 } })).toEqual({ answer: [], state })
  expect(requests[0]?.line).toBe('GET api/2/trending?lang=de&max=5')
})
