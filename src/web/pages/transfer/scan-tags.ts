/** A start tag as it was found. */
export interface Tag {
  /** In lower case, without its namespace. */
  readonly name: string
  /** By their names in lower case, with references resolved; the first of two with the same name. */
  readonly attributes: ReadonlyMap<string, string>
}

interface Scan {
  readonly tags: readonly Tag[]
  /** Something has no end, or ends what never began: there may be tags that were not found. */
  readonly isDamaged: boolean
}

/** What holds no tags, by its beginning. */
const ASIDES = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

const DOCTYPE = /<!doctype[^[>]*(?:\[([\s\S]*?)\]\s*)?>/iy
const ENTITY = /<!ENTITY\s+([\w.:-]+)\s+(?:"([^"]*)"|'([^']*)')\s*>/g

/** A quoted value ends before what looks like the next tag, so that a quote that was forgotten swallows one tag at most. */
const TAG = /<(\/?)([a-z_][\w.:-]*)((?:"(?:[^"<]|<(?![a-z/!?]))*"|'(?:[^'<]|<(?![a-z/!?]))*'|[^"'<>])*)>/iy
const ATTRIBUTE = /(?<![^\s"'=/])([^\s"'=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g
const REFERENCE = /&(?:#x([\da-f]{1,6})|#(\d{1,7})|([\w.:-]+));/gi
const BUILT_IN: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }),
)

/**
 * The start tags of an XML document, in order, as far as it can be read. Own, because the parser of the browser answers what is not
 * well-formed with a page of its own, whose styles the policy forbids and reports. It knows of documents what lists need: of a document
 * type only entities of plain text, and nothing from elsewhere. Takes time in proportion to the text.
 */
export function scanTags(text: string): Scan {
  const tags: Tag[] = []
  const open: string[] = []
  const entities = new Map(BUILT_IN)
  let isDamaged = false
  let isTyped = false
  let at = text.indexOf('<')
  while (at !== -1) {
    at = text.indexOf('<', step(at))
  }
  return { tags, isDamaged: isDamaged || open.length > 0 }

  /** Where to go on after the `<` at `start`. */
  function step(start: number): number {
    const aside = ASIDES.find(([begin]) => text.startsWith(begin, start))
    if (aside) return afterAside(start, aside)
    if (!isTyped && text.startsWith('<!', start)) return afterDoctype(start)
    const tag = matchAt(TAG, text, start)
    if (tag) take(tag)
    else isDamaged ||= /[a-z_/!]/i.test(text.charAt(start + 1))
    return start + (tag?.[0].length ?? 1)
  }

  function afterAside(start: number, [begin, end]: (typeof ASIDES)[number]): number {
    const found = text.indexOf(end, start + begin.length)
    isDamaged ||= found === -1
    return found === -1 ? text.length : found + end.length
  }

  function afterDoctype(start: number): number {
    isTyped = true
    const [whole = '', subset = ''] = matchAt(DOCTYPE, text, start) ?? []
    isDamaged ||= whole === ''
    for (const [, name = '', double, single] of subset.matchAll(ENTITY))
      entities.set(name, resolve(double ?? single ?? '', BUILT_IN))
    return start + (whole.length || 1)
  }

  function take([, slash, fullName = '', rest = '']: RegExpExecArray): void {
    const name = fullName.toLowerCase()
    if (slash === '/') close(name)
    else {
      tags.push({ name: name.slice(name.indexOf(':') + 1), attributes: attributesIn(rest, entities) })
      if (!rest.endsWith('/')) open.push(name)
    }
  }

  function close(name: string): void {
    const last = open.lastIndexOf(name)
    isDamaged ||= last === -1 || last < open.length - 1
    if (last !== -1) open.length = last
  }
}

function attributesIn(text: string, entities: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    const key = name.toLowerCase()
    const value = (double ?? single ?? bare ?? '').replaceAll(/\r\n?|[\n\t]/g, ' ')
    if (!attributes.has(key)) attributes.set(key, resolve(value, entities))
  }
  return attributes
}

/** References that nobody knows stay as they are, such as the `&` of an address that was not written as `&amp;`. */
function resolve(text: string, entities: ReadonlyMap<string, string>): string {
  return text.replaceAll(REFERENCE, (whole: string, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return entities.get(name) ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** `pattern` is sticky. */
function matchAt(pattern: RegExp, text: string, start: number): RegExpExecArray | null {
  pattern.lastIndex = start
  return pattern.exec(text)
}
