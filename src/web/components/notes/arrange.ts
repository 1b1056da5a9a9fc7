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
 * Turns notes into blocks: paragraphs, lists, quotes, code, and headings below one of level `above`. Loose text and text with empty lines
 * become paragraphs, lists contain only items, empty blocks are left out, and addresses in the text become links.
 */
export function toBlocks(nodes: readonly NoteNode[], above: number): NoteElement[] {
  const blocks = flow(nodes.some(hasLines) ? nodes : nodes.flatMap(splitLines)).map(linked)
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

function headingsIn(elements: readonly NoteNode[]): number[] {
  return elements.flatMap((node) =>
    isElement(node) ? (node.name === 'h' ? [node.level ?? 1] : headingsIn(node.children)) : [],
  )
}

function releveled(element: NoteElement, next: () => number): NoteElement {
  if (element.name === 'h') return { ...element, level: next() }
  return { ...element, children: element.children.map((node) => (isElement(node) ? releveled(node, next) : node)) }
}
