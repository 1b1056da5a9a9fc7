import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '../../src/web/locales/index.ts'
import { createTranslator, flatten, interpolate } from '../../src/web/locales/messages.ts'
import { mentionedKeys, textCalls } from './support/calls.ts'
import { LOCALES } from './support/texts.ts'

const TEXTS = new Map([...LOCALES].map(([code, messages]) => [code, flatten(messages)]))
const ENGLISH = TEXTS.get('en') ?? new Map<string, string>()

/** English has two plural forms; what another language has beyond them is compared with `_other`. */
function englishKey(key: string): string {
  return ENGLISH.has(key) ? key : key.replace(/_(?:zero|two|few|many)$/, '_other')
}

function placeholdersIn(text: string): Set<string> {
  return new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
}

/** Names and terms that are the same in every language. */
const NAMES =
  'podstep|config.toml|AntennaPod|gPodder|Kasts|Clementine|Android|Linux, Android|OPML|Web|Linux, Windows, macOS|' +
  'AntennaPod (Nextcloud)|Podcini|iPhone|Cardo|PinePods|Music Assistant|Home Assistant|Kodi'
const HOURS = '{h} h {m} min'

/** What is the same as in English in one language. Anything else that is equal has been forgotten. */
const SAME: Readonly<Record<string, string>> = {
  de: 'Code|Container|Optional|Position|Pause|Player|Apps|Podcast|Podcasts|Feeds|Server|Name|Text|Laptop|Desktop|Website|Administrator|Version|optional|Details: {cause}',
  fr: `Code|{n} minute|{n} minutes|Pause|Position|Podcast|Podcasts|{n} podcast|{n} podcasts|Menu|Volume|Administration|Cause|Minutes|Notifications|Pages|Invitation|Invitations|Version|${HOURS}`,
  es: `Roles|Apps|Error|Feeds|{n} feed|{n} feeds|${HOURS}`,
  it: `Browser|Container|Podcast|{n} podcast|{n} feed|{n} account|Menu|Volume|Account|Server|Desktop|Password|Database|file|Home|${HOURS}`,
}

test('every locale file is registered', () => {
  expect(new Set(LANGUAGES.map(({ code }): string => code))).toEqual(new Set(LOCALES.keys()))
})

describe.each([...TEXTS].filter(([code]) => code !== 'en'))('the texts in %s', (code, texts) => {
  test('have the keys of the English ones', () => {
    expect(new Set([...texts.keys()].map(englishKey))).toEqual(new Set(ENGLISH.keys()))
  })

  test('have all plural forms of the language', () => {
    const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories
    const counted = [...ENGLISH.keys()]
      .filter((key) => key.endsWith('_other'))
      .map((key) => key.slice(0, -'other'.length))
    expect(counted.flatMap((base) => forms.map((form) => base + form)).filter((key) => !texts.has(key))).toEqual([])
  })

  test('have the placeholders of the English ones', () => {
    const strange = [...texts].filter(
      ([key, text]) => !Bun.deepEquals(placeholdersIn(text), placeholdersIn(ENGLISH.get(englishKey(key)) ?? '')),
    )
    expect(strange).toEqual([])
  })

  test('have as many lines as the English ones', () => {
    const lines = (text = '') => text.split('\n').length
    expect([...texts].filter(([key, text]) => lines(text) !== lines(ENGLISH.get(englishKey(key))))).toEqual([])
  })

  test('are translated', () => {
    const same = `${NAMES}|${SAME[code]}`.split('|')
    const equal = [...texts].filter(([key, text]) => text === ENGLISH.get(key) && letters(text) > 3)
    expect(equal.filter(([, text]) => !same.includes(text))).toEqual([])
  })

  test('are empty only where the English ones are', () => {
    const empty = [...texts].filter(([key, text]) => (text.trim() === '') !== (ENGLISH.get(englishKey(key)) === ''))
    expect(empty).toEqual([])
  })
})

function letters(text: string): number {
  return text.replaceAll(/\{\w+\}/g, '').match(/\p{L}/gu)?.length ?? 0
}

describe('the source', () => {
  test('hands over a value for each placeholder, and no others', () => {
    const wrong = textCalls().flatMap(({ file, keys, values }) =>
      keys
        .filter((key) => values && !key.includes('*'))
        .map((key) => ({ file, key, values, text: ENGLISH.get(key) ?? ENGLISH.get(`${key}_other`) }))
        .filter(({ text }) => text !== undefined && !Bun.deepEquals(placeholdersIn(text), new Set(values))),
    )
    expect(wrong).toEqual([])
  })

  test('uses all texts', () => {
    const patterns = [...mentionedKeys()].map(
      (key) => new RegExp(`^${key.replaceAll('.', '\\.').replaceAll('*', '.+')}$`),
    )
    const unused = [...ENGLISH.keys()].filter((key) => {
      const base = key.replace(/_(?:one|other)$/, '')
      return !patterns.some((pattern) => pattern.test(key) || pattern.test(base))
    })
    expect(unused).toEqual([])
  })
})

test.each([
  ['zero', '{n} of {total}', { n: 0, total: 12 }, '0 of 12'],
  ['a placeholder without a value stays', '{a} {b}', { a: 'x' }, 'x {b}'],
  ['a value that looks like a placeholder is none', '{a} {b}', { a: '{b}', b: 'x' }, '{b} x'],
  ['a value with signs of replacement', '“{a}”', { a: "$& $1 $'" }, "“$& $1 $'”"],
])('interpolation: %s', (_, text, values, expected) => {
  expect(interpolate(text, values)).toBe(expected)
})

test.each([
  ['en', 'en', 1, '1 subscriber here'],
  ['fr', 'fr', 0, '0 abonné ici'],
  ['fr', 'fr', 1_000_000, '1\u202f000\u202f000 d’abonnés ici'],
  ['it', 'it', 1_000_001, '1.000.001 iscritti qui'],
  // Texts that lack a form take the one for other numbers.
  ['en', 'es', 1_000_000, '1.000.000 subscribers here'],
])('plural forms: the texts of %s with the rules of %s, %d: %s', (texts, locale, n, expected) => {
  const { translate } = createTranslator(LOCALES.get(texts) as never, locale)
  expect(translate('podcast.subscribers', { n })).toBe(expected)
})
