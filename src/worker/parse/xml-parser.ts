import { type X2jOptions, XMLParser } from 'fast-xml-parser'
import { NotAFeed } from '../../domain/feeds/document.ts'
import { tooMany } from './document-bounds.ts'
import { isNode, type XmlNode } from './xml-tree.ts'

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
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: 100,
  // Nobody asks for paths, and writing them takes time.
  jPath: false,
} as const satisfies X2jOptions

const STOP_NODES = [
  ...['title', 'description', 'content:encoded', 'content', 'summary', 'subtitle', 'tagline'],
  ...['itunes:summary', 'itunes:subtitle', 'googleplay:description', 'media:description'],
].map((name) => `*.${name}`)

/** Of one tree: a whole document, or a large one but for its items, or one of these items. */
const TREE_ELEMENTS_MAX = 75_000
const TREE_ATTRIBUTES_MAX = 75_000
/** Of elements, and of attributes, that a document uses. */
const NAMES_MAX = 10_000
/** The tree of a document, or why there is none. Throws `NotAFeed` if it would be too large. */
export type ParseXml = (text: string) => XmlNode | Error

/** Elements are called as `elementName` says; those in `unopened` come as text. */
export function createXmlParser(elementName: (raw: string) => string, unopened: readonly string[] = []): ParseXml {
  const tree = { tags: 0, attributes: 0 }
  const attributeName = distinct((raw) => raw.toLowerCase(), 'names of attributes')
  const knownName = distinct(elementName, 'names of elements')
  const parser = new XMLParser({
    ...OPTIONS,
    stopNodes: [...STOP_NODES, ...unopened],
    // Called for the end of an element as well.
    transformTagName(raw) {
      if (++tree.tags > 2 * TREE_ELEMENTS_MAX) throw tooMany(TREE_ELEMENTS_MAX, 'elements in one place')
      return knownName(raw)
    },
    transformAttributeName(raw) {
      if (++tree.attributes > TREE_ATTRIBUTES_MAX) throw tooMany(TREE_ATTRIBUTES_MAX, 'attributes in one place')
      return attributeName(raw)
    },
  })
  return (text) => {
    Object.assign(tree, { tags: 0, attributes: 0 })
    try {
      const document: unknown = parser.parse(text)
      return isNode(document) ? document : {}
    } catch (error) {
      if (error instanceof NotAFeed) throw error
      return error instanceof Error ? error : new Error('unknown cause')
    }
  }
}

/** As `of`, which is asked once for each, and of so many only. */
function distinct(of: (raw: string) => string, what: string): (raw: string) => string {
  const names = new Map<string, string>()
  return (raw) => {
    const known = names.get(raw)
    if (known !== undefined) return known
    if (names.size >= NAMES_MAX) throw tooMany(NAMES_MAX, what)
    const name = of(raw)
    names.set(raw, name)
    return name
  }
}
