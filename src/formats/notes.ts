/** Part of show notes: text, or an element of a closed list. */
export type NoteNode = string | NoteElement

export interface NoteElement {
  readonly name: NoteTag
  readonly children: readonly NoteNode[]
  /** Target of `a` and `picture`: an http, https or mailto address. */
  readonly href?: string
  /** Level of `h`, 1 to 6. */
  readonly level?: number
  /** Position in the episode that `time` names. */
  readonly seconds?: number
}

/** `picture` is a link to a picture, with its alternative text; the others are named like their HTML elements. */
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
  | 'picture'
  | 'strong'
  | 'em'
  | 'code'
  | 'time'

const BREAK: NoteElement = { name: 'br', children: [] }

/**
 * Blocks of show notes, for clients that render them: paragraphs, lists, quotes, code, and headings below one of level
 * `above`. `html` comes sanitised from the feed worker, but safety does not depend on that: only elements in `NAMES`
 * pass, links lead to the web and to mailboxes, and everything else is text.
 */
export function notesOf(html: string, above: number): NoteElement[] {
  return toBlocks(readNotes(html), above)
}

/**
 * Turns notes into blocks. Loose text and text with empty lines become paragraphs, lists contain only items, empty
 * blocks are left out, addresses become links, and times such as `8:40` become `time` elements.
 */
export function toBlocks(nodes: readonly NoteNode[], above: number): NoteElement[] {
  const blocks = flow(nodes.some(hasLines) ? nodes : nodes.flatMap(splitLines)).map((block) => timed(linked(block)))
  const levels = headingLevels(headingsIn(blocks), above)
  return blocks.map((block) => releveled(block, () => levels.shift() ?? above + 1))
}

function hasLines(node: NoteNode): boolean {
  return isBlock(node) || (isElement(node) && (node.name === 'br' || node.children.some(hasLines)))
}

/** Turns line ends into line breaks, for notes without markup for lines. */
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
    // An item that is one paragraph, optionally followed by lists, needs no paragraph margins.
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

/** Turns addresses into links, and removes links without text. */
function linked(element: NoteElement): NoteElement {
  if (element.name === 'a') return toPicture(element)
  if (['pre', 'code'].includes(element.name)) return element
  return {
    ...element,
    children: element.children.flatMap((node): NoteNode[] => {
      if (!isElement(node)) return withLinks(node)
      return node.name === 'a' && isBlank(node) ? [textOf(node)] : [linked(node)]
    }),
  }
}

/** Prefix that the feed worker gives to the text of a link to a picture (worker/parse/sanitize.ts). */
const PICTURE = /^🖼\s*/u

function toPicture(link: NoteElement): NoteElement {
  const text = textOf(link)
  return PICTURE.test(text) ? { ...link, name: 'picture', children: [text.replace(PICTURE, '')] } : link
}

function withLinks(text: string): NoteNode[] {
  return text.split(ADDRESS).flatMap((part, index): NoteNode[] => {
    if (part === '') return []
    return index % 2 === 1 && URL.canParse(part) ? [{ name: 'a', href: part, children: [part] }] : [part]
  })
}

/** A time such as `8:40` or `1:02:03`, unless part of a longer number. */
const TIME = /(?<![\d:.])((?:\d{1,2}:)?\d{1,2}:[0-5]\d)(?![\d:])/

function timed(element: NoteElement): NoteElement {
  if (['a', 'picture', 'pre', 'code'].includes(element.name)) return element
  return {
    ...element,
    children: element.children.flatMap((node): NoteNode[] => (isElement(node) ? [timed(node)] : withTimes(node))),
  }
}

function withTimes(text: string): NoteNode[] {
  return text.split(TIME).flatMap((part, index): NoteNode[] => {
    if (part === '') return []
    const seconds = part.split(':').reduce((sum, each) => sum * 60 + Number(each), 0)
    return index % 2 === 1 ? [{ name: 'time', seconds, children: [part] }] : [part]
  })
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

/** A tag with the address of its link, text, or a `<` that starts no tag. */
const TOKEN = /<(\/?)([a-z][a-z\d]*)(?:\s+href="([^"<>]*)")?[^<>]*>|[^<]+|</gi

/** Parses notes as the feed worker writes them: elements with end tags, and text with three entities. */
export function readNotes(html: string): NoteNode[] {
  const root: NoteNode[] = []
  const open: { readonly tag: string; readonly children: NoteNode[] }[] = []
  let left: number = NODES_MAX
  for (const [token, slash = '', written = '', href = ''] of html.matchAll(TOKEN)) {
    const tag = written.toLowerCase()
    const children = open.at(-1)?.children ?? root
    if (slash !== '') {
      const at = open.findLastIndex((each) => each.tag === tag)
      if (at !== -1) open.length = at
      continue
    }
    left -= 1
    if (left < 0) break
    if (tag === '') {
      children.push(decoded(token))
      continue
    }
    const element = elementOf(tag, href)
    if (element === undefined || open.length >= DEPTH_MAX) continue
    children.push(element)
    if (tag !== 'br') open.push({ tag, children: element.children })
  }
  return root
}

/** `undefined` for tags that are replaced by their content. */
function elementOf(tag: string, href: string) {
  const name = NAMES.get(tag)
  const target = name === 'a' ? linkTarget(decoded(href)) : undefined
  if (name === undefined || (name === 'a' && target === undefined)) return undefined
  const children: NoteNode[] = []
  return {
    ...{ name, children },
    ...(name === 'h' && { level: Number(tag.slice(1)) }),
    ...(target !== undefined && { href: target }),
  }
}

function decoded(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

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

/** Limits beyond which notes are cut off: nodes, and nesting. */
const NODES_MAX = 6000
const DEPTH_MAX = 24

const NAMES: ReadonlyMap<string, NoteTag> = new Map<string, NoteTag>([
  ...(['p', 'ul', 'ol', 'li', 'blockquote', 'pre', 'br', 'a', 'strong', 'em', 'code'] as const).map(
    (tag) => [tag, tag] as const,
  ),
  ...([1, 2, 3, 4, 5, 6] as const).map((level) => [`h${level}`, 'h'] as const),
  ['b', 'strong'],
  ['i', 'em'],
])

/** Target of a link; `undefined` unless it is an absolute http, https or mailto address. */
export function linkTarget(href: string): string | undefined {
  if (!/^\s*(?:https?:\/\/|mailto:)/i.test(href)) return undefined
  return URL.parse(href.trim())?.href
}

/** Returns new heading levels: all below `above`, without gaps, with the same nesting. */
export function headingLevels(levels: readonly number[], above: number): number[] {
  const open: number[] = []
  return levels.map((level) => {
    while ((open.at(-1) ?? 0) >= level) open.pop()
    open.push(level)
    return Math.min(above + open.length, 6)
  })
}
