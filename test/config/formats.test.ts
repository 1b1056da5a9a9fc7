import { describe, expect, test } from 'bun:test'
import { cronProblem } from '../../src/config/cron.ts'
import { isAddressOrNetwork, isHost, isPrivatePlace } from '../../src/config/hosts.ts'
import { closest, distance } from '../../src/config/suggest.ts'

describe('addresses and ranges', () => {
  test.each(['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '::ffff:10.0.0.1', '0.0.0.0/0'])('%s is one', (text) => {
    expect(isAddressOrNetwork(text)).toBe(true)
  })
  test.each([
    '',
    '127.1',
    '010.0.0.1',
    '0x7f.0.0.1',
    '256.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10/8',
    '::/129',
    'fe80::1%eth0',
    '10.0.0.1:80',
    'home.lan',
    '*',
  ])('%s is none', (text) => {
    expect(isAddressOrNetwork(text)).toBe(false)
  })
})

describe('hosts', () => {
  test.each(['0.0.0.0', '::', 'localhost', 'mail.home.example', 'a_b.lan', 'xn--bcher-kva.example'])(
    '%s is one',
    (text) => {
      expect(isHost(text)).toBe(true)
    },
  )
  test.each(['', 'a b', 'a:80', '[::1]', '-a.lan', 'a..b', 'a.', '1.2.3', `${'a'.repeat(64)}.lan`, 'http://a'])(
    '%s is none',
    (text) => {
      expect(isHost(text)).toBe(false)
    },
  )
})

describe('places in the private network', () => {
  test.each([
    '192.168.1.0/24',
    '127.0.0.1',
    '::1',
    'rss-bridge.lan',
    'rss-bridge.lan:8080',
    '192.168.1.5:8080',
    '[fd00::1]:80',
  ])('%s is one', (text) => {
    expect(isPrivatePlace(text)).toBe(true)
  })
  test.each([
    '',
    ':80',
    'a:',
    'a:0',
    'a:65536',
    'a:b',
    '[a]:80',
    '[127.0.0.1]:80',
    '*.lan',
    'http://a.lan',
    '1.2.3:80',
  ])('%s is none', (text) => {
    expect(isPrivatePlace(text)).toBe(false)
  })
})

describe('cron patterns', () => {
  test.each([
    '* * * * *',
    '30 4 * * *',
    '*/15 0-6,22 1 jan-MAR mon,5',
    '0 0 * * 7',
    '0 0 * * fri-sun',
    '10-50/20 * * * *',
    '*/10 * * * * *',
    '  0\t0 1 1 0 ',
  ])('%j is one', (pattern) => {
    expect(cronProblem(pattern)).toBeUndefined()
  })
  test.each([
    ['', 'a cron pattern has 5 fields, or 6 with seconds first'],
    ['@daily', 'a cron pattern has 5 fields, or 6 with seconds first'],
    ['* * * * * * *', 'a cron pattern has 5 fields, or 6 with seconds first'],
    ['60 * * * *', 'the field for the minute is not understood: "60" (0 to 59)'],
    ['* 24 * * *', 'the field for the hour is not understood: "24" (0 to 23)'],
    ['* * 0 * *', 'the field for the day of the month is not understood: "0" (1 to 31)'],
    ['* * L * *', 'the field for the day of the month is not understood: "L" (1 to 31)'],
    ['* * * mon *', 'the field for the month is not understood: "mon" (1 to 12)'],
    ['* * * * 8', 'the field for the day of the week is not understood: "8" (0 to 7)'],
    ['60 * * * * *', 'the field for the second is not understood: "60" (0 to 59)'],
    ['5/10 * * * *', 'the field for the minute is not understood: "5/10" (0 to 59)'],
    ['*/0 * * * *', 'the field for the minute is not understood: "*/0" (0 to 59)'],
    ['*/61 * * * *', 'the field for the minute is not understood: "*/61" (0 to 59)'],
    ['30-10 * * * *', 'the field for the minute is not understood: "30-10" (0 to 59)'],
    ['* * * * 1-0', 'the field for the day of the week is not understood: "1-0" (0 to 7)'],
    ['* * * * */8', 'the field for the day of the week is not understood: "*/8" (0 to 7)'],
    ['1-2-3 * * * *', 'the field for the minute is not understood: "1-2-3" (0 to 59)'],
    ['1,,2 * * * *', 'the field for the minute is not understood: "1,,2" (0 to 59)'],
  ])('%j is none', (pattern, problem) => expect(cronProblem(pattern)).toBe(problem))
})

describe('suggestions', () => {
  test.each([
    ['port', 'port', 0],
    ['prot', 'port', 1],
    ['prt', 'port', 1],
    ['porrt', 'port', 1],
    ['part', 'port', 1],
    ['', 'port', 4],
  ])('the distance of %j and %j is %d', (a, b, expected) => {
    expect([distance(a, b), distance(b, a)]).toEqual([expected, expected])
  })
  test('nothing near means no suggestion', () => expect(closest('colour', ['host', 'port'])).toBeUndefined())
  test('the nearest one wins', () => expect(closest('smtp_hosts', ['smtp_port', 'smtp_host'])).toBe('smtp_host'))
})
