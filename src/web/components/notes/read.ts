/** The pieces of HTML by somebody else. It is read into a document that is never shown, where nothing runs and nothing is fetched. */
export function readNotes(html: string): NoteNode[] {
  const { body } = new DOMParser().parseFromString(html.slice(0, LIMITS.html), 'text/html')
  let left: number = LIMITS.pieces

  function piecesIn(node: Node, depth: number): NoteNode[] {
    const pieces: NoteNode[] = []
    for (const child of node.childNodes) {
      left -= 1
      if (left < 0) break
      pieces.push(...piecesOf(child, depth))
    }
    return pieces
  }

  function piecesOf(node: Node, depth: number): NoteNode[] {
    if (node instanceof Text) return [node.data]
    if (!(node instanceof Element)) return []
    const { localName } = node
    if (localName === 'img') return [node.getAttribute('alt') ?? '']
    const name = tagFor(localName)
    if (name === 'hidden') return []
    const children = depth < LIMITS.depth ? piecesIn(node, depth + 1) : [node.textContent ?? '']
    if (name === 'h') return [{ name, children, level: Number(localName.slice(1)) }]
    const href = name === 'a' ? linkTarget(node.getAttribute('href') ?? '') : undefined
    if (name === 'bare' || (name === 'a' && href === undefined)) return children
    return [{ name, children, ...(href !== undefined && { href }) }]
  }

  return piecesIn(body, 0)
}

/** What notes are made of, whatever they were written in. */
export type NoteNode = string | NoteElement

export interface NoteElement {
  readonly name: NoteTag
  readonly children: readonly NoteNode[]
  /** Of a link. */
  readonly href?: string
  /** Of a heading: 1 to 6. */
  readonly level?: number
}

export type NoteTag = 'p' | 'h' | 'ul' | 'ol' | 'li' | 'blockquote' | 'pre' | 'br' | 'a' | 'strong' | 'em' | 'code'

const BLOCKS: ReadonlySet<NoteTag> = new Set(['p', 'h', 'ul', 'ol', 'li', 'blockquote', 'pre'])

export function isElement(piece: NoteNode): piece is NoteElement {
  return typeof piece !== 'string'
}

/** Whether it stands on lines of its own, or something in it does. */
export function isBlock(piece: NoteNode): boolean {
  return isElement(piece) && (BLOCKS.has(piece.name) || piece.children.some(isBlock))
}

export function textOf(piece: NoteNode): string {
  return isElement(piece) ? piece.children.map(textOf).join('') : piece
}

export function isBlank(piece: NoteNode): boolean {
  return textOf(piece).trim() === ''
}

/** Of notes that no page could bear, the rest is left out: characters of HTML, elements and texts, elements within elements. */
const LIMITS = { html: 100_000, pieces: 6000, depth: 24 } as const

const NAMES: Readonly<Record<string, NoteTag>> = {
  ...{ p: 'p', div: 'p', h1: 'h', h2: 'h', h3: 'h', h4: 'h', h5: 'h', h6: 'h' },
  ...{ ul: 'ul', ol: 'ol', li: 'li', blockquote: 'blockquote', pre: 'pre', br: 'br' },
  ...{ a: 'a', b: 'strong', strong: 'strong', i: 'em', em: 'em', code: 'code' },
}

/** What they hold is not for people. */
const HIDDEN = new Set([
  ...['script', 'style', 'title', 'template', 'noscript', 'iframe', 'object', 'embed', 'svg', 'math', 'audio', 'video'],
  ...['canvas', 'textarea', 'select', 'xmp', 'noembed', 'noframes', 'plaintext'],
])

/** What an element of that name, in any case, becomes: `hidden` with all it holds, `bare` if it is left out and what it holds is not. */
export function tagFor(name: string): NoteTag | 'hidden' | 'bare' {
  const lower = name.toLowerCase()
  if (HIDDEN.has(lower)) return 'hidden'
  return Object.hasOwn(NAMES, lower) ? (NAMES[lower] ?? 'bare') : 'bare'
}

/** Where a link leads; undefined unless that is an absolute address that is good to follow. */
export function linkTarget(href: string): string | undefined {
  if (!/^\s*(?:https?:\/\/|mailto:)/i.test(href)) return undefined
  return URL.parse(href.trim())?.href
}

/** Levels of headings below one of level `above`, without gaps: what was below another one stays so. */
export function headingLevels(levels: readonly number[], above: number): number[] {
  const open: number[] = []
  return levels.map((level) => {
    while ((open.at(-1) ?? 0) >= level) open.pop()
    open.push(level)
    return Math.min(above + open.length, 6)
  })
}

/**
 * How many of these blocks, which are so many characters long, are shown at once: about `limit` characters, and at least one. All of them if
 * not much would be left.
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
