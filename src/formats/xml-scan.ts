import { DomainError, invalid } from '../domain/shared/errors.ts'
import { withWindowsCharacters } from '../platform/decode-text.ts'

/**
 * Reader of start tags in untrusted XML, for the server and for the preview of the web client. It replaces the library
 * that parses feeds because clients choose size and nesting here: it builds no tree, does not recurse, takes linear
 * time, never expands declarations of a DOCTYPE, and keeps one tag of the document in memory.
 */

/** Called at each start tag. Strings are slices that keep the whole piece in memory: copy those you keep. */
type OnElement = (name: string, attributes: ReadonlyMap<string, string>, depth: number) => void

const NAME = /[\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*/uy
const ATTRIBUTE = /[ \t\n]*([\p{L}_:][\p{L}\p{M}\p{N}_:.·-]*)[ \t\n]*=[ \t\n]*(?:"([^"]*)"|'([^']*)')/uy
const START_TAG_END = /[ \t\n]*(\/?)>/y
const END_TAG_END = /[ \t\n]*>/y
const REFERENCE = /&(?:#x([\da-fA-F]{1,50});|#(\d{1,50});|(amp|lt|gt|quot|apos);)/g
const NON_SPACE = /[^ \t\n]/
const DOCTYPE_MARK = /<!--|<\?|["'[\]>]/g
const TAG_MARK = /["'<>]/g
const OUTLINE = /<outline[ \t\n]/i
const OUTLINE_END = /<\/?(?:outline|body|opml)[ \t\n/>]/gi
const LOOSE_ATTRIBUTE =
  /(?<=[ \t\n"'])([\p{L}_:][\p{L}\p{M}\p{N}_:.·-]{0,200})[ \t\n]*=[ \t\n]*(?:"([^"]*)"|'([^']*)'|((?:(?!\/>)[^ \t\n"'<>])+))/gu

/** Limits on the markup of a document and on the attributes of one tag, many times those of any real list. */
const MARKUP_MAX = 200_000
const ATTRIBUTES_MAX = 50
const TAG_MAX = 256 * 1024
const NAME_MAX = 200
const COMMENT = '<!--'
const INSTRUCTION = '<?'
const CDATA = '<![CDATA['
const DOCTYPE = '<!DOCTYPE'
const BEGINNINGS = [COMMENT, INSTRUCTION, CDATA, DOCTYPE]
const MARK_LENGTH = CDATA.length
/** Characters per piece: a few milliseconds of work. */
const PIECE = 16 * 1024

const PREDEFINED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Splits a document into pieces, so that other work may run between them. */
export function* piecesOf(document: string): Generator<string> {
  for (let from = 0; from < document.length; from += PIECE) yield document.slice(from, from + PIECE)
}

export interface Lenience {
  /** Called with the line, from 1, of each place that is not well-formed, in ascending order. */
  readonly onDamage: (line: number) => void
  /**
   * Unterminated kinds of markup: from the nth piece of markup on, the opening of that kind is skipped. A scan adds
   * those that it finds, for the next scan.
   */
  readonly endless: Map<string, number>
}

/**
 * Scans a document in pieces, cut anywhere. Throws validation_failed (field `body`) if it is not well-formed, but
 * accepts common and harmless errors: a BOM or white space before the XML declaration, undeclared entities, unescaped
 * ampersands, `<` in a value, no space between attributes, an attribute twice (the first counts), and characters that
 * XML forbids, which are dropped. Throws payload_too_large for more markup than any list of podcasts has.
 *
 * With `lenience` it continues after markup that is not well-formed, reads each `outline` separately, and throws only
 * if the document has no element at all.
 */
export function createXmlScan(onElement: OnElement, lenience?: Lenience) {
  const scan = scanPieces(onElement, lenience)
  scan.next()
  return {
    read: (piece: string): void => void scan.next(piece),
    end: (): void => void scan.next(undefined),
  }
}

type Scan<Result> = Generator<undefined, Result, string | undefined>

function* scanPieces(onElement: OnElement, lenience: Lenience | undefined): Scan<void> {
  const open: string[] = []
  const openCounts = new Map<string, number>()
  const names = new Map<string, string>()
  let hasRoot = false
  let markup = 0
  let markupBeforeText = -1
  let text = ''
  let at = 0
  /** CR or high surrogate at the end of the last piece: the next piece may hold the other half. */
  let half = ''
  let isOver = false
  let hasFoundEndless = false
  let line = 1
  let lineAt = 0

  function currentLine(): number {
    const passed = text.slice(lineAt, at)
    for (let end = passed.indexOf('\n'); end !== -1; end = passed.indexOf('\n', end + 1)) line++
    lineAt = at
    return line
  }

  function damaged(detail: string): void {
    if (!lenience) throw notWellFormed(`${detail} in line ${currentLine()}`)
    lenience.onDamage(currentLine())
  }

  function* readMore(): Scan<boolean> {
    if (isOver) return false
    currentLine()
    const piece = yield
    isOver = piece === undefined
    const all = half + (piece ?? '')
    half = isOver ? '' : halfAtEnd(all)
    const arrived = half === '' ? all : all.slice(0, -half.length)
    text = text.slice(at) + arrived.replace(/\r\n?/g, '\n').replace(FORBIDDEN_IN_XML, '')
    at = 0
    lineAt = 0
    return true
  }

  function* fill(length: number): Scan<void> {
    while (text.length - at < length && (yield* readMore()));
  }

  function* toMarkup(): Scan<boolean> {
    for (;;) {
      const tag = text.indexOf('<', at)
      if (tag !== -1) {
        checkText(at, tag)
        at = tag
        return true
      }
      checkText(at, text.length)
      at = text.length
      if (!(yield* readMore())) return false
    }
  }

  function checkText(from: number, to: number): void {
    if (open.length > 0) return
    const part = text.slice(from, to)
    const start = markup === 0 ? part.trimStart() : part
    const found = start.search(NON_SPACE)
    if (found === -1 || markup === markupBeforeText) return
    markupBeforeText = markup
    at = to - start.length + found
    damaged('text outside of the root element')
  }

  function* skipPast(mark: string, length: number, beginning: string): Scan<void> {
    at += length
    for (;;) {
      const found = text.indexOf(mark, at)
      if (found !== -1) {
        at = found + mark.length
        return
      }
      // The next piece may hold the rest of the mark.
      at = Math.max(at, text.length - mark.length + 1)
      if (!(yield* readMore())) return endsInside(beginning)
    }
  }

  function endsInside(beginning: string): void {
    lenience?.endless.set(beginning, markup)
    hasFoundEndless = true
    damaged('unexpected end')
  }

  function* skipInstruction(): Scan<void> {
    yield* fill(2 + NAME_MAX + 1)
    NAME.lastIndex = at + 2
    const target = NAME.exec(text)?.[0] ?? ''
    if (target === '' || target.length > NAME_MAX) damaged('bad instruction')
    if (target.toLowerCase() === 'xml' && markup > 1) damaged('misplaced XML declaration')
    yield* skipPast('?>', INSTRUCTION.length + target.length, INSTRUCTION)
  }

  function* skipDoctype(): Scan<void> {
    let inSubset = false
    at += DOCTYPE.length
    for (;;) {
      const found = findAt(DOCTYPE_MARK, text, at)
      if (found === undefined) {
        at = Math.max(at, text.length - 3)
        if (!(yield* readMore())) return endsInside(DOCTYPE)
        continue
      }
      const { mark, index } = found
      at = index + mark.length
      if (mark === '>' && !inSubset) return
      if (mark === '[' || mark === ']') inSubset = mark === '['
      else if (mark === '<!--') yield* skipPast('-->', 0, DOCTYPE)
      else if (mark === '<?') yield* skipPast('?>', 0, DOCTYPE)
      else if (mark !== '>') yield* skipPast(mark, 0, DOCTYPE)
    }
  }

  function* fillTag(): Scan<void> {
    let quote = ''
    let length = 1
    for (;;) {
      const from = at + length
      const found = quote === '' ? findAt(TAG_MARK, text, from) : findText(quote, text, from)
      length = (found ? found.index + 1 : text.length) - at
      if (lenience && quote !== '' && OUTLINE.test(text.slice(Math.max(at + 1, from - MARK_LENGTH), at + length)))
        throw new BadTag('bad tag')
      if (length > TAG_MAX) throw tooMuchMarkup()
      if (!found) {
        if (!(yield* readMore())) throw new BadTag('unexpected end')
      } else if (quote !== '') quote = ''
      else if (found.mark === '>') return
      else if (found.mark === '<') throw new BadTag('bad tag')
      else quote = found.mark
    }
  }

  function readStartTag(): void {
    const name = nameAt(text, at + 1)
    // The list may have lost its root element.
    const isLoose = lenience !== undefined && name.toLowerCase() === 'outline'
    if (hasRoot && open.length === 0 && !isLoose) damaged('more than one root element')
    const { attributes, end } = readAttributes(text, at + 1 + name.length)
    const [closing, slash] = matchAt(START_TAG_END, text, end)
    hasRoot = true
    onElement(name, attributes, open.length)
    if (slash === '') openElement(name)
    at = end + closing.length
  }

  function openElement(name: string): void {
    const stored = intern(name)
    open.push(stored)
    openCounts.set(stored, (openCounts.get(stored) ?? 0) + 1)
  }

  function closeElement(): string | undefined {
    const name = open.pop()
    if (name !== undefined) openCounts.set(name, (openCounts.get(name) ?? 0) - 1)
    return name
  }

  function intern(name: string): string {
    const interned = names.get(name) ?? [...name].join('')
    names.set(interned, interned)
    return interned
  }

  function readEndTag(): void {
    const name = nameAt(text, at + 2)
    const end = at + 2 + name.length
    const tagEnd = end + matchAt(END_TAG_END, text, end)[0].length
    if (open.at(-1) !== name) damaged('an end tag does not match')
    // Skip an end tag without a start tag; any other also closes the elements left open inside.
    if ((openCounts.get(name) ?? 0) > 0) while (closeElement() !== name);
    at = tagEnd
  }

  function* skipBadTag(): Scan<void> {
    if (!OUTLINE.test(text.slice(at, at + MARK_LENGTH))) {
      at++
      return
    }
    let end: number | undefined
    let from = at + 1
    while (end === undefined) {
      end = findAt(OUTLINE_END, text, from)?.index
      if (end !== undefined || text.length - at > TAG_MAX) break
      from = Math.max(at + 1, text.length - MARK_LENGTH) - at
      const isMore = yield* readMore()
      from += at
      if (!isMore) break
    }
    const tag = text.slice(at, Math.min(end ?? text.length, at + TAG_MAX))
    hasRoot = true
    onElement('outline', readLooseAttributes(tag), open.length)
    if (!tag.trimEnd().endsWith('/>')) openElement(text.slice(at + 1, at + MARK_LENGTH - 1))
    at += tag.length
  }

  while (yield* toMarkup()) {
    if (++markup > MARKUP_MAX) throw tooMuchMarkup()
    yield* fill(MARK_LENGTH)
    const beginning = BEGINNINGS.find((each) => text.startsWith(each, at))
    if (beginning !== undefined && markup >= (lenience?.endless.get(beginning) ?? Number.POSITIVE_INFINITY)) {
      damaged('unexpected end')
      at += beginning.length
    } else if (beginning === COMMENT) yield* skipPast('-->', COMMENT.length, COMMENT)
    else if (beginning === INSTRUCTION) yield* skipInstruction()
    else if (beginning === CDATA && open.length > 0) yield* skipPast(']]>', CDATA.length, CDATA)
    else if (beginning === DOCTYPE && !hasRoot) yield* skipDoctype()
    else {
      try {
        yield* fillTag()
        if (text.startsWith('</', at)) readEndTag()
        else readStartTag()
      } catch (error) {
        if (!(error instanceof BadTag)) throw error
        damaged(error.message)
        yield* skipBadTag()
      }
    }
  }
  // Unterminated markup may hide the root.
  if (!hasRoot && !hasFoundEndless) throw notWellFormed('unexpected end')
  if (open.length > 0) damaged('unexpected end')
}

class BadTag extends Error {}

function halfAtEnd(text: string): string {
  return /[\r\ud800-\udbff]/.exec(text.slice(-1))?.[0] ?? ''
}

function readAttributes(text: string, start: number) {
  const attributes = new Map<string, string>()
  let end = start
  for (let count = 0; ; count++) {
    ATTRIBUTE.lastIndex = end
    const match = ATTRIBUTE.exec(text)
    if (match === null) return { attributes, end }
    const [all, name = '', inDouble, inSingle] = match
    if (count >= ATTRIBUTES_MAX) throw tooMuchMarkup()
    if (!attributes.has(name)) {
      const value = decode((inDouble ?? inSingle ?? '').replace(/[\t\n]/g, ' '))
      attributes.set(name, withWindowsCharacters(value))
    }
    end += all.length
  }
}

/** Attributes of a tag that is not well-formed. An extra or missing quote spoils one or two of them. */
function readLooseAttributes(tag: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', inDouble, inSingle, bare] of tag.matchAll(LOOSE_ATTRIBUTE)) {
    if (attributes.size >= ATTRIBUTES_MAX) break
    if (!attributes.has(name))
      attributes.set(name, decode((inDouble ?? inSingle ?? bare ?? '').replace(/[\t\n]/g, ' ')))
  }
  return attributes
}

/** Resolves numeric and predefined references (docs/protocol.md#D10), keeps others, and drops forbidden characters. */
function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (reference: string, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return PREDEFINED.get(name) ?? reference
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code).replace(FORBIDDEN_IN_XML, '') : ''
  })
}

interface Found {
  readonly mark: string
  readonly index: number
}

function findAt(global: RegExp, text: string, from: number): Found | undefined {
  global.lastIndex = from
  const match = global.exec(text)
  return match ? { mark: match[0], index: match.index } : undefined
}

function findText(mark: string, text: string, from: number): Found | undefined {
  const index = text.indexOf(mark, from)
  return index === -1 ? undefined : { mark, index }
}

function nameAt(text: string, at: number): string {
  const name = matchAt(NAME, text, at)[0]
  if (name.length > NAME_MAX) throw new BadTag('bad tag')
  return name
}

function matchAt(sticky: RegExp, text: string, at: number): RegExpExecArray {
  sticky.lastIndex = at
  const match = sticky.exec(text)
  if (match === null) throw new BadTag('bad tag')
  return match
}

function notWellFormed(detail: string) {
  return invalid('body', `the body is not well-formed XML: ${detail}`)
}

function tooMuchMarkup() {
  return new DomainError(
    'payload_too_large',
    `the document has more than ${MARKUP_MAX} tags, or more than ${ATTRIBUTES_MAX} attributes or ${TAG_MAX} characters in one; nothing was changed`,
  )
}

/** Characters outside the production `Char` of XML 1.0, including lone surrogates; escapes may not name them either. */
const FORBIDDEN_IN_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  // Parsers turn these into spaces inside an attribute unless they are escaped.
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Escapes text for an element or a quoted attribute. Drops characters that XML 1.0 forbids. */
export function escapeXml(text: string): string {
  return text.replace(FORBIDDEN_IN_XML, '').replace(/[&<>"'\t\n\r]/g, (char) => ESCAPES[char] ?? char)
}
