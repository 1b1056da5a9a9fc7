import { describe, expect, test } from 'bun:test'
import { decodeText, findCharset, withWindowsCharacters } from '../../src/platform/decode-text.ts'

const bytesOf = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))))

const wide = (text: string): number[] => [...Buffer.from(text, 'utf16le')]
const swapped = (text: string): number[] => [...Buffer.from(text, 'utf16le').swap16()]

const xml = (charset: string) => `<?xml version="1.0" encoding="${charset}"?>`
const http = (charset: string) => `text/xml; charset=${charset}`

/** `море` in Russian charsets. */
const CP1251 = [0xec, 0xee, 0xf0, 0xe5]
const KOI8 = [0xcd, 0xcf, 0xd2, 0xc5]

describe('the charset of a document', () => {
  test.each([
    [
      'the mark of UTF-8, before any declaration',
      bytesOf([0xef, 0xbb, 0xbf], xml('koi8-r'), 'øre'),
      http('big5'),
      'øre',
    ],
    ['the mark of UTF-16, small end first', bytesOf([0xff, 0xfe], wide('øre 🌊')), http('utf-8'), 'øre 🌊'],
    ['the mark of UTF-16, big end first', bytesOf([0xfe, 0xff], swapped('øre 🌊')), http('utf-8'), 'øre 🌊'],
    ['every second byte being zero', bytesOf(wide('<øre>')), '', '<øre>'],
    ['every first byte being zero', bytesOf(swapped('<øre>')), '', '<øre>'],
    ['being UTF-8', bytesOf('øre 🌊'), '', 'øre 🌊'],
    ['being UTF-8, despite HTTP', bytesOf('øre'), http('iso-8859-1'), 'øre'],
    ['being UTF-8, despite a declaration of UTF-16', bytesOf(xml('utf-16'), 'øre'), http('utf-16'), 'øre'],
    ['being UTF-8 but for one byte', bytesOf('kjøløl', [0xe5], 'på bål'), http('iso-8859-1'), 'kjøløl\ufffdpå bål'],
    ['being UTF-8 with a broken byte', bytesOf(xml('utf-8'), 'Größe ', [0xdf]), '', 'Größe \ufffd'],
    ['being broken UTF-8', bytesOf('ø', [0xdf, 0x20, 0xe4, 0x20, 0xf6]), http('utf-8'), 'ø\ufffd \ufffd \ufffd'],
    ['being broken UTF-8 without a declaration', bytesOf('ø', [0xdf, 0x20, 0xe4]), '', 'ø\ufffd \ufffd'],
    ['being UTF-8 with a cut end', bytesOf(xml('utf-8'), 'ø', [0xe2, 0x80]), '', 'ø\ufffd'],
    ['being UTF-8 with U+FFFD', bytesOf(xml('utf-8'), '\ufffd\ufffd', [0xdf]), '', '\ufffd\ufffd\ufffd'],
    ['not being UTF-8, despite a declaration', bytesOf(xml('utf-8'), [0xdf, 0x20, 0xe4]), http('utf-8'), 'ß ä'],
    ['being mostly no UTF-8', bytesOf('ååå', [0xe5, 0xf8]), http('iso-8859-1'), 'Ã¥Ã¥Ã¥åø'],
    ['nothing, if UTF-16 is declared wrongly', bytesOf(xml('utf-16'), [0xf8]), http('utf-16'), 'ø'],
    ['HTTP before its declaration', bytesOf(xml('windows-1251'), KOI8), http('koi8-r'), 'море'],
    ['its declaration', bytesOf(xml('windows-1251'), CP1251), 'text/xml', 'море'],
    ['its declaration, if HTTP is wrong', bytesOf(xml('koi8-r'), KOI8), http('utf-8'), 'море'],
    ['its declaration, if HTTP names an unknown charset', bytesOf(xml('koi8-r'), KOI8), http('klingon'), 'море'],
    ['nothing, as Windows-1252', bytesOf([0x93, 0xf8, 0x80, 0x94]), '', '“ø€”'],
    ['unknown names only, as Windows-1252', bytesOf(xml('x'), [0xf8]), http('y'), 'ø'],
    ['HTTP, for Japanese in seven bits', bytesOf([0x1b], '$B3$', [0x1b], '(B'), http('iso-2022-jp'), '海'],
    ['nothing, if it is empty', bytesOf(), '', ''],
    ['being UTF-8, despite its declaration', bytesOf(xml('koi8-r'), 'øre 🌊'), '', 'øre 🌊'],
    ['its declaration, with one character of UTF-8', bytesOf(xml('koi8-r'), 'ø', KOI8), '', 'ц╦море'],
    [
      'its declaration, for Japanese in seven bits',
      bytesOf(xml('iso-2022-jp'), [0x1b], '$B3$', [0x1b], '(B'),
      '',
      '海',
    ],
    [
      'being UTF-8 with more broken bytes',
      bytesOf(xml('utf-8'), 'Größe', [0xdf, 0x20, 0xe4, 0x20, 0xf6]),
      '',
      'Größe\ufffd \ufffd \ufffd',
    ],
  ])('is determined by %s, and is the same in pieces', async (_how, bytes, contentType, text) => {
    expect(decodeText(bytes, contentType).replace(/^\s*<\?xml[^>]*\?>/, '')).toBe(text)
    const head = Math.max(2, bytes.indexOf(0x3e) + 1)
    async function* pieces(size: number) {
      yield bytes.subarray(0, head)
      for (let from = head; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
    }
    for (const size of [1, 2, 3, 1000]) {
      const charset = await findCharset(pieces(size))
      expect(new TextDecoder(charset as 'utf-8').decode(bytes)).toBe(decodeText(bytes))
    }
  })

  test.each([
    'text/xml; charset="koi8-r"',
    'application/rss+xml; version=2; CHARSET = koi8-r; x=y',
    'text/xml; charset=koi8-r, text/xml',
  ])('is found in the content type %s', (contentType) => {
    expect(decodeText(bytesOf(KOI8), contentType)).toBe('море')
  })

  test.each([
    `<?xml version="1.0" encoding = "KOI8-R" standalone="yes" ?>`,
    `<?xml\nversion="1.0"\nencoding="koi8-r"\n?>`,
  ])('is found in the declaration %s', (declaration) => {
    expect(decodeText(bytesOf(declaration, KOI8), '')).toBe(`${declaration}море`)
  })

  test('is not searched where no declaration can be', () => {
    const far = ' '.repeat(1100) + xml('koi8-r')
    expect(decodeText(bytesOf(far, [0xf8]), '')).toBe(`${far}ø`)
  })
})

test.each([
  ['empty', [], ''],
  ['one broken byte', [0xff], 'ÿ'],
  ['a byte order mark only', [0xff, 0xfe], ''],
  ['an odd number of bytes in UTF-16', [0xff, 0xfe, 0x41, 0x00, 0x42], 'A\ufffd'],
  ['control characters', [0x41, 0x07, 0x1b, 0x42, 0x7f], 'A\x07\x1bB\x7f'],
  ['half a surrogate pair', [0xff, 0xfe, 0x3c, 0xd8, 0x41, 0x00], '\ufffdA'],
])('a text of %s is read', (_what, bytes, text) => {
  expect(decodeText(bytesOf(bytes), '')).toBe(text)
})

test('C1 controls of Latin-1 become the characters of Windows-1252', () => {
  expect(withWindowsCharacters('\u0093don\u0092t\u0094 \u0096 \u0085 \u0080')).toBe('“don’t” – … €')
  const others = 'a\u0081\u008d\u008f\u0090\u009db\u00a0c\x7f🌊'
  expect(withWindowsCharacters(`${others}\u0092`)).toBe(`${others}’`)
  expect(withWindowsCharacters('\u0092🌊'.repeat(10_001))).toBe('’🌊'.repeat(10_001))
})
