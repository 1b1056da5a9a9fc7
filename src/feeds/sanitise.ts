import sanitizeHtml from 'sanitize-html'

/** What is kept of a description; longer ones are cut before they are sanitised, so that no tag is left open. */
const HTML_MAX = 64 * 1024

const REL = 'noopener noreferrer nofollow'

/**
 * A piece of HTML that comes out of the sanitiser as it went in, but for the `rel` of links: text, harmless entities, known tags without
 * attributes, plain links. Most descriptions hold nothing else, and looking is far faster than taking apart and putting together.
 */
const HARMLESS =
  /[^<>&]+|&(?:amp|lt|gt|quot|#39|#\d{2,6});|<\/?(?:p|b|strong|i|em|ul|ol|li|blockquote|code|pre)>|<br ?\/?>|<a href="(?:https?:\/\/|mailto:)[^"<>&\s]*">|<\/a>/y

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: ['p', 'br', 'a', 'b', 'strong', 'i', 'em', 'ul', 'ol', 'li', 'blockquote', 'code', 'pre'],
  allowedAttributes: { a: ['href', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  // Their content is no text either.
  nonTextTags: ['script', 'style', 'textarea', 'option', 'noscript', 'title', 'iframe', 'object', 'svg', 'math'],
  transformTags: {
    div: 'p',
    h1: 'p',
    h2: 'p',
    h3: 'p',
    h4: 'p',
    a: (tagName, { href }) => ({ tagName, attribs: { ...(href !== undefined && { href }), rel: REL } }),
  },
}

/** HTML of unknown origin as HTML that does nothing: text, paragraphs, lists, emphasis and links. */
export function sanitise(html: string): string {
  const short = html.slice(0, HTML_MAX)
  if (!/[<&>]/.test(short)) return short
  if (isHarmless(short)) return short.replaceAll(/<a (href="[^"]*")>/g, `<a $1 rel="${REL}">`)
  return sanitizeHtml(short, OPTIONS).trim()
}

/** Piece by piece, since one expression for the whole would try every way to divide a text before it gives up. */
function isHarmless(html: string): boolean {
  HARMLESS.lastIndex = 0
  while (HARMLESS.lastIndex < html.length) if (!HARMLESS.test(html)) return false
  return true
}
