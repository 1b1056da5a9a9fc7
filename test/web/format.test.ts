import './support/browser-globals.ts'
import { describe, expect, test } from 'bun:test'
import { clientName } from '../../src/web/locales/client-name.ts'
import { bytes, langAttribute, longDuration, relative, setLanguage } from '../../src/web/locales/index.ts'
import { textsIn } from './support/texts.ts'

/** Intl uses no-break spaces. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('a distance in time', () => {
  test('is told in the largest unit', () => {
    const texts = [0, -60, -8 * 86_400, 1].map((seconds) => relative(seconds, 'en', 'just now'))
    expect(texts).toEqual(['just now', '1 minute ago', 'last week', 'in 1 minute'])
  })

  test.each([
    ['en', 'Newest episode just now', 'Last updated just now.'],
    ['de', 'Neueste Folge gerade eben', 'Zuletzt abgerufen gerade eben.'],
    ['fr', 'Dernier épisode à l’instant', 'Dernière mise à jour à l’instant.'],
    ['es', 'Último episodio ahora mismo', 'Última actualización ahora mismo.'],
    ['it', 'Ultimo episodio poco fa', 'Ultimo aggiornamento poco fa.'],
  ])('“just now” fits the sentences in %s', (locale, newest, updated) => {
    const t = textsIn(locale)
    const ago = relative(-3, locale, t('common.justNow'))
    expect(t('home.newest', { when: ago })).toBe(newest)
    expect(t('admin.feeds.lastGood', { ago })).toBe(updated)
  })
})

test('bytes and seconds are told in the units and signs of a language', () => {
  const sizes = [bytes(1024, 'en'), bytes(1.5 * 1024 ** 3, 'de'), bytes(4 * 1024 ** 5, 'en')]
  expect(sizes.map(plain)).toEqual(['1 kB', '1,5 GB', '4,096 TB'])
  const times = [
    longDuration(3659, 'en'),
    longDuration(3 * 86_400 + 16_200, 'en'),
    longDuration(2 * 86_400 + 3600, 'de'),
  ]
  expect(times.map(plain)).toEqual(['1 hour', '3 days, 4 hours', '2 Tage, 1 Stunde'])
})

test.each([
  ['de', 'Firefox on Linux', 'Firefox auf Linux'],
  ['fr', 'Samsung Internet on Android', 'Samsung Internet sur Android'],
  ['it', 'AntennaPod', 'AntennaPod'],
  ['en', '', ''],
] as const)('a client is named in %s: %s', async (locale, client, name) => {
  await setLanguage(locale)
  expect(clientName(client)).toBe(name)
})

test('what a feed says of its language becomes an attribute', () => {
  expect(['en', 'pt-br', 'DE-at', ''].map(langAttribute)).toEqual(['en', 'pt', 'de', undefined])
})
