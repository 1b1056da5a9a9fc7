import sanitizeHtml from 'sanitize-html'
import { sanitizeUrl } from '../../domain/shared/feed-url.ts'
import { startOf, withoutControls } from './feed-values.ts'

/** What is kept of a description. */
const HTML_MAX = 64 * 1024
/** Elements that are nested deeper are left out, so that no reader has to cope with them. */
const DEPTH_MAX = 100

/** These become paragraphs. */
const BLOCKS = ['div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const HAS_BLOCKS = /<(?:div|h[1-6])\b/i

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: ['p', 'br', 'a', 'b', 'strong', 'i', 'em', 'ul', 'ol', 'li', 'blockquote', 'code', 'pre'],
  allowedAttributes: { a: ['href', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: DEPTH_MAX,
  // The content of these is not text for readers either.
  nonTextTags: [
    ...['script', 'style', 'textarea', 'option', 'noscript', 'title', 'iframe', 'object', 'svg', 'math'],
    ...['xmp', 'noembed', 'noframes', 'plaintext', 'template', 'audio', 'video', 'canvas'],
  ],
  transformTags: { ...Object.fromEntries(BLOCKS.map((name) => [name, 'p'])), a: link },
  // Of a link that leads nowhere only the text stays.
  exclusiveFilter: ({ tag, attribs }) => (tag === 'a' && attribs['href'] === undefined ? 'excludeTag' : false),
}

/**
 * Boxes that have become paragraphs may stand in each other, which paragraphs cannot. The library ends the outer one, as a browser would,
 * and the paragraphs without text that this leaves behind go.
 */
const MENDING: sanitizeHtml.IOptions = {
  ...OPTIONS,
  exclusiveFilter: ({ tag, text }) => tag === 'p' && text.trim() === '',
}

/** HTML of unknown origin as HTML that does nothing: text, paragraphs, lists, emphasis and links. */
export function sanitise(html: string): string {
  let source = withoutControls(startOf(html, HTML_MAX)).trim()
  for (;;) {
    const result = withoutControls(launder(source)).trim()
    if (result.length <= HTML_MAX) return result
    // Escaping has made it longer than it was. Taking a tenth less than would fit on average lets the loop end soon.
    source = startOf(source, Math.floor((source.length * HTML_MAX * 0.9) / result.length))
  }
}

function launder(html: string): string {
  if (!/[<>&]/.test(html)) return html
  const result = sanitizeHtml(html, OPTIONS)
  return HAS_BLOCKS.test(html) ? sanitizeHtml(result, MENDING) : result
}

function link(tagName: string, { href = '' }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const address = plainAddress(href.trim())
  return { tagName, attribs: address === undefined ? {} : { href: address, rel: 'noopener noreferrer nofollow' } }
}

/** An absolute address as it can stand in an attribute; undefined for any other. */
function plainAddress(href: string): string | undefined {
  const url = /^https?:\/\//i.test(href) ? sanitizeUrl(href) : mailAddress(href)
  return url?.replaceAll(/["<>`\s]/g, encodeURIComponent)
}

function mailAddress(href: string): string | undefined {
  const url = URL.parse(href)
  return url?.protocol === 'mailto:' ? url.href : undefined
}
