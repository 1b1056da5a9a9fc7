import { describe, expect, test } from 'bun:test'
import { expectError } from '../error.ts'
import { openDirectory, openSearch, searcher, urlOf } from './scene.ts'

/** What every list has in common is in lists.test.ts. */

const TIDES = {
  title: 'Harbour Talk',
  author: 'Tidewater Radio',
  description: '<p>Boats &amp; <b>birds</b> every Thursday. It’s about fog.</p>',
  website: 'https://tidewater.example/',
  logoUrl: 'https://tidewater.example/logo.png',
  language: 'en-gb',
  tags: ['Sea & Coast', 'Ça va'],
  subscribers: 2,
}

const { anyone, as, search } = await openSearch({
  tides: TIDES,
  hills: { title: 'Hill Walks', author: 'Uplands', tags: ['Sports'], description: 'Sheep' },
})

test.each([
  ['its title', 'Harbour Talk'],
  ['the beginning of a word', 'harb'],
  ['words in another order and case', 'tALK hArBoUr'],
  ['words with accents it has not', 'hárböur'],
  ['its author', 'tidewater'],
  ['a word of its description that is marked up', 'birds'],
  ['a word with an apostrophe', "it's"],
  ['words of all fields', 'fog harb coas tidew'],
  ['its title without the space', 'harbourtalk'],
])('a podcast is found by %s', async (_what, query) => {
  expect(await search(query)).toEqual(['tides'])
})

test.each([
  ['a word it has not, beside one it has', 'harbour hill'],
  ['the end of a word', 'our'],
  ['markup of its description', 'amp'],
  ['its address, when it has a title', 'feeds.example'],
])('a podcast is found by not by %s', async (_what, query) => {
  expect(await search(query)).toEqual([])
})

test.each(['', '?q=', '?q=%20%09%0A', '?q=%E3%80%80', '?Q=harbour'])('a query %j says nothing', async (query) => {
  expectError(await anyone.get(`/search.json${query}`), 400, 'validation_failed', 'q')
})

test.each([
  ['what is found', 'harbour', 'public, max-age=300'],
  ['that nothing is found', 'zebra', 'public, max-age=300'],
  ['the feed of an address', urlOf('tides'), 'public, max-age=300'],
  ['that there is no feed at an address, which may be had later', ' HTTPS://feeds.example/f?token=1 ', 'no-store'],
])('a query may have its answer kept by anybody or nobody (D4): %s', async (_what, query, expected) => {
  for (const path of ['/search.json', '/search.jsonp', '/api/2/search/all']) {
    const address = `${path}?q=${encodeURIComponent(query)}&jsonp=show`
    const { status, headers } = await anyone.get(address)
    const vary = expected === 'no-store' ? null : 'Authorization, Cookie, Accept-Encoding'
    expect([status, headers.get('cache-control'), headers.get('vary')]).toEqual([200, expected, vary])
    if (path !== '/search.jsonp') expect((await as('ida').get(address)).headers.get('cache-control')).toBe('no-store')
  }
})

describe('the address of a feed', () => {
  test.each(['https://feeds.example/tides', ' HTTPS://Feeds.Example/tides '])('%j finds that', async (query) => {
    expect(await search(query)).toEqual(['tides'])
  })

  test('is fetched if nobody knows it, and is found by its words only when somebody has it', async () => {
    const directory = await openDirectory({ people: { ida: [] }, feeds: { new: { title: 'Fog' } } })
    const find = searcher(directory.anyone)
    expect(await find(urlOf('new'))).toEqual(['new'])
    expect(await find('fog')).toEqual([])
    await directory.change('ida', 'phone', { add: ['new'] })
    expect(await find('fog')).toEqual(['new'])
    expect(await searcher(directory.as('ida'))(urlOf('new'))).toEqual(['new'])
    await directory.app.idle()
  })
})

test('a feed that was never fetched is found by where it is, and by nothing that is nobody’s business', async () => {
  const url = 'https://shows.tidewater.example/sea/feed.xml?page=abracadabra'
  const { app, ...directory } = await openDirectory({ people: { ida: [] } })
  await directory.as('ida').post('/api/2/subscriptions/ida/phone.json', { add: [url] })
  const find = searcher(directory.anyone)
  for (const query of ['tidewater', 'shows.tidewater.example', 'sea feed', 'example'])
    expect([query, await find(query)]).toEqual([query, [url]])
  for (const query of ['https', 'page', 'abracadabra']) expect([query, await find(query)]).toEqual([query, []])
  const words = app.db.query<{ word: string }, []>('SELECT word FROM search_words ORDER BY word').all()
  expect(words.map(({ word }) => word)).toEqual(['example', 'feed', 'shows', 'tidewater'])
})

/** The order is held by the property test of search; lists that are full are ranked in another way. */
test('the best come first of more than there is room for', async () => {
  const fillers = Array.from({ length: 25 }, (_, n) => [`filler${n}`, `Zz Harbourmaster ${n}`] as const)
  const ranked = { second: { title: 'A Harbour', subscribers: 2 }, first: 'Harbour', third: 'The Harbour' }
  const found = await (await openSearch({ ...Object.fromEntries(fillers), ...ranked })).search('harbour')
  expect(found.slice(0, 3)).toEqual(['first', 'second', 'third'])
  expect(found).toHaveLength(20)
})
