import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { Parser } from 'htmlparser2'
import { sanitizeUrl } from '../../domain/shared/feed-url.ts'
import { htmlToText } from '../../platform/html-text.ts'
import { escapeText, startOf, withoutControls } from './feed-values.ts'
import { startOfText } from './long-texts.ts'

const HTML_MAX = 64 * 1024
const DRAFT_MAX = 8 * HTML_MAX
/** Elements that are nested deeper are left out, so that no reader has to cope with them. */
const DEPTH_MAX = 100
/** Deeper elements are read as text only: the parser looks through all open ones for each end tag. */
const NESTING_MAX = 512

const WRITTEN: ReadonlyMap<string, string> = new Map([
  ...['p', 'b', 'strong', 'i', 'em', 'ul', 'ol', 'li', 'blockquote', 'code', 'pre'].map(
    (name) => [name, name] as const,
  ),
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, name] as const),
  ['div', 'p'],
])
const HAS_BLOCKS = /<div\b/i

/** The content of these is no text for readers, so it goes with its element. */
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
 * HTML of unknown origin as HTML that does nothing: text, headings, paragraphs, lists, emphasis and links. At most
 * 64 KiB of the result; markup that is not shown does not count. Relative addresses start at `base`; without it they go.
 *
 * The result is safe by how it is written, whatever the parser makes of the source: of text, in which `&`, `<` and `>`
 * are always escaped, of the tags in this file, each with its end tag, and of addresses that `plainAddress` lets
 * through. A property test compares it with what sanitize-html makes of the same source.
 */
export function sanitise(html: string, base = ''): string {
  const source = withoutControls(plainMarkup(startOfText(html), base)).trim()
  return withoutControls(launder(source, base)).trim()
}

function launder(html: string, base: string): string {
  if (!/[<>&]/.test(html)) return startOf(html, HTML_MAX)
  if (!HAS_BLOCKS.test(html)) return rewrite(html, { base, max: HTML_MAX })
  // Boxes that have become paragraphs may stand in each other, which paragraphs cannot. When the result is read once
  // more, the parser ends the outer one, as a browser would, and paragraphs that are left without text go.
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
  /** End of the last `noscript` for browsers with scripts; the parser may end it earlier. */
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
    // Without half an entity, of which escaping writes three.
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
    // Of a link that leads nowhere only the text stays.
    const address = plainAddress(decodeHTMLAttribute(href).trim(), base)
    return address === undefined ? ['', ''] : [`<a href="${address}" rel="noopener noreferrer nofollow">`, '</a>']
  }

  // Entities are decoded here, where there are any: the parser would look at each character of a text for them.
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

/** The absolute address as it can stand in an attribute; undefined for one that leads nowhere. */
function plainAddress(href: string, base: string): string | undefined {
  const url = /^https?:\/\//i.test(href) ? sanitizeUrl(href) : (mailAddress(href) ?? relativeAddress(href, base))
  return url?.replaceAll(/["<>`\s]/g, encodeURIComponent).replaceAll('&', '&amp;')
}

function mailAddress(href: string): string | undefined {
  const url = URL.parse(href)
  return url?.protocol === 'mailto:' ? url.href : undefined
}

/** A place on the page itself is none: the page is the feed. */
function relativeAddress(href: string, base: string): string | undefined {
  if (!isRelative(href) || href.startsWith('#')) return undefined
  const url = URL.parse(href, base)
  return url && /^https?:$/.test(url.protocol) ? sanitizeUrl(url.href) : undefined
}

/** A picture in notes becomes a link whose text begins with this, since pages load nothing from publishers. */
const PICTURE = '🖼'

const IMAGE = /<img\b([^<>]*)>/gi
/** A cell that is not the first one of its row. */
const NEXT_CELL = /<\/t[dh]\s*>\s*<t[dh]\b[^<>]*>/gi
const ROW = /<(\/?)tr\b[^<>]*>/gi
/** Paragraphs that are a whole cell would break its row. */
const CELL_START = /(<t[dh]\b[^<>]*>)\s*<p\b[^<>]*>/gi
const CELL_END = /<\/p\s*>\s*(<\/t[dh]\s*>)/gi

/** Pictures as links and tables as lines. The result is as untrusted as the source. */
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
  // Pictures of a pixel count readers, and so do most that are called .gif.
  const isPixel = ['width', 'height'].some((side) => /^[01](?:px)?$/.test(attributeIn(attributes, side).trim()))
  if (isPixel || src === '' || (words === '' && /\.gif$/i.test(name))) return ''
  const leads = /^https?:/i.test(src) || (base !== '' && isRelative(src))
  return leads ? `<a href="${src}">${PICTURE} ${name}</a>` : name
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
