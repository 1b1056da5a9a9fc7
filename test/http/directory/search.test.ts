import { expect, test } from 'bun:test'
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

test('a query of nothing is refused', async () => {
  for (const query of ['', '?q=', '?q=%20%09%0A', '?q=%E3%80%80', '?Q=harbour'])
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

test('an address nobody knows is fetched, and found by its words only when somebody has it', async () => {
  const directory = await openDirectory({ people: { ida: [] }, feeds: { new: { title: 'Fog' } } })
  const find = searcher(directory.anyone)
  expect(await find(urlOf('new'))).toEqual(['new'])
  expect(await find('fog')).toEqual([])
  await directory.change('ida', 'phone', { add: ['new'] })
  expect(await find('fog')).toEqual(['new'])
  expect(await searcher(directory.as('ida'))(urlOf('new'))).toEqual(['new'])
  await directory.app.idle()
})

test('a feed that was never fetched is found by where it is, and by nothing that is nobody’s business', async () => {
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

/** The order is held by the property test of search; lists that are full are ranked in another way. */
test('the best come first of more than there is room for', async () => {
  const fillers = Array.from({ length: 25 }, (_, n) => [`filler${n}`, `Zz Harbourmaster ${n}`] as const)
  const ranked = { second: { title: 'A Harbour', subscribers: 2 }, first: 'Harbour', third: 'The Harbour' }
  const found = await (await openSearch({ ...Object.fromEntries(fillers), ...ranked })).search('harbour')
  expect(found.slice(0, 3)).toEqual(['first', 'second', 'third'])
  expect(found).toHaveLength(20)
})

/** Words of all scripts are in test/domain/directory/words.test.ts. */
const scripts = await openSearch({
  japanese: '東京ラジオ放送局の物語',
  arabic: 'أخبار الموسيقى العربيّة',
  russian: 'История Ёлки и мотоциклы',
  turkish: 'İstanbul’da Işık',
  polish: 'Łódź nocą',
  german: 'Großes Ärgernis über Öl',
  greek: 'Ιστορίες του Οδυσσέα',
  other: { title: 'Other', author: '東京局', tags: ['Музыка'], description: 'こんにちは世界、ようこそ' },
})

test.each<[string, string[]]>([
  ['japanese', ['らじお放送', 'ﾗｼﾞｵ放送', '語', '放送 東京ラジオ']],
  ['arabic', ['والموسيقى', 'إخبار', 'العربيه']],
  ['russian', ['елки', 'ИСТОР', 'мотоцикл истор']],
  ['turkish', ['istanbul', 'ISTANBUL', 'isik', 'ışık']],
  ['polish', ['lodz', 'ŁÓDŹ NOC']],
  ['german', ['grosses', 'GROẞES ÖL', 'argernis']],
  ['greek', ['οδυσσεα', 'ΙΣΤΟΡΙΕΣ']],
  ['other', ['東京局', 'музык', 'にちは世']],
])('a podcast is found by parts of its words in any script: %s', async (name, queries) => {
  for (const query of queries) expect([query, await scripts.search(query)]).toEqual([query, [name]])
  for (const query of ['京東', 'がく', 'сторіїї']) expect(await scripts.search(query)).toEqual([])
})

const mistaken = await openSearch({
  kitchen: { title: 'Kitchen Stories', author: 'Marguerite', description: 'Recipes of thirteen grandmothers' },
  boat: 'Boat Fog',
  fiction: 'Sci-Fiction Radio',
  russian: 'Мотоциклы',
  persian: 'چهرازی',
  japanese: 'キッチンストーリーズ',
  long: `${'abcdefgh'.repeat(4)}ijkl`,
})

/** The property test of search makes mistakes of every kind at every place. */
test.each<[string, string[]]>([
  ['KÍTCHNE', ['kitchen']],
  ['kitchne grandm', ['kitchen']],
  ['kitchne stoires thriteen', ['kitchen']],
  ['scifictoin', ['fiction']],
  ['bboat', ['boat']],
  ['матоцикл', ['russian']],
  ['بهرازی', ['persian']],
  [`x${'abcdefgh'.repeat(4)}ijkl`, ['long']],
  ['baot', []],
  ['キッヂンス', []],
  ['kitchэn', []],
  ['kitchne zebra', []],
])('a search for %p, with a mistake, finds %p', async (query, names) => {
  expect(await mistaken.search(query)).toEqual(names)
})

const right = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`right${n}`, `Planet ${n}`]))
const wrong = { swapped: { title: 'Palnet', subscribers: 3 } }

test('mistakes are looked for while fewer than five are found; what is found by them comes last', async () => {
  const few = await openSearch({ ...right(4), ...wrong })
  expect(await few.search('planet')).toEqual(['right0', 'right1', 'right2', 'right3', 'swapped'])
  const enough = await openSearch({ ...right(5), ...wrong })
  expect(await enough.search('planet')).not.toContain('swapped')
  expect(await enough.search('palnet')).toHaveLength(6)
})

test('mistakes are looked for whatever others have in private', async () => {
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
