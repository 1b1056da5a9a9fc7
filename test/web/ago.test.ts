import { describe, expect, test } from 'bun:test'
import { relative } from '../../src/web/text/ago.ts'
import de from '../../src/web/text/de.ts'
import en from '../../src/web/text/en.ts'
import es from '../../src/web/text/es.ts'
import { fill, plural } from '../../src/web/text/fill.ts'
import fr from '../../src/web/text/fr.ts'
import it from '../../src/web/text/it.ts'

describe('how long ago something was', () => {
  test.each([
    [0, 'just now'],
    [-59, 'just now'],
    [-60, '1 minute ago'],
    [-3599, '60 minutes ago'],
    [-3600, '1 hour ago'],
    [-86_400, 'yesterday'],
    [-8 * 86_400, 'last week'],
    [-400 * 86_400, 'last year'],
    [1, 'in 1 minute'],
    [300, 'in 5 minutes'],
    [86_400, 'tomorrow'],
  ])('%d seconds away is “%s”', (seconds, expected) => {
    expect(relative(seconds, 'en', 'just now')).toBe(expected)
  })
})

describe('a moment ago fits the sentences in', () => {
  test.each([
    ['en', en, 'Newest episode just now', 'Failed 2 times, first just now.'],
    ['de', de, 'Neueste Folge gerade eben', '2-mal gescheitert, zuerst gerade eben.'],
    ['fr', fr, 'Dernier épisode à l’instant', '2 échecs, le premier à l’instant.'],
    ['es', es, 'Último episodio ahora mismo', 'Falló 2 veces, la primera ahora mismo.'],
    ['it', it, 'Ultimo episodio poco fa', 'Fallito 2 volte, la prima poco fa.'],
  ] as const)('%s', (locale, { common, home, admin }, newest, failed) => {
    const ago = relative(-3, locale, common.justNow)
    expect(fill(home.newest, { when: ago })).toBe(newest)
    expect(fill(plural(admin.feeds.failures, 2, locale), { ago })).toBe(failed)
  })
})
