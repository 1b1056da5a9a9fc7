import { decodeReferences } from '../../platform/html-text.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { ListedFeed } from '../shared/podcast.ts'

export type ProvisionalTitles = ReadonlyMap<string, string>

/** In UTF-16 code units. Longer titles are cut rather than rejected, since they come from files of other programs. */
export const TITLE_MAX = 300

const WHITE_SPACE_AND_CONTROLS = /[\s\p{Cc}]+/gu

/** Cleaned titles, without those that only repeat the URL. The first title of a feed counts. */
export function planTitles(feeds: Iterable<ListedFeed>): ProvisionalTitles {
  const titles = new Map<string, string>()
  for (const { url: raw, title: rawTitle } of feeds) {
    if (rawTitle === undefined) continue
    const title = cleanTitle(rawTitle)
    if (title === '' || title === raw.trim()) continue
    const url = sanitizeUrl(raw)
    if (url === undefined || titles.has(url) || sanitizeUrl(title) === url) continue
    titles.set(url, title)
  }
  return titles
}

function cleanTitle(raw: string): string {
  // Programs copy titles from feeds, where HTML is common, and escape them once more.
  const text = decodeReferences(raw).replaceAll(WHITE_SPACE_AND_CONTROLS, ' ').trim().toWellFormed()
  return text.length <= TITLE_MAX ? text : `${text.slice(0, TITLE_MAX - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
