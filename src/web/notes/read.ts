import type { Piece } from './pieces.ts'
import { linkTarget, NOTES_MAX, shownAs } from './rules.ts'

/** The pieces of HTML by somebody else. It is read into a document that is never shown, where nothing runs and nothing is fetched. */
export function readNotes(html: string): Piece[] {
  const { body } = new DOMParser().parseFromString(html.slice(0, NOTES_MAX.html), 'text/html')
  let left: number = NOTES_MAX.pieces

  function piecesIn(node: Node, depth: number): Piece[] {
    const pieces: Piece[] = []
    for (const child of node.childNodes) {
      left -= 1
      if (left < 0) break
      pieces.push(...piecesOf(child, depth))
    }
    return pieces
  }

  function piecesOf(node: Node, depth: number): Piece[] {
    if (node instanceof Text) return [node.data]
    if (!(node instanceof Element)) return []
    const { localName } = node
    if (localName === 'img') return [node.getAttribute('alt') ?? '']
    const name = shownAs(localName)
    if (name === 'hidden') return []
    const children = depth < NOTES_MAX.depth ? piecesIn(node, depth + 1) : [node.textContent ?? '']
    if (name === 'h') return [{ name, children, level: Number(localName.slice(1)) }]
    const href = name === 'a' ? linkTarget(node.getAttribute('href') ?? '') : undefined
    if (name === 'bare' || (name === 'a' && href === undefined)) return children
    return [{ name, children, ...(href !== undefined && { href }) }]
  }

  return piecesIn(body, 0)
}
