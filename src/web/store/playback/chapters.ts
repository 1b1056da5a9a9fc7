import { call } from '../../api/client.ts'
import { t } from '../../locales/index.ts'
import { ownName } from '../session.ts'
import { chapterAt, clock } from './progress.ts'

export interface Chapter {
  /** Seconds. */
  readonly start: number
  /** Seconds, of a part that the user has marked; chapters of feeds end where the next one begins. */
  readonly end?: number
  readonly title: string
  /** A page about the chapter; '' or undefined if there is none. */
  readonly link?: string
  readonly has_picture?: boolean
}

/** The chapter of the feed at a position, if it has a picture. Parts that the user has marked have none. */
export function picturedAt(chapters: readonly Chapter[], episode: string, position: number) {
  const chapter = chapterAt(
    chapters.filter(({ end }) => end === undefined),
    position,
  )
  return chapter?.has_picture ? { episode, start: chapter.start } : undefined
}

/** The chapters that the feed names, and among them the parts that the user has marked in any app. Rejects with `ApiError`. */
export async function loadChapters(podcast: string, url: string, signal: AbortSignal): Promise<readonly Chapter[]> {
  const [{ chapters }, own] = await Promise.all([
    call('listFeedChapters', { query: { podcast, url }, signal }),
    // Without them, those of the feed are still worth having.
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
