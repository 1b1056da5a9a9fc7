import { t } from '../../locales/index.ts'
import type { Chapter } from '../../store/playback/chapters.ts'
import { isVideo, type Playing } from '../../store/playback/playable.ts'
import { chapterAt } from '../../store/playback/progress.ts'
import { player } from '../../store/player.ts'
import { Button, ButtonLink } from '../forms/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../forms/dialog.tsx'
import { Artwork } from '../podcast/artwork.tsx'
import { isWebUrl } from '../safe-link.tsx'
import { browserEngine as engine } from './audio.tsx'
import { ChapterList } from './chapter-list.tsx'
import { Keys, SleepTimer, Speed, SpeedForAll } from './controls.tsx'
import { SeekBar } from './seek-bar.tsx'

interface SheetProps {
  readonly playing: Playing
  readonly chapters: readonly Chapter[]
  readonly onClose: () => void
}

/** Everything about the episode that plays, for which the bar has no room on phones. */
export function Sheet({ playing, chapters, onClose }: SheetProps) {
  const { episode } = playing
  return (
    <Dialog title={episode.title} isText onClose={onClose}>
      <div class="player-sheet">
        <Artwork
          url={episode.podcast}
          title={episode.podcastTitle}
          size={300}
          episode={episode.hasPicture ? episode.url : undefined}
        />
        <p class="muted" dir="auto">
          {episode.podcastTitle}
        </p>
        <SeekBar onSeek={engine.seek} />
        <Keys playing={playing} />
        <div class="row">
          <Speed />
          <SpeedForAll />
          <SleepTimer />
          {isVideo(episode) && isWebUrl(episode.url) && (
            <ButtonLink kind="quiet" icon="external" href={episode.url} isExternal>
              {t('podcast.openVideo')}
            </ButtonLink>
          )}
        </div>
        {chapters.length > 0 && (
          <section class="stack-small">
            <h3>{t('podcast.chapters')}</h3>
            <ChapterList
              chapters={chapters}
              current={chapterAt(chapters, player.position.value)}
              onPlay={(seconds) => void engine.play(episode, seconds)}
            />
          </section>
        )}
      </div>
      <DialogActions>
        <Button kind="quiet" onClick={() => engine.close()}>
          {t('player.close')}
        </Button>
        <Button onClick={closeDialog}>{t('common.close')}</Button>
      </DialogActions>
    </Dialog>
  )
}
