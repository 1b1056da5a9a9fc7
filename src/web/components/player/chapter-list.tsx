import { t } from '../../locales/index.ts'
import type { Chapter } from '../../store/playback/chapters.ts'
import { clock } from '../../store/playback/progress.ts'
import { ButtonLink } from '../forms/button.tsx'
import { Artwork } from '../podcast/artwork.tsx'
import { isWebUrl } from '../safe-link.tsx'

interface ChapterListProps {
  /** Feed URL. */
  readonly podcast: string
  /** Media URL. */
  readonly episode: string
  readonly chapters: readonly Chapter[]
  readonly current: Chapter | undefined
  readonly onPlay: (seconds: number) => void
}

/** Chapters of an episode, with pictures and links. Clicking a chapter plays it from its start. */
export function ChapterList({ podcast, episode, chapters, current, onPlay }: ChapterListProps) {
  const hasPictures = chapters.some((chapter) => chapter.has_picture)
  return (
    <ol class="chapter-list" data-pictures={hasPictures}>
      {chapters.map((chapter) => {
        const { start, end = '', title, link = '', has_picture = false } = chapter
        return (
          <li key={`${start} ${end} ${title}`}>
            <button type="button" aria-current={chapter === current} onClick={() => onPlay(start)}>
              <span class="player-time small">{clock(start)}</span>
              {hasPictures && (
                <span class="chapter-picture">
                  {has_picture && (
                    <Artwork url={podcast} title={title} size={128} hasPicture={false} chapter={{ episode, start }} />
                  )}
                </span>
              )}
              <span dir="auto">{title}</span>
            </button>
            {isWebUrl(link) && (
              <ButtonLink kind="quiet" icon="external" href={link} isExternal>
                <span class="hidden-text">{t('podcast.chapterLink', { title })}</span>
              </ButtonLink>
            )}
          </li>
        )
      })}
    </ol>
  )
}
