import { describe, expect, test } from 'bun:test'
import { openSearch } from './search-scene.ts'

const TITLES = {
  japanese: '東京ラジオ放送局の物語',
  kanji: '歴史を面白く学ぶコテンラジオ',
  dotted: 'スター・ウォーズ談義',
  chinese: '北京故事会',
  rare: '𠮷野家の話',
  korean: '한국어 뉴스룸',
  thai: 'ข่าวภาษาไทย',
  russian: 'История Ёлки и мотоциклы',
  ukrainian: 'Підкаст про пʼять міст',
  greek: 'Ιστορίες του Οδυσσέα',
  arabic: 'أخبار الموسيقى العربيّة',
  persian: 'رادیو چهرازی می‌خواهم',
  hebrew: 'המטבח של דנה',
  hindi: 'हिन्दी समाचार',
  georgian: 'ქართული პოდკასტი',
  armenian: 'Հայկական փոդքասթ',
  polish: 'Łódź nocą',
  turkish: 'İstanbul’da Işık',
  german: 'Großes Ärgernis über Öl',
  nordic: 'Smørrebrød & Æbler på Ø',
  vietnamese: 'Đài phát thanh Đà Nẵng',
} as const

const { search } = await openSearch({
  ...TITLES,
  other: { title: 'Other', author: '東京局', tags: ['Музыка'], description: 'こんにちは世界、ようこそ' },
})

describe('a title is found by a part of it', () => {
  test.each<[keyof typeof TITLES, string]>([
    ['japanese', '東京ラジオ'],
    ['japanese', 'ラジオ放送'],
    ['japanese', 'らじお放送'],
    ['japanese', 'ﾗｼﾞｵ放送'],
    ['japanese', '物語'],
    ['japanese', '語'],
    ['japanese', '放送 東京ラジオ'],
    ['kanji', 'コテン'],
    ['kanji', '面白く学ぶ'],
    ['dotted', 'ウォーズ'],
    ['dotted', 'スターウォーズ'],
    ['dotted', 'スター・ウォーズ'],
    ['chinese', '故事'],
    ['chinese', '北京'],
    ['chinese', '会'],
    ['chinese', '京故事会'],
    ['rare', '𠮷野'],
    ['rare', '野家'],
    ['korean', '국어'],
    ['korean', '뉴스'],
    ['korean', '스룸'],
    ['korean', '한국어 뉴스룸'.normalize('NFD')],
    ['thai', 'ภาษา'],
    ['thai', 'ไทย'],
    ['thai', 'ข่าว'],
    ['russian', 'елки'],
    ['russian', 'ёлк'],
    ['russian', 'ИСТОР'],
    ['russian', 'мотоцикл истор'],
    ['ukrainian', "п'ять"],
    ['ukrainian', 'пять'],
    ['ukrainian', 'підк'],
    ['greek', 'οδυσσεα'],
    ['greek', 'ΙΣΤΟΡΙΕΣ'],
    ['greek', 'ιστορ'],
    ['arabic', 'موسيقى'],
    ['arabic', 'الموسيقي'],
    ['arabic', 'والموسيقى'],
    ['arabic', 'اخبار'],
    ['arabic', 'إخبار'],
    ['arabic', 'عربية'],
    ['arabic', 'العربيه'],
    ['persian', 'میخواهم'],
    ['persian', 'رادیو'],
    ['persian', 'چهرا'],
    ['hebrew', 'מטבח'],
    ['hebrew', 'המטבח'],
    ['hebrew', 'מִטְבָּח'],
    ['hebrew', 'דנ'],
    ['hindi', 'समाचार'],
    ['hindi', 'हिन्'],
    ['georgian', 'პოდკ'],
    ['armenian', 'ՓՈԴՔ'],
    ['polish', 'lodz'],
    ['polish', 'ŁÓDŹ NOC'],
    ['turkish', 'istanbul'],
    ['turkish', 'ISTANBUL'],
    ['turkish', 'isik'],
    ['turkish', 'ışık'],
    ['german', 'grosses'],
    ['german', 'GROẞES ÖL'],
    ['german', 'argernis'],
    ['nordic', 'smorrebrod'],
    ['nordic', 'aebler'],
    ['vietnamese', 'da nang'],
    ['vietnamese', 'đà nẵng'],
  ])('%s: %s', async (name, query) => {
    expect(await search(query)).toEqual([name])
  })
})

test.each([
  ['東京局', 'other'],
  ['музык', 'other'],
  ['世界', 'other'],
  ['にちは世', 'other'],
])('so are author, tags and description: %s', async (query, name) => {
  expect(await search(query)).toEqual([name])
})

test.each(['京東', '学面白', 'がく', '국한', 'ยไท', 'сторіїї', '北海道'])(
  'but not by what is in none: %s',
  async (query) => {
    expect(await search(query)).toEqual([])
  },
)
