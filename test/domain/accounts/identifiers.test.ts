import { describe, expect, test } from 'bun:test'
import {
  checkPassword,
  emailKey,
  isDeviceId,
  parseDeviceId,
  parseEmail,
  parseUsername,
  usernameKey,
} from '../../../src/domain/accounts/identifiers.ts'

function refusal(field: string) {
  return expect.objectContaining({ code: 'validation_failed', field })
}

describe('a username (D12)', () => {
  test.each([...'ida Ida.Harbour-7_ _ 7 currently'.split(' '), ' ida\t', 'a'.repeat(64)])('%j is valid', (raw) => {
    expect(parseUsername(raw)).toBe(raw.trim())
  })

  test.each([
    ...['.ida', '-ida', 'ida+x', 'ida@x', 'ida/x', 'idä', 'current', ' Current ', '', ' ', 'i da', 'ida\n.x', 'ida\0'],
    'a'.repeat(65),
  ])('%j is refused', (raw) => {
    expect(() => parseUsername(raw)).toThrow(refusal('username'))
  })

  test('is compared without case and surrounding spaces, and not confused with look-alikes outside ASCII', () => {
    expect(usernameKey(' Ida.H ')).toBe('ida.h')
    expect(usernameKey('\u212aasts')).not.toBe('kasts')
  })
})

describe('a device ID (D13)', () => {
  test.each([...'ida-pixel my.phone x _ . Büro 電話 ID'.split(' '), '𝒳'.repeat(64), 'a'.repeat(64)])(
    '%j is valid',
    (raw) => {
      expect([isDeviceId(raw), parseDeviceId(raw)]).toEqual([true, raw])
    },
  )

  test.each(['', ' ', 'my phone', ' x', 'x ', 'a/b', 'a:b', 'a\n', 'a\0', '😀', '\ud800', 'a'.repeat(65)])(
    '%j is refused',
    (raw) => {
      expect(isDeviceId(raw)).toBe(false)
      expect(() => parseDeviceId(raw)).toThrow(refusal('device'))
    },
  )
})

describe('an email address (D70)', () => {
  const long = 'l'.repeat(64)
  const some = 'ida@pods.example Ida+x@pods.example ida@localhost ida@bücher.example a@b'
  test.each([...some.split(' '), `${long}@pods.example`, `${long}@${'d'.repeat(189)}`])(
    '%j is kept as typed',
    (raw) => {
      expect(parseEmail(raw)).toBe(raw)
    },
  )

  test.each([
    ...'ida @ @pods.example ida@ ida@@pods.example ida@x@pods.example ida@.example ida@example.'.split(' '),
    ...'ida@-example ida@example- ida@pods_example'.split(' '),
    ...['i da@pods.example', ' ida@pods.example', 'ida@pods.example\n', 'ida\0@pods.example', 'ida@pods example'],
    ...[`l${long}@pods.example`, `${long}@${'d'.repeat(190)}`],
  ])('%j is refused', (raw) => {
    expect(() => parseEmail(raw)).toThrow(refusal('email'))
  })

  test('is undefined if it is empty, and compared without case', () => {
    expect(parseEmail('')).toBeUndefined()
    expect(emailKey('Ida@Pods.Example')).toBe('ida@pods.example')
  })
})

test('a password has 4 to 256 code points; any other is refused with the message of D17', () => {
  for (const raw of ['seag', '    ', '😀😀😀😀', 'x'.repeat(256), '😀'.repeat(256)])
    expect(() => checkPassword(raw, 'password')).not.toThrow()
  for (const raw of ['', 'sea', '😀😀😀', 'x'.repeat(257), '😀'.repeat(257), 'x'.repeat(5_000_000)])
    expect(() => checkPassword(raw, 'new_password')).toThrow(refusal('new_password'))
  expect(() => checkPassword('sea', 'password')).toThrow('password must have at least 4 characters')
})
