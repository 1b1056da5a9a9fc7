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
  test.each([
    ['ida', 'ida'],
    ['Ida.Harbour-7_', 'Ida.Harbour-7_'],
    ['_', '_'],
    ['7', '7'],
    [' ida\t', 'ida'],
    ['currently', 'currently'],
    ['a'.repeat(64), 'a'.repeat(64)],
  ])('%j is read as %j', (raw, name) => {
    expect(parseUsername(raw)).toBe(name)
  })

  test.each([
    ...'.ida -ida ida+x ida@x ida/x idä current'.split(' '),
    '',
    ' ',
    'i da',
    'a'.repeat(65),
    'ida\n.x',
    'ida\0',
    ' Current ',
  ])('%j is refused', (raw) => {
    expect(() => parseUsername(raw)).toThrow(refusal('username'))
  })

  test('is compared without regard to case and surrounding white space', () => {
    expect(usernameKey(' Ida.H ')).toBe('ida.h')
  })

  test('is not confused with look-alikes outside of ASCII', () => {
    expect(usernameKey('\u212aasts')).not.toBe('kasts')
  })
})

describe('a device ID (D13)', () => {
  test.each(['ida-pixel', 'my.phone', 'x', '_', '.', 'Büro', '電話', 'ID', '𝒳'.repeat(64), 'a'.repeat(64)])(
    '%j is taken as it is',
    (raw) => {
      expect(isDeviceId(raw)).toBe(true)
      expect(parseDeviceId(raw)).toBe(raw)
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
  test.each([
    ...'ida@pods.example Ida+x@pods.example ida@localhost ida@bücher.example a@b'.split(' '),
    `${'l'.repeat(64)}@pods.example`,
    `${'l'.repeat(64)}@${'d'.repeat(189)}`,
  ])('%j is kept as typed', (raw) => {
    expect(parseEmail(raw)).toBe(raw)
  })

  test.each([
    ...'ida @ @pods.example ida@ ida@@pods.example ida@x@pods.example ida@.example ida@example.'.split(' '),
    ...'ida@-example ida@example- ida@pods_example'.split(' '),
    'i da@pods.example',
    ' ida@pods.example',
    'ida@pods.example\n',
    'ida\0@pods.example',
    'ida@pods example',
    `${'l'.repeat(65)}@pods.example`,
    `${'l'.repeat(64)}@${'d'.repeat(190)}`,
  ])('%j is refused', (raw) => {
    expect(() => parseEmail(raw)).toThrow(refusal('email'))
  })

  test('the empty string is none', () => {
    expect(parseEmail('')).toBeUndefined()
  })

  test('is compared without regard to case', () => {
    expect(emailKey('Ida@Pods.Example')).toBe('ida@pods.example')
  })
})

describe('a password has 4 to 256 code points', () => {
  test.each(['seag', '    ', '😀😀😀😀', 'x'.repeat(256), '😀'.repeat(256)])('%j will do', (raw) => {
    expect(() => checkPassword(raw, 'password')).not.toThrow()
  })

  test.each(['', 'sea', '😀😀😀', 'x'.repeat(257), '😀'.repeat(257), 'x'.repeat(5_000_000)])(
    'others are refused',
    (raw) => {
      expect(() => checkPassword(raw, 'new_password')).toThrow(refusal('new_password'))
    },
  )

  test('the message is that of D17', () => {
    expect(() => checkPassword('sea', 'password')).toThrow('password must have at least 4 characters')
  })
})
