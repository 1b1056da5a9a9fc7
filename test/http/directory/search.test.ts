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

test.each(['https://feeds.example/tides', ' HTTPS://Feeds.Example/tides '])(
  'the address of a feed finds it: %j',
  async (query) => {
    expect(await search(query)).toEqual(['tides'])
  },
)

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

/** Titles in many scripts, and parts of them that find them. */
const TITLES: Readonly<Record<string, readonly [title: string, ...queries: string[]]>> = {
  japanese: ['東京ラジオ放送局の物語', '東京ラジオ', 'ラジオ放送', 'らじお放送', 'ﾗｼﾞｵ放送', '語', '放送 東京ラジオ'],
  kanji: ['歴史を面白く学ぶコテンラジオ', 'コテン', '面白く学ぶ'],
  dotted: ['スター・ウォーズ談義', 'ウォーズ', 'スターウォーズ', 'スター・ウォーズ'],
  chinese: ['北京故事会', '故事', '北京', '会', '京故事会'],
  rare: ['𠮷野家の話', '𠮷野', '野家'],
  korean: ['한국어 뉴스룸', '국어', '뉴스', '스룸', '한국어 뉴스룸'.normalize('NFD')],
  thai: ['ข่าวภาษาไทย', 'ภาษา', 'ไทย', 'ข่าว'],
  russian: ['История Ёлки и мотоциклы', 'елки', 'ёлк', 'ИСТОР', 'мотоцикл истор'],
  ukrainian: ['Підкаст про пʼять міст', "п'ять", 'пять', 'підк'],
  greek: ['Ιστορίες του Οδυσσέα', 'οδυσσεα', 'ΙΣΤΟΡΙΕΣ', 'ιστορ'],
  arabic: ['أخبار الموسيقى العربيّة', 'موسيقى', 'الموسيقي', 'والموسيقى', 'إخبار', 'عربية', 'العربيه'],
  persian: ['رادیو چهرازی می‌خواهم', 'میخواهم', 'رادیو', 'چهرا'],
  hebrew: ['המטבח של דנה', 'מטבח', 'המטבח', 'מִטְבָּח', 'דנ'],
  hindi: ['हिन्दी समाचार', 'समाचार', 'हिन्'],
  georgian: ['ქართული პოდკასტი', 'პოდკ'],
  armenian: ['Հայկական փոդքասթ', 'ՓՈԴՔ'],
  polish: ['Łódź nocą', 'lodz', 'ŁÓDŹ NOC'],
  turkish: ['İstanbul’da Işık', 'istanbul', 'ISTANBUL', 'isik', 'ışık'],
  german: ['Großes Ärgernis über Öl', 'grosses', 'GROẞES ÖL', 'argernis'],
  nordic: ['Smørrebrød & Æbler på Ø', 'smorrebrod', 'aebler'],
  vietnamese: ['Đài phát thanh Đà Nẵng', 'da nang', 'đà nẵng'],
}

const scripts = await openSearch({
  ...Object.fromEntries(Object.entries(TITLES).map(([name, [title]]) => [name, title])),
  other: { title: 'Other', author: '東京局', tags: ['Музыка'], description: 'こんにちは世界、ようこそ' },
})

test.each(Object.entries(TITLES))('a title is found by a part of it: %s', async (name, [, ...queries]) => {
  for (const query of queries) expect([query, await scripts.search(query)]).toEqual([query, [name]])
})

test.each(['東京局', 'музык', '世界', 'にちは世'])('so are author, tags and description: %s', async (query) => {
  expect(await scripts.search(query)).toEqual(['other'])
})

test.each(['京東', '学面白', 'がく', '국한', 'ยไท', 'сторіїї', '北海道'])(
  'but not by what is in none: %s',
  async (query) => {
    expect(await scripts.search(query)).toEqual([])
  },
)

const mistaken = await openSearch({
  kitchen: {
    title: 'Kitchen Stories',
    author: 'Marguerite',
    tags: ['Gastronomy'],
    description: 'Recipes of thirteen grandmothers',
  },
  boat: 'Boat Fog',
  fiction: 'Sci-Fiction Radio',
  russian: 'Мотоциклы',
  greek: 'Φιλοσοφία',
  hebrew: 'היסטוריה',
  persian: 'چهرازی',
  armenian: 'Պատմություն',
  japanese: 'キッチンストーリーズ',
  korean: '부엌이야기들',
  number: 'Highway 20049',
  long: `${'abcdefgh'.repeat(4)}ijkl`,
})

/** Mistakes of every kind at every place are held by the property test of search. */
test.each([
  ['that swaps letters, in another case and with accents', 'KÍTCHNE', 'kitchen'],
  ['beside a word of another field', 'kitchne grandm', 'kitchen'],
  ['once in each of several words', 'kitchne stoires thriteen', 'kitchen'],
  ['in a part of a word with a hyphen', 'sci-fictoin', 'fiction'],
  ['across a hyphen that is missing', 'scifictoin', 'fiction'],
  ['in the shortest words there may be one in', 'bboat', 'boat'],
  ['in Cyrillic letters, one of them wrong', 'матоцикл', 'russian'],
  ['in Arabic letters far apart in the alphabet of computers', 'بهرازی', 'persian'],
  ['in a word of which only the beginning is known', `x${'abcdefgh'.repeat(4)}ijkl`, 'long'],
])('somebody finds what was meant with a mistake %s', async (_where, query, name) => {
  expect(await mistaken.search(query)).toEqual([name])
})

test.each([
  ['a mistake in a word of four letters', 'baot'],
  ['a mistake in Japanese', 'キッヂンス'],
  ['a letter of another script', 'kitchэn'],
  ['a mistake beside a word there is not', 'kitchne zebra'],
])('somebody finds what was meant with a mistake but not with %s', async (_what, query) => {
  expect(await mistaken.search(query)).toEqual([])
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
