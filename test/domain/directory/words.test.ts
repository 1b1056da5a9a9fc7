import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { indexWords, isSpelled, queryWords, type Term, wholeTitle } from '../../../src/domain/directory/words.ts'
import { anyCharacter } from '../../support/arbitraries.ts'

/** `a*` is a prefix, `a+b` needs both, `a|b` are alternatives for one word. */
function asked(query: string): string[] {
  const term = ({ text, isPrefix }: Term) => (isPrefix ? `${text}*` : text)
  return queryWords(query).map(({ alternatives }) => alternatives.map((terms) => terms.map(term).join('+')).join('|'))
}

const indexed = (text: string) => [...indexWords(text)].join(' ')

describe('a text is indexed by', () => {
  test.each([
    ['its words, each once', 'The Harbour, the Sea!', 'the harbour sea'],
    ['words with combining marks', 'हिन्दी', 'हिन्दी'],
    ['the parts of a hyphenated word, and the whole', 'sci-fi', 'sci fi scifi'],
    ['the same with other hyphens', 'sci‐fi A–Z', 'sci fi scifi a z az'],
    ['the parts of a name with a slash, and the whole', 'AC/DC', 'ac dc acdc'],
    ['the letters of an acronym, and the whole', 'R.E.M.', 'r e m rem'],
    ['the parts around an apostrophe, and the whole', "l'amour", 'l amour lamour'],
    ['the letters around an ampersand, and the whole', 'R&B', 'r b rb'],
    ['the parts around invisible characters, and the whole', 'می\u200cخواهم', 'مي خواهم ميخواهم'],
    ['nothing for signs that join nothing', '- & . ’ /', ''],
    ['an Arabic word with and without its article', 'الموسيقى', 'الموسيقي موسيقي'],
    ['the same after a prefixed particle', 'والموسيقى للموسيقى', 'والموسيقي موسيقي للموسيقي'],
    ['no part of an Arabic word that is too short', 'الله', 'الله'],
    ['a Hebrew word with and without its article', 'המטבח', 'המטבח מטבח'],
    ['pairs of Chinese characters, and the last one', '北京故事', '北京 京故 故事 事'],
    ['pairs of Japanese characters', 'ラジオ東京', 'らじ じお お東 東京 京'],
    ['the same around a point between words', 'スター・ト', 'すた たー ー と ーと'],
    ['pairs of Korean syllables', '한국어 뉴스', '한국 국어 어 뉴스 스'],
    ['pairs of Thai letters', 'ไทย', 'ไท ทย ย'],
    ['pairs of rare characters', '𠮷野家', '𠮷野 野家 家'],
    ['words of adjacent scripts', 'AKB48劇場', 'akb48 劇場 場'],
    ['nothing for emoji', '🎙️ ❤️ 👩‍👩‍👧', ''],
    ['nothing for a mark without a letter', '\u0301 \u093f', ''],
    ['nothing for half a surrogate pair', '\ud83c \udfa4', ''],
    ['the first 32 letters of a long word', 'x'.repeat(100), 'x'.repeat(32)],
  ])('%s', (_what, text, words) => {
    expect(indexed(text)).toBe(words)
  })

  test('the parts alone, if the whole is too long', () => {
    expect(indexed('abcdefghijklmnop-abcdefghijklmnopq')).toBe('abcdefghijklmnop abcdefghijklmnopq')
  })
})

describe('a query asks for', () => {
  test.each([
    ['prefixes, in order', 'Sea harb', ['sea*', 'harb*']],
    ['each word once', 'the The THE', ['the*']],
    ['the parts of a hyphenated word, or the whole', 'sci-fi', ['sci*+fi*|scifi*']],
    ['single letters as they are, except for the last one', 'x-files', ['x+files*|xfiles*']],
    ['the letters of an acronym, or the whole', 'R.E.M.', ['r+e+m*|rem*']],
    ['the word after an elided article, or the whole', 'l’amour', ['amour*|lamour*']],
    ['a word with or without its genitive', "harbour's", ['harbour*|harbours*']],
    ['the parts around any other apostrophe, or the whole', "don't", ['don*+t*|dont*']],
    ['an Arabic word without its article', 'الموسيقى', ['موسيقي*']],
    ['an article alone, since more may follow', 'الم', ['الم*']],
    ['all pairs of Chinese characters', '北京故事', ['北京+京故+故事']],
    ['a single Chinese character as a prefix', '京', ['京*']],
    ['all pairs of Thai letters', 'ไทย', ['ไท+ทย']],
    ['words of adjacent scripts', 'AKB48劇場', ['akb48*+劇場']],
    ['all pairs of both kana', 'ラジオ', ['らじ+じお']],
    ['the words between signs', '"*" (NEAR) ^: {}', ['near*']],
    ['nothing for signs alone', '!? 🎙️ -- "" * \0', []],
    ['the beginning of a long word', 'x'.repeat(100), [`${'x'.repeat(32)}*`]],
  ])('%s', (_what, query, words) => {
    expect(asked(query)).toEqual(words)
  })

  test('at most twelve words, of the first 500 characters, and 16 pairs of a text without spaces', () => {
    expect(asked('a b c d e f g h i j k l m n')).toHaveLength(12)
    expect(asked(`a${' '.repeat(498)}bc`)).toEqual(['a*', 'b*'])
    expect(asked('北京故事'.repeat(100))[0]?.split('+')).toHaveLength(16)
  })
})

test('whole titles match regardless of case, accents, spaces, signs, kana and an overlong end', () => {
  const same = { 'Sea & Coast!': 'séa-COAST', ラジオ: 'らじお', ['x'.repeat(40)]: 'x'.repeat(50) }
  for (const [one, other] of Object.entries(same)) expect(wholeTitle(one)).toBe(wholeTitle(other))
  expect(new Set(['Sea', 'Seas', 'Sea 2', 'Se'].map(wholeTitle)).size).toBe(4)
  expect(wholeTitle('***')).toBe('')
})

test('typing errors are tolerated in words of letters and digits, not in pairs of characters', () => {
  expect(['harbour', 'история', '42', '京故', '한국', 'ไท'].filter(isSpelled)).toEqual(['harbour', 'история', '42'])
})

describe('any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(..."aÉ-'. 京ラーالה한\u03017ไ"), maxLength: 30 }),
  )

  test('is indexed by short words of letters, digits and marks, and found by itself', () => {
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
