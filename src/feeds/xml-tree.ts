import { decodeHTML } from 'entities'
import { XMLParser } from 'fast-xml-parser'
import { NotAFeed } from '../domain/feed-document.ts'

/** An element: attributes as `@name`, text as `#text` and `#cdata`, children by lower-case name. */
export type XmlNode = Readonly<Record<string, unknown>>

/**
 * Entities are left alone by the parser, so that none can be made up by a document, and are decoded where text is taken out. What may
 * hold markup, rightly or wrongly, comes as it stands.
 */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  cdataPropName: '#cdata',
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  transformTagName: (name) => name.toLowerCase(),
  transformAttributeName: (name) => name.toLowerCase(),
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: 100,
  stopNodes: ['*.description', '*.content:encoded', '*.content', '*.summary', '*.itunes:summary'],
})

/** The root element and its name. Throws `NotAFeed`. */
export function parseXml(text: string): { readonly name: string; readonly root: XmlNode } {
  let document: unknown
  try {
    document = parser.parse(text)
  } catch (error) {
    throw new NotAFeed(
      `the document is broken: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown cause'}`,
    )
  }
  const entry = isNode(document) ? Object.entries(document).find(([, value]) => isNode(value)) : undefined
  if (!entry || !isNode(entry[1])) throw new NotAFeed('the document is neither XML nor JSON')
  return { name: entry[0], root: entry[1] }
}

/** All children of any of these names, in the order of the names. */
export function childrenOf(node: XmlNode, ...names: readonly string[]): XmlNode[] {
  return names.flatMap((name) => {
    const value = node[name]
    const list: readonly unknown[] = Array.isArray(value) ? value : value === undefined ? [] : [value]
    // An element without attributes and children comes as its text.
    return list.map((each) => (isNode(each) ? each : { '#text': String(each) }))
  })
}

export function childOf(node: XmlNode, ...names: readonly string[]): XmlNode | undefined {
  return childrenOf(node, ...names)[0]
}

/** Of an element: without markup, white space collapsed. */
export function textOf(node: XmlNode | undefined): string {
  if (!node) return ''
  return rawText(node).replaceAll(/\s+/g, ' ').trim()
}

/** The text of the first of these children that has one. */
export function textAt(node: XmlNode, ...names: readonly string[]): string {
  return (
    childrenOf(node, ...names)
      .map(textOf)
      .find((text) => text !== '') ?? ''
  )
}

export function attributeOf(node: XmlNode | undefined, name: string): string {
  const value = node?.[`@${name}`]
  return typeof value === 'string' ? decodeHTML(value).trim() : ''
}

/** The HTML that the first of these children stands for: as CDATA, as escaped text, or as markup where it should be none. */
export function htmlAt(node: XmlNode, ...names: readonly string[]): string {
  return (
    childrenOf(node, ...names)
      .map(htmlOf)
      .find((text) => text !== '') ?? ''
  )
}

function htmlOf(node: XmlNode): string {
  const raw = stringAt(node, '#text')
  const pieces = raw.split(/<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/)
  const isMarkup = pieces.some((piece, index) => index % 2 === 0 && /<[a-z!/]/i.test(piece))
  // In a split by a group every second piece is what the group matched.
  const text = pieces.map((piece, index) => (index % 2 === 1 || isMarkup ? piece : decodeHTML(piece))).join('')
  return (text + stringAt(node, '#cdata')).trim()
}

function rawText(node: XmlNode): string {
  return decodeHTML(stringAt(node, '#text')) + stringAt(node, '#cdata')
}

function stringAt(node: XmlNode, key: string): string {
  const value = node[key]
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string').join('')
  return typeof value === 'string' ? value : ''
}

function isNode(value: unknown): value is XmlNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
