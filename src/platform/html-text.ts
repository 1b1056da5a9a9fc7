/** Loaded with the first entity: the table of 2,000 names and its decoder take 8 MiB. */
let decodeEntities: ((text: string) => string) | undefined

const HIDDEN =
  /<(script|style|textarea|noscript|title|iframe|object|svg|math|template)\b[^<>]*>.*?(?:<\/\1\s*>|$)|<!--.*?(?:-->|$)/gis

/** Line breaks, and runs of block tags, which together make one break. */
const BREAK = /<br\s*\/?>|(?:<\/?(?:p|li|blockquote|pre|ul|ol|div|h[1-6])(?:[\s/][^<>]*)?> ?)+/gi
const TAG = /<\/?[a-z][^<>]*>/gi
const CONTROLS = /[^\P{Cc}\s]/gu

/** Converts HTML to text, with paragraphs and items on separate lines. Linear time. The result must be escaped. */
export function htmlToText(html: string): string {
  if (!/[<&]/.test(html)) return html.toWellFormed().replaceAll(CONTROLS, '').trim()
  const bare = html
    .toWellFormed()
    .replaceAll(HIDDEN, '')
    // All white space except single spaces.
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
