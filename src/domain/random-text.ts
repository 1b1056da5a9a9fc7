/**
 * How unusual a pair of letters is in words of Latin script (English, German, French, Spanish, Italian, Polish and 17 more languages,
 * and Japanese and Chinese as they are transcribed), accents left out: 0 is everyday, 2 is what chance would do, 6 hardly ever happens.
 * A row for each first letter, a digit for each second one.
 */
const UNUSUAL_PAIRS = [
  '21003312131000315000113422',
  '05561665156155166235266646',
  '06361660152365066241266654',
  '05530555044354046234255644',
  '12001213131000314000323132',
  '26662366166366166343366656',
  '15640633165352256123165646',
  '06651666165354166353265656',
  '02010214331010024100415342',
  '26662666365565366646366666',
  '05561653163354146322255636',
  '04420434044133046521146635',
  '02650666065424116534266656',
  '04100304032342156500235624',
  '32113324342010215001112443',
  '06550553165165026032266656',
  '66666666366666666666066666',
  '03220424042322046211134633',
  '04150441051234115410144633',
  '05340552053343046011144623',
  '22222334232110426011445543',
  '16660666166564266456466646',
  '16662663266664366446566646',
  '46564666366666536663366666',
  '25453655464433336433465666',
  '15651662265554366654365645',
] as const
const CHANCE = 2
const A = 97

const SHORTEST = 20

/** Identifiers of this form are random by definition, and words of six letters alone do not get this long. */
const HEXADECIMAL = /[0-9a-f]{20}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i

/** What speaks for chance rather than for a word or number that somebody chose, on the scale of the table above. */
const LETTER_BESIDE_DIGIT = 4
const CAPITAL_AFTER_STUB = 3
const CAPITAL_AFTER_WORD = 1
const BESIDE_SEPARATOR = -1
/** Words of CamelCase are seldom shorter. */
const WORD = 3

/** So much, over so many characters, and it is chance: identifiers of up to ten characters behind a name are none of ours. */
const ENOUGH = 16
const LONG_ENOUGH = 11

/**
 * True if `text` has 20 or more characters of which a stretch looks as if nobody had chosen them (protocol.md D56): an identifier in
 * hexadecimal, base32 or base64url, alone or behind a name. Letters, digits and separators only; anything else counts as a separator.
 * Linear. Of random base64url with 20 characters it misses one in a hundred, from 24 on a few in a thousand; of words joined in any
 * way it takes one name in a thousand for chance.
 */
export function looksRandom(text: string): boolean {
  return text.length >= SHORTEST && (HEXADECIMAL.test(text) || hasRandomStretch(text))
}

/** The stretch with the greatest sum, as by Kadane's algorithm: a name in front of an identifier does not excuse it. */
function hasRandomStretch(text: string): boolean {
  let sum = 0
  let start = 0
  let word = 1
  for (let at = 1; at < text.length; at++) {
    const before = kindOf(text.charCodeAt(at - 1))
    const kind = kindOf(text.charCodeAt(at))
    if (sum <= 0) {
      sum = 0
      start = at - 1
    }
    sum += evidence(text, at, before, kind, word)
    word = isWithinWord(before, kind) ? word + 1 : 1
    if (sum >= ENOUGH && at - start + 1 >= LONG_ENOUGH) return true
  }
  return false
}

type Kind = 'lower' | 'upper' | 'digit' | 'separator'

function kindOf(code: number): Kind {
  if (code >= 97 && code <= 122) return 'lower'
  if (code >= 65 && code <= 90) return 'upper'
  return code >= 48 && code <= 57 ? 'digit' : 'separator'
}

function isWithinWord(before: Kind, kind: Kind): boolean {
  return (before === 'lower' || before === 'upper') && (kind === 'lower' || (kind === 'upper' && before === 'upper'))
}

/** What the character at `at` behind the one before it says for chance; `word` is how long the word before it is so far. */
function evidence(text: string, at: number, before: Kind, kind: Kind, word: number): number {
  if (before === 'separator' || kind === 'separator') return BESIDE_SEPARATOR
  if (before === 'digit' || kind === 'digit') return before === kind ? 0 : LETTER_BESIDE_DIGIT
  if (before === 'lower' && kind === 'upper') return word < WORD ? CAPITAL_AFTER_STUB : CAPITAL_AFTER_WORD
  const row = UNUSUAL_PAIRS[letter(text, at - 1)] ?? ''
  return Number(row.charAt(letter(text, at))) - CHANCE
}

/** 0 for a or A. */
function letter(text: string, at: number): number {
  return (text.charCodeAt(at) | 0x20) - A
}
