import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { excerptOf, fold, slugOf, truncateHtml, withoutAccents } from '../../../src/domain/shared/text.ts'
import { anyCharacter } from '../../support/arbitraries.ts'

describe('a search ignores the difference of', () => {
  test.each([
    ['capitals and small letters', 'HARBOUR Talk', 'harbour talk'],
    ['é and e', 'Café', 'cafe'],
    ['an accent after its letter', 'cafe\u0301', 'cafe'],
    ['ł and l, đ and d, ħ and h', 'Łódź Đà Nẵng Ħamrun', 'lodz da nang hamrun'],
    ['ø and o, å and a', 'Ålborg Ø', 'alborg o'],
    ['æ and ae, œ and oe', 'Ærø, Œuvre', 'aero, oeuvre'],
    ['ß and ss, small and capital', 'Straße STRAẞE', 'strasse strasse'],
    ['ð and d, þ and th', 'Guðrún Þór', 'gudrun thor'],
    ['all four Turkish letters i', 'İı Iiİ', 'ii iii'],
    ['full-width and ordinary letters', 'ＦＵＬＬ　ｗｉｄｔｈ', 'full width'],
    ['styled letters, ligatures and plain ones', '𝓟𝓸𝓭 ⓒⓐⓢⓣ ﬁn Ⅳ', 'pod cast fin iv'],
    ['ё and е, й and и', 'Ёлка Йод', 'елка иод'],
    ['ї and і', 'Україна', 'украіна'],
    ['Greek with and without accents', 'Ιστορία', 'ιστορια'],
    ['sigma at the end and elsewhere', 'Οδυσσεύς ΟΔΥΣΣΕΎΣ', 'οδυσσευσ οδυσσευσ'],
    ['katakana and hiragana', 'ラジオ ヾ', 'らじお ゞ'],
    ['half-width katakana as well', 'ｶﾞﾝﾀﾞﾑ', 'がんだむ'],
    ['Arabic with and without vowels', 'مُوسِيقَى', 'موسيقي'],
    ['stretched Arabic and plain', 'مـــوسيقي', 'موسيقي'],
    ['all forms of alef', 'أخبار إسلام آسيا ٱلله', 'اخبار اسلام اسيا الله'],
    ['ta marbuta and ha', 'مدرسة', 'مدرسه'],
    ['Persian and Arabic letters', 'ایران کتاب', 'ايران كتاب'],
    ['Arabic presentation forms and plain letters', 'ﻣﻮﺳﻴﻘﻲ', 'موسيقي'],
    ['Hebrew with and without points', 'שָׁלוֹם', 'שלום'],
    ['Hangul in syllables and in letters', '한국'.normalize('NFD'), '한국'],
    ['all apostrophes', 'l’amour l‘amour Hawaiʻi Makahʼs', "l'amour l'amour hawai'i makah's"],
    ['emoji with and without variation selectors', '❤️ 1️⃣', '❤ 1'],
    ['words with and without invisible characters', 'har\u00adbour\u2060\ufeff \u200eair\u202c', 'harbour air'],
  ])('%s', (_what, written, folded) => {
    expect(fold(written)).toBe(folded)
    expect(fold(folded)).toBe(folded)
  })

  test('but not of voiced kana, vowels of Devanagari, tones of Thai, and simplified characters', () => {
    for (const [one, other] of Object.entries({ が: 'か', ぱ: 'は', कि: 'का', ไม้: 'ไม', 国: '國' }))
      expect(fold(one)).not.toBe(fold(other))
  })

  test('folding twice is folding once, for texts and for each character', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: anyCharacter }))
    fc.assert(
      fc.property(text, (written) => expect(fold(fold(written))).toBe(fold(written))),
      { numRuns: 500 },
    )
    // Of the planes above, only tags and variation selectors of plane 14 are assigned.
    for (const code of [...Array.from({ length: 0x400 }, (_, n) => n * 0x100), 0xe0000, 0xe0100]) {
      const characters = Array.from({ length: 0x100 }, (_, n) => String.fromCodePoint(code + n))
      const folded = fold(characters.join(' '))
      expect(fold(folded)).toBe(folded)
    }
  })
})

test('letters without accents stay letters', () => {
  expect(withoutAccents('Ça va, Straße, Łódź, ラジオ')).toBe('ca va, straße, łodz, ラジオ')
})

describe('the slug of a tag', () => {
  test.each([
    ['Sea & Coast', 'sea-coast'],
    ['  Sea  ', 'sea'],
    ['Über Züge', 'uber-zuge'],
    ['C++', 'c'],
    ['TV & Film / News!', 'tv-film-news'],
    ['2001: A Space Odyssey', '2001-a-space-odyssey'],
    ['日本のニュース', '日本のニュース'],
    ['हिन्दी', 'हिन्दी'],
    ['История', 'история'],
    ['&', ''],
    ['❤️', ''],
    ['🎙️ Talk', 'talk'],
    ['so\u00adft', 'soft'],
    ['a\ud800b', 'a-b'],
    ['x'.repeat(200), 'x'.repeat(64)],
    [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
    [`(${'x'.repeat(64)}`, 'x'.repeat(64)],
    [`a${'𠮷'.repeat(100)}`, `a${'𠮷'.repeat(63)}`],
  ])('%j is %j', (tag, slug) => {
    expect(slugOf(tag)).toBe(slug)
  })

  test('is its own slug, and survives a URL', () => {
    const tag = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 100 }),
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      fc.string({ unit: fc.constantFrom('𠮷', 'x', ' ', 'İ', 'Σ', 'ß', '\ud800', 'é'), maxLength: 150 }),
    )
    fc.assert(
      fc.property(tag, (title) => {
        const slug = slugOf(title)
        expect(slugOf(slug)).toBe(slug)
        expect(slugOf(decodeURIComponent(encodeURIComponent(slug)))).toBe(slug)
        expect([...slug].length).toBeLessThanOrEqual(64)
      }),
      { numRuns: 3000 },
    )
  })
})

test.each([
  ['a short text', '<p>Boats</p>', 12, '<p>Boats</p>'],
  ['a long text', '<p>Boats</p>', 6, '<p>Boa…'],
  ['a cut within a tag', '<p>Boats</p>', 10, '<p>Boats…'],
  ['a cut within an attribute', 'See <a href="https://x.example/">x</a>', 20, 'See …'],
  ['a cut after a tag', '<p>Boats</p> and birds', 12, '<p>Boats</p>…'],
  ['a cut within an entity', 'Boats &amp; birds', 9, 'Boats …'],
  ['a cut after an entity', 'Boats &amp; birds', 11, 'Boats &amp;…'],
  ['a cut within a numeric entity', 'Boats &#39; birds', 9, 'Boats …'],
  ['a cut within a surrogate pair', 'Boats 🎧 birds', 7, 'Boats …'],
  ['a cut after a surrogate pair', 'Boats 🎧 birds', 8, 'Boats 🎧…'],
])('HTML is truncated between characters: %s', (_case, html, max, beginning) => {
  expect(truncateHtml(html, max)).toBe(beginning)
})

test('truncating a text full of openings takes no time', () => {
  const html = '<&'.repeat(1_000_000)
  expect(truncateHtml(html, 400).length).toBeLessThanOrEqual(401)
})

describe('an excerpt of notes', () => {
  const list = '00:00 Hello\n02:30 The horn\n1:02:03 Gulls'
  test.each([
    ['starts after chapters on lines', `${list}\nFog came in.`, 'Fog came in.'],
    ['starts after chapters in one line', '00:00 Hello 02:30 The horn\nFog came in.', 'Fog came in.'],
    ['starts after chapters with signs before the times', '• (00:00) Hello\n• (02:30) The horn\n\nFog.', 'Fog.'],
    ['starts after chapters with dashes', '[00:00] - Hello\n[02:30] - The horn\nFog.', 'Fog.'],
    ['starts after chapters below a heading', `Chapters:\n${list}\n\nFog.`, 'Fog.'],
    ['starts after a single chapter at zero', '0:00 Hello\nFog.', 'Fog.'],
    ['is empty if there are only chapters', list, ''],
    ['keeps later chapters', `Fog.\n${list}`, `Fog.\n${list}`],
    ['keeps a sentence that starts with a time', '12:30 is when the ferry leaves.', '12:30 is when the ferry leaves.'],
    ['keeps a score', '3:1 was the result.\n2:0 before.', '3:1 was the result.\n2:0 before.'],
    ['keeps a date', '2026-11-27 00:00 UTC', '2026-11-27 00:00 UTC'],
    ['keeps a text below a heading', 'About:\nFog.', 'About:\nFog.'],
    ['keeps text after the last time of a line', `00:00 A 02:30 ${'fog '.repeat(30)}`, `02:30 ${'fog '.repeat(30)}`],
  ])('%s', (_what, text, expected) => {
    expect(excerptOf(text, 300)).toBe(expected)
  })

  test('is cut, but not within a character', () => {
    expect(excerptOf('0:00 Hello\nabcdef', 3)).toBe('abc')
    expect(excerptOf('ab😀', 3)).toBe('ab\ufffd')
  })

  test.each(['00:00 ', '0:00\n', ' '.repeat(9), '1:', '(', 'a:\n', '00:00 a '])(
    'of a long text of nothing but %j takes linear time',
    (piece) => {
      expect(excerptOf(piece.repeat(100_000), 300).length).toBeLessThanOrEqual(300)
    },
  )
})
