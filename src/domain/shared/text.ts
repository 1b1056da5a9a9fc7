/** Cuts sanitised HTML to `max` characters and an ellipsis, but not inside a tag, entity or character. */
export function truncateHtml(html: string, max: number): string {
  if (html.length <= max) return html
  return `${html.slice(0, max).replace(/[\uD800-\uDBFF]$|<[^>]*$|&[^;\s]*$/, '')}…`
}

const TIME = String.raw`[^\p{L}\p{N}\n]*(?:\d{1,2}:)?\d{1,2}:[0-5]\d(?![\p{L}\p{N}:])`
const CHAPTER = String.raw`${TIME}[^\n]{0,120}?(?=\n|$|\s${TIME})\s*`
const CHAPTERS = new RegExp(
  String.raw`^(?:[^\n]{0,40}:\s*\n\s*)?(?:(?:${CHAPTER}){2,}|(?=[^\p{L}\p{N}\n]*(?:0?0:)?0?0:00)${CHAPTER})`,
  'u',
)

export function excerptOf(text: string, max: number): string {
  return text.replace(CHAPTERS, '').trimStart().slice(0, max).toWellFormed()
}

/**
 * Marks that people leave out when they type: accents, vowel signs of Arabic and Hebrew, the Arabic tatweel, variation
 * selectors; and invisible characters that do not separate words.
 */
const ACCENTS =
  /[[[\p{Mn}\p{Me}]&&[\p{Script=Inherited}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]]--[\u3099\u309a]]|[\p{Default_Ignorable_Code_Point}--[\u200b\u200c]]|\u0640/gv

const LETTERS: ReadonlyMap<string, string> = new Map([
  ...pairs('ß ss æ ae œ oe ø o đ d ð d þ th ł l ħ h ı i ς σ ٱ ا ى ي ی ي ک ك ة ه'),
  // Apostrophes, two of which count as letters.
  ...pairs("’ ' ‘ ' ʼ ' ʻ '"),
])
const SPECIAL = new RegExp(`[${[...LETTERS.keys()].join('')}]`, 'g')
const KATAKANA = /[\u30a1-\u30f6\u30fd\u30fe]/g
const KATAKANA_TO_HIRAGANA = 0x60

function pairs(text: string): [string, string][] {
  return [...text.matchAll(/(\S+) (\S+)/g)].map(([, from = '', to = '']) => [from, to])
}

/** Lower-cases text and removes accents: `Ça va, Ōsaka` becomes `ca va, osaka`. Marks that form another letter stay. */
export function withoutAccents(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  return text.normalize('NFKD').replaceAll(ACCENTS, '').normalize('NFC').toLowerCase()
}

/** Folds spellings that a search treats as equal: case and accents, but also `ß` and `ss`, and both kana. */
export function fold(text: string): string {
  const plain = withoutAccents(text)
  if (/^[\0-\x7f]*$/.test(plain)) return plain
  return plain
    .replaceAll(SPECIAL, (letter) => LETTERS.get(letter) ?? letter)
    .replaceAll(KATAKANA, (kana) => String.fromCharCode(kana.charCodeAt(0) - KATAKANA_TO_HIRAGANA))
}

const SLUG_MAX = 64

/** Name of a tag in a path (docs/protocol.md#directory): `Sea & Coast` becomes `sea-coast`. May be `''`. */
export function slugOf(text: string): string {
  const slug = withoutAccents(text)
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-/, '')
  return [...slug.slice(0, 2 * SLUG_MAX)].slice(0, SLUG_MAX).join('').replace(/-$/, '')
}

/** Removes characters that could disturb a page or terminal: controls, direction marks, runs of spaces. */
export function plainName(text: string): string {
  return text.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ').trim()
}
