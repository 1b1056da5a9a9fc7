import type { Clock } from '../../platform/clock.ts'
import type { Lru } from '../../platform/lru.ts'
import { isRecord } from '../../platform/unknown.ts'
import { createSharedTurns, type HostQueue } from '../shared/concurrency.ts'
import { hostOf, sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { boundedChapters, type FeedChapter } from './document.ts'

export interface ChapterSource {
  /** The text at an address, of a bounded size; undefined if it cannot be had. */
  read(url: string): Promise<string | undefined>
  close(): void
}

export type KnownFile =
  | { readonly chapters: readonly FeedChapter[] }
  | { readonly failures: number; readonly retryAt: number }

const READ_MAX = 1000
const TITLE_MAX = 500
/** Milliseconds from one attempt to the next: after the first failure, and at most. */
const RETRY_FIRST = 60_000
const RETRY_MAX = 32 * RETRY_FIRST

/** The chapters of episodes: those in the feed itself, or else in the file that it names, which is fetched on demand. */
export function createFeedChapters(parts: {
  readonly source: ChapterSource
  /** Recent documents. Entries live longer than the longest pause, or failures would be forgotten. */
  readonly known: Lru<KnownFile>
  readonly queue: HostQueue
  readonly fetches: RateLimit
  readonly clock: Clock
}) {
  const { source, known, queue, fetches, clock } = parts
  const inFlight = createSharedTurns<string, readonly FeedChapter[]>()

  async function read(url: string): Promise<readonly FeedChapter[]> {
    const text = await source.read(url)
    if (text === undefined) {
      const before = known.get(url)
      const failures = before && 'failures' in before ? before.failures : 0
      const pause = Math.min(RETRY_MAX, RETRY_FIRST * 2 ** failures)
      known.set(url, { failures: failures + 1, retryAt: clock.monotonic() + pause })
      return []
    }
    const chapters = parseChapters(text)
    known.set(url, { chapters })
    return chapters
  }

  function find(url: string): readonly FeedChapter[] | undefined {
    const file = known.get(url)
    if (!file) return undefined
    if ('chapters' in file) return file.chapters
    return clock.monotonic() < file.retryAt ? [] : undefined
  }

  return {
    stop: (): void => source.close(),

    /** None if there are none, or they cannot be had. Throws `rate_limited`. */
    async list(
      userId: UserId,
      { chapters, chaptersUrl }: { readonly chapters: string; readonly chaptersUrl: string },
    ): Promise<readonly FeedChapter[]> {
      if (chapters !== '') return JSON.parse(chapters)
      const found = chaptersUrl === '' ? [] : find(chaptersUrl)
      if (found) return found
      if (!inFlight.find(chaptersUrl)) fetches.take(String(userId))
      // Users take turns: who opens many episodes keeps nobody else waiting for all of them.
      const turn = { queue, host: hostOf(chaptersUrl), flow: String(userId) }
      return inFlight.run(chaptersUrl, turn, () => read(chaptersUrl))
    },
  }
}

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
