import { expect, test } from 'bun:test'
import { base32, matchingStep, stepAt, totpCode } from '../../src/platform/totp.ts'

const SECRET = Buffer.from('12345678901234567890')

// RFC 6238, appendix B, of whose eight digits these are the last six.
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code of second %i is %s', (seconds, code) => {
  expect(totpCode(SECRET, stepAt(seconds))).toBe(code)
})

// RFC 4648, section 10, without the padding.
test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('%j in base32 is %j', (text, expected) => {
  expect(base32(Buffer.from(text))).toBe(expected)
})

test('a code is valid for its half minute and the neighbouring ones, and never again once it or a later one was used', () => {
  const NOW = 1_740_909_600
  const step = stepAt(NOW)
  const at = (other: number, after = -1) => matchingStep(SECRET, totpCode(SECRET, other), NOW, after)
  expect([-2, -1, 0, 1, 2].map((off) => at(step + off))).toEqual([undefined, step - 1, step, step + 1, undefined])
  expect([step - 1, step, step + 1].map((used) => at(step, used))).toEqual([step, undefined, undefined])
  expect(at(step + 1, step)).toBe(step + 1)
  const code = totpCode(SECRET, step)
  for (const wrong of ['', '1', `${code}0`, code.slice(1), 'ABCDEF', '１２３４５６'])
    expect(matchingStep(SECRET, wrong, NOW, -1)).toBeUndefined()
})
