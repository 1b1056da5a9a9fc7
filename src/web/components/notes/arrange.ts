import {
  headingLevels,
  isBlank,
  isBlock,
  isElement,
  type NoteElement,
  type NoteNode,
  type NoteTag,
  textOf,
} from './read.ts'

const BREAK: NoteElement = { name: 'br', children: [] }

/**
 * Notes as blocks: paragraphs, lists, quotes, code and headings, the latter below one of level `above`. Loose text becomes paragraphs, and
 * so does text with empty lines; lists hold nothing but items; what is empty is left out; addresses in the text are links.
 */
export function toBlocks(pieces: readonly NoteNode[], above: number): NoteElement[] {
  const blocks = flow(pieces.some(hasLines) ? pieces : pieces.flatMap(splitLines)).map(linked)
  const levels = headingLevels(headingsIn(blocks), above)
  return blocks.map((block) => releveled(block, () => levels.shift() ?? above + 1))
}

function hasLines(piece: NoteNode): boolean {
  return isBlock(piece) || (isElement(piece) && (piece.name === 'br' || piece.children.some(hasLines)))
}

/** Of notes without any markup for lines, the lines of their text count. */
function splitLines(piece: NoteNode): NoteNode[] {
  if (isElement(piece)) return [{ ...piece, children: piece.children.flatMap(splitLines) }]
  return piece.split(/\r?\n/).flatMap((line, index) => (index === 0 ? [line] : [BREAK, line]))
}

function flow(pieces: readonly NoteNode[]): NoteElement[] {
  const blocks: NoteElement[] = []
  let run: NoteNode[] = []
  const end = () => {
    blocks.push(...paragraphs(run))
    run = []
  }
  for (const piece of pieces) {
    if (!isElement(piece) || !isBlock(piece)) run.push(piece)
    else {
      end()
      blocks.push(...blocksOf(piece))
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
  // Emphasis or a link around blocks goes into the paragraphs among them.
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
    // A paragraph alone, or with lists below, needs no space around it.
    const isPlain = first.name === 'p' && rest.every(({ name }) => isList(name))
    items.push({ name: 'li', children: isPlain ? [...first.children, ...rest] : blocks })
  }
  return items
}

const isList = (name: NoteTag) => name === 'ul' || name === 'ol'

/** One for each part of the run between empty lines. */
function paragraphs(run: readonly NoteNode[]): NoteElement[] {
  const parts: NoteNode[][] = [[]]
  let breaks = 0
  for (const piece of run) {
    if (isElement(piece) && piece.name === 'br') breaks += 1
    else if (!isBlank(piece)) {
      if (breaks > 1) parts.push([])
      breaks = 0
    }
    parts.at(-1)?.push(piece)
  }
  return parts.map(trimmed).flatMap((children) => (children.length === 0 ? [] : [{ name: 'p', children }]))
}

/** Without empty lines and space at both ends. */
function trimmed(pieces: readonly NoteNode[]): NoteNode[] {
  const from = pieces.findIndex((piece) => !isBlank(piece))
  const to = pieces.findLastIndex((piece) => !isBlank(piece))
  return from === -1 ? [] : pieces.slice(from, to + 1)
}

/** Without blocks. */
function inlined(piece: NoteNode): NoteNode[] {
  if (!isElement(piece)) return [piece]
  const children = piece.children.flatMap(inlined)
  return isBlock({ ...piece, children: [] }) ? children : [{ ...piece, children }]
}

const ADDRESS = /(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]'’“”])/g

/** A link that says nothing, such as one around a picture, is none. */
function linked(element: NoteElement): NoteElement {
  if (['a', 'pre', 'code'].includes(element.name)) return element
  return {
    ...element,
    children: element.children.flatMap((piece): NoteNode[] => {
      if (!isElement(piece)) return withLinks(piece)
      return piece.name === 'a' && isBlank(piece) ? [textOf(piece)] : [linked(piece)]
    }),
  }
}

function withLinks(text: string): NoteNode[] {
  return text.split(ADDRESS).flatMap((part, index): NoteNode[] => {
    if (part === '') return []
    return index % 2 === 1 && URL.canParse(part) ? [{ name: 'a', href: part, children: [part] }] : [part]
  })
}

function headingsIn(elements: readonly NoteNode[]): number[] {
  return elements.flatMap((piece) =>
    isElement(piece) ? (piece.name === 'h' ? [piece.level ?? 1] : headingsIn(piece.children)) : [],
  )
}

function releveled(element: NoteElement, next: () => number): NoteElement {
  if (element.name === 'h') return { ...element, level: next() }
  return { ...element, children: element.children.map((piece) => (isElement(piece) ? releveled(piece, next) : piece)) }
}
