/** Characters of a description that are looked at; nobody shows more of it in a list. */
const LOOKED_AT = 700

/** What is no text for people, also where its end is cut off. Blocks that stand one below the other are words apart. */
const MARKUP = [
  /<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi,
  /<!--[\s\S]*?(?:-->|$)/g,
  /<[/!?]?[a-z](?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^"'>])*(?:>|$)/gi,
]

/** The words of a description, which may be HTML, for a line or two. */
export function plainText(html: string): string {
  const bare = MARKUP.reduce((text, markup) => text.replaceAll(markup, ' '), html.slice(0, LOOKED_AT))
  // Only character references are left to the parser: it would report event handlers to the policy, though it runs none.
  const { body } = new DOMParser().parseFromString(bare.replaceAll('<', '&lt;'), 'text/html')
  return (body.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
}
