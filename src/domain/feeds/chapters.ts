import { isRecord } from '../../platform/unknown.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { boundedChapters, type FeedChapter } from './document.ts'
import type { EpisodeFile, EpisodeFiles, FileAnswer } from './episode-files.ts'

export interface ChapterSource {
  /** Returns the text at a URL, of limited size; undefined if it is unavailable. */
  read(url: string): Promise<string | undefined>
  close(): void
}

const READ_MAX = 1000
const TITLE_MAX = 500

type Chapters = readonly FeedChapter[]

export const askChapters =
  (source: ChapterSource) =>
  async ({ url }: Pick<EpisodeFile, 'url'>): Promise<FileAnswer<Chapters>> => {
    const text = await source.read(url)
    if (text === undefined) return { kind: 'failed', reason: 'unavailable' }
    return { kind: 'file', file: parseChapters(text), size: 2 * text.length }
  }

export type FeedChapters = ReturnType<typeof createFeedChapters>

/** Chapters from the feed itself, or else from the file that it links to, which is fetched on demand. */
export function createFeedChapters(source: ChapterSource, files: EpisodeFiles<Chapters>) {
  return {
    stop: (): void => source.close(),

    /** Empty if the episode has no chapters, or their file is unavailable. Throws `rate_limited`. */
    async list(
      userId: UserId,
      { chapters, chaptersUrl }: { readonly chapters: string; readonly chaptersUrl: string },
    ): Promise<Chapters> {
      if (chapters !== '') return JSON.parse(chapters)
      if (chaptersUrl === '') return []
      const answer = await files.get(userId, { url: chaptersUrl, type: '' })
      return answer.kind === 'file' ? answer.file : []
    },
  }
}

export function parseChapters(text: string): readonly FeedChapter[] {
  const chapters = listIn(text).flatMap((each): FeedChapter[] => {
    if (!isRecord(each) || each['toc'] === false) return []
    const { startTime, title, url, img } = each
    if (typeof startTime !== 'number' || startTime < 0 || startTime > 1e7) return []
    if (typeof title !== 'string' || title.trim() === '') return []
    const picture = webUrl(img)
    const text = title.trim().slice(0, TITLE_MAX).toWellFormed()
    const chapter = [Math.floor(startTime), text, webUrl(url)] as const
    return [picture === '' ? chapter : [...chapter, picture]]
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

function webUrl(value: unknown): string {
  return typeof value === 'string' && /^https?:\/\//i.test(value) ? (sanitizeUrl(value) ?? '') : ''
}
