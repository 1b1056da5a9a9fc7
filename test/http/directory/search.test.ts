import { expect, test } from 'bun:test'
import { expectError } from '../error.ts'
import { openDirectory, openSearch, searcher, urlOf } from './scene.ts'

/** lists.test.ts tests what all lists have in common. */

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

test.each<[string, string[]]>([
  ['Harbour Talk', ['tides']],
  ['harb', ['tides']],
  ['tALK hárböur', ['tides']],
  ["it's birds", ['tides']],
  ['fog harb coas tidew', ['tides']],
  ['harbourtalk', ['tides']],
  [urlOf('tides'), ['tides']],
  [' HTTPS://Feeds.Example/tides ', ['tides']],
  ['harbour hill', []],
  ['our', []],
  ['amp', []],
  ['feeds.example', []],
])('a search for %p finds %p', async (query, names) => {
  expect(await search(query)).toEqual(names)
})

test('an empty query is refused', async () => {
  for (const query of ['', '?q=', '?q=%20%09%0A', '?q=%E3%80%80', '?Q=harbour'])
    expectError(await anyone.get(`/search.json${query}`), 400, 'validation_failed', 'q')
})

test.each([
  ['results', 'harbour', 'public, max-age=300'],
  ['no results', 'zebra', 'public, max-age=300'],
  ['the feed at a URL', urlOf('tides'), 'public, max-age=300'],
  ['no feed at a URL', ' HTTPS://feeds.example/f?token=1 ', 'no-store'],
])('the answer is cacheable unless a feed may still be fetched (D4): %s', async (_case, query, expected) => {
  for (const path of ['/search.json', '/search.jsonp', '/api/2/search/all']) {
    const address = `${path}?q=${encodeURIComponent(query)}&jsonp=show`
    const { status, headers } = await anyone.get(address)
    const vary = expected === 'no-store' ? null : 'Authorization, Cookie, Accept-Encoding'
    expect([status, headers.get('cache-control'), headers.get('vary')]).toEqual([200, expected, vary])
    if (path !== '/search.jsonp') expect((await as('ida').get(address)).headers.get('cache-control')).toBe('no-store')
  }
})

test('an unknown URL is fetched, and its podcast is found by words once it has a subscriber', async () => {
  const directory = await openDirectory({ people: { ida: [] }, feeds: { new: { title: 'Fog' } } })
  const find = searcher(directory.anyone)
  expect(await find(urlOf('new'))).toEqual(['new'])
  expect(await find('fog')).toEqual([])
  await directory.change('ida', 'phone', { add: ['new'] })
  expect(await find('fog')).toEqual(['new'])
  expect(await searcher(directory.as('ida'))(urlOf('new'))).toEqual(['new'])
  await directory.app.idle()
})

test('a feed that was never fetched is found by host and path, but not by query parameters', async () => {
  const url = 'https://shows.tidewater.example/sea/feed.xml?page=abracadabra'
  const { app, ...directory } = await openDirectory({ people: { ida: [] } })
  await directory.as('ida').post('/api/2/subscriptions/ida/phone.json', { add: [url] })
  const find = searcher(directory.anyone)
  for (const query of ['tidewater', 'shows.tidewater.example', 'sea feed', 'example'])
    expect([query, await find(query)]).toEqual([query, [url]])
  for (const query of ['https', 'page', 'abracadabra']) expect([query, await find(query)]).toEqual([query, []])
  const words = await app.rowsOf<{ word: string }>('SELECT word FROM search_words ORDER BY word')
  expect(words.map(({ word }) => word)).toEqual(['example', 'feed', 'shows', 'tidewater'])
})

/** The property test checks the order of short lists; full lists are ranked by other code. */
test('a full list has the best results first', async () => {
  const fillers = Array.from({ length: 25 }, (_, n) => [`filler${n}`, `Zz Harbourmaster ${n}`] as const)
  const ranked = { second: { title: 'A Harbour', subscribers: 2 }, first: 'Harbour', third: 'The Harbour' }
  const found = await (await openSearch({ ...Object.fromEntries(fillers), ...ranked })).search('harbour')
  expect(found.slice(0, 3)).toEqual(['first', 'second', 'third'])
  expect(found).toHaveLength(20)
})

/** Words of all scripts are in test/domain/directory/words.test.ts, mistakes of every kind in the property test. */
const scripts = await openSearch({
  japanese: '東京ラジオ放送局の物語',
  arabic: 'أخبار الموسيقى العربيّة',
  russian: 'История Ёлки и мотоциклы',
  turkish: 'İstanbul’da Işık',
  german: 'Großes Ärgernis über Öl',
  kitchen: {
    title: 'Sci-Kitchen Stories',
    author: '東京局',
    tags: ['Музыка'],
    description: 'Recipes of thirteen cooks',
  },
  long: `${'abcdefgh'.repeat(4)}ijkl`,
})

test.each<[string, string[], string[]]>([
  ['parts of words', ['らじお放送', 'ﾗｼﾞｵ放送', '語', '放送 東京ラジオ'], ['japanese']],
  ['parts of words', ['والموسيقى', 'إخبار'], ['arabic']],
  ['parts of words', ['елки', 'ИСТОР', 'мотоцикл истор'], ['russian']],
  ['parts of words', ['ISTANBUL', 'ışık'], ['turkish']],
  ['parts of words', ['grosses', 'GROẞES ÖL', 'argernis'], ['german']],
  ['author and tags', ['東京局', 'музык'], ['kitchen']],
  ['mistyped words', ['KÍTCHNE', 'kitchne stoires thriteen', 'scikitchne'], ['kitchen']],
  ['mistyped words', ['матоцикл'], ['russian']],
  ['mistyped words', [`x${'abcdefgh'.repeat(4)}ijkl`], ['long']],
  ['nothing else', ['京東', 'がく', 'сторіїї', 'らじま放送', 'kitchэn', 'kitchne zebra'], []],
])('podcasts in any script are found by %s: %p', async (_case, queries, names) => {
  for (const query of queries) expect([query, await scripts.search(query)]).toEqual([query, names])
})

const right = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`right${n}`, `Planet ${n}`]))
const wrong = { swapped: { title: 'Palnet', subscribers: 3 } }

test('mistyped words are searched if there are fewer than five results, and come last', async () => {
  const few = await openSearch({ ...right(4), ...wrong })
  expect(await few.search('planet')).toEqual(['right0', 'right1', 'right2', 'right3', 'swapped'])
  const enough = await openSearch({ ...right(5), ...wrong })
  expect(await enough.search('planet')).not.toContain('swapped')
  expect(await enough.search('palnet')).toHaveLength(6)
})

test('private podcasts of others do not affect the search for mistyped words', async () => {
  const hidden = Object.fromEntries(
    Array.from({ length: 9 }, (_, n) => [`p${n}`, { title: 'Planet', isBlocked: true }]),
  )
  const { anyone, as } = await openDirectory({
    people: { ida: Object.keys(hidden), ole: ['seen'] },
    feeds: { ...hidden, seen: { title: 'Palnet' } },
  })
  expect(await searcher(anyone)('planet')).toEqual(['seen'])
  expect(await searcher(as('ida'))('planet')).toHaveLength(9)
})
