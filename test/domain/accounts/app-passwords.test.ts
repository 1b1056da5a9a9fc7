import { expect, test } from 'bun:test'
import { isAppPassword, newAppPassword } from '../../../src/domain/accounts/app-passwords.ts'
import type { Random } from '../../../src/platform/crypto.ts'
import { seededRandom } from '../../support/values.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

test('an app password is known by its form, and with any one character changed it is none', () => {
  const password = newAppPassword(seededRandom(1))
  expect(password).toMatch(/^[A-Za-z0-9]{72}$/)
  expect(isAppPassword(password)).toBe(true)
  for (let at = 0; at < password.length; at++) {
    const other = password[at] === 'x' ? 'y' : 'x'
    expect(isAppPassword(password.slice(0, at) + other + password.slice(at + 1))).toBe(false)
  }
  for (const other of ['', `${password}a`, password.slice(1), ` ${password.slice(1)}`, 'seaglass'])
    expect(isAppPassword(other)).toBe(false)
})

test('all letters and digits are as frequent as each other, whatever the bytes', () => {
  // Every value of a byte equally often.
  let next = 0
  const random: Random = { bytes: (count) => Uint8Array.from({ length: count }, () => next++ % 256) }
  const counts = new Map<string, number>()
  for (let n = 0; n < 62; n++)
    for (const letter of newAppPassword(random).slice(0, 66)) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  expect(new Set(counts.keys())).toEqual(new Set(LETTERS))
  expect(Math.max(...counts.values()) - Math.min(...counts.values())).toBeLessThan(6)
})
