import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DomainError } from '../../src/domain/shared/errors.ts'
import { findExcess, readItems } from '../../src/formats/json-items.ts'

const tooMany = () => new DomainError('payload_too_large', 'too many')
const options = { limits: { items: 50_000, values: 1_000_000 }, member: 'actions', tooMany }
const bytesOf = (text: string) => new TextEncoder().encode(text)
const piecesOf = (text: string) => [...readItems(bytesOf(text), options)]

/** Longer than one piece. */
const long = (items: readonly unknown[]) => [...items, 'x'.repeat(50_000), ...items, 'y'.repeat(50_000), ...items]

describe('the items of a JSON list', () => {
  test('come in pieces, and are what JSON.parse returns, bare or as the only member', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.boolean(), fc.constantFrom('', ' \n', '\t'), (items, isLong, space) => {
        const list = isLong ? long(items) : items
        const json = JSON.stringify(list, null, space)
        expect(piecesOf(`${space}${json}${space}`).flat()).toEqual(JSON.parse(json))
        expect(piecesOf(`${space}{${space}"actions"${space}:${json}${space}}`).flat()).toEqual(JSON.parse(json))
      }),
    )
  })

  test('of a long list come in several pieces', () => {
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n, text: `,[]{}"\\${n}` }))
    const pieces = piecesOf(JSON.stringify(items))
    expect(pieces.length).toBeGreaterThan(5)
    expect(pieces.flat()).toEqual(items)
  })

  test.each(['1,]', ',1]', '1,,2]', '1]]', '1', '1}', '1] 2', '1][2]', '{"a":1]', '"a]', '{]}]', "'a']"])(
    'are refused if the text is malformed, too short or too long: [%s',
    (rest) => {
      for (const start of ['[', `[${'"x",'.repeat(20_000)}`]) {
        expect(() => piecesOf(`${start}${rest}`)).toThrow(expect.objectContaining({ code: 'invalid_json' }))
        expect(() => piecesOf(`{"actions":${start}${rest}}`)).toThrow(DomainError)
      }
    },
  )

  test.each([
    ['a number', '7'],
    ['null', 'null'],
    ['a text', `"${'x'.repeat(100_000)}"`],
    ['another member', '{"add":[]}'],
    ['a member that is no list', '{"actions":{}}'],
  ])('are refused if there is no list: %s', (_, text) => {
    expect(() => piecesOf(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
  })

  test.each([
    ['one item too many', `[${'0,'.repeat(50_000)}0]`, 'payload_too_large'],
    ['too many values in few items', `[${`[${'0,'.repeat(40_000)}0],`.repeat(30)}0]`, 'payload_too_large'],
    ['too many members in one object', `[{${'"a":1,'.repeat(30_000)}"b":1}]`, 'payload_too_large'],
    ['an item that is longer than 64 KiB', `[1,{"a":"${'x'.repeat(70_000)}"}]`, 'payload_too_large'],
    ['a long list beside other members', `{"a":1,"actions":[${'0,'.repeat(40_000)}0]}`, 'payload_too_large'],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, 'invalid_json'],
  ])('are refused above a limit: %s', (_, text, word) => {
    expect(() => piecesOf(text)).toThrow(expect.objectContaining({ code: word }))
  })

  test('may be exactly as many as the limit', () => {
    expect(piecesOf(`[${'0,'.repeat(49_999)}0]`).flat()).toHaveLength(50_000)
  })
})

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test.each([
  ['64 levels', nested(64), false],
  ['65 levels', nested(65), true],
  ['65 levels of objects', '{"a":'.repeat(65), true],
  ['many adjacent lists', `[${'[],'.repeat(1000)}[]]`, false],
  ['brackets in a text', JSON.stringify({ add: ['['.repeat(1000)] }), false],
  ['brackets behind an escaped quote', JSON.stringify({ add: [`"${'{'.repeat(1000)}`] }), false],
  ['brackets behind an escaped backslash', `{"a":"\\\\","b":${nested(100)}}`, true],
  ['a text without end', `"${'['.repeat(1000)}`, false],
  ['nothing', '', false],
])('too deeply nested JSON: %s', (_, json, isDeep) => {
  expect(findExcess(bytesOf(json), { items: 10_000, values: 20_000 })).toBe(isDeep ? 'depth' : undefined)
})
