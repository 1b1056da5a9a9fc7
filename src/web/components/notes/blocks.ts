const BREAK: NoteElement = { name: 'br', children: [] }

/**
 * Turns notes into blocks: paragraphs, lists, quotes, code, and headings below one of level `above`. Loose text and
 * text with empty lines become paragraphs, lists contain only items, empty blocks are left out, and addresses become
 * links. With the `length` of an episode, times in it become elements as well.
 */
export function toBlocks(nodes: readonly NoteNode[], above: number, length = 0): NoteElement[] {
  const linkedBlocks = flow(nodes.some(hasLines) ? nodes : nodes.flatMap(splitLines)).map(linked)
  const blocks = length > 0 ? linkedBlocks.map((block) => timed(block, length)) : linkedBlocks
  const levels = headingLevels(headingsIn(blocks), above)
  return blocks.map((block) => releveled(block, () => levels.shift() ?? above + 1))
}

function hasLines(node: NoteNode): boolean {
  return isBlock(node) || (isElement(node) && (node.name === 'br' || node.children.some(hasLines)))
}

/** For notes without markup for lines: line ends in the text become line breaks. */
function splitLines(node: NoteNode): NoteNode[] {
  if (isElement(node)) return [{ ...node, children: node.children.flatMap(splitLines) }]
  return node.split(/\r?\n/).flatMap((line, index) => (index === 0 ? [line] : [BREAK, line]))
}

function flow(nodes: readonly NoteNode[]): NoteElement[] {
  const blocks: NoteElement[] = []
  let run: NoteNode[] = []
  const end = () => {
    blocks.push(...paragraphs(run))
    run = []
  }
  for (const node of nodes) {
    if (!isElement(node) || !isBlock(node)) run.push(node)
    else {
      end()
      blocks.push(...blocksOf(node))
    }
  }
  end()
  return blocks
}

function blocksOf(element: NoteElement): NoteElement[] {
  const { name, children } = element
  if (isBlank(element)) return []
  if (name === 'p' || name === 'li') return flow(children)
  if (name === 'h') return [{ ...element, children: trimmed(children.flatMap(inlined)) }]
  if (name === 'pre') return [{ name, children: [textOf(element)] }]
  if (name === 'blockquote') return [{ name, children: flow(children) }]
  if (name === 'ul' || name === 'ol') return [{ name, children: itemsOf(children) }]
  // Emphasis or a link around several blocks is moved into their paragraphs.
  return flow(children).map((block) =>
    block.name === 'p' ? { ...block, children: [{ ...element, children: block.children }] } : block,
  )
}

function itemsOf(children: readonly NoteNode[]): NoteElement[] {
  const items: NoteElement[] = []
  for (const child of children) {
    if (isBlank(child)) continue
    const blocks = isElement(child) && child.name === 'li' ? flow(child.children) : flow([child])
    const [first, ...rest] = blocks
    if (!first) continue
    // An item of one paragraph, with lists below it or not, is set without the paragraph's margins.
    const isPlain = first.name === 'p' && rest.every(({ name }) => isList(name))
    items.push({ name: 'li', children: isPlain ? [...first.children, ...rest] : blocks })
  }
  return items
}

const isList = (name: NoteTag) => name === 'ul' || name === 'ol'

/** Makes a paragraph of each part of the text between empty lines. */
function paragraphs(run: readonly NoteNode[]): NoteElement[] {
  const parts: NoteNode[][] = [[]]
  let breaks = 0
  for (const node of run) {
    if (isElement(node) && node.name === 'br') breaks += 1
    else if (!isBlank(node)) {
      if (breaks > 1) parts.push([])
      breaks = 0
    }
    parts.at(-1)?.push(node)
  }
  return parts.map(trimmed).flatMap((children) => (children.length === 0 ? [] : [{ name: 'p', children }]))
}

/** Removes blank nodes from both ends. */
function trimmed(nodes: readonly NoteNode[]): NoteNode[] {
  const from = nodes.findIndex((node) => !isBlank(node))
  const to = nodes.findLastIndex((node) => !isBlank(node))
  return from === -1 ? [] : nodes.slice(from, to + 1)
}

/** Replaces blocks by their content. */
function inlined(node: NoteNode): NoteNode[] {
  if (!isElement(node)) return [node]
  const children = node.children.flatMap(inlined)
  return isBlock({ ...node, children: [] }) ? children : [{ ...node, children }]
}

const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]'’“”])/g

/** Turns addresses into links, and removes links without text, such as those around pictures. */
function linked(element: NoteElement): NoteElement {
  if (['a', 'pre', 'code'].includes(element.name)) return element
  return {
    ...element,
    children: element.children.flatMap((node): NoteNode[] => {
      if (!isElement(node)) return withLinks(node)
      return node.name === 'a' && isBlank(node) ? [textOf(node)] : [linked(node)]
    }),
  }
}

function withLinks(text: string): NoteNode[] {
  return text.split(ADDRESS).flatMap((part, index): NoteNode[] => {
    if (part === '') return []
    return index % 2 === 1 && URL.canParse(part) ? [{ name: 'a', href: part, children: [part] }] : [part]
  })
}

/** A time such as `8:40` or `1:02:03`, which is no part of anything longer. */
const TIME = /(?<![\d:.])((?:\d{1,2}:)?\d{1,2}:[0-5]\d)(?![\d:])/

/** Turns times within an episode of this length, in seconds, into elements of their own. */
function timed(element: NoteElement, length: number): NoteElement {
  if (['a', 'pre', 'code'].includes(element.name)) return element
  return {
    ...element,
    children: element.children.flatMap((node): NoteNode[] =>
      isElement(node) ? [timed(node, length)] : withTimes(node, length),
    ),
  }
}

function withTimes(text: string, length: number): NoteNode[] {
  return text.split(TIME).flatMap((part, index): NoteNode[] => {
    if (part === '') return []
    const seconds = part.split(':').reduce((sum, each) => sum * 60 + Number(each), 0)
    return index % 2 === 1 && seconds < length ? [{ name: 'time', seconds, children: [part] }] : [part]
  })
}

/** What the server begins the text of a link to a picture with. */
const PICTURE = /^🖼\s*/u

/** The words of a link to a picture; undefined for any other link. */
export function pictureName(link: NoteNode): string | undefined {
  const text = textOf(link)
  return PICTURE.test(text) ? text.replace(PICTURE, '') : undefined
}

function headingsIn(elements: readonly NoteNode[]): number[] {
  return elements.flatMap((node) =>
    isElement(node) ? (node.name === 'h' ? [node.level ?? 1] : headingsIn(node.children)) : [],
  )
}

function releveled(element: NoteElement, next: () => number): NoteElement {
  if (element.name === 'h') return { ...element, level: next() }
  return { ...element, children: element.children.map((node) => (isElement(node) ? releveled(node, next) : node)) }
}

/** Parses untrusted HTML into nodes of our own. In the browser's document for it nothing runs or loads. */
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
  /** Only for `time`. */
  readonly seconds?: number
}

export type NoteTag =
  | 'p'
  | 'h'
  | 'ul'
  | 'ol'
  | 'li'
  | 'blockquote'
  | 'pre'
  | 'br'
  | 'a'
  | 'strong'
  | 'em'
  | 'code'
  | 'time'

const BLOCKS: ReadonlySet<NoteTag> = new Set(['p', 'h', 'ul', 'ol', 'li', 'blockquote', 'pre'])

export function isElement(node: NoteNode): node is NoteElement {
  return typeof node !== 'string'
}

/** Whether a node is a block, or contains one. */
function isBlock(node: NoteNode): boolean {
  return isElement(node) && (BLOCKS.has(node.name) || node.children.some(isBlock))
}

export function textOf(node: NoteNode): string {
  return isElement(node) ? node.children.map(textOf).join('') : node
}

function isBlank(node: NoteNode): boolean {
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
 * How many blocks of these lengths are shown before the user asks for the rest: about `limit` characters, and at least
 * one block. All of them if the rest would be short.
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
