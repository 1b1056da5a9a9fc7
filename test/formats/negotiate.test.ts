import { expect, test } from 'bun:test'
import { parseListFormat, splitSuffix } from '../../src/formats/negotiate.ts'

test.each([
  ['ida.json', 'ida', 'json'],
  ['my.phone.OPML', 'my.phone', 'opml'],
  ['ida', 'ida', ''],
  ['ida.', 'ida.', ''],
  ['ida..json', 'ida.', 'json'],
  ['.json', '', 'json'],
  ['.', '.', ''],
  ['', '', ''],
])('the suffix follows the last dot (D2): %j is %j and %j', (segment, name, suffix) => {
  expect(splitSuffix(segment)).toEqual({ name, suffix })
})

test('the format of a list is recognized in any letter case', () => {
  for (const format of ['json', 'jsonp', 'txt', 'opml', 'xml'] as const)
    expect([parseListFormat(format), parseListFormat(format.toUpperCase())]).toEqual([format, format])
  for (const suffix of ['', 'html', 'js', 'json ', 'constructor'])
    expect(() => parseListFormat(suffix)).toThrow(expect.objectContaining({ code: 'invalid_format' }))
})
