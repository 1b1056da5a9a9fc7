/** Loaded for the first text that has one: the table of its 2,000 names takes 8 MiB with what unpacks it. */
let decodeEntities: ((text: string) => string) | undefined

const HIDDEN =
  /<(script|style|textarea|noscript|title|iframe|object|svg|math|template)\b[^<>]*>.*?(?:<\/\1\s*>|$)|<!--.*?(?:-->|$)/gis

/** Line breaks; and the edges of blocks, of which any number in a row make one. */
const BREAK = /<br\s*\/?>|(?:<\/?(?:p|li|blockquote|pre|ul|ol|div|h[1-6])(?:[\s/][^<>]*)?> ?)+/gi
const TAG = /<\/?[a-z][^<>]*>/gi
const CONTROLS = /[^\P{Cc}\s]/gu

/** Text of HTML: paragraphs and items on lines of their own, no entities. Linear time; escape the result. */
export function htmlToText(html: string): string {
  if (!/[<&]/.test(html)) return html.toWellFormed().replaceAll(CONTROLS, '').trim()
  const bare = html
    .toWellFormed()
    .replaceAll(HIDDEN, '')
    // All white space but a space that stands alone already.
    .replaceAll(/\s\s+|[^\S ]/g, ' ')
    .replaceAll(BREAK, '\n')
    .replaceAll(TAG, '')
  return decodeReferences(bare)
    .replaceAll('\u00a0', ' ')
    .replaceAll(CONTROLS, '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

export function decodeReferences(text: string): string {
  if (!/&[#a-z]/i.test(text)) return text
  decodeEntities ??= (require('entities/decode') as typeof import('entities/decode')).decodeHTMLStrict
  return decodeEntities(text)
}
