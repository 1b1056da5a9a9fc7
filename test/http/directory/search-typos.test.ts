import { describe, expect, test } from 'bun:test'
import { openDirectory, openSearch, searcher } from './scene.ts'

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

/** The word with letters taken out and others put in their place, once at each letter. */
const everywhere = (word: string, count: number, insteadOf: (letter: string, at: number) => string[]) =>
  [...word].map((letter, at) => [...word].toSpliced(at, count, ...insteadOf(letter, at)).join(''))

const MISTAKES: readonly (readonly [string, (word: string) => string[]])[] = [
  ['two letters swapped', (word) => everywhere(word, 2, (letter, at) => [word[at + 1] ?? '', letter]).slice(0, -1)],
  ['a letter missing', (word) => everywhere(word, 1, () => [])],
  ['a letter twice', (word) => everywhere(word, 0, (letter) => [letter])],
  ['a letter too many', (word) => [...everywhere(word, 0, () => ['q']), `${word}q`]],
  ['a wrong letter', (word) => everywhere(word, 1, () => ['q'])],
  ['a digit for a letter', (word) => everywhere(word, 1, () => ['0'])],
]

test.each([...MISTAKES])('wherever it is, %s does not matter', async (_what, made) => {
  for (const word of ['kitchen', 'kitche', 'stories', 'marguerite', 'gastron', 'recipes', 'thirteen'])
    for (const wrong of made(word)) expect([wrong, await search(wrong)]).toEqual([wrong, ['kitchen']])
})

describe('somebody finds what was meant with a mistake', () => {
  test.each([
    ['in another case and with accents', 'KÍTCHNE', 'kitchen'],
    ['beside a word of another field', 'kitchne grandm', 'kitchen'],
    ['once in each of several words', 'kitchne stoires thriteen', 'kitchen'],
    ['in a part of a word with a hyphen', 'sci-fictoin', 'fiction'],
    ['across a hyphen that is missing', 'scifictoin', 'fiction'],
    ['in a word for which there are two ways', 'radoi-sci', 'fiction'],
    ['in digits', '20094', 'number'],
    ['in the shortest words there may be one in', 'bboat', 'boat'],
    ['in Cyrillic letters', 'мтооцикл', 'russian'],
    ['in Cyrillic letters, one of them wrong', 'матоцикл', 'russian'],
    ['in Greek letters, one of them missing', 'φιλσοφια', 'greek'],
    ['in Hebrew letters', 'היטסוריה', 'hebrew'],
    ['in Arabic letters far apart in the alphabet of computers', 'بهرازی', 'persian'],
    ['in Armenian letters far apart, too', 'պատմոաթյուն', 'armenian'],
    ['in a word of which only the beginning is known', `x${'abcdefgh'.repeat(4)}ijkl`, 'long'],
  ])('%s', async (_where, query, name) => {
    expect(await search(query)).toEqual([name])
  })

  test.each([
    ['two mistakes in a word', 'kicthne'],
    ['a mistake in a word of four letters', 'baot'],
    ['a mistake in a word of three letters', 'fgo'],
    ['a mistake in Japanese', 'キッヂンス'],
    ['a mistake in Korean', '부엌이아기들'],
    ['a letter of another script', 'kitchэn'],
    ['a mistake beside a word there is not', 'kitchne zebra'],
  ])('but not with %s', async (_what, query) => {
    expect(await search(query)).toEqual([])
  })
})

describe('mistakes are looked for', () => {
  const right = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`right${n}`, `Planet ${n}`]))
  const wrong = { swapped: { title: 'Palnet', subscribers: 3 } }

  test('while fewer than five are found; what is found by them comes last', async () => {
    const few = await openSearch({ ...right(4), ...wrong })
    expect(await few.search('planet')).toEqual(['right0', 'right1', 'right2', 'right3', 'swapped'])
    const enough = await openSearch({ ...right(5), ...wrong })
    expect(await enough.search('planet')).not.toContain('swapped')
    expect(await enough.search('palnet')).toHaveLength(6)
  })

  test('whatever others have in private', async () => {
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
})
