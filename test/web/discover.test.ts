import { afterEach, describe, expect, mock, test } from 'bun:test'
import { langAttribute } from '../../src/web/locales/format.ts'
import { callExternal, isSearchable, languageChoices, typedFeedUrl } from '../../src/web/pages/discover/search.ts'
import { fakeServer } from './support/fake-server.ts'

afterEach(() => {
  mock.restore()
})

test.each([
  ['', false],
  [' a ', false],
  ['ab', true],
  ['ö', true],
  ['海', true],
])('%p is looked for: %p', (q, isIt) => {
  expect(isSearchable(q)).toBe(isIt)
})

describe('a feed address instead of words', () => {
  test.each([
    ['https://a.example/f', 'https://a.example/f'],
    [' HTTP://A.example/f ', 'http://a.example/f'],
    ['feed://a.example/f', 'http://a.example/f'],
    ['a.example/feed.xml', 'http://a.example/feed.xml'],
    ['gopher://a.example/', undefined],
    ['harbour talk', undefined],
    ['Dr. No/Yes', undefined],
    ['tidewater.example', undefined],
    ['and/or', undefined],
  ])('%p: %p', (q, address) => {
    expect(typedFeedUrl(q)).toBe(address)
  })
})

test.each([
  ['ok', 'ok'],
  ['off', 'off'],
  ['error', 'error'],
  ['', 'ok'],
] as const)('a header that says %p means %s', async (header, state) => {
  const heard = fakeServer(() =>
    Response.json([], { headers: header === '' ? {} : { 'x-external-directory': header } }),
  )
  expect(await callExternal('listTrending', { query: { lang: 'de', max: 5 } })).toEqual({ answer: [], state })
  expect(heard[0]?.line).toBe('GET api/2/trending?lang=de&max=5')
})

test('languages have the names and the order of the language they are read in', () => {
  const english = languageChoices('en').map(({ name }) => name)
  expect(english.slice(0, 3)).toEqual(['Arabic', 'Chinese', 'Czech'])
  expect(languageChoices('de').map(({ code }) => code)[0]).toBe('ar')
  expect(languageChoices('de').map(({ name }) => name)).toContain('Dänisch')
  expect(new Set(english).size).toBe(english.length)
})

test.each([
  ['en', 'en'],
  ['pt-br', 'pt'],
  ['DE-at', 'de'],
  ['xx', undefined],
  ['english', undefined],
  ['', undefined],
])('a feed in %p is spoken as %p', (claimed, code) => {
  expect(langAttribute(claimed)).toBe(code)
})
