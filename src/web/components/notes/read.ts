/** Parses untrusted HTML into nodes of our own. The browser parses it into a document that is never shown, where nothing runs or loads. */
export function readNotes(html: string): NoteNode[] {
  const { body } = new DOMParser().parseFromString(html.slice(0, LIMITS.html), 'text/html')
  let left: number = LIMITS.nodes

  function childrenOf(node: Node, depth: number): NoteNode[] {
    const nodes: NoteNode[] = []
    for (const child of node.childNodes) {
      left -= 1
      if (left < 0) break
      nodes.push(...convert(child, depth))
    }
    return nodes
  }

  function convert(node: Node, depth: number): NoteNode[] {
    if (node instanceof Text) return [node.data]
    if (!(node instanceof Element)) return []
    const { localName } = node
    if (localName === 'img') return [node.getAttribute('alt') ?? '']
    const name = tagFor(localName)
    if (name === 'hidden') return []
    const children = depth < LIMITS.depth ? childrenOf(node, depth + 1) : [node.textContent ?? '']
    if (name === 'h') return [{ name, children, level: Number(localName.slice(1)) }]
    const href = name === 'a' ? linkTarget(node.getAttribute('href') ?? '') : undefined
    if (name === 'bare' || (name === 'a' && href === undefined)) return children
    return [{ name, children, ...(href !== undefined && { href }) }]
  }

  return childrenOf(body, 0)
}

/** A part of show notes: text or an allowed element. */
export type NoteNode = string | NoteElement

export interface NoteElement {
  readonly name: NoteTag
  readonly children: readonly NoteNode[]
  /** Only for `a`. */
  readonly href?: string
  /** Only for `h`: 1 to 6. */
  readonly level?: number
}

export type NoteTag = 'p' | 'h' | 'ul' | 'ol' | 'li' | 'blockquote' | 'pre' | 'br' | 'a' | 'strong' | 'em' | 'code'

const BLOCKS: ReadonlySet<NoteTag> = new Set(['p', 'h', 'ul', 'ol', 'li', 'blockquote', 'pre'])

export function isElement(node: NoteNode): node is NoteElement {
  return typeof node !== 'string'
}

/** Whether a node is a block, or contains one. */
export function isBlock(node: NoteNode): boolean {
  return isElement(node) && (BLOCKS.has(node.name) || node.children.some(isBlock))
}

export function textOf(node: NoteNode): string {
  return isElement(node) ? node.children.map(textOf).join('') : node
}

export function isBlank(node: NoteNode): boolean {
  return textOf(node).trim() === ''
}

/** Notes beyond these limits are cut off: characters of HTML, elements and texts, and nesting. */
const LIMITS = { html: 100_000, nodes: 6000, depth: 24 } as const

const NAMES: Readonly<Record<string, NoteTag>> = {
  ...{ p: 'p', div: 'p', h1: 'h', h2: 'h', h3: 'h', h4: 'h', h5: 'h', h6: 'h' },
  ...{ ul: 'ul', ol: 'ol', li: 'li', blockquote: 'blockquote', pre: 'pre', br: 'br' },
  ...{ a: 'a', b: 'strong', strong: 'strong', i: 'em', em: 'em', code: 'code' },
}

/** Elements whose content is not meant to be read. */
const HIDDEN = new Set([
  ...['script', 'style', 'title', 'template', 'noscript', 'iframe', 'object', 'embed', 'svg', 'math', 'audio', 'video'],
  ...['canvas', 'textarea', 'select', 'xmp', 'noembed', 'noframes', 'plaintext'],
])

/** What an HTML element becomes. `hidden` leaves it out with its content, `bare` keeps only the content. */
export function tagFor(name: string): NoteTag | 'hidden' | 'bare' {
  const lower = name.toLowerCase()
  if (HIDDEN.has(lower)) return 'hidden'
  return Object.hasOwn(NAMES, lower) ? (NAMES[lower] ?? 'bare') : 'bare'
}

/** The target of a link; undefined unless it is an absolute http, https or mailto address. */
export function linkTarget(href: string): string | undefined {
  if (!/^\s*(?:https?:\/\/|mailto:)/i.test(href)) return undefined
  return URL.parse(href.trim())?.href
}

/** New levels for headings, so that they stand below one of level `above` without gaps and keep their order. */
export function headingLevels(levels: readonly number[], above: number): number[] {
  const open: number[] = []
  return levels.map((level) => {
    while ((open.at(-1) ?? 0) >= level) open.pop()
    open.push(level)
    return Math.min(above + open.length, 6)
  })
}

/**
 * How many blocks of these lengths are shown before the user asks for the rest: about `limit` characters, and at least one block. All of
 * them if the rest would be short.
 */
export function foldIndex(lengths: readonly number[], limit: number): number {
  const total = lengths.reduce((sum, length) => sum + length, 0)
  let shown = 0
  for (const [index, length] of lengths.entries()) {
    if (index > 0 && shown + length > limit && total - shown > limit / 3) return index
    shown += length
  }
  return lengths.length
}
