import { decodeHTML, decodeHTMLStrict } from 'entities'
import sanitizeHtml from 'sanitize-html'
import { sanitizeUrl } from '../../domain/shared/feed-url.ts'
import { escapeText, startOf, withoutControls } from './feed-values.ts'

/** What is kept of a description. */
const HTML_MAX = 64 * 1024
/** Of tags within tags; deeper ones are left out, so that no reader has to bear them. */
const DEPTH_MAX = 100

const REL = 'noopener noreferrer nofollow'

/** Written as such. */
const PARAGRAPHS = ['div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6']

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: ['p', 'br', 'a', 'b', 'strong', 'i', 'em', 'ul', 'ol', 'li', 'blockquote', 'code', 'pre'],
  allowedAttributes: { a: ['href'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  nestingLimit: DEPTH_MAX,
  // Their content is no text either.
  nonTextTags: [
    ...['script', 'style', 'textarea', 'option', 'noscript', 'title', 'iframe', 'object', 'svg', 'math'],
    ...['xmp', 'noembed', 'noframes', 'plaintext', 'template', 'audio', 'video', 'canvas'],
  ],
  transformTags: Object.fromEntries(PARAGRAPHS.map((name) => [name, 'p'])),
}

/**
 * HTML of unknown origin as HTML that does nothing: text, paragraphs, lists, emphasis and links. Sanitised once more it stays as it is.
 *
 * Most descriptions hold nothing else to begin with, and writing them anew is far faster than taking them apart first.
 */
export function sanitise(html: string): string {
  let source = withoutControls(startOf(html, HTML_MAX)).trim()
  for (;;) {
    const result = withoutControls(rewrite(source, false) ?? launder(source)).trim()
    if (result.length <= HTML_MAX) return result
    // Escapes make it longer than it was. A tenth less than would fit on average, so that it ends soon.
    source = startOf(source, Math.floor((source.length * HTML_MAX * 0.9) / result.length))
  }
}

function launder(html: string): string {
  const laundered = sanitizeHtml(html, OPTIONS)
  return rewrite(laundered, true) ?? laundered
}

const ATTRIBUTES = '(?:\\s+[\\w:-]+="[^"<>&]*(?:&(?:amp|lt|gt|quot);[^"<>&]*)*")*'
const NAMES = 'p|b|strong|i|em|ul|ol|li|blockquote|code|pre|a|div|span|h[1-6]'

/** Text; an entity; a tag that stands alone; the start or the end of an element. */
const PIECE = new RegExp(
  [
    '([^<>&]+)',
    '(&(?:[a-z][a-z\\d]{1,30}|#\\d{1,6}|#x[\\da-f]{1,5});)',
    `<(br|img)${ATTRIBUTES}\\s*/?>`,
    `<(${NAMES})(${ATTRIBUTES})\\s*>`,
    `</(${NAMES})>`,
  ].join('|'),
  'iy',
)

/** What is written for elements that are not; `''` is nothing, but what they hold. */
const WRITTEN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(PARAGRAPHS.map((name) => [name, 'p'])),
  span: '',
}

/** Elements that end the one around them, if it is one of these. */
const ENDS: Readonly<Record<string, string>> = {
  ...{ p: 'p', ul: 'p', ol: 'p', blockquote: 'p', pre: 'p' },
  ...{ li: 'li', a: 'a' },
}

interface Draft {
  written: string
  /** Where a paragraph began that has nothing in it so far, or -1. */
  blank: number
  readonly open: Open[]
}

interface Open {
  readonly name: string
  /** `''` for nothing, or for what has ended already. */
  written: string
}

/**
 * Well-nested HTML of harmless pieces in one spelling; undefined for any other. Piece by piece, since one expression for the whole would
 * try every way to divide a text before it gives up. If it `mends`, an element that cannot be where it is ends the one around it, as it
 * would in a browser, and a link that leads nowhere is left out.
 */
function rewrite(html: string, mends: boolean): string | undefined {
  const draft: Draft = { written: '', blank: -1, open: [] }
  PIECE.lastIndex = 0
  while (PIECE.lastIndex < html.length) {
    const piece = PIECE.exec(html)
    if (!piece || !add(draft, piece, mends)) return undefined
  }
  return draft.open.length === 0 ? draft.written : undefined
}

/** False if the piece does not belong there. */
function add(draft: Draft, piece: RegExpExecArray, mends: boolean): boolean {
  const [, text, entity, alone, start, attributes = '', end] = piece
  if (start !== undefined) return open(draft, start.toLowerCase(), attributes, mends)
  if (end !== undefined) return close(draft, end.toLowerCase())
  if (alone?.toLowerCase() === 'br') write(draft, '<br />')
  else if (alone === undefined) write(draft, text ?? escapeText(decodeHTML(entity ?? '')))
  return true
}

function write(draft: Draft, html: string): void {
  draft.written += html
  if (draft.blank >= 0 && /\S/.test(html)) draft.blank = -1
}

function open(draft: Draft, name: string, attributes: string, mends: boolean): boolean {
  const href = name === 'a' ? plainAddress(/\shref="([^"]*)"/i.exec(attributes)?.[1]) : ''
  const written = href === undefined ? '' : (WRITTEN[name] ?? name)
  const around = draft.open.findLast((each) => each.written !== '')
  const isMisplaced = around !== undefined && ENDS[written] === around.written
  // The myPodcasts has boxes in boxes, too; all else that it would have in another way is left to it.
  const isClear = href !== undefined && !(isMisplaced && around.name !== 'div') && draft.open.length < DEPTH_MAX
  if (!mends && !isClear) return false
  if (isMisplaced) endEarly(draft, around)
  draft.open.push({ name, written })
  if (written === '') return true
  const start = draft.written.length
  write(draft, name === 'a' ? `<a href="${href}" rel="${REL}">` : `<${written}>`)
  if (written === 'p') draft.blank = start
  return true
}

/** What is empty is not worth an end. */
function endEarly(draft: Draft, around: Open): void {
  draft.written = draft.blank >= 0 ? draft.written.slice(0, draft.blank) : `${draft.written}</${around.written}>`
  around.written = ''
}

function close(draft: Draft, name: string): boolean {
  const last = draft.open.pop()
  if (last?.name !== name) return false
  if (last.written !== '') write(draft, `</${last.written}>`)
  return true
}

/** As it can stand in an attribute; undefined unless it is an absolute address that is good to follow. */
function plainAddress(attribute = ''): string | undefined {
  const href = decodeHTMLStrict(attribute).trim()
  const url = /^https?:\/\//i.test(href) ? sanitizeUrl(href) : mailAddress(href)
  return url && escapeText(url.replaceAll(/["<>`\s]/g, encodeURIComponent))
}

function mailAddress(href: string): string | undefined {
  const url = URL.parse(href)
  return url?.protocol === 'mailto:' ? url.href : undefined
}
