import { call } from '../../api/client.ts'
import { useLinkInPlace } from '../../hooks/use-back.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { type Chapter, picturedAt } from '../../store/playback/chapters.ts'
import { isVideo, type Playable, type Playing } from '../../store/playback/playable.ts'
import { chapterAt } from '../../store/playback/progress.ts'
import { player } from '../../store/player.ts'
import { ownName } from '../../store/session.ts'
import { Button, ButtonLink } from '../forms/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../forms/dialog.tsx'
import { Artwork } from '../podcast/artwork.tsx'
import { FavoriteButton } from '../podcast/favorite-button.tsx'
import { podcastHref } from '../podcast/podcast-item.tsx'
import { isWebUrl } from '../safe-link.tsx'
import { Transcript } from '../transcript/transcript.tsx'
import { browserEngine as engine } from './audio.tsx'
import { ChapterList } from './chapter-list.tsx'
import { Keys, SkipChoices, SleepTimer, Speed, SpeedForAll, stopPlaying } from './controls.tsx'
import { OtherScreens } from './other-screens.tsx'
import { SeekBar } from './seek-bar.tsx'
import { ShareMenu } from './share-menu.tsx'

interface SheetProps {
  readonly playing: Playing
  readonly chapters: readonly Chapter[]
  readonly onQueue: () => void
  readonly onClose: () => void
}

/** Dialog with everything about the current episode that the bar has no room for. It fills the screen of a phone. */
export function Sheet({ playing, chapters, onQueue, onClose }: SheetProps) {
  const { episode } = playing
  return (
    <Dialog title={episode.title} isText isSheet onClose={onClose}>
      <div class="player-sheet">
        <div class="player-sheet-head">
          <Button kind="quiet" icon="down" label={t('common.close')} onClick={closeDialog} />
          <span>
            <ShareMenu episode={episode} />
            <Star episode={episode} />
          </span>
        </div>
        <div class="player-sheet-cover">
          <Artwork
            url={episode.podcast}
            title={episode.podcastTitle}
            size={600}
            episode={episode.hasPicture ? episode.url : undefined}
            chapter={picturedAt(chapters, episode.url, player.position.value)}
          />
        </div>
        <Places episode={episode} />
        <SeekBar chapters={chapters} onSeek={engine.seek} />
        <Keys playing={playing} onQueue={onQueue} />
        <div class="row player-sheet-choices">
          <Speed />
          <SleepTimer />
          <SpeedForAll />
          <OtherScreens />
          {isVideo(episode) && isWebUrl(episode.url) && (
            <ButtonLink kind="quiet" icon="external" href={episode.url} isExternal>
              {t('podcast.openVideo')}
            </ButtonLink>
          )}
        </div>
        <details class="player-sheet-skips">
          <summary>{t('player.skip.title')}</summary>
          <SkipChoices />
        </details>
        {chapters.length > 0 && (
          <section class="stack-small">
            <h3>{t('podcast.chapters')}</h3>
            <ChapterList
              podcast={episode.podcast}
              episode={episode.url}
              chapters={chapters}
              current={chapterAt(chapters, player.position.value)}
              onPlay={(seconds) => void engine.play(episode, seconds)}
            />
          </section>
        )}
        <Words episode={episode} />
      </div>
      <DialogActions>
        <Button kind="quiet" onClick={stopPlaying}>
          {t('player.close')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Transcript, once the page of the episode has loaded and names one. */
function Words({ episode }: { readonly episode: Playable }) {
  const { podcast, url } = episode
  const { data } = useQuery((signal) => call('getEpisodePage', { query: { podcast, url }, signal }), [url])
  const file = data.value?.url === url ? data.value.transcript_url : ''
  return (
    <Transcript
      key={url}
      podcast={podcast}
      url={url}
      file={file}
      level={3}
      onPlay={(seconds) => void engine.play(episode, seconds)}
    />
  )
}

/** Favorite button; off until the setting has loaded. */
function Star({ episode }: { readonly episode: Playable }) {
  const { podcast, url, title } = episode
  const path = { username: ownName(), scope: 'episode' }
  const settings = useQuery((signal) => call('getSettings', { path, query: { podcast, episode: url }, signal }), [url])
  return <FavoriteButton episode={{ podcast, url, title }} loaded={settings.data.value?.['is_favorite'] === true} />
}

/** Links to the pages of the podcast and the episode. */
function Places({ episode: { podcast, podcastTitle, url } }: { readonly episode: Playable }) {
  const replace = useLinkInPlace()
  const go = (event: MouseEvent) => {
    replace(event)
    closeDialog(event)
  }
  return (
    <p class="row player-sheet-places small">
      <a href={podcastHref(podcast)} dir="auto" onClick={go}>
        {podcastTitle}
      </a>
      <a href={href('/episode', { podcast, url })} onClick={go}>
        {t('podcast.notes')}
      </a>
    </p>
  )
}
