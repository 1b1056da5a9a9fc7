/** What notes are made of, whatever they were written in. */
export type Piece = string | Element

export interface Element {
  readonly name: Name
  readonly children: readonly Piece[]
  /** Of a link. */
  readonly href?: string
  /** Of a heading: 1 to 6. */
  readonly level?: number
}

export type Name = 'p' | 'h' | 'ul' | 'ol' | 'li' | 'blockquote' | 'pre' | 'br' | 'a' | 'strong' | 'em' | 'code'

const BLOCKS: ReadonlySet<Name> = new Set(['p', 'h', 'ul', 'ol', 'li', 'blockquote', 'pre'])

export function isElement(piece: Piece): piece is Element {
  return typeof piece !== 'string'
}

/** Whether it stands on lines of its own, or something in it does. */
export function isBlock(piece: Piece): boolean {
  return isElement(piece) && (BLOCKS.has(piece.name) || piece.children.some(isBlock))
}

export function textOf(piece: Piece): string {
  return isElement(piece) ? piece.children.map(textOf).join('') : piece
}

export function isBlank(piece: Piece): boolean {
  return textOf(piece).trim() === ''
}
