import { DomainError, invalid } from '../domain/shared/errors.ts'

/**
 * A reader of start tags for untrusted XML, for the server and for the preview of the web client. It is not the library
 * that parses feeds, because here size and nesting are the client's choice: this one builds no tree, does not recurse,
 * takes linear time, and never expands what a DOCTYPE declares.
 */

/** Called for each element at its start tag; attributes are decoded, `depth` of the root is 0. */
type OnElement = (name: string, attributes: ReadonlyMap<string, string>, depth: number) => void

const NAME = /[\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*/uy
const ATTRIBUTE = /[ \t\n]+([\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*)[ \t\n]*=[ \t\n]*(?:"([^"<]*)"|'([^'<]*)')/uy
const START_TAG_END = /[ \t\n]*(\/?)>/y
const END_TAG_END = /[ \t\n]*>/y
const REFERENCE = /&(?:#x([\da-fA-F]+);|#(\d+);|([\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*);)?/gu
const NON_SPACE = /[^ \t\n]/
const DOCTYPE_MARK = /<!--|<\?|["'[\]>]/g

/** Tags, comments and instructions of a document, and the attributes of one tag: many times what any list has. */
const MARKUP_MAX = 200_000
const ATTRIBUTES_MAX = 50
/** Some milliseconds' work. */
const MARKUP_IN_ONE_GO = 2000

const PREDEFINED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/**
 * Walks the document, with a `yield` wherever others may have their turn, and throws validation_failed (field `body`)
 * where it is not well-formed. Forgives a BOM or white space before the XML declaration, entities nobody declared and
 * ampersands that should have been escaped: all are common and harmless. Throws payload_too_large for documents that
 * hold more than lists of podcasts do: each piece of markup takes time, however short it is.
 */
export function* scanXml(document: string, onElement: OnElement): Generator<undefined, void> {
  if (FORBIDDEN_IN_XML.test(document)) throw notWellFormed('forbidden character')
  const text = document.replace(/\r\n?/g, '\n').trimStart()
  const open: string[] = []
  let rootSeen = false
  let at = 0
  let markup = 0

  while (at < text.length) {
    if (++markup > MARKUP_MAX) throw tooMuchMarkup()
    if (markup % MARKUP_IN_ONE_GO === 0) yield
    const tag = indexOrEnd(text, '<', at)
    checkText(text.slice(at, tag), open.length > 0)
    if (tag === text.length) break
    if (text.startsWith('<!--', tag)) at = skipPast(text, '-->', tag + 4)
    else if (text.startsWith('<?', tag)) at = skipInstruction(text, tag)
    else if (text.startsWith('<![CDATA[', tag) && open.length > 0) at = skipPast(text, ']]>', tag + 9)
    else if (text.startsWith('<!DOCTYPE', tag) && !rootSeen) at = skipDoctype(text, tag + 9)
    else if (text.startsWith('</', tag)) at = readEndTag(tag)
    else at = readStartTag(tag)
  }
  if (!rootSeen || open.length > 0) throw notWellFormed('unexpected end')

  function readStartTag(tag: number): number {
    if (rootSeen && open.length === 0) throw notWellFormed('more than one root element')
    rootSeen = true
    const name = matchAt(NAME, text, tag + 1)[0]
    const { attributes, end } = readAttributes(text, tag + 1 + name.length)
    const [closing, slash] = matchAt(START_TAG_END, text, end)
    onElement(name, attributes, open.length)
    if (slash === '') open.push(name)
    return end + closing.length
  }

  function readEndTag(tag: number): number {
    const name = matchAt(NAME, text, tag + 2)[0]
    if (open.pop() !== name) throw notWellFormed('an end tag does not match')
    const end = tag + 2 + name.length
    return end + matchAt(END_TAG_END, text, end)[0].length
  }
}

function readAttributes(text: string, start: number) {
  const attributes = new Map<string, string>()
  let end = start
  for (;;) {
    ATTRIBUTE.lastIndex = end
    const match = ATTRIBUTE.exec(text)
    if (match === null) return { attributes, end }
    const [all, name = '', inDouble, inSingle] = match
    if (attributes.has(name)) throw notWellFormed('an attribute is repeated')
    if (attributes.size >= ATTRIBUTES_MAX) throw tooMuchMarkup()
    attributes.set(name, decode((inDouble ?? inSingle ?? '').replace(/[\t\n]/g, ' ')))
    end += all.length
  }
}

/** Resolves numeric references and predefined entities; others and bare ampersands stay (docs/protocol.md#D10). */
function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (reference: string, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return PREDEFINED.get(name) ?? reference
    if (hex === undefined && decimal === undefined) return reference
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    const char = code <= 0x10ffff ? String.fromCodePoint(code) : ''
    if (char === '' || FORBIDDEN_IN_XML.test(char)) throw notWellFormed('bad character reference')
    return char
  })
}

function checkText(text: string, insideRoot: boolean): void {
  if (insideRoot) decode(text)
  else if (NON_SPACE.test(text)) throw notWellFormed('text outside of the root element')
}

function skipInstruction(text: string, tag: number): number {
  const target = matchAt(NAME, text, tag + 2)[0]
  if (target.toLowerCase() === 'xml' && tag > 0) throw notWellFormed('misplaced XML declaration')
  return skipPast(text, '?>', tag + 2 + target.length)
}

/** To the end of a DOCTYPE, over its internal subset, without looking at what is declared there. */
function skipDoctype(text: string, start: number): number {
  let inSubset = false
  let at = start
  for (;;) {
    DOCTYPE_MARK.lastIndex = at
    const match = DOCTYPE_MARK.exec(text)
    if (match === null) throw notWellFormed('unexpected end')
    const mark = match[0]
    at = match.index + mark.length
    if (mark === '>' && !inSubset) return at
    if (mark === '[' || mark === ']') inSubset = mark === '['
    else if (mark === '<!--') at = skipPast(text, '-->', at)
    else if (mark === '<?') at = skipPast(text, '?>', at)
    else if (mark !== '>') at = skipPast(text, mark, at)
  }
}

function skipPast(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  if (found === -1) throw notWellFormed('unexpected end')
  return found + mark.length
}

function indexOrEnd(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray {
  sticky.lastIndex = at
  const match = sticky.exec(text)
  if (match === null) throw notWellFormed('bad tag')
  return match
}

function notWellFormed(detail: string) {
  return invalid('body', `the body is not well-formed XML: ${detail}`)
}

function tooMuchMarkup() {
  return new DomainError(
    'payload_too_large',
    `the document has more than ${MARKUP_MAX} tags or more than ${ATTRIBUTES_MAX} attributes in one; nothing was changed`,
  )
}

/** All outside of the production `Char` of XML 1.0, lone surrogates included: not even escapes may name these. */
const FORBIDDEN_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

const FORBIDDEN = new RegExp(FORBIDDEN_IN_XML, 'gu')

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // A reader turns these into spaces inside an attribute unless they are escaped.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Text for an element or an attribute in either kind of quotes. Characters that XML 1.0 forbids are dropped. */
export function escapeXml(text: string): string {
  return text.replace(FORBIDDEN, '').replace(/[&<>"'\t\n\r]/g, (char) => ESCAPES[char] ?? char)
}
