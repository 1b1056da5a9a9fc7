/**
 * How unusual a pair of letters is in words of Latin script (English, German, French, Spanish, Italian, Polish and 17 more languages,
 * and Japanese and Chinese as they are transcribed), accents left out: 0 is everyday, 2 is what chance would do, 6 hardly ever happens.
 * A row for each first letter, a digit for each second one.
 */
const UNUSUAL_PAIRS = [
  '11002312131000215000113422',
  '05561665156155166235265646',
  '06361660142364066231265632',
  '05510555044353046234254643',
  '12001213131000314000323132',
  '26652366166364166343365646',
  '15640633154352256123163636',
  '06641666155354166353253636',
  '02010214221010024100414332',
  '26651666364455366645366666',
  '05561653153354146322255636',
  '04420434024133046521143635',
  '02650655045324116534266656',
  '04100303022342156500234624',
  '22113323232010215001111442',
  '06550553165165026032265656',
  '66666666366666666666066666',
  '03220423042322046211134632',
  '04150441031234115410144631',
  '05340552053343046011144421',
  '22222333232110326011345543',
  '16660666156464266455466625',
  '15452653266553366346566626',
  '46564666366666536663366666',
  '25323344344432336333454646',
  '15541652264553256653344624',
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
/** What is joined to whole words has been named; a base64url has stubs before its separators. */
const SEPARATOR_AFTER_WORD = -4
const WORD = 3

/** So much over so many characters is chance: identifiers of up to ten characters beside a name open nothing. */
const ENOUGH = 14
const LONG_ENOUGH = 11

/**
 * True if `text` has 20 or more characters of which a stretch looks as if nobody had chosen them (docs/protocol.md#D56): an identifier in
 * hexadecimal, base32, base36 or base64url, alone or beside a name. ASCII; what is no letter or digit is a separator. Linear.
 * Measured: of random base64url it misses 2 % with 20 characters, 1 % with 22, 0.1 % with 32; of words joined in any way it takes fewer
 * than 1 in 1000 names for chance, with an identifier of eight characters behind them 5 in 1000.
 */
export function isHighEntropy(text: string): boolean {
  return text.length >= SHORTEST && (HEXADECIMAL.test(text) || hasRandomStretch(text))
}

/** The stretch with the greatest sum, as by Kadane's algorithm: a name in front of an identifier does not excuse it. */
function hasRandomStretch(text: string): boolean {
  let sum = 0
  let peak = 0
  let start = 0
  let word = 1
  for (let at = 1; at < text.length; at++) {
    const before = kindOf(text.charCodeAt(at - 1))
    const kind = kindOf(text.charCodeAt(at))
    if (sum <= 0) {
      sum = 0
      peak = 0
      start = at - 1
    }
    sum += evidence(text, at, before, kind, word)
    word = isWithinWord(before, kind) ? word + 1 : 1
    if (sum > peak) {
      peak = sum
      if (peak >= ENOUGH && at - start + 1 >= LONG_ENOUGH) return true
    }
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
  if (kind === 'separator') return word < WORD ? BESIDE_SEPARATOR : SEPARATOR_AFTER_WORD
  if (before === 'separator') return BESIDE_SEPARATOR
  if (before === 'digit' || kind === 'digit') return before === kind ? 0 : LETTER_BESIDE_DIGIT
  if (before === 'lower' && kind === 'upper') return word < WORD ? CAPITAL_AFTER_STUB : CAPITAL_AFTER_WORD
  const row = UNUSUAL_PAIRS[letter(text, at - 1)] ?? ''
  return Number(row.charAt(letter(text, at))) - CHANCE
}

/** 0 for a or A. */
function letter(text: string, at: number): number {
  return (text.charCodeAt(at) | 0x20) - A
}
