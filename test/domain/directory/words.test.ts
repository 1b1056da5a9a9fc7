import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { indexWords, isSpelled, queryWords, type Term, wholeTitle } from '../../../src/domain/directory/words.ts'

/** `a*` begins a word, `a+b` are both needed, `a|b` are two ways to meet one word. */
function asked(query: string): string[] {
  const term = ({ text, isPrefix }: Term) => (isPrefix ? `${text}*` : text)
  return queryWords(query).map(({ alternatives }) => alternatives.map((terms) => terms.map(term).join('+')).join('|'))
}

const indexed = (text: string) => [...indexWords(text)].join(' ')

describe('a text is found by', () => {
  test.each([
    ['its words, each once', 'The Harbour, the Sea!', 'the harbour sea'],
    ['words with marks', 'हिन्दी', 'हिन्दी'],
    ['both parts that a hyphen joins, and both as one', 'sci-fi', 'sci fi scifi'],
    ['the same with other hyphens', 'sci‐fi A–Z', 'sci fi scifi a z az'],
    ['parts of a name with a slash', 'AC/DC', 'ac dc acdc'],
    ['letters of an acronym, and all of them', 'R.E.M.', 'r e m rem'],
    ['both parts that an apostrophe joins', "l'amour", 'l amour lamour'],
    ['letters that an ampersand joins', 'R&B', 'r b rb'],
    ['parts that signs join which cannot be seen', 'می\u200cخواهم', 'مي خواهم ميخواهم'],
    ['no sign that joins nothing', '- & . ’ /', ''],
    ['an Arabic word with and without its article', 'الموسيقى', 'الموسيقي موسيقي'],
    ['the same with a small word before', 'والموسيقى للموسيقى', 'والموسيقي موسيقي للموسيقي'],
    ['no part of an Arabic word that is too short', 'الله', 'الله'],
    ['a Hebrew word with and without its article', 'המטבח', 'המטבח מטבח'],
    ['pairs of Chinese characters, and the last one', '北京故事', '北京 京故 故事 事'],
    ['pairs of Japanese ones', 'ラジオ東京', 'らじ じお お東 東京 京'],
    ['the same if a point parts words', 'スター・ト', 'すた たー ー と ーと'],
    ['pairs of Korean syllables', '한국어 뉴스', '한국 국어 어 뉴스 스'],
    ['pairs of Thai letters', 'ไทย', 'ไท ทย ย'],
    ['pairs of rare characters', '𠮷野家', '𠮷野 野家 家'],
    ['words of two scripts side by side', 'AKB48劇場', 'akb48 劇場 場'],
    ['nothing of pictures', '🎙️ ❤️ 👩‍👩‍👧', ''],
    ['nothing of a mark without a letter', '\u0301 \u093f', ''],
    ['nothing of half a character', '\ud83c \udfa4', ''],
    ['the first 32 letters of a long word', 'x'.repeat(100), 'x'.repeat(32)],
  ])('%s', (_what, text, words) => {
    expect(indexed(text)).toBe(words)
  })

  test('parts alone, if together they are too long for a word', () => {
    expect(indexed('abcdefghijklmnop-abcdefghijklmnopq')).toBe('abcdefghijklmnop abcdefghijklmnopq')
  })
})

describe('a query asks for', () => {
  test.each([
    ['words that begin so, in order', 'Sea harb', ['sea*', 'harb*']],
    ['each word once', 'the The THE', ['the*']],
    ['both parts that a hyphen joins, or both as one', 'sci-fi', ['sci*+fi*|scifi*']],
    ['single letters as they are, but for the last one', 'x-files', ['x+files*|xfiles*']],
    ['the letters of an acronym, or all of them', 'R.E.M.', ['r+e+m*|rem*']],
    ['what follows an elided article', 'l’amour', ['amour*|lamour*']],
    ['what has the genitive', "harbour's", ['harbour*|harbours*']],
    ['both parts of other words with an apostrophe', "don't", ['don*+t*|dont*']],
    ['an Arabic word without its article', 'الموسيقى', ['موسيقي*']],
    ['an article alone, of which more may follow', 'الم', ['الم*']],
    ['all pairs of Chinese characters', '北京故事', ['北京+京故+故事']],
    ['whatever has a single one', '京', ['京*']],
    ['all pairs of Thai letters', 'ไทย', ['ไท+ทย']],
    ['words of two scripts side by side', 'AKB48劇場', ['akb48*+劇場']],
    ['the same for both kana', 'ラジオ', ['らじ+じお']],
    ['nothing of signs', '"*" (NEAR) ^: {}', ['near*']],
    ['nothing at all of signs alone', '!? 🎙️ -- "" * \0', []],
    ['the beginning of a long word', 'x'.repeat(100), [`${'x'.repeat(32)}*`]],
  ])('%s', (_what, query, words) => {
    expect(asked(query)).toEqual(words)
  })

  test('twelve words at most, of the first 500 characters, and few pairs of a long text without spaces', () => {
    expect(asked('a b c d e f g h i j k l m n')).toHaveLength(12)
    expect(asked(`a${' '.repeat(498)}bc`)).toEqual(['a*', 'b*'])
    expect(asked('北京故事'.repeat(100))[0]?.split('+')).toHaveLength(16)
  })
})

test('the whole title is the same whatever its case, accents, spaces, signs, kana and end, and else another', () => {
  const same = { 'Sea & Coast!': 'séa-COAST', ラジオ: 'らじお', ['x'.repeat(40)]: 'x'.repeat(50) }
  for (const [one, other] of Object.entries(same)) expect(wholeTitle(one)).toBe(wholeTitle(other))
  expect(new Set(['Sea', 'Seas', 'Sea 2', 'Se'].map(wholeTitle)).size).toBe(4)
  expect(wholeTitle('***')).toBe('')
})

test('somebody may mistype a letter of a word that is spelled', () => {
  expect(['harbour', 'история', '42', '京故', '한국', 'ไท'].filter(isSpelled)).toEqual(['harbour', 'история', '42'])
})

describe('whatever the text,', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(..."aÉ-'. 京ラーالה한\u03017ไ"), maxLength: 30 }),
  )

  test('words are letters, digits and marks in small numbers, and it is found by what it says', () => {
    fc.assert(
      fc.property(text, (any) => {
        const words = [...indexWords(any)]
        const asked = queryWords(any)
        const terms = asked.flatMap(({ alternatives }) => alternatives.flat())
        for (const word of [...words, ...terms.map((term) => term.text), wholeTitle(any)]) {
          expect(word).toMatch(/^[\p{L}\p{M}\p{N}ー]*$/u)
          expect([...word].length).toBeLessThanOrEqual(32)
        }
        for (const { alternatives } of asked) {
          for (const each of alternatives) expect(each).not.toEqual([])
          expect(alternatives.some((each) => each.every((term) => meets(words, term)))).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  function meets(words: readonly string[], { text: wanted, isPrefix }: Term): boolean {
    return words.some((word) => (isPrefix ? word.startsWith(wanted) : word === wanted))
  }
})
