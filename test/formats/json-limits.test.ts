import { describe, expect, test } from 'bun:test'
import { findExcess } from '../../src/formats/json-items.ts'

describe('JSON nested beyond reason', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const cases: [string, string, boolean][] = [
    [
      'a list of actions',
      JSON.stringify(Array.from({ length: 500 }, () => ({ podcast: 'https://a.example/', n: [1] }))),
      false,
    ],
    ['64 levels', nested(64), false],
    ['65 levels', nested(65), true],
    ['65 levels of objects', '{"a":'.repeat(65), true],
    ['many lists beside each other', `[${'[],'.repeat(1000)}[]]`, false],
    ['brackets in a text', JSON.stringify({ add: ['['.repeat(1000)] }), false],
    ['brackets behind an escaped quote', JSON.stringify({ add: [`"${'{'.repeat(1000)}`] }), false],
    ['brackets behind an escaped backslash', `{"a":"\\\\","b":${nested(100)}}`, true],
    ['a text without end', `"${'['.repeat(1000)}`, false],
    ['nothing', '', false],
  ]
  test.each(cases)('%s', (_, json, deep) => {
    expect(findExcess(json, { items: 10_000, values: 20_000 })).toBe(deep ? 'depth' : undefined)
  })
})
