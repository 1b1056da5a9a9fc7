import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseListFormat, splitSuffix } from '../../src/formats/negotiate.ts'

describe('the suffix is what follows the last dot (D2)', () => {
  test.each([
    ['ida.json', 'ida', 'json'],
    ['my.phone.json', 'my.phone', 'json'],
    ['my.phone.OPML', 'my.phone', 'opml'],
    ['ida', 'ida', ''],
    ['ida.', 'ida.', ''],
    ['ida..json', 'ida.', 'json'],
    ['.json', '', 'json'],
    ['.', '.', ''],
    ['', '', ''],
  ])('%j is %j and %j', (segment, name, suffix) => {
    expect(splitSuffix(segment)).toEqual({ name, suffix })
  })

  test('any segment can be put together again', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'B', '.', '/', 'é') }), (segment) => {
        const { name, suffix } = splitSuffix(segment)
        const joined = suffix === '' ? name : `${name}.${suffix}`
        expect(joined.toLowerCase()).toBe(segment.toLowerCase())
      }),
    )
  })
})

test('the format of a list is known in any letter case', () => {
  for (const format of ['json', 'jsonp', 'txt', 'opml', 'xml'] as const)
    expect([parseListFormat(format), parseListFormat(format.toUpperCase())]).toEqual([format, format])
  for (const suffix of ['', 'html', 'js', 'json ', 'constructor'])
    expect(() => parseListFormat(suffix)).toThrow(expect.objectContaining({ code: 'invalid_format' }))
})
