import { describe, expect, test } from 'bun:test'
import { parseDate } from '../../../src/worker/parse/feed-date.ts'

const read = (text: string) => {
  const seconds = parseDate(text)
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace('.000Z', '')
}

/** Expects that each of the texts is read as that time. */
function expectRead(time: string | undefined, texts: readonly string[]): void {
  for (const text of texts) expect([text, read(text)]).toEqual([text, time])
}

test.each<[string, ...string[]]>([
  ['in full', 'Mon, 03 Mar 2025 10:20:30 +0000'],
  ['without weekday', '03 Mar 2025 10:20:30 +0000'],
  ['with a weekday that is wrong, or in full', 'Fri, 03 Mar 2025 10:20:30 GMT', 'Monday, 03 Mar 2025 10:20:30 GMT'],
  ['with a long month, a short day or year', '03 March 2025 10:20:30', '3 Mar 2025 10:20:30', '03 Mar 25 10:20:30'],
  ['with spaces everywhere', '  Mon ,  03  Mar  2025  10:20:30   GMT '],
  ['in small letters or capitals', 'mon, 03 mar 2025 10:20:30 gmt', 'MON, 03 MAR 2025 10:20:30 GMT'],
  ['with an ordinal, a fraction, a comment', '3rd March 2025 10:20:30', '3 Mar 2025 10:20:30.999 GMT (UTC)'],
])('a date as RFC 822 wants it, %s', (_how, ...texts) => {
  expectRead('2025-03-03T10:20:30', texts)
})

test.each<[string, ...string[]]>([
  ['12:00:00', '', ' GMT', ' UT', ' UTC', ' Z', ' A', ' XYZ', ' +9900'],
  ['16:00:00', ' EDT'],
  ['17:00:00', ' EST', ' CDT', ' -5'],
  ['18:00:00', ' CST', ' MDT'],
  ['19:00:00', ' MST', ' PDT'],
  ['20:00:00', ' PST', ' GMT-0800 (Pacific Standard Time)', ' -0800 (CET)'],
  ['10:00:00', ' MESZ', ' +0200', ' +02:00', '+0200', ' +02'],
  ['02:30:00', ' ACST'],
  ['15:30:00', ' -0330'],
  ['06:30:00', ' +530'],
])('noon is %s in Greenwich by the zone %p', (time, ...zones) => {
  expectRead(
    `2025-03-03T${time}`,
    zones.flatMap((zone) => [`Mon, 03 Mar 2025 12:00:00${zone}`, `2025-03-03T12:00:00${zone.trim()}`]),
  )
})

test.each<[string, ...string[]]>([
  ['2025-03-03T00:00:00', '2025-03-03', '2025/03/03', '2025.3.3', '20250303', '3 Mar 2025', 'March 3, 2025'],
  ['2025-03-03T10:20:00', '2025-03-03T10:20', 'Mon, 03 Mar 2025 10:20 GMT'],
  ['2025-03-03T10:20:30', '2025-03-03 10:20:30', '2025-03-03t10:20:30z', '20250303T102030Z', '2025-03-03 10:20:30 UTC'],
  ['2025-03-03T10:20:30', '2025-03-03T10:20:30.123456789Z', 'Mon Mar  3 10:20:30 2025', '1740997230', '1740997230123'],
  ['2025-03-03T09:20:30', '2025-03-03T10:20:30,5+01:00', '2025-03-03 10:20:30 +0100', 'Mon, 03 Mar 2025 9:20:30 GMT'],
  ['2025-03-03T09:20:30', 'Mon Mar 03 2025 10:20:30 GMT+0100 (CET)'],
  ['2025-03-04T00:30:00', '2025-03-03T23:30:00-01:00'],
  ['2025-03-03T22:20:00', 'Mar. 3rd, 2025 10:20 pm'],
  ['2025-03-03T00:20:00', '3 Mar 2025 12:20 AM'],
  ['2025-03-03T17:20:00', '3 Mar 2025 12:20 p.m. EST'],
  ['2025-03-03T18:20:30', 'Mon Mar 03 10:20:30 PST 2025'],
])('dates in other forms are read, too: %s is %p', (time, ...texts) => {
  expectRead(time, texts)
})

describe('a month in another language', () => {
  test.each([
    ['German', ['Jan', 'Feb', 'März', 'Apr', 'Mai', 'Juni', 'Juli', 'Aug', 'Sept.', 'Okt', 'Nov', 'Dez']],
    ['French', ['janv.', 'févr.', 'mars', 'avr.', 'mai', 'juin', 'juil.', 'août', 'sept.', 'oct.', 'nov.', 'déc.']],
    ['Spanish', ['ene', 'feb', 'mar', 'abr', 'may', 'jun', 'jul', 'ago', 'sep', 'oct', 'nov', 'dic']],
    ['Italian', ['gen', 'feb', 'mar', 'apr', 'mag', 'giu', 'lug', 'ago', 'set', 'ott', 'nov', 'dic']],
    ['Dutch', ['jan', 'feb', 'mrt', 'apr', 'mei', 'jun', 'jul', 'aug', 'sep', 'okt', 'nov', 'dec']],
    ['Polish', ['sty', 'lut', 'mar', 'kwi', 'maj', 'cze', 'lip', 'sie', 'wrz', 'paź', 'lis', 'gru']],
    ['Turkish', ['Oca', 'Şub', 'Mar', 'Nis', 'May', 'Haz', 'Tem', 'Ağu', 'Eyl', 'Eki', 'Kas', 'Ara']],
    ['Russian', ['янв', 'фев', 'мар', 'апр', 'мая', 'июн', 'июл', 'авг', 'сен', 'окт', 'ноя', 'дек']],
    ['Ukrainian', ['січ', 'лют', 'бер', 'кві', 'тра', 'чер', 'лип', 'сер', 'вер', 'жов', 'лис', 'гру']],
  ])('%s', (_language, months) => {
    const expected = months.map((_, index) => `2024-${String(index + 1).padStart(2, '0')}-05T10:00:00`)
    expect(months.map((month) => read(`05 ${month} 2024 10:00:00 GMT`))).toEqual(expected)
  })

  test.each([
    ['mar., 01 avr. 2025 10:00:00 +0000', '2025-04-01T10:00:00'],
    ['Paz, 06 Nis 2025 10:00:00 +0000', '2025-04-06T10:00:00'],
    ['Сб, 03 май 2025 10:00:00 +0000', '2025-05-03T10:00:00'],
  ])('is told from a weekday: %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })
})

describe('what is no date, or none to believe, is unknown:', () => {
  test.each<[string, ...string[]]>([
    ['words', '', ' ', 'yesterday', 'Mon, 03 Mar', 'Mon, 03 Foo 2025 10:00:00 GMT', '1e9', 'NaN'],
    ['parts of one, or one that may be two', '10:00', '2025', '03/04/2025', '10.03.2025'],
    ['no such day or time', '2025-13-01', '2025-00-10', '2025-03-32', '2025-03-03T25:00:00Z', '2025-03-03T10:61:00Z'],
    ['years before there were any', '0001-01-01T00:00:00Z', '0000-00-00 00:00:00', 'Wed, 30 Nov -0001 00:00:00 +0000'],
    ['years before there were feeds', 'Thu, 01 Jan 1970 00:00:00 +0000', '1969-07-20T20:17:40Z', '-1740997230'],
    ['too many digits or spaces', '17409972301', '9'.repeat(14), `${' '.repeat(60)}3 Mar 2025${' '.repeat(60)}`],
  ])('%s', (_what, ...texts) => {
    expectRead(undefined, texts)
  })

  test('but what is to come is what it says: the server, which knows the time, decides', () => {
    expect(read('2199-06-02T00:00:01Z')).toBe('2199-06-02T00:00:01')
    expect(read('Fri, 31 Dec 9999 23:59:59 GMT')).toBe('9999-12-31T23:59:59')
  })

  test('and a day too many is one of the next month', () => {
    expect(read('31 Feb 2025 24:00:00 GMT')).toBe('2025-03-04T00:00:00')
    expect(read('31 Dec 2016 23:59:60 GMT')).toBe('2017-01-01T00:00:00')
  })
})
