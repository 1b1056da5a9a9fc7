import type { Lru } from '../../platform/lru.ts'
import { isRecord } from '../../platform/unknown.ts'
import { createSharedWork, type HostQueue } from '../shared/concurrency.ts'
import { hostOf, sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { boundedChapters, type FeedChapter } from './document.ts'

/** Where the chapters are that feeds only name. */
export interface ChapterSource {
  /** The text at an address, of a bounded size; undefined if it cannot be had. */
  read(url: string): Promise<string | undefined>
  /** Breaks off what is being read. */
  close(): void
}

export interface FeedChaptersParts {
  readonly source: ChapterSource
  /** What was read of late, also that there was nothing. */
  readonly known: Lru<readonly FeedChapter[]>
  readonly queue: HostQueue
  /** Files that a user has fetched. */
  readonly fetches: RateLimit
}

/** Entries that are looked at, whatever they say. */
const READ_MAX = 1000
const TITLE_MAX = 500

export type FeedChapters = ReturnType<typeof createFeedChapters>

/** The chapters of episodes: those in the feed itself, or else in the file that it names, which is fetched on demand. */
export function createFeedChapters({ source, known, queue, fetches }: FeedChaptersParts) {
  const inFlight = createSharedWork<string, readonly FeedChapter[]>()

  async function read(url: string): Promise<readonly FeedChapter[]> {
    const chapters = parseChapters((await source.read(url)) ?? '')
    known.set(url, chapters)
    return chapters
  }

  return {
    stop: (): void => source.close(),

    /** None if there are none, or they cannot be had. Throws `rate_limited`. */
    async list(
      userId: UserId,
      { chapters, chaptersUrl }: { readonly chapters: string; readonly chaptersUrl: string },
    ): Promise<readonly FeedChapter[]> {
      if (chapters !== '') return JSON.parse(chapters)
      const found = chaptersUrl === '' ? [] : known.get(chaptersUrl)
      if (found) return found
      if (!inFlight.has(chaptersUrl)) fetches.take(String(userId))
      return inFlight.run(chaptersUrl, () => queue.run(hostOf(chaptersUrl), () => read(chaptersUrl)))
    },
  }
}

/** Chapters in JSON, as the podcast namespace defines them; none for anything else. */
export function parseChapters(text: string): readonly FeedChapter[] {
  const chapters = listIn(text).flatMap((each): FeedChapter[] => {
    if (!isRecord(each) || each['toc'] === false) return []
    const { startTime, title, url } = each
    if (typeof startTime !== 'number' || startTime < 0 || startTime > 1e7) return []
    if (typeof title !== 'string' || title.trim() === '') return []
    const link = typeof url === 'string' && /^https?:\/\//i.test(url) ? (sanitizeUrl(url) ?? '') : ''
    return [[Math.floor(startTime), title.trim().slice(0, TITLE_MAX).toWellFormed(), link]]
  })
  return boundedChapters(chapters)
}

function listIn(text: string): readonly unknown[] {
  try {
    const file: unknown = JSON.parse(text)
    const list = isRecord(file) ? file['chapters'] : undefined
    return Array.isArray(list) ? list.slice(0, READ_MAX) : []
  } catch {
    return []
  }
}
