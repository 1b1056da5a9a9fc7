import { describe, expect, test } from 'bun:test'
import { LANGUAGES } from '../../src/web/locales/index.ts'
import { createTranslator, flatten, interpolate } from '../../src/web/locales/messages.ts'
import { mentionedKeys, textCalls } from './support/calls.ts'
import { LOCALES } from './support/texts.ts'

const TEXTS = new Map([...LOCALES].map(([code, messages]) => [code, flatten(messages)]))
const ENGLISH = TEXTS.get('en') ?? new Map<string, string>()

/** English has two plural forms; other forms are compared with `_other`. */
function englishKey(key: string): string {
  return ENGLISH.has(key) ? key : key.replace(/_(?:zero|two|few|many)$/, '_other')
}

function placeholdersIn(text = ''): Set<string> {
  return new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
}

function linesIn(text = ''): number {
  return text.split('\n').length
}

/** The keys that a locale needs: the English ones, with the plural forms of its language. */
function neededKeys(code: string): Set<string> {
  const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories
  const counted = [...ENGLISH.keys()].filter((key) => key.endsWith('_other')).map((key) => key.replace(/_other$/, ''))
  const plain = [...ENGLISH.keys()].filter((key) => !counted.includes(key.replace(/_(?:one|other)$/, '')))
  return new Set([...plain, ...counted.flatMap((key) => forms.map((form) => `${key}_${form}`))])
}

/** Names and terms that are the same in every language. */
const NAMES =
  'podstep|config.toml|AntennaPod|gPodder|Kasts|Clementine|Android|Linux, Android|OPML|Web|Linux, Windows, macOS|' +
  'AntennaPod (Nextcloud)|Podcini|iPhone|Cardo|PinePods|Music Assistant|Home Assistant|Kodi'
const HOURS = '{h} h {m} min'

/** Texts that are the same in English and one other language. Any other equal text was not translated. */
const SAME: Readonly<Record<string, string>> = {
  de: 'Code|Container|Optional|Position|Pause|Player|Apps|Podcast|Podcasts|Feeds|Server|Name|Text|Laptop|Desktop|Website|Administrator|Version|optional|Details: {cause}',
  fr: `Code|{n} minute|{n} minutes|Pause|Position|Podcast|Podcasts|{n} podcast|{n} podcasts|Menu|Volume|Administration|Cause|Minutes|Notifications|Pages|Invitation|Invitations|Version|${HOURS}`,
  es: `Roles|Apps|Error|Feeds|{n} feed|{n} feeds|${HOURS}`,
  it: `Browser|Container|Podcast|{n} podcast|{n} feed|{n} account|Menu|Volume|Account|Server|Desktop|Password|Database|file|Home|${HOURS}`,
}

test('every locale file is registered', () => {
  const registered = new Set(LANGUAGES.map(({ code }): string => code))
  const problems = [...LOCALES.keys()].flatMap((code) => [
    ...(registered.has(code) ? [] : [`${code}.json is not in LOCALES of src/web/locales/index.ts`]),
    ...(/^[a-z]{2}$/.test(code) ? [] : [`${code}.json is not named after a two-letter language code`]),
  ])
  expect(problems).toEqual([])
})

describe.each([...TEXTS].filter(([code]) => code !== 'en'))('the texts in %s', (code, texts) => {
  test('have the keys of the English ones, with the plural forms of the language', () => {
    const needed = neededKeys(code)
    const missing = [...needed].filter((key) => !texts.has(key)).map((key) => `${key} is missing`)
    const unknown = [...texts.keys()].filter((key) => !needed.has(key)).map((key) => `${key} is not needed`)
    expect([...missing, ...unknown]).toEqual([])
  })

  test('have the placeholders and lines of the English ones, and are empty only where these are', () => {
    const problems = [...texts].flatMap(([key, text]) => {
      const english = ENGLISH.get(englishKey(key))
      const placeholders = placeholdersIn(text).symmetricDifference(placeholdersIn(english))
      return [
        ...[...placeholders].map((name) => `${key} has {${name}} in one of the two languages only`),
        ...(linesIn(text) === linesIn(english)
          ? []
          : [`${key} has ${linesIn(text)} lines instead of ${linesIn(english)}`]),
        ...((text.trim() === '') === (english === '') ? [] : [`${key} is empty in one of the two languages only`]),
      ]
    })
    expect(problems).toEqual([])
  })

  test('are translated, except for those in NAMES and SAME of this file', () => {
    const same = [...NAMES.split('|'), ...(SAME[code] ?? '').split('|')]
    const forgotten = [...texts]
      .filter(([key, text]) => text === ENGLISH.get(key) && letters(text) > 3 && !same.includes(text))
      .map(([key, text]) => `${key} is still in English: “${text.split('\n')[0]}”`)
    expect(forgotten).toEqual([])
  })
})

function letters(text: string): number {
  return text.replaceAll(/\{\w+\}/g, '').match(/\p{L}/gu)?.length ?? 0
}

describe('the source', () => {
  test('passes exactly the values that the placeholders need', () => {
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
  ['a placeholder without a value', '{a} {b}', { a: 'x' }, 'x {b}'],
  ['a value that looks like a placeholder', '{a} {b}', { a: '{b}', b: 'x' }, '{b} x'],
  ['a value with replacement patterns', '“{a}”', { a: "$& $1 $'" }, "“$& $1 $'”"],
])('interpolation: %s', (_, text, values, expected) => {
  expect(interpolate(text, values)).toBe(expected)
})

test.each([
  ['en', 'en', 1, '1 subscriber here'],
  ['fr', 'fr', 0, '0 abonné ici'],
  ['fr', 'fr', 1_000_000, '1\u202f000\u202f000 d’abonnés ici'],
  ['it', 'it', 1_000_001, '1.000.001 iscritti qui'],
  // Texts that lack a form use `_other`.
  ['en', 'es', 1_000_000, '1.000.000 subscribers here'],
])('plural forms: the texts of %s with the rules of %s, %d: %s', (texts, locale, n, expected) => {
  const { translate } = createTranslator(LOCALES.get(texts) as never, locale)
  expect(translate('podcast.subscribers', { n })).toBe(expected)
})
