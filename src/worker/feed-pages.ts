import { type FeedOutline, NotAFeed } from '../domain/feeds/document.ts'
import { FetchFailure, type FetchFailureReason } from '../outbound/fetch-failure.ts'
import { type Fetched, isSuccess } from '../outbound/guarded-fetch.ts'
import type { MapOptions } from './parse/mapped-feed.ts'
import type { ParsedDocument } from './parse/parse-feed.ts'

const PAGES_MAX = 20

const TEMPORARY: ReadonlySet<FetchFailureReason> = new Set(['unresolved', 'unreachable', 'out_of_files', 'timeout'])

export interface FeedPage extends Pick<Fetched, 'url' | 'isInside'> {
  readonly parsed: ParsedDocument
}

export interface PagesParts {
  readonly feedUrl: string
  readonly isWhole: boolean
  readonly maxEpisodes: number
  /** Whether the byte limit is a first guess; a larger feed is fetched again as a whole (`createLargeFeedLimit`). */
  readonly isTrial: boolean
  /** Throws `FetchFailure`. */
  fetchPage(url: string): Promise<Fetched>
  /** Throws `NotAFeed`. */
  parsePage(fetched: Fetched, options: Pick<MapOptions, 'maxEpisodes' | 'earlier'>): Promise<ParsedDocument>
}

export interface ReadPages extends Pick<Fetched, 'isInside'> {
  readonly document: FeedOutline
  readonly hasUnread: boolean
}

/** Follows next links (RFC 5005) on the same host while pages have new episodes and limits allow. */
export async function readPages(first: FeedPage, parts: PagesParts): Promise<ReadPages> {
  const visited = new Set([new URL(parts.feedUrl).href, first.url])
  let page = first
  let { outline: document } = first.parsed
  let { isInside } = first
  for (let count = 1; count < PAGES_MAX; count++) {
    const { outline, nextUrl, names, hasStored } = page.parsed
    const maxEpisodes = parts.maxEpisodes - document.episodeCount
    const isWorthwhile = outline.episodeCount > 0 && maxEpisodes > 0 && (parts.isWhole || !hasStored)
    if (!isWorthwhile || !mayFollow(nextUrl, page.url)) break
    const next = await readPage(nextUrl, { maxEpisodes, earlier: names }, visited, parts)
    if (next === 'later') return { document, isInside, hasUnread: true }
    if (next === 'never') break
    document = joined(document, next.parsed.outline, parts.maxEpisodes)
    isInside ||= next.isInside
    page = next
  }
  return { document, isInside, hasUnread: false }
}

async function readPage(
  nextUrl: string,
  options: Pick<MapOptions, 'maxEpisodes' | 'earlier'>,
  visited: Set<string>,
  { isTrial, fetchPage, parsePage }: PagesParts,
): Promise<FeedPage | 'later' | 'never'> {
  const url = withoutFragment(nextUrl)
  if (visited.has(url)) return 'never'
  visited.add(url)
  try {
    const fetched = await fetchPage(url)
    const { status, isInside } = fetched
    if (!isSuccess(status)) return status === 429 || status >= 500 ? 'later' : 'never'
    if (fetched.url !== url && (visited.has(fetched.url) || !mayFollow(fetched.url, url))) return 'never'
    visited.add(fetched.url)
    return { url: fetched.url, isInside, parsed: await parsePage(fetched, options) }
  } catch (error) {
    if (error instanceof NotAFeed) return 'never'
    if (error instanceof FetchFailure && !(isTrial && error.reason === 'too_large'))
      return TEMPORARY.has(error.reason) ? 'later' : 'never'
    throw error
  }
}

function mayFollow(url: string, from: string): boolean {
  const [next, last] = [URL.parse(url), new URL(from)]
  return next?.host === last.host && (next.protocol === 'https:' || next.protocol === last.protocol)
}

function withoutFragment(text: string): string {
  const url = new URL(text)
  url.hash = ''
  return url.href
}

function joined(document: FeedOutline, page: FeedOutline, max: number): FeedOutline {
  return {
    ...document,
    episodeCount: document.episodeCount + page.episodeCount,
    blockedEpisodes: [...document.blockedEpisodes, ...page.blockedEpisodes].slice(0, max),
    blockedGuids: [...document.blockedGuids, ...page.blockedGuids].slice(0, max),
  }
}
