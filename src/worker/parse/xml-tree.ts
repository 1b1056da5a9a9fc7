import { decodeHTMLStrict } from 'entities/decode'
import { htmlToText } from '../../platform/html-text.ts'
import { isRecord } from '../../platform/unknown.ts'
import { absoluteUrl, escapeText, withoutControls } from './feed-values.ts'
import { startOfText } from './long-texts.ts'

export type XmlNode = Readonly<Record<string, unknown>>

export function childrenOf(node: XmlNode, ...names: readonly string[]): XmlNode[] {
  const children: XmlNode[] = []
  for (const name of names) {
    const value = node[name]
    if (Array.isArray(value)) for (const each of value) children.push(nodeOf(each))
    else if (value !== undefined) children.push(nodeOf(value))
  }
  return children
}

function nodeOf(value: unknown): XmlNode {
  return isRecord(value) ? value : { '#text': String(value) }
}

export function childOf(node: XmlNode, ...names: readonly string[]): XmlNode | undefined {
  return childrenOf(node, ...names)[0]
}

export function textOf(node: XmlNode | undefined): string {
  return node ? tidy(contentOf(node)) : ''
}

export function textAt(node: XmlNode, ...names: readonly string[]): string {
  return firstText(childrenOf(node, ...names), textOf)
}

/** Returns the readable text of the first child that has some, without double escaping. */
export function wordsAt(node: XmlNode, ...names: readonly string[]): string {
  return firstText(childrenOf(node, ...names), wordsOf)
}

export function wordsOf(node: XmlNode): string {
  const content = contentOf(node)
  const isHtml = hasMarkup(partsOf(node)) || /html/i.test(attributeOf(node, 'type'))
  return tidy(isHtml ? htmlToText(content) : decodeHTMLStrict(content))
}

export function attributeOf(node: XmlNode | undefined, name: string): string {
  const value = node?.[`@${name}`]
  return typeof value === 'string' ? tidy(decodeHTMLStrict(value)) : ''
}

export function baseOf(node: XmlNode, above: string): string {
  return absoluteUrl(attributeOf(node, 'xml:base'), above) || above
}

/** The HTML that an element stands for: as CDATA, as escaped text, or as markup. */
export function htmlOf(node: XmlNode): string {
  // Some publishers escape text that already was CDATA.
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
  // All white space except single spaces.
  return withoutControls(text)
    .replaceAll(/\s\s+|[^\S ]/g, ' ')
    .trim()
}

function contentOf(node: XmlNode): string {
  const parts = partsOf(node)
  const isMarkup = hasMarkup(parts)
  const texts = parts.map((part, index) => {
    if (index % 2 === 1) return part
    return isMarkup ? htmlOfXml(part) : decodeHTMLStrict(part)
  })
  return texts.join('') + stringAt(node, '#cdata')
}

function hasMarkup(parts: readonly string[]): boolean {
  return parts.some((part, index) => index % 2 === 0 && /<[a-z!/]/i.test(part))
}

const EMPTY_ELEMENT = /<([a-z][\w.:-]*)((?:[^<>"'/]|"[^"<]*"|'[^'<]*'|\/(?!>))*)\/>/gi
const TAG_PREFIX = /(<\/?)[a-z][\w.-]*:(?=[a-z])/gi
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i

/** Markup that is part of the XML as HTML: there, a `/` at the end of a tag closes nothing, and names have no prefix. */
function htmlOfXml(markup: string): string {
  return markup
    .replaceAll(TAG_PREFIX, '$1')
    .replaceAll(EMPTY_ELEMENT, (tag, name: string, rest: string) =>
      VOID.test(name) ? tag : `<${name}${rest}></${name}>`,
    )
}

const CDATA = ['<![CDATA[', ']]>', true] as const
const COMMENT = ['<!--', '-->', false] as const

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
  const text = Array.isArray(value) ? value.filter((each) => typeof each === 'string').join('') : value
  return typeof text === 'string' ? startOfText(text) : ''
}
