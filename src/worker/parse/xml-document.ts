import { type X2jOptions, XMLParser } from 'fast-xml-parser'
import { NotAFeed } from '../../domain/feeds/document.ts'
import { isRecord } from '../../platform/unknown.ts'
import { checkXmlBounds, tooMany } from './document-bounds.ts'
import { type ElementNames, elementNames } from './element-names.ts'
import { type FoundRoot, findRoot } from './find-root.ts'
import { shortenLongTexts } from './long-texts.ts'
import { feedLinksOf } from './page-links.ts'
import { childOf, childrenOf, type XmlNode } from './xml-tree.ts'

/** Characters from which the tree of a document would take too much memory, so items are parsed one by one. */
const LARGE = 2 * 1024 * 1024
const UNOPENED = ['item', 'entry']

export interface XmlDocument {
  readonly name: string
  readonly root: XmlNode
  /** Parses the content of an item, which in large documents is text until then. `undefined` if it is broken. */
  open(item: XmlNode): XmlNode | undefined
}

/** `url` is the address of the document. Throws `NotAFeed`. */
export function parseXml(text: string, url = ''): XmlDocument {
  const found = findRoot(text)
  if (!found) throw new NotAFeed(whatElse(text))
  if (found === 'page') throw webPage(text, url)
  if (!found.isInPage) return parseFrom(text, found)
  const document = documentInPage(text, found)
  if (!document) throw webPage(text, url)
  return document
}

function webPage(text: string, url: string): NotAFeed {
  return new NotAFeed('the address leads to a web page, not to a feed', feedLinksOf(text, url))
}

/** Returns the feed that a server has wrapped in a page; `undefined` if it is not a feed. */
function documentInPage(text: string, found: FoundRoot): XmlDocument | undefined {
  try {
    const document = parseFrom(text, found)
    return childOf(document.root, 'channel', 'entry') && document
  } catch (error) {
    if (error instanceof NotAFeed) return undefined
    throw error
  }
}

function parseFrom(text: string, { rawName, index, prolog }: FoundRoot): XmlDocument {
  refuseEntities(prolog)
  const end = text.lastIndexOf(`</${rawName}`)
  const body = shortenLongTexts(text.slice(index, end < index ? undefined : end))
  checkXmlBounds(body)
  const names = elementNames(body, rawName)
  const parse = createXmlParser(names)
  const items = body.length > LARGE ? unopenedItems(parse, createXmlParser(names, UNOPENED)) : openedItems(parse)
  const [name, root] = onlyElement(parseOrMend(items, body))
  if (name === undefined || !isRecord(root)) throw new NotAFeed('the feed is empty')
  return { name, root, open: items.open }
}

const ENTITY = /<!ENTITY\s+(?:%\s+)?[^\s"'>]+\s+(?:"([^"]*)"|'([^']*)'|(?:SYSTEM|PUBLIC)\s)/gi
const REFERENCE = /%[\w.:-]+;|&(?!(?:amp|lt|gt|quot|apos);)[\w.:-]+;/i

/** Entities are never expanded; a document that defines nested or external ones is refused. */
function refuseEntities(prolog: string): void {
  for (const [, one, two] of prolog.matchAll(ENTITY)) {
    const value = one ?? two
    if (value === undefined) throw new NotAFeed('the document declares entities that are elsewhere')
    if (REFERENCE.test(value)) throw new NotAFeed('the document declares entities within entities')
  }
}

interface Items extends Pick<XmlDocument, 'open'> {
  readonly parse: ParseXml
  read(piece: string): readonly XmlNode[]
  /** Whether the item has content; otherwise it is only a word in angle brackets. */
  holds(item: XmlNode): boolean
}

function openedItems(parse: ParseXml): Items {
  return { parse, read: (piece) => itemsIn(parse, piece), holds: holdsElements, open: (item) => item }
}

/** Keeps items as text until they are needed: content of elements that `parseUnopened` found, or document pieces. */
function unopenedItems(parse: ParseXml, parseUnopened: ParseXml): Items {
  return {
    parse: parseUnopened,
    read: (piece) => (itemsIn(parse, piece).some(holdsElements) ? [{ '#piece': piece }] : []),
    holds: ({ '#text': text, '#piece': piece }) =>
      piece !== undefined || (typeof text === 'string' && text.includes('<')),
    open({ '#text': text, '#piece': piece, ...attributes }) {
      if (typeof piece === 'string') return itemsIn(parse, piece).find(holdsElements)
      const [item] = itemsIn(parse, `<item>${typeof text === 'string' ? text : ''}</item>`)
      return item && { ...attributes, ...item }
    },
  }
}

function itemsIn(parse: ParseXml, piece: string): XmlNode[] {
  const parsed = parse(piece)
  return parsed instanceof Error ? [] : childrenOf(parsed, 'item', 'entry')
}

function holdsElements(item: XmlNode): boolean {
  return Object.keys(item).some((key) => /^[^#@]/.test(key))
}

function whatElse(text: string): string {
  return /<[a-z?!]/i.test(text.slice(0, 64 * 1024))
    ? 'the document is not a podcast feed'
    : 'the document is neither XML nor JSON'
}

const ITEM = /<!\[CDATA\[[\s\S]*?(?:\]\]>|$)|<!--[\s\S]*?(?:-->|$)|(<(?:[\w.-]+:)?(?:item|entry)[\s>])/gi
const MAYBE_ITEM = /<(?:[\w.-]+:)?(?:item|entry)[\s>]/gi
const MENDED_MAX = 10_000

/** Reads the items of a broken document one by one, if that finds more of them than the whole. */
function parseOrMend(items: Items, text: string): XmlNode {
  const whole = items.parse(text)
  const found = whole instanceof Error ? 0 : countItems(items, whole)
  // First count without telling text from markup: faster, and usually enough.
  const starts = countOf(text, MAYBE_ITEM) > found ? itemStarts(text) : []
  if (found < starts.length) {
    const mended = parseInPieces(items, text, starts)
    if (countItems(items, mended) > found) return mended
  }
  if (whole instanceof Error) throw broken(whole)
  return whole
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

function parseInPieces({ parse, read }: Items, text: string, starts: readonly number[]): XmlNode {
  const head = parse(text.slice(0, starts[0]))
  const [name, root] = head instanceof Error ? [] : onlyElement(head)
  if (name === undefined || !isRecord(root)) return {}
  const items = starts.flatMap((start, index) => read(text.slice(start, starts[index + 1])))
  return { [name]: { ...root, [name === 'feed' ? 'entry' : 'item']: items } }
}

function countItems({ holds }: Items, document: XmlNode): number {
  const [, root] = onlyElement(document)
  if (!isRecord(root)) return 0
  return [root, ...childrenOf(root, 'channel')].flatMap((node) => childrenOf(node, 'item', 'entry')).filter(holds)
    .length
}

/** Returns the first of two concatenated documents. */
function onlyElement(document: XmlNode): readonly [name: string | undefined, element: unknown] {
  const [name, value] = Object.entries(document)[0] ?? []
  return [name, Array.isArray(value) ? value[0] : value]
}

function broken({ message }: Error): NotAFeed {
  // This message of the parser is for its own developers, and quotes the document.
  return new NotAFeed(
    `the document is broken: ${message.startsWith('readTagExp') ? 'a tag is not closed' : message.slice(0, 200)}`,
  )
}

/** Entities stay encoded until text is extracted, so that a document cannot compose new ones. */
const OPTIONS = {
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  cdataPropName: '#cdata',
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: 100,
  // Paths are not used, and building them takes time.
  jPath: false,
} as const satisfies X2jOptions

const TEXTS = [
  ...['title', 'description', 'content:encoded', 'encoded', 'content', 'summary', 'subtitle', 'tagline'],
  ...['itunes:summary', 'itunes:subtitle', 'googleplay:description', 'media:description', 'media:title'],
  ...['atom:title', 'atom:content', 'atom:summary', 'atom:subtitle', 'dc:title', 'dc:description'],
]

const TREE_ELEMENTS_MAX = 75_000
const TREE_ATTRIBUTES_MAX = 75_000
const NAMES_MAX = 10_000
/** Returns the tree of a document, or the parser's error. Throws `NotAFeed` if the tree would be too large. */
type ParseXml = (text: string) => XmlNode | Error

function createXmlParser(names: ElementNames, unopened: readonly string[] = []): ParseXml {
  const tree = { tags: 0, attributes: 0 }
  const attributeName = distinct((raw) => raw.toLowerCase(), 'names of attributes')
  const knownName = distinct(names.of, 'names of elements')
  const texts = new Set([...TEXTS, ...unopened])
  const scopes = names.createScopes()
  const parser = new XMLParser({
    ...OPTIONS,
    stopNodes: [...texts].map((name) => `*.${name}`),
    // Also called for end tags.
    transformTagName(raw) {
      if (++tree.tags > 2 * TREE_ELEMENTS_MAX) throw tooMany(TREE_ELEMENTS_MAX, 'elements in one place')
      return knownName(raw)
    },
    transformAttributeName(raw) {
      if (++tree.attributes > TREE_ATTRIBUTES_MAX) throw tooMany(TREE_ATTRIBUTES_MAX, 'attributes in one place')
      return attributeName(raw)
    },
    updateTag(name, path, attributes) {
      return scopes.nameOf(name, attributes, () => depthOf(path) + (texts.has(name) ? 1 : 0))
    },
  })
  return (text) => {
    Object.assign(tree, { tags: 0, attributes: 0 })
    scopes.reset()
    try {
      const document: unknown = parser.parse(text)
      return isRecord(document) ? document : {}
    } catch (error) {
      if (error instanceof NotAFeed) throw error
      return error instanceof Error ? error : new Error('unknown cause')
    }
  }
}

function depthOf(path: Parameters<NonNullable<X2jOptions['updateTag']>>[1]): number {
  return typeof path === 'string' ? 0 : path.getDepth()
}

/** Memoizes `of`; throws `NotAFeed` beyond `NAMES_MAX` names. */
function distinct(of: (raw: string) => string, what: string): (raw: string) => string {
  const names = new Map<string, string>()
  return (raw) => {
    const cached = names.get(raw)
    if (cached !== undefined) return cached
    if (names.size >= NAMES_MAX) throw tooMany(NAMES_MAX, what)
    const name = of(raw)
    names.set(raw, name)
    return name
  }
}
