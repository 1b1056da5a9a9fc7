import { describe, expect, test } from 'bun:test'
import { parseUsername, usernameKey } from '../../../src/domain/accounts/identifiers.ts'
import { usernameProposals } from '../../../src/domain/accounts/single-sign-on.ts'

function first(preferred: string | undefined, email: string | undefined, count = 1): string[] {
  return usernameProposals(preferred, email).take(count).toArray()
}

describe('the first proposal', () => {
  test.each<[preferred: string | undefined, email: string | undefined, name: string]>([
    ['ida', 'other@pods.example', 'ida'],
    ['ida@home.example', undefined, 'ida'],
    ['Ida Bee', undefined, 'IdaBee'],
    ['Zoë', undefined, 'Zoe'],
    ['Zoe\u0308', undefined, 'Zoe'],
    ['Łukasz', undefined, 'Lukasz'],
    ['.ida', undefined, 'ida'],
    ['-.-ida', undefined, 'ida'],
    ['_ida', undefined, '_ida'],
    ['ida.', undefined, 'ida.'],
    ['../../etc/passwd', undefined, 'etcpasswd'],
    ['<b>ida</b>', undefined, 'bidab'],
    ['ida\r\nx: y\u0000', undefined, 'idaxy'],
    ['\u202eadi', undefined, 'adi'],
    ['a'.repeat(200), undefined, 'a'.repeat(64)],
    [undefined, 'ole.b@pods.example', 'ole.b'],
    [undefined, 'ole+podcasts@pods.example', 'olepodcasts'],
    ['@', 'ole@pods.example', 'ole'],
    ['山田', 'ole@pods.example', 'ole'],
    ['current', 'ole@pods.example', 'ole'],
    ['CURRENT', 'ole@pods.example', 'ole'],
    ['current@pods.example', undefined, 'user'],
    ['山田', '山田@pods.example', 'user'],
    [undefined, undefined, 'user'],
    ['current', 'current@pods.example', 'user'],
  ])('from %j and %j is %s', (preferred, email, name) => {
    expect(first(preferred, email)).toEqual([name])
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
