import { describe, expect, test } from 'bun:test'
import { parseDate } from '../../../../src/worker/parse/dates/feed-date.ts'

const read = (text: string) => {
  const seconds = parseDate(text)
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString().replace('.000Z', '')
}

/** Expects the same time for each of the texts. */
function expectRead(time: string | undefined, texts: readonly string[]): void {
  for (const text of texts) expect([text, read(text)]).toEqual([text, time])
}

test.each<[string, ...string[]]>([
  ['in full', 'Mon, 03 Mar 2025 10:20:30 +0000'],
  ['without weekday', '03 Mar 2025 10:20:30 +0000'],
  ['with a wrong or long weekday', 'Fri, 03 Mar 2025 10:20:30 GMT', 'Monday, 03 Mar 2025 10:20:30 GMT'],
  ['with a long month, a short day or year', '03 March 2025 10:20:30', '3 Mar 2025 10:20:30', '03 Mar 25 10:20:30'],
  ['with extra spaces', '  Mon ,  03  Mar  2025  10:20:30   GMT '],
  ['in lower or upper case', 'mon, 03 mar 2025 10:20:30 gmt', 'MON, 03 MAR 2025 10:20:30 GMT'],
  ['with an ordinal, a fraction, a comment', '3rd March 2025 10:20:30', '3 Mar 2025 10:20:30.999 GMT (UTC)'],
])('a date of RFC 822 is read: %s', (_how, ...texts) => {
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
  ['11:00:00', ' MET', ' Europe/Berlin', '[Europe/Berlin]', ' Uhr MEZ'],
  ['10:00:00', ' MEST', ' +02:00[Europe/Helsinki]'],
  ['16:00:00', ' AT'],
  ['17:00:00', ' ET', ' America/New_York', ' et'],
  ['18:00:00', ' CT'],
  ['19:00:00', ' MT', ' US/Mountain'],
  ['20:00:00', ' PT', ' America/Los_Angeles'],
  ['12:00:00', ' Atlantis/Harbour', ' Europe/'],
])('noon is %s UTC in the time zone %p', (time, ...zones) => {
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
  ['2025-03-03T09:20:30', 'Mon Mar 03 10:20:30 +0100 2025', 'Mon, 2025-03-03 10:20:30 +0100'],
  ['2025-03-03T10:20:30', 'Monday, 2025/03/03 10:20:30', '10:20:30, 3 March 2025', '10:20:30 +0000 2025-03-03'],
  ['2025-03-03T10:20:07', '2025-03-03 10:20:7', 'Mon, 03 Mar 2025 10:20:7 GMT'],
  ['2025-03-03T10:05:00', '3 Mar 2025 10:5'],
  [
    '2025-03-31T10:20:00',
    '31.03.2025 10:20',
    '31/3/2025 10:20',
    '03/31/2025 10:20',
    '31-3-2025 10:20',
    '10:20 31.3.25',
  ],
  ['2025-03-31T00:00:00', '31.03.2025', '31/03/2025', '3/31/2025', '31.03.25', '31. 3. 2025', 'Mon, 31/03/25'],
  ['2025-05-05T00:00:00', '5.5.2025', '05/05/2025', '5.05.2025'],
  ['2025-03-01T00:00:00', '2025-03', '2025年3月'],
  [
    '2025-03-03T00:00:00',
    '2025年3月3日',
    '2025년 03월 03일',
    '2025年03月03日(月)',
    '２０２５年３月３日',
    '2025. 3. 3.',
  ],
  ['2025-03-03T23:05:00', '2025. 03. 03. 오후 11:05', '2025년 3월 3일 오후 11시 5분', '2025年3月3日 下午11:05'],
  ['2025-03-03T23:05:00', '2025/03/03 午後11時05分', '2025-03-03 PM 11:05', '3 Μαρ 2025 11:05 μ.μ.'],
  [
    '2025-03-03T11:05:00',
    '2025-03-03 오전 11:05',
    '2025年3月3日 上午11:05',
    '3 Μαρ 2025 11:05 π.μ.',
    '2025-03-03 11:05 am',
  ],
])('dates in other formats are read: %s is %p', (time, ...texts) => {
  expectRead(time, texts)
})

test('daylight saving time is applied in summer', () => {
  const zones = ['ET', 'America/New_York', 'PT', 'Europe/Berlin', 'Europe/London']
  const times = ['16:00:00', '16:00:00', '19:00:00', '10:00:00', '11:00:00']
  expect(zones.map((zone) => read(`Thu, 03 Jul 2025 12:00:00 ${zone}`))).toEqual(times.map((at) => `2025-07-03T${at}`))
  expect(read('2025-03-09 03:30 America/New_York')).toBe('2025-03-09T07:30:00')
  expect(read('2025-03-09 01:30 America/New_York')).toBe('2025-03-09T06:30:00')
})

test.each<[string, ...string[]]>([
  ['2020-05-27T00:00:00', 'Wed, 27 May 2020 34:50:00 -0400', '2020-05-27T34:50:00-04:00', '27.05.2020 34:50'],
  ['2025-03-03T00:00:00', '2025-03-03T25:00:00Z', '2025-03-03T10:61:00Z', '3 Mar 2025 10:20:61', '3 Mar 2025 10.20.30'],
  ['2025-03-03T00:00:00', '20250303T250000Z', '2025-03-03T10', '2025-03-03T'],
])('an impossible time is ignored: %s is %p', (time, ...texts) => {
  expectRead(time, texts)
})

test.each<[string, ...string[]]>([
  ['1960-05-02T08:05:01', 'Mon, 02 May 1960 09:05:01 +0100', '1960-05-02T09:05:01+01:00'],
  ['1969-07-20T20:17:40', '1969-07-20T20:17:40Z', 'Sun, 20 Jul 69 20:17:40 GMT'],
  ['1865-11-26T00:00:00', '1865-11-26', '26 Nov 1865'],
])('a date may be before 1970: %s is %p', (time, ...texts) => {
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
    ['Greek', ['Ιαν', 'Φεβ', 'Μαρ', 'Απρ', 'Μάι', 'Ιουν', 'Ιουλ', 'Αυγ', 'Σεπ', 'Οκτ', 'Νοε', 'Δεκ']],
    [
      'Greek, in full',
      [
        ...['Ιανουαρίου', 'Φεβρουαρίου', 'Μαρτίου', 'Απριλίου', 'Μαΐου', 'Ιουνίου'],
        ...['Ιουλίου', 'Αυγούστου', 'Σεπτεμβρίου', 'Οκτωβρίου', 'Νοεμβρίου', 'Δεκεμβρίου'],
      ],
    ],
    ['Czech', ['led', 'úno', 'bře', 'dub', 'kvě', 'čvn', 'čvc', 'srp', 'zář', 'říj', 'lis', 'pro']],
    ['Romanian', ['ian', 'feb', 'mar', 'apr', 'mai', 'iun', 'iul', 'aug', 'sept', 'oct', 'nov', 'dec']],
    ['Bulgarian', ['яну', 'фев', 'мар', 'апр', 'май', 'юни', 'юли', 'авг', 'сеп', 'окт', 'ное', 'дек']],
    [
      'Finnish',
      ['tammi', 'helmi', 'maalis', 'huhti', 'touko', 'kesä', 'heinä', 'elo', 'syys', 'loka', 'marras', 'joulu'],
    ],
    ['Ukrainian', ['січ', 'лют', 'бер', 'кві', 'тра', 'чер', 'лип', 'сер', 'вер', 'жов', 'лис', 'гру']],
  ])('%s', (_language, months) => {
    const expected = months.map((_, index) => `2024-${String(index + 1).padStart(2, '0')}-05T10:00:00`)
    expect(months.map((month) => read(`05 ${month} 2024 10:00:00 GMT`))).toEqual(expected)
  })

  test.each([
    ['mar., 01 avr. 2025 10:00:00 +0000', '2025-04-01T10:00:00'],
    ['Paz, 06 Nis 2025 10:00:00 +0000', '2025-04-06T10:00:00'],
    ['Сб, 03 май 2025 10:00:00 +0000', '2025-05-03T10:00:00'],
  ])('is not confused with a weekday: %s', (text, expected) => {
    expect(read(text)).toBe(expected)
  })
})

describe('an invalid or implausible date is ignored:', () => {
  test.each<[string, ...string[]]>([
    ['words', '', ' ', 'yesterday', 'Mon, 03 Mar', 'Mon, 03 Foo 2025 10:00:00 GMT', '1e9', 'NaN', 'Mar 2025'],
    ['incomplete and ambiguous dates', '10:00', '2025', '03/04/2025', '10.03.2025', '25-03-04', '10/11/12'],
    ['days that do not exist', '2025-13-01', '2025-00-10', '2025-03-32', '32 Mar 2025', '2025-13', '32.13.2025'],
    ['years below 1000', '0001-01-01T00:00:00Z', '0000-00-00 00:00:00', 'Wed, 30 Nov -0001 00:00:00 +0000'],
    ['placeholders', 'Thu, 01 Jan 1970 00:00:00 +0000', 'Wed, 31 Dec 1969 16:00:00 -0800', '1969-12-31T23:59:59Z'],
    ['negative numbers', '-1740997230', '-1'],
    ['too many digits or spaces', '17409972301', '9'.repeat(14), `${' '.repeat(60)}3 Mar 2025${' '.repeat(60)}`],
  ])('%s', (_what, ...texts) => {
    expectRead(undefined, texts)
  })

  test('but future dates are kept for the server to decide', () => {
    expect(read('2199-06-02T00:00:01Z')).toBe('2199-06-02T00:00:01')
    expect(read('Fri, 31 Dec 9999 23:59:59 GMT')).toBe('9999-12-31T23:59:59')
  })

  test('and February 31 is in March', () => {
    expect(read('31 Feb 2025 24:00:00 GMT')).toBe('2025-03-04T00:00:00')
    expect(read('31 Dec 2016 23:59:60 GMT')).toBe('2017-01-01T00:00:00')
  })
})
