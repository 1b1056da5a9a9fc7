import { decodeHTMLStrict } from 'entities'
import { type X2jOptions, XMLParser } from 'fast-xml-parser'
import { NotAFeed } from '../domain/feed-document.ts'
import { escapeText, withoutControls } from './feed-values.ts'
import { elementNames } from './xml-names.ts'

/** An element: attributes as `@name`, text as `#text` and `#cdata`, children by lower-case name. */
export type XmlNode = Readonly<Record<string, unknown>>

/** How far in a document its root may be; what stands before is at most a declaration, a DOCTYPE, and what a broken server said. */
const HEAD_MAX = 64 * 1024

/**
 * Entities are left alone by the parser, so that none can be made up by a document, and are decoded where text is taken out. What may
 * hold markup, rightly or wrongly, comes as it stands.
 */
const OPTIONS: X2jOptions = {
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
}

/** The root of a feed or, if that is what it is, of a web page. */
const ROOT = /<(?:((?:[\w.-]+:)?(?:rss|rdf|feed))(?=[\s>])|!doctype\s+html|html[\s>])/i

/** The root element of a feed and its name. Throws `NotAFeed`. */
export function parseXml(text: string): { readonly name: string; readonly root: XmlNode } {
  const head = text.slice(0, HEAD_MAX)
  const found = ROOT.exec(head)
  const rawName = found?.[1]
  if (rawName === undefined) throw new NotAFeed(whatElse(head, found !== null))
  const end = text.lastIndexOf(`</${rawName}`)
  const body = text.slice(found?.index ?? 0, end < 0 ? undefined : end)
  const parser = new XMLParser({
    ...OPTIONS,
    transformTagName: elementNames(head, /feed$/i.test(rawName)),
  })
  const [name, root] = onlyElement(parseOrMend(parser, body))
  if (name === undefined || !isNode(root)) throw new NotAFeed('the feed is empty')
  return { name, root }
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
function countItems(document: XmlNode): number {
  const [, root] = onlyElement(document)
  if (!isNode(root)) return 0
  const items = [root, ...childrenOf(root, 'channel')].flatMap((node) => childrenOf(node, 'item', 'entry'))
  return items.filter((item) => Object.keys(item).some((key) => /^[^#@]/.test(key))).length
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

/** All children of any of these names, in the order of the names. */
export function childrenOf(node: XmlNode, ...names: readonly string[]): XmlNode[] {
  const children: XmlNode[] = []
  for (const name of names) {
    const value = node[name]
    if (Array.isArray(value)) for (const each of value) children.push(nodeOf(each))
    else if (value !== undefined) children.push(nodeOf(value))
  }
  return children
}

/** An element without attributes and children comes as its text. */
function nodeOf(value: unknown): XmlNode {
  return isNode(value) ? value : { '#text': String(value) }
}

export function childOf(node: XmlNode, ...names: readonly string[]): XmlNode | undefined {
  return childrenOf(node, ...names)[0]
}

/** Of an element: exactly what it says, for addresses and the like; white space collapsed. */
export function textOf(node: XmlNode | undefined): string {
  return node ? tidy(contentOf(node)) : ''
}

/** The text of the first of these children that has one. */
export function textAt(node: XmlNode, ...names: readonly string[]): string {
  return firstText(childrenOf(node, ...names), textOf)
}

/**
 * Words for people, of the first of these children that has some. Many publishers escape twice, and hardly one writes about entities.
 * Tags go where they are meant as tags.
 */
export function wordsAt(node: XmlNode, ...names: readonly string[]): string {
  return firstText(childrenOf(node, ...names), wordsOf)
}

export function wordsOf(node: XmlNode): string {
  const content = contentOf(node)
  const isHtml = hasMarkup(partsOf(node)) || /html/i.test(attributeOf(node, 'type'))
  return tidy(decodeHTMLStrict(isHtml ? content.replaceAll(/<[^<>]*>/g, '') : content))
}

export function attributeOf(node: XmlNode | undefined, name: string): string {
  const value = node?.[`@${name}`]
  return typeof value === 'string' ? tidy(decodeHTMLStrict(value)) : ''
}

/** The HTML that the first of these children stands for: as CDATA, as escaped text, or as markup where it should be none. */
export function htmlAt(node: XmlNode, ...names: readonly string[]): string {
  return firstText(childrenOf(node, ...names), htmlOf)
}

function htmlOf(node: XmlNode): string {
  // Wrapped once more by publishers that escape what was CDATA already.
  const content = contentOf(node).replace(/^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/, '$1')
  return (/^(?:text(?:\/plain)?|plain)$/i.test(attributeOf(node, 'type')) ? escapeText(content) : content).trim()
}

function firstText(nodes: readonly XmlNode[], read: (node: XmlNode) => string): string {
  for (const node of nodes) {
    const text = read(node)
    if (text !== '') return text
  }
  return ''
}

function tidy(text: string): string {
  return withoutControls(text).replaceAll(/\s+/g, ' ').trim()
}

/** All that an element holds, decoded; unless it holds markup, which is left as it is. */
function contentOf(node: XmlNode): string {
  const parts = partsOf(node)
  const isMarkup = hasMarkup(parts)
  const texts = parts.map((part, index) => (index % 2 === 1 || isMarkup ? part : decodeHTMLStrict(part)))
  return texts.join('') + stringAt(node, '#cdata')
}

function hasMarkup(parts: readonly string[]): boolean {
  return parts.some((part, index) => index % 2 === 0 && /<[a-z!/]/i.test(part))
}

/** What each section begins with, what it ends with, and whether it is text that is not to be decoded. */
const CDATA = ['<![CDATA[', ']]>', true] as const
const COMMENT = ['<!--', '-->', false] as const

/** The text of an element; every second part is what was CDATA, or nothing for a comment. A section that has no end goes to the end. */
function partsOf(node: XmlNode): string[] {
  const text = stringAt(node, '#text')
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf('<!'); at >= 0; at = text.indexOf('<!', at)) {
    const section = [CDATA, COMMENT].find(([start]) => text.startsWith(start, at))
    if (!section) {
      at += 2
      continue
    }
    const [start, end, isText] = section
    const inner = at + start.length
    const close = text.indexOf(end, inner)
    const last = close < 0 ? text.length : close
    parts.push(text.slice(from, at), isText ? text.slice(inner, last) : '')
    from = close < 0 ? text.length : close + end.length
    at = from
  }
  parts.push(text.slice(from))
  return parts
}

function stringAt(node: XmlNode, key: string): string {
  const value = node[key]
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string').join('')
  return typeof value === 'string' ? value : ''
}

function isNode(value: unknown): value is XmlNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
