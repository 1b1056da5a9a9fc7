import { type X2jOptions, XMLParser } from 'fast-xml-parser'
import { NotAFeed } from '../domain/feed-document.ts'
import { elementNames } from './xml-names.ts'
import { childrenOf, isNode, type XmlNode } from './xml-tree.ts'

/** How far in a document its root may be; what stands before is at most a declaration, a DOCTYPE, and what a broken server said. */
const HEAD_MAX = 64 * 1024

/**
 * Entities are left alone by the parser, so that none can be made up by a document, and are decoded where text is taken out. What may
 * hold markup, rightly or wrongly, comes as it stands.
 */
const OPTIONS = {
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  cdataPropName: '#cdata',
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  transformAttributeName: (name) => name.toLowerCase(),
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: 100,
  // Nobody asks for paths, and writing them takes time.
  jPath: false,
  stopNodes: [
    ...['title', 'description', 'content:encoded', 'content', 'summary', 'subtitle', 'tagline'],
    ...['itunes:summary', 'itunes:subtitle', 'googleplay:description', 'media:description'],
  ].map((name) => `*.${name}`),
} as const satisfies X2jOptions

/** From here on, in characters, the tree of a document would take so much memory that its items are parsed one by one. */
const LARGE = 2 * 1024 * 1024
const UNOPENED = ['*.item', '*.entry']

export interface XmlDocument {
  readonly name: string
  readonly root: XmlNode
  /** With all that is in it; in large documents an item is text until then. Undefined for one that is broken. */
  open(item: XmlNode): XmlNode | undefined
}

/** The root of a feed or, if that is what it is, of a web page. */
const ROOT = /<(?:((?:[\w.-]+:)?(?:rss|rdf|feed))(?=[\s>])|!doctype\s+html|html[\s>])/i

/** Throws `NotAFeed`. */
export function parseXml(text: string): XmlDocument {
  const head = text.slice(0, HEAD_MAX)
  const found = ROOT.exec(head)
  const rawName = found?.[1]
  if (rawName === undefined) throw new NotAFeed(whatElse(head, found !== null))
  refuseEntities(head.slice(0, found?.index))
  const end = text.lastIndexOf(`</${rawName}`)
  const body = text.slice(found?.index ?? 0, end < 0 ? undefined : end)
  const options = { ...OPTIONS, transformTagName: elementNames(head, /feed$/i.test(rawName)) }
  const parser = new XMLParser(options)
  const { document, isOpen } =
    body.length > LARGE
      ? parseLarge(parser, new XMLParser({ ...options, stopNodes: [...OPTIONS.stopNodes, ...UNOPENED] }), body)
      : { document: parseOrMend(parser, body), isOpen: true }
  const [name, root] = onlyElement(document)
  if (name === undefined || !isNode(root)) throw new NotAFeed('the feed is empty')
  return { name, root, open: isOpen ? (item) => item : (item) => openItem(parser, item) }
}

const ENTITY = /<!ENTITY\s+(?:%\s+)?[^\s"'>]+\s+(?:"([^"]*)"|'([^']*)'|(?:SYSTEM|PUBLIC)\s)/gi
/** To anything but a character. */
const REFERENCE = /%[\w.:-]+;|&(?!(?:amp|lt|gt|quot|apos);)[\w.:-]+;/i

/**
 * None is expanded, so what is made of others, or is elsewhere, can do no harm. But a document with such entities was made to do some, or
 * would be full of their names. Those that stand for a text are left alone.
 */
function refuseEntities(prolog: string): void {
  for (const [, one, two] of prolog.replaceAll(/<!--[\s\S]*?-->/g, '').matchAll(ENTITY)) {
    const value = one ?? two
    if (value === undefined) throw new NotAFeed('the document declares entities that are elsewhere')
    if (REFERENCE.test(value)) throw new NotAFeed('the document declares entities within entities')
  }
}

/** With its items as text, if there is nothing to mend. */
function parseLarge(parser: XMLParser, reluctant: XMLParser, text: string) {
  const document = attempt(reluctant, text)
  if (!(document instanceof Error) && countItems(document, false) >= countOf(text, MAYBE_ITEM))
    return { document, isOpen: false }
  return { document: parseOrMend(parser, text), isOpen: true }
}

function openItem(parser: XMLParser, { '#text': text, ...attributes }: XmlNode): XmlNode | undefined {
  const opened = attempt(parser, `<item>${typeof text === 'string' ? text : ''}</item>`)
  const [item] = opened instanceof Error ? [] : childrenOf(opened, 'item')
  return item && { ...attributes, ...item }
}

function whatElse(head: string, isPage: boolean): string {
  if (isPage) return 'the address leads to a web page, not to a feed'
  return /<[a-z?!]/i.test(head) ? 'the document is no podcast feed' : 'the document is neither XML nor JSON'
}

/** Where an item of any format begins; what is text, or a comment, is stepped over. */
const ITEM = /<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<!--[\s\S]*?(?:-->|$)|(<(?:[\w.-]+:)?(?:item|entry)[\s>])/gi
const MAYBE_ITEM = /<(?:[\w.-]+:)?(?:item|entry)[\s>]/gi
/** More are not looked for in a broken document. */
const MENDED_MAX = 10_000

/**
 * In a document that breaks off, or whose tags do not match, each item is read for itself, and those that make sense are kept. Not so if
 * that finds no more items than the whole: markup in a description can look like one.
 */
function parseOrMend(parser: XMLParser, text: string): XmlNode {
  const whole = attempt(parser, text)
  const found = whole instanceof Error ? 0 : countItems(whole)
  // Counting without a look at what is text is faster, and mostly enough.
  const starts = countOf(text, MAYBE_ITEM) > found ? itemStarts(text) : []
  if (found < starts.length) {
    const mended = parseInPieces(parser, text, starts)
    if (countItems(mended) > found) return mended
  }
  if (whole instanceof Error) throw broken(whole)
  return whole
}

function attempt(parser: XMLParser, text: string): XmlNode | Error {
  try {
    const document: unknown = parser.parse(text)
    return isNode(document) ? document : {}
  } catch (error) {
    return error instanceof Error ? error : new Error('unknown cause')
  }
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

function itemStarts(text: string): number[] {
  const starts: number[] = []
  ITEM.lastIndex = 0
  for (let match = ITEM.exec(text); match && starts.length < MENDED_MAX; match = ITEM.exec(text)) {
    if (match[1] !== undefined) starts.push(match.index)
  }
  return starts
}

/** The items come beside the channel, if there is one. */
function parseInPieces(parser: XMLParser, text: string, starts: readonly number[]): XmlNode {
  const head = attempt(parser, text.slice(0, starts[0]))
  const [name, root] = head instanceof Error ? [] : onlyElement(head)
  if (name === undefined || !isNode(root)) return {}
  const pieces = starts.map((start, index) => attempt(parser, text.slice(start, starts[index + 1])))
  const items = pieces.flatMap((piece) => (piece instanceof Error ? [] : childrenOf(piece, 'item', 'entry')))
  return { [name]: { ...root, [name === 'feed' ? 'entry' : 'item']: items } }
}

/** Of those that hold anything: what only looks like an item is a word in angles. */
function countItems(document: XmlNode, isOpen = true): number {
  const [, root] = onlyElement(document)
  if (!isNode(root)) return 0
  const items = [root, ...childrenOf(root, 'channel')].flatMap((node) => childrenOf(node, 'item', 'entry'))
  const holds = isOpen ? holdsElements : ({ '#text': text }: XmlNode) => typeof text === 'string' && text.includes('<')
  return items.filter(holds).length
}

function holdsElements(item: XmlNode): boolean {
  return Object.keys(item).some((key) => /^[^#@]/.test(key))
}

/** Two documents in one are as good as the first. */
function onlyElement(document: XmlNode): readonly [name: string | undefined, element: unknown] {
  const [name, value] = Object.entries(document)[0] ?? []
  return [name, Array.isArray(value) ? value[0] : value]
}

function broken({ message }: Error): NotAFeed {
  // This message of the parser is one for itself, and quotes the document.
  return new NotAFeed(
    `the document is broken: ${message.startsWith('readTagExp') ? 'a tag is not closed' : message.slice(0, 200)}`,
  )
}
