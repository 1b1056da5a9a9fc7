import sanitizeHtml from 'sanitize-html'
import { sanitizeUrl } from '../../../src/domain/shared/feed-url.ts'
import { TAGS } from './strict-html.ts'

/** sanitize-html with the rules of our sanitizer, which must have the same result. */
export function referenceSanitize(html: string): string {
  const result = sanitizeHtml(html, OPTIONS)
  return /<div\b/i.test(html) ? sanitizeHtml(result, WITHOUT_EMPTY_PARAGRAPHS) : result
}

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [...TAGS, 'br'],
  allowedAttributes: { a: ['href', 'rel'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: 100,
  nonTextTags: [
    ...['script', 'style', 'textarea', 'option', 'noscript', 'title', 'iframe', 'object', 'svg', 'math'],
    ...['xmp', 'noembed', 'noframes', 'plaintext', 'template', 'audio', 'video', 'canvas'],
  ],
  transformTags: {
    div: 'p',
    a: (tagName, { href = '' }) => {
      const address = plainAddress(href.trim())
      return { tagName, attribs: address === undefined ? {} : { href: address, rel: 'noopener noreferrer nofollow' } }
    },
  },
  exclusiveFilter: ({ tag, attribs }) => (tag === 'a' && attribs['href'] === undefined ? 'excludeTag' : false),
}

const WITHOUT_EMPTY_PARAGRAPHS: sanitizeHtml.IOptions = {
  ...OPTIONS,
  exclusiveFilter: ({ tag, text }) => tag === 'p' && text.trim() === '',
}

function plainAddress(href: string): string | undefined {
  const mail = URL.parse(href)
  const url = /^https?:\/\//i.test(href) ? sanitizeUrl(href) : mail?.protocol === 'mailto:' ? mail.href : undefined
  return url?.replaceAll(/["<>`\s]/g, encodeURIComponent)
}
