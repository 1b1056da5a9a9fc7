import { afterEach, describe, expect, mock, test } from 'bun:test'
import { callExternal } from '../../src/web/api/external.ts'
import { coversOf, newAmong, popularOf, shownListeners } from '../../src/web/pages/discover/order.ts'
import { isSearchable } from '../../src/web/pages/discover/search.ts'
import { fakeServer } from './support/fake-server.ts'

afterEach(() => {
  mock.restore()
})

test('a search needs two letters, or one character of another script', () => {
  expect(['', ' a ', 'ab', 'ö', '海'].map(isSearchable)).toEqual([false, false, true, true, true])
})

test('numbers of listeners are shown from three on', () => {
  expect([0, 1, 2, 3, 12].map(shownListeners)).toEqual([0, 0, 0, 3, 12])
})

describe('what is popular', () => {
  const list = (...rows: [url: string, subscribers: number][]) =>
    rows.map(([url, subscribers]) => ({ url, subscribers, title: `The show of ${url}` }))
  const urlsOf = (found: ReturnType<typeof popularOf>) => found.map(({ podcast }) => podcast.url)

  test('leaves out podcasts without a title, which were never fetched, and keeps the places of the rest', () => {
    const nameless = ['', 'https://feeds.example/gone'].map((title) => ({
      url: 'https://feeds.example/gone',
      subscribers: 9,
      title,
    }))
    const found = popularOf([...nameless, ...list(['a', 3])], 0)
    expect(found.map(({ podcast, place }) => [podcast.url, place])).toEqual([['a', 3]])
  })

  test('begins at three listeners', () => {
    expect(urlsOf(popularOf(list(['a', 3], ['b', 2], ['c', 1]), 0))).toEqual(['a'])
  })

  test('has most subscribed first, and among equals another order on another day', () => {
    const equals = list(
      ['z', 5],
      ...Array.from({ length: 20 }, (_, n): [string, number] => [`https://feeds.example/${n}`, 3]),
    )
    const [today, again, tomorrow] = [0, 0, 1].map((day) => urlsOf(popularOf(equals, day)))
    expect(today?.[0]).toBe('z')
    expect(tomorrow?.[0]).toBe('z')
    expect(again).toEqual(today ?? [])
    expect(tomorrow).not.toEqual(today ?? [])
    expect(tomorrow?.toSorted()).toEqual(today?.toSorted() ?? [])
  })
})

test('new is what was not in the list a week ago and the user does not have, once there is a past', () => {
  const ranked = (...places: readonly number[]) =>
    places.map((place, index) => ({ podcast: { url: String(index), position_last_week: place } }))
  const urls = (places: readonly number[], ...own: readonly string[]) =>
    newAmong(ranked(...places), (url) => own.includes(url)).map(({ url }) => url)
  expect(urls([0, 0])).toEqual([])
  expect(urls([0, 1, 0, 0], '2')).toEqual(['0', '3'])
  expect(urls([1, ...Array.from({ length: 20 }, () => 0)])).toHaveLength(12)
})

test('the covers of a topic begin with what the user does not have; without that, or with two, there are none', () => {
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
