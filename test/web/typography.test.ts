import { describe, expect, test } from 'bun:test'
import { flatten } from '../../src/web/locales/messages.ts'
import { LOCALES } from './support/texts.ts'

interface Rule {
  readonly name: string
  /** Matches texts that break the rule. */
  readonly broken: RegExp
}

const COMMON: readonly Rule[] = [
  { name: 'no typewriter quotes and apostrophes', broken: /['"`´]/ },
  { name: 'no two spaces in a row', broken: /[ \u00a0\u202f\t]{2}/ },
  { name: 'no spaces at the ends', broken: /^\s|\s$/ },
  { name: 'no full stops in a row for an ellipsis', broken: /\.\./ },
  { name: 'no ordinary space before a mark that ends something', broken: / [.,;:!?»”…](?![\p{L}\d])/u },
]

/** Only German has a space before an ellipsis. */
const CLOSE_ELLIPSIS: Rule = { name: 'an ellipsis right after the word', broken: /\s…/ }

/** Rules for single languages, in addition to the common ones. */
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
    {
      name: 'imperatives with their -e',
      broken: /(?<!\p{L})(Versuch es|Such|Schick|Sag|Mach|Zeig|Zieh|Leg|Setz|Frag|Merk|Geh|Bring|Nutz)(?!\p{L})/u,
    },
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
    { name: 'one word for one thing', broken: /aplicaci[oó]n|\bpodcasts?\b|\bmensaje del?\b|\bentr(a|as|ar)\b/i },
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
  test.each([...COMMON, ...(RULES[code] ?? [])])('$name', ({ broken }) => {
    expect([...texts].filter(([, text]) => broken.test(prose(text)))).toEqual([])
  })
})

/** Replaces placeholders, labels of apps and quoted characters, which the rules do not cover. */
function prose(text: string): string {
  return text
    .replaceAll(/\*[^*]+\*|\{\w+\}/g, 'x')
    .replaceAll(/(?:«[\u00a0]?|[“„])[^\p{L}\s](?:[\u00a0]?»|[”“])/gu, 'x')
}
