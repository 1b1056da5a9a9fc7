import { expect, test } from 'bun:test'
import { hashOfAppPassword, newAppPassword } from '../../../src/domain/accounts/app-passwords.ts'
import { isSecretUrl } from '../../../src/domain/directory/privacy.ts'
import { type Random, sha256 } from '../../../src/platform/crypto.ts'
import { seededRandom } from '../../support/values.ts'

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'

/** An app password in the earlier format. */
const EARLIER = 'qqh7kb9L1mxCAuDTKIN3I4HOHhmNWnhc5VeIF9RAhI8F98YJj68Zz3wacMApiFp6J4Qwu7NF'

const { password: NEW, hash } = newAppPassword(seededRandom(1))

test('an app password has six groups of four, which may be typed in capitals and without hyphens', () => {
  expect(NEW).toMatch(/^([a-km-np-z2-9]{4}-){5}[a-km-np-z2-9]{4}$/)
  for (const typed of [NEW, NEW.replaceAll('-', ''), NEW.toUpperCase()]) expect(hashOfAppPassword(typed)).toEqual(hash)
})

test('an earlier app password of 72 letters and digits matches its stored hash', () => {
  expect(hashOfAppPassword(EARLIER)).toEqual(sha256(EARLIER))
  expect(hashOfAppPassword(EARLIER.toLowerCase())).toBeUndefined()
})

test.each([NEW, EARLIER])('an app password with one wrong character is not one: %s', (password) => {
  for (let at = 0; at < password.length; at++) {
    if (password[at] === '-') continue
    const other = password[at] === 'x' ? 'y' : 'x'
    expect(hashOfAppPassword(password.slice(0, at) + other + password.slice(at + 1))).toBeUndefined()
  }
  for (const other of ['', `${password}a`, password.slice(1), ` ${password.slice(1)}`, 'seaglass'])
    expect(hashOfAppPassword(other)).toBeUndefined()
})

test('the address of a private feed with an app password is recognized as a secret', () => {
  const random = seededRandom(2)
  const addresses = Array.from({ length: 3000 }, () => {
    const token = newAppPassword(random).password.replaceAll('-', '')
    return `https://pods.example/feeds/${token}/new.rss`
  })
  expect(addresses.filter((address) => !isSecretUrl(address))).toEqual([])
})

test('all letters and digits are equally frequent', () => {
  // Every byte value equally often.
  let next = 0
  const random: Random = { bytes: (count) => Uint8Array.from({ length: count }, () => (next++ * 77) % 256) }
  const counts = new Map<string, number>()
  for (let n = 0; n < 64; n++)
    for (const letter of newAppPassword(random).password.replaceAll('-', '').slice(0, 20))
      counts.set(letter, (counts.get(letter) ?? 0) + 1)
  expect(new Set(counts.keys())).toEqual(new Set(LETTERS))
  expect(new Set(counts.values())).toEqual(new Set([40]))
})
