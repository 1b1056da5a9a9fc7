/** The first characters of sanitised HTML, at most `max` and an ellipsis, without a piece of a tag, an entity or a character at the end. */
export function beginningOf(html: string, max: number): string {
  if (html.length <= max) return html
  return `${html.slice(0, max).replace(/[\uD800-\uDBFF]$|<[^>]*$|&[^;\s]*$/, '')}…`
}
