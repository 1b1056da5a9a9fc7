import { describe, expect, test } from 'bun:test'
import { parseExactly } from '../../../src/domain/shared/exact-json.ts'
import type { SettingsChange } from '../../../src/domain/sync/ports/settings.ts'
import { changeSettings, NOTHING_SET } from '../../../src/domain/sync/settings.ts'

/** A change whose `set` is parsed from text, so that every key is its own property. */
function change(set: string, ...remove: string[]): SettingsChange {
  return { set: Object(parseExactly(set)), remove }
}

describe('a change of settings', () => {
  test.each<[string, string, SettingsChange, string]>([
    ['adds a key', NOTHING_SET, change('{"a":1}'), '{"a":1}'],
    ['adds to those that are there', '{"a":1}', change('{"b":2}'), '{"a":1,"b":2}'],
    ['replaces a value', '{"a":1,"b":2}', change('{"a":"x"}'), '{"a":"x","b":2}'],
    ['replaces an object by another, not a part of it', '{"a":{"x":1}}', change('{"a":{"y":2}}'), '{"a":{"y":2}}'],
    ['sets null, which is a value', '{"a":1}', change('{"a":null}'), '{"a":null}'],
    ['removes a key', '{"a":1,"b":2}', change('{}', 'a'), '{"b":2}'],
    ['removes the last key', '{"a":1}', change('{}', 'a'), NOTHING_SET],
    ['removes a key that is not there', '{"a":1}', change('{}', 'b'), '{"a":1}'],
    ['removes a key that it sets', NOTHING_SET, change('{"a":1,"b":2}', 'a'), '{"b":2}'],
    ['removes a stored key that it also sets', '{"a":1,"b":2}', change('{"a":3}', 'a'), '{"b":2}'],
    ['does nothing', '{"a":1.0,"b":[]}', change('{}'), '{"a":1.0,"b":[]}'],
    ['keeps stored numbers', '{"a":1e400}', change('{"b":-0}'), '{"a":1e400,"b":-0}'],
    ['sets __proto__', NOTHING_SET, change('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ['removes __proto__', '{"__proto__":1,"a":2}', change('{}', '__proto__'), '{"a":2}'],
    ['removes no inherited key', '{"a":1}', change('{}', 'constructor', 'toString'), '{"a":1}'],
  ])('%s', (_what, stored, asked, expected) => {
    expect(changeSettings(stored, asked)).toBe(expected)
  })

  test('to the stored values leaves the same text, even with numeric keys', () => {
    const stored = changeSettings(changeSettings(NOTHING_SET, change('{"b":1,"2":{"y":1,"x":2}}')), change('{"1":1.0}'))
    expect(changeSettings(stored, change('{"1":1.0,"b":1}'))).toBe(stored)
    expect(changeSettings(stored, change('{"new":1}', 'new'))).toBe(stored)
  })
})

describe('the limit of 64 KiB', () => {
  const limit = 64 * 1024
  const room = limit - '{"k":""}'.length
  const store = (stored: string, set: Record<string, string>, ...remove: string[]) =>
    changeSettings(stored, { set, remove })

  test.each([
    ['letters of one to four bytes', { a: 1, ä: 2, 語: 3, '😀': 4 }],
    ['escapes of two and six bytes, including lone surrogates', { '\n': 2, '\u0001': 6, '\ud83d': 6 }],
  ])('counts %s', (_what, letters) => {
    for (const [letter, bytes] of Object.entries(letters)) {
      const value = letter.repeat(Math.floor(room / bytes)) + 'x'.repeat(room % bytes)
      expect(new TextEncoder().encode(store(NOTHING_SET, { k: value })).length).toBe(limit)
      const larger = () => store(NOTHING_SET, { k: `${value}x` })
      expect(larger).toThrow(expect.objectContaining({ code: 'payload_too_large' }))
    }
  })

  test('counts the result, not the request', () => {
    const full = store(NOTHING_SET, { k: 'a'.repeat(room) })
    const half = 'b'.repeat(limit / 2)
    expect(store(full, { other: half, gone: 'c'.repeat(limit) }, 'k', 'gone')).toBe(`{"other":"${half}"}`)
  })
})
