import './support/browser-globals.ts'
import { describe, expect, test } from 'bun:test'
import { clientName } from '../../src/web/locales/client-name.ts'
import { formatNumber } from '../../src/web/locales/formats.ts'
import { bytes, langAttribute, longDuration, relative, setLanguage } from '../../src/web/locales/index.ts'
import { LOCALES, textsIn } from './support/texts.ts'

/** Intl uses no-break spaces. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('a relative time', () => {
  test('uses the largest unit', () => {
    const texts = [0, -60, -8 * 86_400, 1, 86_400].map((seconds) => relative(seconds, 'en', textsIn('en')))
    expect(texts).toEqual(['just now', '1 minute ago', 'last week', 'in 1 minute', 'tomorrow'])
  })

  test.each([
    [23, 'vor 23 Stunden'],
    [25, 'gestern'],
    [35, 'gestern'],
    [37, 'vorgestern'],
    [6 * 24 + 11, 'vor 6 Tagen'],
    [6 * 24 + 13, 'letzte Woche'],
  ])('counts calendar days from 24 hours on (%d hours before noon)', (hours, expected) => {
    expect(plain(relative(-hours * 3600, 'de', textsIn('de'), new Date(2026, 10, 25, 12)))).toBe(expected)
  })

  test.each([...LOCALES.keys()])('in the past agrees with Intl in %s', (locale) => {
    const text = textsIn(locale)
    const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
    const units = { minute: [60, 59], hour: [3600, 23], day: [86_400, 6], week: [604_800, 4], month: [2_592_000, 12] }
    for (const [unit, [size, last]] of Object.entries({ ...units, year: [31_536_000, 30] }))
      for (let n = 1; n <= (last ?? 0); n++)
        expect(plain(relative(-n * (size ?? 0), locale, text))).toBe(plain(format.format(-n, unit as 'day')))
  })
})

test.each([...LOCALES.keys()])('numbers agree with Intl in %s', (locale) => {
  const numbers = [...Array.from({ length: 1100 }, (_, n) => n), -3, 1.5]
  const format = new Intl.NumberFormat(locale)
  expect(numbers.map((n) => formatNumber(n, locale))).toEqual(numbers.map((n) => format.format(n)))
})

test('bytes and durations are formatted in the language', () => {
  const sizes = [bytes(1024, 'en'), bytes(1.5 * 1024 ** 3, 'de'), bytes(4 * 1024 ** 5, 'en')]
  expect(sizes.map(plain)).toEqual(['1 kB', '1,5 GB', '4,096 TB'])
  const times = [longDuration(3659, 'en'), longDuration(3 * 86_400 + 16_200, 'en'), longDuration(176_400, 'de')]
  expect(times.map(plain)).toEqual(['1 hour', '3 days, 4 hours', '2 Tage, 1 Stunde'])
})

test.each([
  ['de', 'Firefox on Linux', 'Firefox auf Linux'],
  ['fr', 'Samsung Internet on Android', 'Samsung Internet sur Android'],
  ['it', 'AntennaPod', 'AntennaPod'],
] as const)('the name of a client in %s: %s', async (locale, client, name) => {
  await setLanguage(locale)
  expect(clientName(client)).toBe(name)
})

test('the language of a feed becomes a lang attribute', () => {
  expect(['en', 'pt-br', 'DE-at', ''].map(langAttribute)).toEqual(['en', 'pt', 'de', undefined])
})
