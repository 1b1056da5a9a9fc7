import { call } from '../../api/client.ts'
import { t } from '../../locales/index.ts'
import { ownName } from '../session.ts'
import { chapterAt, clock } from './progress.ts'

export interface Chapter {
  /** Seconds. */
  readonly start: number
  /** Seconds. Only set for parts marked by the user: chapters of a feed end at the start of the next one. */
  readonly end?: number
  readonly title: string
  /** URL of a page about the chapter. */
  readonly link?: string
  readonly has_picture?: boolean
}

/** Returns the feed's chapter at a position if it has a picture. Parts marked by the user have none. */
export function picturedAt(chapters: readonly Chapter[], episode: string, position: number) {
  const chapter = chapterAt(
    chapters.filter(({ end }) => end === undefined),
    position,
  )
  return chapter?.has_picture ? { episode, start: chapter.start } : undefined
}

/** Returns the feed's chapters and the parts that the user has marked, by start. Rejects with `ApiError`. */
export async function loadChapters(podcast: string, url: string, signal: AbortSignal): Promise<readonly Chapter[]> {
  const [{ chapters }, own] = await Promise.all([
    call('listFeedChapters', { query: { podcast, url }, signal }),
    // The feed's chapters are still useful without them.
    loadOwn(podcast, url, signal).catch(() => []),
  ])
  return [...chapters, ...own].sort((one, other) => one.start - other.start)
}

async function loadOwn(podcast: string, episode: string, signal: AbortSignal): Promise<readonly Chapter[]> {
  const query = { podcast, episode }
  const { chapters } = await call('listChapters', { path: { username: ownName() }, query, signal })
  return chapters.map(({ start, end, label, advertisement }) => ({
    ...{ start, end },
    title: label || (advertisement ? t('podcast.advertisement') : `${clock(start)}–${clock(end)}`),
  }))
}
