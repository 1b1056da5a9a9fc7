const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['nbsp', ' '],
])

/** The text of sanitised HTML: paragraphs, lines and items on lines of their own, no markup, no entities. */
export function plainText(html: string): string {
  if (!/[<&]/.test(html)) return html
  return (
    html
      // All whitespace but a space that is alone already.
      .replaceAll(/\s\s+|[^\S ]/g, ' ')
      .replaceAll(/<br ?\/?>|(?:<\/?(?:p|li|blockquote|pre|ul|ol)> ?)+/g, '\n')
      .replaceAll(/<[^<>]*>/g, '')
      .replaceAll(/&(?:#(\d{1,7})|([a-z]+));/g, (entity, number: string | undefined, name: string | undefined) =>
        number === undefined ? (ENTITIES.get(name ?? '') ?? entity) : character(Number(number), entity),
      )
      .split('\n')
      .map((line) => line.trim())
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim()
  )
}

function character(code: number, fallback: string): string {
  const isOne = code > 31 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isOne ? String.fromCodePoint(code) : fallback
}
