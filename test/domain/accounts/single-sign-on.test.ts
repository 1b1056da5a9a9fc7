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
  ])('made from %j is %s, regardless of the email address', (preferred, name) => {
    expect(first(preferred, 'other@pods.example')).toEqual([name])
  })

  test('falls back to the email address, then to "user"', () => {
    for (const preferred of [undefined, '@', '山田', 'current', 'CURRENT'])
      expect(first(preferred, 'ole+b@pods.example')).toEqual(['oleb'])
    for (const unusable of [undefined, '山田@pods.example', 'current@pods.example'])
      expect(first(unusable, unusable)).toEqual(['user'])
  })
})

describe('further proposals', () => {
  test('count from 2 and shorten the name to make room for the number', () => {
    expect(first('ida', undefined, 4)).toEqual(['ida', 'ida-2', 'ida-3', 'ida-4'])
    const names = first('a'.repeat(64), undefined, 101)
    const long = ([62, 61, 60] as const).map((length) => 'a'.repeat(length))
    expect([names[1], names[9], names[100]]).toEqual([`${long[0]}-2`, `${long[1]}-10`, `${long[2]}-101`])
  })

  test.each(['ida', '山田', 'x'.repeat(64), '.-.', 'current'])('from %s are valid, different and finite', (text) => {
    const names = usernameProposals(text, undefined).toArray()
    expect(names.map(parseUsername)).toEqual(names)
    expect(new Set(names.map(usernameKey)).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(1000)
  })
})
