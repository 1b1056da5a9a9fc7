import { expect, test } from 'bun:test'
import { openSearch } from './scene.ts'

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

const { search } = await openSearch({
  ...Object.fromEntries(Object.entries(TITLES).map(([name, [title]]) => [name, title])),
  other: { title: 'Other', author: '東京局', tags: ['Музыка'], description: 'こんにちは世界、ようこそ' },
})

test.each(Object.entries(TITLES))('a title is found by a part of it: %s', async (name, [, ...queries]) => {
  for (const query of queries) expect([query, await search(query)]).toEqual([query, [name]])
})

test.each(['東京局', 'музык', '世界', 'にちは世'])('so are author, tags and description: %s', async (query) => {
  expect(await search(query)).toEqual(['other'])
})

test.each(['京東', '学面白', 'がく', '국한', 'ยไท', 'сторіїї', '北海道'])(
  'but not by what is in none: %s',
  async (query) => {
    expect(await search(query)).toEqual([])
  },
)
