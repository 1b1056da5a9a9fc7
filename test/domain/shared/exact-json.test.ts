import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isExactNumber, parseExactly } from '../../../src/domain/shared/exact-json.ts'

describe('a number is written as it was read:', () => {
  test.each([
    ...'0 -0 1 1.0 1.50 -2.500 0.1 1e3 1E+3 1e400 -1e400 5e-400 9007199254740993 12345678901234567890'.split(' '),
    ...'3.14159265358979323846264338327950288'.split(' '),
  ])('%s', (text) => {
    expect(JSON.stringify(parseExactly(text))).toBe(text)
    expect(JSON.stringify(parseExactly(`{"a":[{"b":${text}}]}`))).toBe(`{"a":[{"b":${text}}]}`)
  })

  test('whatever number it is', () => {
    const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})([.][0-9]{1,24})?([eE][-+]?[0-9]{1,4})?$/)
    fc.assert(fc.property(number, (text) => expect(JSON.stringify(parseExactly(text))).toBe(text)))
  })
})

describe('all else', () => {
  test('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(parseExactly(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  test.each(['__proto__', 'constructor', 'toJSON', 'rawJSON', 'source'])(
    'by the key %s is an ordinary member',
    (key) => {
      const text = `{"${key}":{"${key}":[1.0,"x"]}}`
      expect(JSON.stringify(parseExactly(text))).toBe(text)
      expect(Object.keys(Object(parseExactly(text)))).toEqual([key])
    },
  )
})

test('a number that looks like an object is told from all else', () => {
  const texts = ['1.0', '1e400', '1', '"1.0"', '{"rawJSON":"1.0"}', '[1.0]', 'null']
  expect(texts.filter((text) => isExactNumber(parseExactly(text)))).toEqual(['1.0', '1e400'])
})
