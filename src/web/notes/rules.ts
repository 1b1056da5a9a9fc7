import type { Name } from './pieces.ts'

/** Of notes that no page could bear, the rest is left out: characters of HTML, elements and texts, elements within elements. */
export const NOTES_MAX = { html: 100_000, pieces: 6000, depth: 24 } as const

const NAMES: Readonly<Record<string, Name>> = {
  ...{ p: 'p', div: 'p', h1: 'h', h2: 'h', h3: 'h', h4: 'h', h5: 'h', h6: 'h' },
  ...{ ul: 'ul', ol: 'ol', li: 'li', blockquote: 'blockquote', pre: 'pre', br: 'br' },
  ...{ a: 'a', b: 'strong', strong: 'strong', i: 'em', em: 'em', code: 'code' },
}

/** What they hold is not for people. */
const UNSHOWN = new Set([
  ...['script', 'style', 'title', 'template', 'noscript', 'iframe', 'object', 'embed', 'svg', 'math', 'audio', 'video'],
  ...['canvas', 'textarea', 'select', 'xmp', 'noembed', 'noframes', 'plaintext'],
])

/** What an element of that name, in any case, becomes: `hidden` with all it holds, `bare` if it is left out and what it holds is not. */
export function shownAs(name: string): Name | 'hidden' | 'bare' {
  const lower = name.toLowerCase()
  if (UNSHOWN.has(lower)) return 'hidden'
  return Object.hasOwn(NAMES, lower) ? (NAMES[lower] ?? 'bare') : 'bare'
}

/** Where a link leads; undefined unless that is an absolute address that is good to follow. */
export function linkTarget(href: string): string | undefined {
  if (!/^\s*(?:https?:\/\/|mailto:)/i.test(href)) return undefined
  return URL.parse(href.trim())?.href
}

/** Levels of headings below one of level `above`, without gaps: what was below another one stays so. */
export function lowered(levels: readonly number[], above: number): number[] {
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
export function foldedAt(lengths: readonly number[], limit: number): number {
  const total = lengths.reduce((sum, length) => sum + length, 0)
  let shown = 0
  for (const [index, length] of lengths.entries()) {
    if (index > 0 && shown + length > limit && total - shown > limit / 3) return index
    shown += length
  }
  return lengths.length
}
