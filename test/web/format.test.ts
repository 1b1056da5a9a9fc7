import { describe, expect, test } from 'bun:test'
import { bytes, duration, langAttribute, relative } from '../../src/web/locales/index.ts'
import { textsIn } from './support/texts.ts'

/** Intl uses no-break spaces. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('a distance in time', () => {
  test.each([
    [0, 'just now'],
    [-60, '1 minute ago'],
    [-8 * 86_400, 'last week'],
    [1, 'in 1 minute'],
  ])('%d seconds away is “%s”', (seconds, expected) => {
    expect(relative(seconds, 'en', 'just now')).toBe(expected)
  })

  test.each([
    ['en', 'Newest episode just now', 'Failed 2 times, first just now.'],
    ['de', 'Neueste Folge gerade eben', '2-mal gescheitert, zuerst gerade eben.'],
    ['fr', 'Dernier épisode à l’instant', '2 échecs, le premier à l’instant.'],
    ['es', 'Último episodio ahora mismo', 'Falló 2 veces, la primera ahora mismo.'],
    ['it', 'Ultimo episodio poco fa', 'Fallito 2 volte, la prima poco fa.'],
  ])('“just now” fits the sentences in %s', (locale, newest, failed) => {
    const t = textsIn(locale)
    const ago = relative(-3, locale, t('common.justNow'))
    expect(t('home.newest', { when: ago })).toBe(newest)
    expect(t('admin.feeds.failures', { n: 2, ago })).toBe(failed)
  })
})

test.each([
  [1024, 'en', '1 kB'],
  [1.5 * 1024 ** 3, 'de', '1,5 GB'],
  [4 * 1024 ** 5, 'en', '4,096 TB'],
])('%d bytes in %s are %s', (count, locale, expected) => {
  expect(plain(bytes(count, locale))).toBe(expected)
})

test.each([
  [3600 + 59, 'en', '1 hour'],
  [3 * 86_400 + 4 * 3600 + 1800, 'en', '3 days, 4 hours'],
  [2 * 86_400 + 3600, 'de', '2 Tage, 1 Stunde'],
])('%d seconds in %s are %s', (seconds, locale, expected) => {
  expect(plain(duration(seconds, locale))).toBe(expected)
})

test.each([
  ['en', 'en'],
  ['pt-br', 'pt'],
  ['DE-at', 'de'],
  ['', undefined],
])('a feed in %p gets lang=%p', (claimed, expected) => {
  expect(langAttribute(claimed)).toBe(expected)
})
