import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { Parser } from 'htmlparser2'
import { sanitizeUrl } from '../../domain/shared/feed-url.ts'
import { htmlToText } from '../../platform/html-text.ts'
import { escapeText, startOf, withoutControls } from './feed-values.ts'
import { startOfText } from './long-texts.ts'

const HTML_MAX = 64 * 1024
const DRAFT_MAX = 8 * HTML_MAX
/** Tags of elements nested deeper are dropped, so that clients need not cope with them. */
const DEPTH_MAX = 100
/** Deeper elements are read as text only, because the parser searches all open elements at each end tag. */
const NESTING_MAX = 512

const WRITTEN: ReadonlyMap<string, string> = new Map([
  ...['p', 'b', 'strong', 'i', 'em', 'ul', 'ol', 'li', 'blockquote', 'code', 'pre'].map(
    (name) => [name, name] as const,
  ),
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, name] as const),
  ['div', 'p'],
])
const HAS_BLOCKS = /<div\b/i

/** Elements dropped with their content, which is not meant for readers. */
const HIDDEN: ReadonlySet<string> = new Set([
  ...['script', 'style', 'textarea', 'option', 'noscript', 'title', 'iframe', 'object', 'svg', 'math'],
  ...['xmp', 'noembed', 'noframes', 'plaintext', 'template', 'audio', 'video', 'canvas'],
])

interface OpenElement {
  readonly name: string
  readonly end: string
  readonly start: number
  hasText: boolean
}

/**
 * Reduces untrusted HTML to text, headings, paragraphs, lists, emphasis and links. Returns at most 64 KiB; dropped
 * markup does not count. Relative addresses are resolved against `base`, and dropped without it.
 *
 * The result is safe by construction, even if the parser misreads the source: it consists of text with `&`, `<` and `>`
 * escaped, of the tags in this file, each with its end tag, and of addresses that pass `plainAddress`. A property test
 * compares it with the result of sanitize-html.
 */
export function sanitise(html: string, base = ''): string {
  const source = withoutControls(plainMarkup(startOfText(html), base)).trim()
  return withoutControls(cleanHtml(source, base)).trim()
}

function cleanHtml(html: string, base: string): string {
  if (!/[<>&]/.test(html)) return startOf(html, HTML_MAX)
  if (!HAS_BLOCKS.test(html)) return rewrite(html, { base, max: HTML_MAX })
  // `div` becomes `p`, and may be nested, unlike paragraphs. On the second pass the parser closes the outer paragraph,
  // as a browser would, and paragraphs without text are dropped.
  const draft = rewrite(html, { base, max: DRAFT_MAX })
  return rewrite(draft, { base, max: HTML_MAX, dropEmptyParagraphs: true })
}

interface RewriteOptions {
  readonly base: string
  readonly max: number
  readonly dropEmptyParagraphs?: boolean
}

function rewrite(html: string, { base, max, dropEmptyParagraphs = false }: RewriteOptions): string {
  let result = ''
  const open: OpenElement[] = []
  let hiddenDepth = 0
  let nesting = 0
  let endTags = 0
  let isFull = false
  let textFrom: number | undefined
  /** End of the last `noscript` as a browser with scripts sees it; the parser may end it earlier. */
  let noscriptEnd: number | undefined
  let isSkipping = false

  function leaveNoscript(): void {
    if (noscriptEnd === undefined || parser.startIndex < noscriptEnd) return
    noscriptEnd = undefined
    isSkipping = false
  }

  function appendText(text: string): void {
    const room = max - result.length - endTags
    if (text.length <= room) {
      result += text
      return
    }
    // Remove a truncated entity; escaping writes three of them.
    result += startOf(text, Math.max(0, room)).replace(/&[a-z]{0,3}$/, '')
    stop()
  }

  function stop(): void {
    isFull = true
    parser.pause()
  }

  function startTag(name: string, href: string): [start: string, end: string] {
    if (open.length >= DEPTH_MAX) return ['', '']
    if (name === 'br') return ['<br />', '']
    if (name !== 'a') {
      const written = WRITTEN.get(name)
      return written === undefined ? ['', ''] : [`<${written}>`, `</${written}>`]
    }
    // Keep only the text of a link without a usable address.
    const address = plainAddress(decodeHTMLAttribute(href).trim(), base)
    return address === undefined ? ['', ''] : [`<a href="${address}" rel="noopener noreferrer nofollow">`, '</a>']
  }

  // Decode entities here, and only in text that has any: the parser would examine every character.
  const parser = new Parser(
    {
      onopentag(name, { href = '' }) {
        if (isFull) return
        leaveNoscript()
        nesting++
        if (nesting > NESTING_MAX) {
          textFrom = parser.endIndex + 1
          parser.pause()
        }
        if (isSkipping) return
        if (hiddenDepth > 0) {
          hiddenDepth++
          return
        }
        const [start, end] = startTag(name, href)
        if (result.length + start.length + end.length + endTags > max) {
          stop()
          return
        }
        endTags += end.length
        open.push({ name, end, start: result.length, hasText: false })
        result += start
        if (!HIDDEN.has(name)) return
        hiddenDepth = 1
        if (name === 'noscript') noscriptEnd = endOfNoscript(html, parser.endIndex + 1)
      },
      ontext(source) {
        if (isFull) return
        leaveNoscript()
        if (isSkipping || hiddenDepth > 0) return
        const text = decodeHTML(source)
        appendText(escapeText(text))
        const element = open.at(-1)
        if (dropEmptyParagraphs && element) element.hasText ||= text.trim() !== ''
      },
      onclosetag(name) {
        if (isFull) return
        leaveNoscript()
        nesting--
        const element = open.at(-1)
        if (hiddenDepth > 0) {
          if (--hiddenDepth > 0) return
          isSkipping = noscriptEnd !== undefined
        }
        if (element?.name !== name) return
        open.pop()
        endTags -= element.end.length
        if (dropEmptyParagraphs && element.end === '</p>' && !element.hasText) {
          result = result.slice(0, element.start)
          return
        }
        const parent = open.at(-1)
        if (parent) parent.hasText ||= element.hasText
        result += element.end
      },
    },
    { decodeEntities: false },
  )
  parser.end(html)
  if (textFrom === undefined && !isFull) return result
  if (textFrom !== undefined && !isSkipping && hiddenDepth === 0)
    appendText(escapeText(htmlToText(html.slice(textFrom))))
  const ends = open.map(({ end }) => end).toReversed()
  return result + ends.join('')
}

function endOfNoscript(html: string, from: number): number {
  const end = html.slice(from).search(/<\/noscript[\t\n\f\r />]/i)
  return end < 0 ? Number.POSITIVE_INFINITY : from + end
}

/** Returns the absolute address, escaped for an attribute; `undefined` if it is unusable. */
function plainAddress(href: string, base: string): string | undefined {
  const url = /^https?:\/\//i.test(href) ? sanitizeUrl(href) : (mailAddress(href) ?? relativeAddress(href, base))
  return url?.replaceAll(/["<>`\s]/g, encodeURIComponent).replaceAll('&', '&amp;')
}

function mailAddress(href: string): string | undefined {
  const url = URL.parse(href)
  return url?.protocol === 'mailto:' ? url.href : undefined
}

/** `undefined` also for a fragment, which would point into the feed document. */
function relativeAddress(href: string, base: string): string | undefined {
  if (!isRelative(href) || href.startsWith('#')) return undefined
  const url = URL.parse(href, base)
  return url && /^https?:$/.test(url.protocol) ? sanitizeUrl(url.href) : undefined
}

/** Prefix of the link text that replaces a picture, since pages load nothing from publishers. */
const PICTURE = '🖼'

const IMAGE = /<img\b([^<>]*)>/gi
/** Start of a cell that is not the first of its row. */
const NEXT_CELL = /<\/t[dh]\s*>\s*<t[dh]\b[^<>]*>/gi
const ROW = /<(\/?)tr\b[^<>]*>/gi
/** Paragraph tags at the edges of a cell, which would break the row. */
const CELL_START = /(<t[dh]\b[^<>]*>)\s*<p\b[^<>]*>/gi
const CELL_END = /<\/p\s*>\s*(<\/t[dh]\s*>)/gi

/** Turns pictures into links, and table rows into lines. The result is as untrusted as the source. */
export function plainMarkup(html: string, base = ''): string {
  const text = /<img\b/i.test(html)
    ? html.replace(IMAGE, (_tag, attributes: string) => pictureLink(attributes, base))
    : html
  if (!/<tr\b/i.test(text)) return text
  return text.replace(CELL_START, '$1').replace(CELL_END, '$1').replace(NEXT_CELL, ' · ').replace(ROW, '<$1p>')
}

function pictureLink(attributes: string, base: string): string {
  const src = attributeIn(attributes, 'src').trim()
  const words = attributeIn(attributes, 'alt').trim()
  const name = words || fileName(src)
  // Pictures of one pixel are trackers, and so are most with the extension .gif.
  const isPixel = ['width', 'height'].some((side) => /^[01](?:px)?$/.test(attributeIn(attributes, side).trim()))
  if (isPixel || src === '' || (words === '' && /\.gif$/i.test(name))) return ''
  const isLink = /^https?:/i.test(src) || (base !== '' && isRelative(src))
  return isLink ? `<a href="${src}">${PICTURE} ${name}</a>` : name
}

function isRelative(address: string): boolean {
  return address !== '' && !/^[a-z][a-z\d+.-]*:/i.test(address)
}

function attributeIn(attributes: string, name: string): string {
  const [, double, single, bare] =
    new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"']+))`, 'i').exec(attributes) ?? []
  return (double ?? single ?? bare ?? '').replaceAll('"', '&quot;')
}

function fileName(src: string): string {
  if (/^data:/i.test(src)) return ''
  return (src.split(/[?#]/)[0] ?? '').split('/').at(-1) ?? ''
}
