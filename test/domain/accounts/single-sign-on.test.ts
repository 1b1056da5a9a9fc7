import { describe, expect, test } from 'bun:test'
import { parseUsername, usernameKey } from '../../../src/domain/accounts/identifiers.ts'
import { usernameProposals } from '../../../src/domain/accounts/single-sign-on.ts'

function first(preferred: string | undefined, email: string | undefined, count = 1): string[] {
  return usernameProposals(preferred, email).take(count).toArray()
}

describe('the first proposal', () => {
  test.each([
    ['ida', 'ida'],
    ['ida@home.example', 'ida'],
    ['Ida Bee', 'IdaBee'],
    ['Zoë Zoe\u0308 Łukasz', 'ZoeZoeLukasz'],
    ['-.-ida', 'ida'],
    ['_ida.', '_ida.'],
    ['../../etc/passwd', 'etcpasswd'],
    ['<b>ida</b>', 'bidab'],
    ['\u202eida\r\nx: y\u0000', 'idaxy'],
    ['a'.repeat(200), 'a'.repeat(64)],
  ])('from %j is %s, whatever the email address', (preferred, name) => {
    expect(first(preferred, 'other@pods.example')).toEqual([name])
  })

  test('is else that of the email address, or else user', () => {
    for (const preferred of [undefined, '@', '山田', 'current', 'CURRENT'])
      expect(first(preferred, 'ole+b@pods.example')).toEqual(['oleb'])
    for (const nobody of [undefined, '山田@pods.example', 'current@pods.example'])
      expect(first(nobody, nobody)).toEqual(['user'])
  })
})

describe('further proposals', () => {
  test('count from 2, and make room for the number', () => {
    expect(first('ida', undefined, 4)).toEqual(['ida', 'ida-2', 'ida-3', 'ida-4'])
    const names = first('a'.repeat(64), undefined, 101)
    const long = ([62, 61, 60] as const).map((length) => 'a'.repeat(length))
    expect([names[1], names[9], names[100]]).toEqual([`${long[0]}-2`, `${long[1]}-10`, `${long[2]}-101`])
  })

  test.each(['ida', '山田', 'x'.repeat(64), '.-.', 'current'])(
    'of %s are usernames, all different, and come to an end',
    (text) => {
      const names = usernameProposals(text, undefined).toArray()
      expect(names.map(parseUsername)).toEqual(names)
      expect(new Set(names.map(usernameKey)).size).toBe(names.length)
      expect(names.length).toBeGreaterThan(1000)
    },
  )
})
