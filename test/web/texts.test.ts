import { describe, expect, test } from 'bun:test'
import de from '../../src/web/text/de.ts'
import en from '../../src/web/text/en.ts'
import es from '../../src/web/text/es.ts'
import { type Forms, fill, plural } from '../../src/web/text/fill.ts'
import fr from '../../src/web/text/fr.ts'
import it from '../../src/web/text/it.ts'
import { textsOf } from './support/texts.ts'

const ENGLISH = textsOf(en)

/** A `many` that English has no use for belongs to its `other`. */
function englishPath(path: string): string {
  return ENGLISH.has(path) ? path : path.replace(/\.many$/, '.other')
}

function placesIn(text: string): Set<string> {
  return new Set(text.match(/\{\w+\}/g))
}

/** Names and terms that are called the same in all of them. */
const NAMES = ['podstep', 'AntennaPod', 'gPodder', 'Kasts', 'Clementine', 'Android', 'Linux, Android', 'OPML', 'Web']
const HOURS = '{h} h {m} min'
const SYSTEMS = 'Linux, Windows, macOS'

/** What is called the same in one. Whatever else is equal was forgotten. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: [
    'Podcast',
    'Podcasts',
    'Feeds',
    'Server',
    'Name',
    'Text',
    'Laptop',
    'Desktop',
    'Website',
    'Administrator',
    'Version',
  ],
  fr: [
    'Podcast',
    'Podcasts',
    '{n} podcast',
    '{n} podcasts',
    'Menu',
    'Administration',
    'Cause',
    'Minutes',
    'Pages',
    'Version',
    HOURS,
  ],
  es: ['Feeds', '{n} feed', '{n} feeds', HOURS],
  it: [
    'Podcast',
    '{n} podcast',
    '{n} feed',
    '{n} account',
    'Menu',
    'Account',
    'Server',
    'Desktop',
    'Password',
    'Database',
    'file',
    HOURS,
  ],
}

describe.each([
  ['de', textsOf(de)],
  ['fr', textsOf(fr)],
  ['es', textsOf(es)],
  ['it', textsOf(it)],
])('the texts in %s', (code, texts) => {
  test('are all there, and no others', () => {
    expect(new Set([...texts.keys()].map(englishPath))).toEqual(new Set(ENGLISH.keys()))
  })

  test('have the places of the English ones', () => {
    const strange = [...texts].filter(
      ([path, text]) => !Bun.deepEquals(placesIn(text), placesIn(ENGLISH.get(englishPath(path)) ?? '')),
    )
    expect(strange).toEqual([])
  })

  test('are translated', () => {
    const forgotten = [...texts].filter(
      ([path, text]) =>
        text === ENGLISH.get(path) && letters(text) > 3 && ![...NAMES, SYSTEMS, ...(SAME[code] ?? [])].includes(text),
    )
    expect(forgotten).toEqual([])
  })

  test('are empty only where the English ones are', () => {
    const empty = [...texts].filter(([path, text]) => (text.trim() === '') !== (ENGLISH.get(englishPath(path)) === ''))
    expect(empty).toEqual([])
  })
})

/** Without the places, which are called the same everywhere. */
function letters(text: string): number {
  return text.replaceAll(/\{\w+\}/g, '').match(/\p{L}/gu)?.length ?? 0
}

describe('fill', () => {
  test.each([
    ['a place', 'Hello {name}', { name: 'Ida' }, 'Hello Ida'],
    ['a place more than once', '{a}, {a}', { a: 'x' }, 'x, x'],
    ['a number', '{n} of {total}', { n: 0, total: 12 }, '0 of 12'],
    ['a place without a value stays', '{a} {b}', { a: 'x' }, 'x {b}'],
    ['a value that looks like a place is none', '{a} {b}', { a: '{b}', b: 'x' }, '{b} x'],
    ['a value with signs of replacement', '“{a}”', { a: "$& $1 $'" }, "“$& $1 $'”"],
    ['no places', 'Nothing', { a: 'x' }, 'Nothing'],
    ['braces without a name', '{} { a }', { a: 'x' }, '{} { a }'],
  ])('%s', (_, text, values, expected) => {
    expect(fill(text, values)).toBe(expected)
  })
})

describe('plural', () => {
  const TWO: Forms = { one: '{n} one', other: '{n} other' }
  const THREE: Forms = { one: '{n} one', other: '{n} other', many: '{n} many' }
  test.each([
    ['en', 0, TWO, '0 other'],
    ['en', 1, TWO, '1 one'],
    ['en', 2, TWO, '2 other'],
    ['en', 1234, TWO, '1,234 other'],
    ['de', 1234, TWO, '1.234 other'],
    ['de', 0, TWO, '0 other'],
    ['fr', 0, THREE, '0 one'],
    ['fr', 1, THREE, '1 one'],
    ['fr', 2, THREE, '2 other'],
    ['fr', 1_000_000, THREE, '1\u202f000\u202f000 many'],
    ['es', 1_000_000, THREE, '1.000.000 many'],
    ['it', 1_000_000, THREE, '1.000.000 many'],
    ['it', 1_000_001, THREE, '1.000.001 other'],
    ['en', 1, { one: 'a single one', other: '{n} other' }, 'a single one'],
    ['es', 1_000_000, TWO, '1.000.000 other'],
  ])('%s %d', (locale, n, forms, expected) => {
    expect(plural(forms, n, locale)).toBe(expected)
  })
})
