import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ListedFeed } from '../../src/domain/sync/provisional-titles.ts'
import { writeWhole } from '../../src/formats/list-writer.ts'
import { readList as listPieces, textWriter } from '../../src/formats/lists.ts'
import type { ListFormat } from '../../src/formats/negotiate.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f[1]'

const urlsOf = (feeds: readonly ListedFeed[]) => feeds.map(({ url }) => url)
const readList = (format: ListFormat, text: string) => [...listPieces(format, text)].flat()

describe('a list in txt (D8)', () => {
  test.each([
    ['', []],
    ['\n\n', []],
    [`${A}\n${B}\n`, [A, B]],
    [`${A}\n${B}`, [A, B]],
    [`\ufeff${A}\r\n${B}\r\n`, [A, B]],
    [`  ${A}\t\n \n# a comment\n #another\n${B}#part`, [A, `${B}#part`]],
  ])('%j holds %j', (text, urls) => {
    expect(urlsOf(readList('txt', text))).toEqual(urls)
  })

  test('is written with LF after each line, and nothing for no lines', () => {
    expect(writeWhole(textWriter, [])).toBe('')
    expect(writeWhole(textWriter, [A, B])).toBe(`${A}\n${B}\n`)
  })

  test('reads back as written', () => {
    fc.assert(
      fc.property(fc.array(fc.webUrl({ withFragments: true, withQueryParameters: true })), (urls) => {
        expect(urlsOf(readList('txt', writeWhole(textWriter, urls)))).toEqual(urls)
      }),
    )
  })
})

describe('a list in json (D9)', () => {
  test.each([
    ['[]', []],
    [`["${A}", "${B}"]`, [A, B]],
    [`\ufeff [{"url":"${A}","title":"x"},{"feed":"${B}"}]`, [A, B]],
    [`[{"url":null,"feed":"${B}"},{"url":"${A}","feed":"${B}"}]`, [B, A]],
    ['["", " "]', ['', ' ']],
  ])('%s holds %j', (text, urls) => {
    expect(urlsOf(readList('json', text))).toEqual(urls)
  })

  test('may have titles', () => {
    const items = [{ url: A, title: 'Harbour' }, { feed: B, title: 'Orbit' }, { url: A, title: 7 }, B]
    expect(readList('json', JSON.stringify(items))).toEqual([
      { url: A, title: 'Harbour' },
      { url: B, title: 'Orbit' },
      { url: A },
      { url: B },
    ])
  })

  test.each(['', '   ', '[', `["${A}"`, `["${A}"] x`, "['x']", '['.repeat(1_000_000)])(
    'unparsable text is refused',
    (text) => {
      expect(() => readList('json', text)).toThrow(expect.objectContaining({ code: 'invalid_json' }))
    },
  )

  test.each(['null', '{}', `"${A}"`, '[null]', '[1]', '[[]]', '[{}]', '[{"url":1}]', `{"add":["${A}"]}`])(
    '%s is refused',
    (text) => {
      expect(() => readList('json', text)).toThrow(
        expect.objectContaining({ code: 'validation_failed', field: 'body' }),
      )
    },
  )
})

test('a list in opml is read', () => {
  expect(readList('opml', `<opml><body><outline xmlUrl="${A}" text="Harbour"/></body></opml>`)).toEqual([
    { url: A, title: 'Harbour' },
  ])
})

test.each(['xml', 'jsonp'] as const)('a list in %s is not read as empty but refused (D11)', (format) => {
  expect(() => readList(format, '')).toThrow(expect.objectContaining({ code: 'invalid_format' }))
})
