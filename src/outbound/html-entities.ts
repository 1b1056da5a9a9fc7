/** From U+00A0 on, in order, without a gap. */
const LATIN = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para
  middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml
  Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave
  aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde
  ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`

const OTHERS = `amp & lt < gt > quot " apos ' ndash – mdash — hellip … bull • lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ lsaquo ‹
  rsaquo › euro € trade ™ OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ`

const LATIN_START = 0xa0
const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(/\s+/).map((name, at): [string, string] => [name, String.fromCodePoint(LATIN_START + at)]),
  ...[...OTHERS.matchAll(/(\w+) (\S)/g)].map(([, name = '', character = '']): [string, string] => [name, character]),
])

/** What people meant who wrote the numbers of control characters. */
const WINDOWS = new TextDecoder('windows-1252')

/**
 * The character of `eacute`, `#233` or `#xE9`, as browsers read it; undefined for names that few people use, of which HTML has two
 * thousand: a library that knows them all takes 8 MB.
 */
export function characterOf(entity: string): string | undefined {
  if (!entity.startsWith('#')) return NAMED.get(entity)
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
  if (code >= 0x80 && code < LATIN_START) return WINDOWS.decode(Uint8Array.of(code))
  const isOne = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isOne ? String.fromCodePoint(code) : '\ufffd'
}
