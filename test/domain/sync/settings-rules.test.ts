import { describe, expect, test } from 'bun:test'
import { parseExactly } from '../../../src/domain/shared/exact-json.ts'
import type { SettingsChange } from '../../../src/domain/sync/ports.ts'
import { changeSettings, NOTHING_SET } from '../../../src/domain/sync/settings.ts'

/** `set` as text, so that every key is one's own. */
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
    ['removes what it sets', NOTHING_SET, change('{"a":1,"b":2}', 'a'), '{"b":2}'],
    ['removes what it sets anew', '{"a":1,"b":2}', change('{"a":3}', 'a'), '{"b":2}'],
    ['does nothing', '{"a":1.0,"b":[]}', change('{}'), '{"a":1.0,"b":[]}'],
    ['keeps stored numbers', '{"a":1e400}', change('{"b":-0}'), '{"a":1e400,"b":-0}'],
    ['sets __proto__', NOTHING_SET, change('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ['removes __proto__', '{"__proto__":1,"a":2}', change('{}', '__proto__'), '{"a":2}'],
    ['removes no inherited key', '{"a":1}', change('{}', 'constructor', 'toString'), '{"a":1}'],
  ])('%s', (_what, stored, asked, expected) => {
    expect(changeSettings(stored, asked)).toBe(expected)
  })

  test('that sets what is there leaves the very same text, also with keys that are numbers', () => {
    const stored = changeSettings(changeSettings(NOTHING_SET, change('{"b":1,"2":{"y":1,"x":2}}')), change('{"1":1.0}'))
    expect(changeSettings(stored, change('{"1":1.0,"b":1}'))).toBe(stored)
    expect(changeSettings(stored, change('{"new":1}', 'new'))).toBe(stored)
  })
})

describe('64 KiB are the limit', () => {
  const limit = 64 * 1024
  const frame = '{"k":""}'.length

  test.each([
    ['letters', 'a', 1],
    ['letters of two bytes', 'ä', 2],
    ['letters of three bytes', '語', 3],
    ['letters of four bytes', '😀', 4],
    ['escapes of two bytes', '\n', 2],
    ['escapes of six bytes', '\u0001', 6],
    ['halves of a letter, which are escapes', '\ud83d', 6],
  ])('for %s', (_what, letter, bytes) => {
    const room = limit - frame
    const value = letter.repeat(Math.floor(room / bytes)) + 'x'.repeat(room % bytes)
    const full = changeSettings(NOTHING_SET, { set: { k: value }, remove: [] })
    expect(new TextEncoder().encode(full).length).toBe(limit)
    const larger = () => changeSettings(NOTHING_SET, { set: { k: `${value}x` }, remove: [] })
    expect(larger).toThrow(expect.objectContaining({ code: 'payload_too_large' }))
  })

  test('of what is left at the end, not of what is sent', () => {
    const full = changeSettings(NOTHING_SET, { set: { k: 'a'.repeat(limit - frame) }, remove: [] })
    const replaced = changeSettings(full, {
      set: { other: 'b'.repeat(limit / 2), gone: 'c'.repeat(limit) },
      remove: ['k', 'gone'],
    })
    expect(replaced).toBe(`{"other":"${'b'.repeat(limit / 2)}"}`)
  })
})
