import type { Chapter } from '../../store/playback/chapters.ts'
import { clock } from '../../store/playback/progress.ts'

interface ChapterListProps {
  readonly chapters: readonly Chapter[]
  /** The chapter that plays. */
  readonly current: Chapter | undefined
  readonly onPlay: (seconds: number) => void
}

/** The chapters of an episode. Each one plays from its beginning. */
export function ChapterList({ chapters, current, onPlay }: ChapterListProps) {
  return (
    <ol class="chapter-list">
      {chapters.map((chapter) => (
        <li key={`${chapter.start} ${chapter.end ?? ''} ${chapter.title}`}>
          <button type="button" aria-current={chapter === current} onClick={() => onPlay(chapter.start)}>
            <span class="player-time small">{clock(chapter.start)}</span>
            <span dir="auto">{chapter.title}</span>
          </button>
        </li>
      ))}
    </ol>
  )
}
