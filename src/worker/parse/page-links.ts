import { Parser } from 'htmlparser2'
import type { PageLink } from '../../domain/feeds/document.ts'
import { sanitizeUrl } from '../../domain/shared/feed-url.ts'

const PAGE_MAX = 512 * 1024
const LINKS_MAX = 10
/** Depth below which the page is ignored, because the parser searches all open elements at each end tag. */
const DEPTH_MAX = 500
const TITLE_MAX = 200

const FEED_TYPE = /^application\/(?:rss\+xml|atom\+xml|rdf\+xml|feed\+json)\s*(?:;|$)/i
const APP_SCHEME = /^(?:feed|rss|pcast|itpc|itms|podcast):/i

/** Feeds that a web page links to, by `rel`, type or scheme; each once, in order. */
export function feedLinksOf(page: string, pageUrl: string): PageLink[] {
  const links = new Map<string, PageLink>()
  let base = pageUrl
  let depth = 0

  function add(href: string, title: string): void {
    const url = APP_SCHEME.test(href) ? sanitizeUrl(href) : sanitizeUrl(URL.parse(href, base)?.href ?? '')
    if (url === undefined || links.has(url) || links.size === LINKS_MAX) return
    links.set(url, {
      url,
      title: title
        .replaceAll(/[\s\p{C}]+/gu, ' ')
        .trim()
        .slice(0, TITLE_MAX)
        .toWellFormed(),
    })
  }

  const parser = new Parser(
    {
      onopentag(name, { rel = '', type = '', href = '', title = '' }) {
        depth++
        if (depth > DEPTH_MAX || links.size === LINKS_MAX) parser.pause()
        const isNamed = href.trim() !== '' && (FEED_TYPE.test(type.trim()) || APP_SCHEME.test(href.trim()))
        if (name === 'base' && href !== '') base = URL.parse(href, pageUrl)?.href ?? base
        else if (name === 'link' && isNamed && /(?:^|\s)(?:alternate|feed)(?:\s|$)/i.test(rel)) add(href.trim(), title)
        else if (name === 'a' && isNamed) add(href.trim(), title)
      },
      onclosetag() {
        depth--
      },
    },
    { lowerCaseTags: true, lowerCaseAttributeNames: true, decodeEntities: true },
  )
  parser.write(page.slice(0, PAGE_MAX))
  parser.end()
  return [...links.values()]
}
