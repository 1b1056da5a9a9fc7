import { useSignal } from '@preact/signals'
import { setTo } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { number, t } from '../../locales/index.ts'
import { isOwnDevice } from '../../store/own-device.ts'
import { href } from '../../store/paths.ts'
import { type Chapter, loadChapters } from '../../store/playback/chapters.ts'
import { isVideo, type Playable, type Playing } from '../../store/playback/engine.ts'
import { chapterAt, clock } from '../../store/playback/progress.ts'
import { BACK, FORWARD, SPEEDS } from '../../store/playback/speeds.ts'
import { player } from '../../store/player.ts'
import { persistedSignal } from '../../store/preferences.ts'
import { useDeviceCaptions } from '../device.tsx'
import { Button, ButtonLink } from '../forms/button.tsx'
import { Select } from '../forms/choice.tsx'
import { closeDialog, Dialog, DialogActions } from '../forms/dialog.tsx'
import { Icon } from '../icon.tsx'
import { Artwork } from '../podcast/artwork.tsx'
import { podcastHref } from '../podcast/podcast-item.tsx'
import { isWebUrl } from '../safe-link.tsx'
import { browserEngine as engine } from './audio.tsx'
import { ChapterList } from './chapter-list.tsx'
import { SeekBar } from './seek-bar.tsx'

/** Whether the user knows that the audio comes from elsewhere. */
const privacyNote = persistedSignal('player-note', ['new', 'seen'], 'new')

/** The player, which stays at the bottom of the window while pages change. */
export function Player() {
  const isOpen = useSignal(false)
  const playing = player.playing.value
  const chapters = useChapters(playing?.episode)
  if (!playing) return null
  const { episode } = playing
  const chapter = chapterAt(chapters, player.position.value)
  return (
    <section class="player" aria-label={t('player.title')}>
      {/* On phones an error needs the room. */}
      {privacyNote.value === 'new' && playing.status !== 'failed' && <PrivacyNote />}
      <Message playing={playing} />
      <div class="player-bar">
        <div class="player-what">
          <div class="player-cover">
            <Artwork key={episode.podcast} url={episode.podcast} title={episode.podcastTitle} size={64} />
          </div>
          <div class="player-text">
            <a class="player-title cut" href={episodeHref(playing)} dir="auto">
              {episode.title}
            </a>
            <a class="cut small muted" href={podcastHref(episode.podcast)} dir="auto">
              {chapter ? chapter.title : episode.podcastTitle}
            </a>
          </div>
        </div>
        <Keys playing={playing} />
        <SeekBar onSeek={engine.seek} />
        <div class="player-more">
          <Speed />
          <Button
            kind="quiet"
            icon="up"
            label={t('player.expand')}
            aria-expanded={isOpen.value}
            onClick={setTo(isOpen, true)}
          />
          <Button kind="quiet" icon="cross" label={t('player.close')} onClick={() => engine.close()} />
        </div>
      </div>
      {isOpen.value && <Sheet playing={playing} chapters={chapters} onClose={setTo(isOpen, false)} />}
    </section>
  )
}

function episodeHref({ episode: { podcast, url } }: Playing): string {
  return href('/episode', { podcast, url })
}

/** Back, play or pause, forward. */
function Keys({ playing: { status } }: { playing: Playing }) {
  const isRunning = status === 'playing' || status === 'loading'
  return (
    <div class="player-keys">
      <SkipButton seconds={-BACK} />
      <button
        type="button"
        class="play-round play-main"
        aria-label={isRunning ? t('player.pause') : t('player.play')}
        title={isRunning ? t('player.pause') : t('player.play')}
        data-busy={status === 'loading'}
        onClick={() => engine.toggle()}
      >
        <Icon name={isRunning ? 'pause' : 'play'} />
      </button>
      <SkipButton seconds={FORWARD} />
    </div>
  )
}

function SkipButton({ seconds }: { seconds: number }) {
  const n = Math.abs(seconds)
  const label = seconds < 0 ? t('player.back', { n }) : t('player.forward', { n })
  return (
    <button
      type="button"
      class="player-skip"
      data-forward={seconds > 0}
      aria-label={label}
      title={label}
      onClick={() => engine.seek(player.position.value + seconds)}
    >
      <Icon name="rewind" />
      <span aria-hidden="true">{number(n)}</span>
    </button>
  )
}

function Speed() {
  return (
    <Select
      class="select player-speed"
      label={t('player.speed')}
      title={t('player.speed')}
      value={String(player.speed.value)}
      options={SPEEDS.map((speed) => ({ value: String(speed), label: `${number(speed)}×` }))}
      onChoose={(speed) => engine.setSpeed(Number(speed))}
    />
  )
}

/** Where another device had stopped, or why nothing can be heard. */
function Message({ playing: { episode, status, failure, resumed } }: { playing: Playing }) {
  const captionOf = useDeviceCaptions()
  if (status === 'failed' && failure)
    return (
      <div class="player-note" role="alert">
        <span>{t(`player.failures.${failure}`)}</span>
        <Button kind="quiet" icon="refresh" onClick={() => engine.resume()}>
          {t('common.retry')}
        </Button>
        {isWebUrl(episode.url) && (
          <ButtonLink kind="quiet" icon="external" href={episode.url} isExternal>
            {isVideo(episode) ? t('podcast.openVideo') : t('podcast.openMedia')}
          </ButtonLink>
        )}
      </div>
    )
  if (!resumed) return null
  const at = clock(resumed.position)
  const { device } = resumed
  return (
    <div class="player-note" role="status">
      <span>
        {device === undefined || isOwnDevice(device)
          ? t('player.from', { position: at })
          : t('player.fromDevice', { position: at, device: captionOf(device) })}
      </span>
      <Button kind="quiet" onClick={() => engine.startOver()}>
        {t('player.startOver')}
      </Button>
    </div>
  )
}

function PrivacyNote() {
  const isOpen = useSignal(false)
  return (
    <div class="player-note">
      <span>{t('player.privacy')}</span>
      <Button kind="quiet" onClick={setTo(isOpen, true)}>
        {t('player.privacyMore')}
      </Button>
      <Button kind="quiet" icon="cross" label={t('common.close')} onClick={setTo(privacyNote, 'seen')} />
      {isOpen.value && (
        <Dialog title={t('player.privacyTitle')} isText onClose={setTo(isOpen, false)}>
          <p>{t('player.privacyText')}</p>
          <DialogActions>
            <Button onClick={closeDialog}>{t('common.close')}</Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  )
}

interface SheetProps {
  readonly playing: Playing
  readonly chapters: readonly Chapter[]
  readonly onClose: () => void
}

const NO_CHAPTERS: readonly Chapter[] = []

/** The chapters of an episode. Without an answer of the server there are none. */
function useChapters(episode: Playable | undefined): readonly Chapter[] {
  const { podcast, url } = episode ?? { podcast: '', url: '' }
  const query = useQuery(
    async (signal) => {
      if (url === '') return { url, chapters: NO_CHAPTERS }
      return { url, chapters: await loadChapters(podcast, url, signal) }
    },
    [podcast, url],
  )
  // While the next episode is asked for, the old answer is still there.
  return query.data.value?.url === url ? query.data.value.chapters : NO_CHAPTERS
}

/** Everything about the episode that plays, for which the bar has no room on phones. */
function Sheet({ playing, chapters, onClose }: SheetProps) {
  const { episode } = playing
  return (
    <Dialog title={episode.title} isText onClose={onClose}>
      <div class="player-sheet">
        <Artwork url={episode.podcast} title={episode.podcastTitle} size={300} />
        <p class="muted" dir="auto">
          {episode.podcastTitle}
        </p>
        <SeekBar onSeek={engine.seek} />
        <Keys playing={playing} />
        <div class="row">
          <Speed />
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
