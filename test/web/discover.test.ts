import { expect, test } from 'bun:test'
import { callExternal } from '../../src/web/api/external.ts'
import { coversOf, newAmong, popularOf, shownListeners } from '../../src/web/pages/discover/order.ts'
import { isSearchable } from '../../src/web/pages/discover/search.ts'
import { fakeServer } from './support/fake-server.ts'

test('a search needs two letters, or one character outside of the Latin script', () => {
  expect(['', ' a ', 'ab', 'ö', '海'].map(isSearchable)).toEqual([false, false, true, true, true])
})

test('the number of listeners is shown from three listeners on', () => {
  expect([0, 1, 2, 3, 12].map(shownListeners)).toEqual([0, 0, 0, 3, 12])
})

test('popular podcasts have three listeners and a title', () => {
  const list = (...rows: [title: string, subscribers: number][]) =>
    rows.map(([title, subscribers]) => ({ url: 'https://a.example/f', title, subscribers, position_last_week: 0 }))
  const found = popularOf(list(['', 9], ['https://a.example/f', 9], ['Harbour', 3], ['Tide', 2]))
  expect(found.map(({ title }) => title)).toEqual(['Harbour'])
})

test('new podcasts were not in the toplist a week ago, if it existed, and are not the user’s own', () => {
  const ranked = (...places: readonly number[]) =>
    places.map((place, index) => ({ url: String(index), title: 'x', subscribers: 3, position_last_week: place }))
  const urls = (places: readonly number[], ...own: readonly string[]) =>
    newAmong(ranked(...places), (url) => own.includes(url)).map(({ url }) => url)
  expect(urls([0, 0])).toEqual([])
  expect(urls([0, 1, 0, 0], '2')).toEqual(['0', '3'])
  expect(urls([1, ...Array.from({ length: 20 }, () => 0)])).toHaveLength(12)
})

test('the covers of a topic start with podcasts the user lacks; there are none without these, or for two podcasts', () => {
  const urls = (count: number, ...own: readonly string[]) =>
    coversOf(
      Array.from({ length: count }, (_, n) => ({ url: String(n) })),
      (url) => own.includes(url),
    ).map(({ url }) => url)
  expect(urls(4, '0', '2')).toEqual(['1', '3', '0', '2'])
  expect(urls(3, '0', '1', '2')).toEqual([])
  expect(urls(2)).toEqual([])
  expect(urls(30)).toHaveLength(12)
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
