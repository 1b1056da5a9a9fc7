import { expect, test } from 'bun:test'
import { openSearch } from '../http/directory/scene.ts'
import { dice } from '../support/values.ts'

const QUERIES = 2000
const ANONYMOUS = { userId: undefined, address: '192.0.2.1' }

/** Pieces of the syntax of full-text queries, SQL and patterns. */
const SYNTAX =
  `" "" ' '' \` * ** ( ) () {} {title} : ^ + - -- , ; % _ ? ?1 @ # $ & | \\ / < > = ! ~ [ ] . .. AND OR NOT NEAR NEAR(a b,3) terms: title:harbour
{title}:(a) rank 'a' "a"* "a b" a* *a ^a a+b a-b a:b MATCH SELECT NULL 0x00 /* */ 1e999 NaN harbour kitchen fog sea-coast`
    .split(/\s+/)
    .concat(...'\0\t\n\u2028\ufeff\u200b\ud800\ue000\udc00\ue002\uffff\u{10ffff}', '\ue001x')

/** Ranges of code points from many scripts, including unassigned ones. */
const RANGES = (
  '0-80 80-250 300-370 370-700 900-1200 2000-2100 3040-3100 4e00-a000 ac00-d7b0 d800-f900 fb00-10000 10000-20000 ' +
  '1f300-1fb00 0-110000'
)
  .split(' ')
  .map((range) => range.split('-').map((code) => Number.parseInt(code, 16)))

function queryOf(roll: (sides: number) => number): string {
  const pick = <T>(list: readonly T[]): T | undefined => list[roll(list.length)]
  const character = () => {
    const [from = 0, to = 0x80] = pick(RANGES) ?? []
    return String.fromCodePoint(from + roll(to - from))
  }
  const pieces: readonly (() => string)[] = [
    character,
    character,
    () => pick(SYNTAX) ?? '',
    () => pick([' ', '', '  ', '-', "'", '.']) ?? '',
    () => pick(['harbour', 'Talk', 'kitchne', 'storeis', '東京', 'الموسيقى', 'ไทย', 'sci-fi']) ?? '',
    () => character().repeat(roll(40)),
  ]
  const length = roll(50) === 0 ? roll(2000) : roll(12)
  return Array.from({ length }, () => (pick(pieces) ?? character)()).join('')
}

const titles = ['Harbour Talk', 'Kitchen Stories', '東京ラジオ', 'أخبار الموسيقى', 'ข่าวภาษาไทย', 'Sci-Fi ½ Ⅳ 𐐷']
const { app } = await openSearch(
  Object.fromEntries(titles.map((title, n) => [`f${n}`, { title, description: 'fog AND sea OR "coast"' }])),
)
const { search } = app.services

test('every search has an answer', async () => {
  const roll = dice(31)
  let found = 0
  for (let n = 0; n < QUERIES; n++) {
    // A blank query is refused.
    const query = `${queryOf(roll)}.`
    try {
      if ((await search.local(query, ANONYMOUS)).length > 0) found++
    } catch (error) {
      throw new Error(`no answer for ${JSON.stringify(query)}`, { cause: error })
    }
  }
  expect(found).toBeGreaterThan(QUERIES / 20)
})

test('every character can be searched for', async () => {
  const characters: string[] = []
  // The rest are ideographs and private use, which are all the same to a search.
  for (let code = 0; code < 0x110000; code += code < 0x3400 || (code >= 0x10000 && code < 0x1f000) ? 1 : 61)
    characters.push(String.fromCodePoint(code))
  const separators = ['', ' ', 'a']
  for (let from = 0; from < characters.length; from += 40) {
    const some = characters.slice(from, from + 40)
    await search.local(`.${some.join(separators[(from / 40) % 3])}`, ANONYMOUS)
  }
})
