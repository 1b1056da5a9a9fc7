import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isExactNumber, parseExactly } from '../../../src/domain/shared/exact-json.ts'

test('numbers are written as they were read, at any depth', () => {
  const number = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})([.][0-9]{1,24})?([eE][-+]?[0-9]{1,4})?$/)
  const odd = '-0 1.0 -2.500 1e3 1E+3 1e400 -1e400 5e-400 9007199254740993'.split(' ')
  fc.assert(
    fc.property(fc.oneof(number, fc.constantFrom(...odd)), (text) => {
      for (const json of [text, `{"a":[{"b":${text}}]}`]) expect(JSON.stringify(parseExactly(json))).toBe(json)
    }),
    { examples: odd.map((text): [string] => [text]) },
  )
})

describe('other values', () => {
  test('are parsed like JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(parseExactly(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  test.each(['__proto__', 'constructor', 'toJSON', 'rawJSON', 'source'])('may have the key %s', (key) => {
    const text = `{"${key}":{"${key}":[1.0,"x"]}}`
    expect(JSON.stringify(parseExactly(text))).toBe(text)
    expect(Object.keys(Object(parseExactly(text)))).toEqual([key])
  })
})

test('exact numbers are distinguished from other values', () => {
  const texts = ['1.0', '1e400', '1', '"1.0"', '{"rawJSON":"1.0"}', '[1.0]', 'null']
  expect(texts.filter((text) => isExactNumber(parseExactly(text)))).toEqual(['1.0', '1e400'])
})
