import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { keyedHash, randomToken, systemRandom } from '../../src/platform/crypto.ts'
import { seededRandom } from '../support/values.ts'

const KEY = new Uint8Array(32).fill(7)

describe('random tokens', () => {
  test('are 32 bytes in 43 characters of base64url', () => {
    const token = randomToken(systemRandom())
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  })

  test('differ every time, but not from equal randomness', () => {
    expect(randomToken(systemRandom())).not.toBe(randomToken(systemRandom()))
    expect(randomToken(seededRandom(1))).toBe(randomToken(seededRandom(1)))
  })
})

describe('the keyed hash', () => {
  test.each([
    ['the key', new Uint8Array(32).fill(8), ['a', 'b']],
    ['a part', KEY, ['a', 'c']],
    ['the order', KEY, ['b', 'a']],
    ['where parts end', KEY, ['ab', '']],
    ['the number of parts', KEY, ['a', 'b', '']],
  ])('depends on %s', (_case, key, parts) => {
    expect(keyedHash(KEY, ['a', 'b'])).toBe(keyedHash(KEY, ['a', 'b']))
    expect(keyedHash(key, parts)).not.toBe(keyedHash(KEY, ['a', 'b']))
  })

  test('is the same for no two different lists', () => {
    const parts = fc.array(fc.string({ unit: fc.constantFrom('1', '2', ':', 'a', '') }), { maxLength: 4 })
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = one.length === other.length && one.every((part, index) => part === other[index])
        expect(keyedHash(KEY, one) === keyedHash(KEY, other)).toBe(same)
      }),
    )
  })
})
