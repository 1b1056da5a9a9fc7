/** Tags allowed in descriptions, besides `br`. */
export const TAGS = 'p a b strong i em ul ol li blockquote code pre h1 h2 h3 h4 h5 h6'.split(' ')
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
const REL = ' rel="noopener noreferrer nofollow"'

interface Reader {
  readonly html: string
  at: number
}

/**
 * The text of strictly plain HTML: allowed lower-case tags, correctly closed, `<br />`, links with exactly two attributes
 * and a plain URL, and four entities. Throws for everything else. Reads character by character, to share nothing with the
 * code it checks.
 */
export function htmlToText(html: string): string {
  const reader: Reader = { html, at: 0 }
  const open: string[] = []
  let text = ''
  while (reader.at < html.length) {
    const next = html.charAt(reader.at)
    if (next === '<') readTag(reader, open)
    else text += next === '&' ? readEntity(reader) : readCharacter(reader)
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join(' ')}`)
  return text
}

function readTag(reader: Reader, open: string[]): void {
  if (skip(reader, '<br />')) return
  if (skip(reader, '</')) {
    const name = open.pop()
    if (name === undefined || !skip(reader, `${name}>`)) throw strange(reader, `no end of ${name}`)
    return
  }
  if (skip(reader, '<a href="')) {
    checkAddress(readValue(reader))
    if (!skip(reader, `${REL}>`)) throw strange(reader, 'no rel')
    open.push('a')
    return
  }
  const name = TAGS.find((tag) => tag !== 'a' && skip(reader, `<${tag}>`))
  if (name === undefined) throw strange(reader, 'no known tag')
  open.push(name)
}

function readValue(reader: Reader): string {
  let value = ''
  while (!skip(reader, '"')) {
    const next = reader.html.charAt(reader.at)
    if (next === '<' || next === '') throw strange(reader, 'no end of a value')
    value += next === '&' ? readEntity(reader) : readCharacter(reader)
  }
  return value
}

function checkAddress(value: string): void {
  const scheme = value.slice(0, value.indexOf(':'))
  const isKnown = scheme === 'http' || scheme === 'https' || scheme === 'mailto'
  if (!isKnown || (scheme !== 'mailto' && !value.startsWith(`${scheme}://`))) throw new Error(`scheme of ${value}`)
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0
    if (code <= 0x20 || code === 0x7f || '"<>`'.includes(character)) throw new Error(`character in ${value}`)
  }
}

function readEntity(reader: Reader): string {
  for (const [entity, character] of Object.entries(ENTITIES)) if (skip(reader, entity)) return character
  throw strange(reader, 'no known entity')
}

function readCharacter(reader: Reader): string {
  const character = reader.html.charAt(reader.at)
  const code = character.charCodeAt(0)
  if (character === '>' || (code < 0x20 && !'\t\n\r'.includes(character)) || (code >= 0x7f && code < 0xa0)) {
    throw strange(reader, 'a character that should not be there')
  }
  reader.at++
  return character
}

function skip(reader: Reader, expected: string): boolean {
  const is = reader.html.startsWith(expected, reader.at)
  if (is) reader.at += expected.length
  return is
}

function strange({ html, at }: Reader, what: string): Error {
  return new Error(`${what} at ${at}: ${html.slice(at, at + 40)}`)
}
