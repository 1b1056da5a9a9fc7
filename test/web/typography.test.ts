import { describe, expect, test } from 'bun:test'
import { flatten } from '../../src/web/locales/messages.ts'
import { LOCALES } from './support/texts.ts'

/** No-break spaces: the wide one, and the narrow one. */
const WIDE = '\u00a0'
const NARROW = '\u202f'

interface Rule {
  readonly name: string
  /** What a text that breaks the rule has. */
  readonly broken: RegExp
}

const COMMON: readonly Rule[] = [
  { name: 'no typewriter quotes and apostrophes', broken: /['"`´]/ },
  { name: 'no two spaces in a row', broken: /[ \u00a0\u202f\t]{2}/ },
  { name: 'no spaces at the ends', broken: /^\s|\s$/ },
  { name: 'no full stops in a row for an ellipsis', broken: /\.\./ },
  { name: 'no ordinary space before a mark that ends something', broken: / [.,;:!?»”…](?![\p{L}\d])/u },
]

/** An ellipsis that stands for no part of a word stands off from it in German only. */
const CLOSE_ELLIPSIS: Rule = { name: 'an ellipsis right after the word', broken: /\s…/ }

/** Rules of one language. A language without any keeps the common ones. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  en: [
    CLOSE_ELLIPSIS,
    { name: 'quotes “so”', broken: /[„«»‚‘]|“\s|\s”/ },
    { name: 'one word for one thing', broken: /\blog(ged)? ?(in|out)\b|\bmail(s|ed)?\b(?! server)|e-mail|username/i },
  ],
  de: [
    { name: 'a no-break space before an ellipsis', broken: /[^\u00a0]…/ },
    { name: 'quotes „so“', broken: /[«»”]|„\s|\s“/ },
    { name: 'du', broken: /[\p{L},{}] (Sie|Ihnen|Ihr|Ihre|Ihren|Ihrem|Ihrer|Ihres)\b/u },
    { name: 'one word for one thing', broken: /freischalt|stillgelegt|geschieht|Log\b|Schaltfläche/ },
  ],
  fr: [
    CLOSE_ELLIPSIS,
    { name: 'a narrow no-break space before ? ! and ;', broken: /[^\u202f][?!;]/ },
    { name: 'a no-break space before a colon', broken: /[^\u00a0]:(?!\/\/)/ },
    { name: 'quotes « so », with no-break spaces', broken: /[“”„]|«[^\u00a0]|[^\u00a0]»/ },
    { name: 'tu', broken: /\b(vous|votre|vos)\b|\p{L}ez-/iu },
    { name: 'one word for one thing', broken: /\bapplications?\b|\bcourriel|\bmessage\b/i },
  ],
  es: [
    CLOSE_ELLIPSIS,
    { name: 'quotes «so»', broken: /[“”„]|«\s|\s»/ },
    { name: 'questions and exclamations that begin with their mark', broken: /^[^¿]*\?|^[^¡]*!/ },
    { name: 'tú', broken: /\busted(es)?\b/i },
    {
      name: 'one word for one thing',
      broken: /aplicaci[oó]n|\bpodcasts?\b|\bmensaje del?\b|\bentr(a|as|ar)\b/i,
    },
  ],
  it: [
    CLOSE_ELLIPSIS,
    { name: 'quotes «so»', broken: /[“”„]|«\s|\s»/ },
    { name: 'tu', broken: /[\p{L},{}] (Lei|Suo|Sua|Suoi|Sue)\b|\bvoi\b/u },
    { name: 'one word for one thing', broken: /applicazion|elenco|\bposta elettronica\b/i },
  ],
}

const locales = [...LOCALES].map(([code, messages]) => [code, flatten(messages)] as const)

describe.each(locales)('the texts in %s have', (code, texts) => {
  test.each([...COMMON, ...(RULES[code] ?? [])].map(({ name, broken }) => [name, broken] as const))(
    '%s',
    (_, broken) => {
      expect([...texts].filter(([, text]) => broken.test(prose(text)))).toEqual([])
    },
  )
})

/** Without signs that are spoken of, “?”, without the words of other apps, and with something in all places. */
function prose(text: string): string {
  return text
    .replaceAll(/\*[^*]+\*|\{\w+\}/g, 'x')
    .replaceAll(/(?:«[\u00a0]?|[“„])[^\p{L}\s](?:[\u00a0]?»|[”“])/gu, 'x')
}

describe('the rules', () => {
  test.each([
    ['fr', `Quoi${NARROW}? Oui${NARROW}; «${WIDE}a${WIDE}»${WIDE}: https://b`, []],
    ['fr', 'Quoi ? ', ['no spaces at the ends', 'no ordinary space before a mark that ends something']],
    ['es', 'Y tú?', ['questions and exclamations that begin with their mark']],
    ['de', 'Haben Sie', ['du']],
    ['en', "Don't", ['no typewriter quotes and apostrophes']],
  ] as const)('%s: %p', (code, text, expected) => {
    const broken = [...COMMON, ...(RULES[code] ?? [])].filter((rule) => rule.broken.test(text)).map(({ name }) => name)
    expect(broken).toEqual(expect.arrayContaining([...expected]))
    if (expected.length === 0) expect(broken).toEqual([])
  })
})
