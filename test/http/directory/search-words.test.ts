import { expect, test } from 'bun:test'
import { openDirectory, openSearch, searcher } from './scene.ts'

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

const { search } = await openSearch({
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
  expect(await search(query)).toEqual([name])
})

test.each([
  ['a mistake in a word of four letters', 'baot'],
  ['a mistake in Japanese', 'キッヂンス'],
  ['a letter of another script', 'kitchэn'],
  ['a mistake beside a word there is not', 'kitchne zebra'],
])('somebody finds what was meant with a mistake but not with %s', async (_what, query) => {
  expect(await search(query)).toEqual([])
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
