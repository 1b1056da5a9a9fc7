import { htmlToText } from '../domain/shared/text.ts'
import { characterOf } from './html-entities.ts'

/** More is no description of a search result. */
const HTML_MAX = 16 * 1024

/** What is no text either, with all that it holds; comments; tags; what looks like one and is not; entities. */
const PIECE = new RegExp(
  [
    '<(script|style|textarea|noscript|title|iframe|object|svg|math|template)\\b[^<>]*>.*?(?:</\\1\\s*>|$)',
    '<!--.*?(?:-->|$)',
    '<(/?)([a-z][a-z\\d]*)(?:[\\s/][^<>]*)?>',
    '(<)',
    '&([a-z][a-z\\d]*|#\\d+|#x[\\da-f]+);',
  ].join('|'),
  'gis',
)

/** Written as paragraphs. */
const PARAGRAPH = /^(?:div|h[1-6])$/
const CONTROLS = /[^\P{Cc}\s]/gu

/**
 * The text of HTML that nobody has sanitised, as `plainText` of what feeds say. It only ever becomes text: the libraries that make HTML
 * harmless take 20 MB, and are on the thread that reads feeds alone.
 */
export function descriptionText(html: string): string {
  return htmlToText(html.slice(0, HTML_MAX).toWellFormed().replaceAll(PIECE, rewritten)).replaceAll(CONTROLS, '').trim()
}

/** As `plainText` knows it. */
function rewritten(
  piece: string,
  _hidden: string | undefined,
  slash: string | undefined,
  tag: string | undefined,
  less: string | undefined,
  entity: string | undefined,
): string {
  if (tag !== undefined) return `<${slash ?? ''}${PARAGRAPH.test(tag.toLowerCase()) ? 'p' : tag.toLowerCase()}>`
  if (entity !== undefined) return characterOf(entity)?.replace('&', '&amp;').replace('<', '&lt;') ?? piece
  return less === undefined ? '' : '&lt;'
}
