import { describe, expect, test } from 'bun:test'
import { bytes, duration } from '../../src/web/text/measures.ts'

/** Intl puts spaces that do not break. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('sizes are read in the largest unit that fits', () => {
  test.each([
    [0, 'en', '0 byte'],
    [1023, 'en', '1,023 byte'],
    [1024, 'en', '1 kB'],
    [1536, 'en', '1.5 kB'],
    [10 * 1024 + 512, 'en', '11 kB'],
    [18_874_368, 'en', '18 MB'],
    [1.5 * 1024 ** 3, 'de', '1,5 GB'],
    [4 * 1024 ** 5, 'en', '4,096 TB'],
  ])('%d bytes in %s are %s', (count, locale, expected) => {
    expect(plain(bytes(count, locale))).toBe(expected)
  })
})

describe('a time is told by its two largest units', () => {
  test.each([
    [0, 'en', '0 seconds'],
    [59, 'en', '59 seconds'],
    [61, 'en', '1 minute, 1 second'],
    [3600, 'en', '1 hour'],
    [3600 + 59, 'en', '1 hour'],
    [3 * 86_400 + 4 * 3600 + 1800, 'en', '3 days, 4 hours'],
    [2 * 86_400 + 3600, 'de', '2 Tage, 1 Stunde'],
  ])('%d seconds in %s are %s', (seconds, locale, expected) => {
    expect(plain(duration(seconds, locale))).toBe(expected)
  })
})
