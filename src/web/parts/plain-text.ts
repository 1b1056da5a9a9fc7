/** Characters of a description that are looked at; nobody shows more of it in a list. */
const LOOKED_AT = 700

/** The words of a description, which may be HTML, for a line or two. The document it is read into is never shown and runs nothing. */
export function plainText(html: string): string {
  // Blocks that stand one below the other are words apart.
  const spaced = html.slice(0, LOOKED_AT).replaceAll('<', ' <')
  const { body } = new DOMParser().parseFromString(spaced, 'text/html')
  for (const code of body.querySelectorAll('script, style')) code.remove()
  return (body.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
}
