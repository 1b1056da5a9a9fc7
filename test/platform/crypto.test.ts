import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { keyedHash, randomToken, systemRandom } from '../../src/platform/crypto.ts'

const KEY = new Uint8Array(32).fill(7)

test('random tokens are 32 bytes in 43 characters of base64url, and different every time', () => {
  const token = randomToken(systemRandom())
  expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  expect(randomToken(systemRandom())).not.toBe(token)
})

describe('the keyed hash', () => {
  test('depends on the key', () => {
    expect(keyedHash(new Uint8Array(32).fill(8), ['a', 'b'])).not.toBe(keyedHash(KEY, ['a', 'b']))
  })

  test('is the same only for the same list', () => {
    const parts = fc.array(fc.string({ unit: fc.constantFrom('1', '2', ':', 'a', '') }), { maxLength: 4 })
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const same = one.length === other.length && one.every((part, index) => part === other[index])
        expect(keyedHash(KEY, one) === keyedHash(KEY, other)).toBe(same)
      }),
    )
  })
})
