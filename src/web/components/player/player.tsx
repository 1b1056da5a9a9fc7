import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { isNarrow } from '../../hooks/narrow.ts'
import { setTo } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { type Chapter, loadChapters, picturedAt } from '../../store/playback/chapters.ts'
import type { Playable } from '../../store/playback/playable.ts'
import { chapterAt } from '../../store/playback/progress.ts'
import { player } from '../../store/player.ts'
import { Button } from '../forms/button.tsx'
import { Artwork } from '../podcast/artwork.tsx'
import { podcastHref } from '../podcast/podcast-item.tsx'
import { QueueDialog } from '../queue/queue-dialog.tsx'
import { useQueue } from '../queue/queue-list.tsx'
import { browserEngine as engine } from './audio.tsx'
import { Keys, SleepMark, Speed, stopPlaying } from './controls.tsx'
import { picturedChapter } from './media-session.tsx'
import { Message, PrivacyNote } from './messages.tsx'
import { SeekBar } from './seek-bar.tsx'
import { Sheet } from './sheet.tsx'
import { Volume } from './volume.tsx'

/** Player bar at the bottom of the window. It stays while pages change. */
export function Player() {
  const open = useSignal<'sheet' | 'queue' | undefined>(undefined)
  useQueue()
  const playing = player.playing.value
  const chapters = useChapters(playing?.episode)
  const pictured = playing && picturedAt(chapters, playing.episode.url, player.position.value)
  useEffect(() => {
    picturedChapter.value = pictured
  }, [pictured?.episode, pictured?.start])
  if (!playing) return null
  const { episode } = playing
  const { podcast, url } = episode
  const subtitle = chapterAt(chapters, player.position.value)?.title ?? episode.podcastTitle
  const [openSheet, openQueue] = [setTo(open, 'sheet'), setTo(open, 'queue')]
  const opener = (name: 'sheet' | 'queue') => ({ 'aria-expanded': open.value === name, onClick: setTo(open, name) })
  const close = setTo(open, undefined)
  const cover = (
    <span class="player-cover">
      <Artwork
        url={podcast}
        title={episode.podcastTitle}
        size={64}
        episode={episode.hasPicture ? episode.url : undefined}
        chapter={pictured}
      />
    </span>
  )
  return (
    <section class="player" aria-label={t('player.title')}>
      {/* Phones have no room for the note and an error. */}
      <PrivacyNote key={url} isHidden={playing.status === 'failed' || playing.unreached !== undefined} />
      <Message playing={playing} />
      <div class="player-bar">
        {isNarrow.value ? (
          <>
            <Progress />
            <button type="button" class="player-what" {...opener('sheet')}>
              {cover}
              <span class="player-text">
                <span class="player-title cut" dir="auto">
                  {episode.title}
                </span>
                <span class="cut small muted" dir="auto">
                  {subtitle}
                </span>
              </span>
              <span class="hidden-text">{t('player.expand')}</span>
            </button>
            <SleepMark onClick={openSheet} />
            <Keys playing={playing} />
          </>
        ) : (
          <>
            <div class="player-what">
              {cover}
              <div class="player-text">
                <a class="player-title cut" href={href('/episode', { podcast, url })} dir="auto">
                  {episode.title}
                </a>
                <a class="cut small muted" href={podcastHref(podcast)} dir="auto">
                  {subtitle}
                </a>
              </div>
            </div>
            <Keys playing={playing} />
            <SeekBar chapters={chapters} onSeek={engine.seek} />
            <div class="player-more">
              <SleepMark onClick={openSheet} />
              <Speed />
              <Volume />
              <Button {...opener('queue')} kind="quiet" icon="queue" label={t('queue.title')} />
              <Button {...opener('sheet')} kind="quiet" icon="up" label={t('player.expand')} />
              <Button kind="quiet" icon="cross" label={t('player.close')} onClick={stopPlaying} />
            </div>
          </>
        )}
      </div>
      {open.value === 'sheet' && <Sheet playing={playing} chapters={chapters} onQueue={openQueue} onClose={close} />}
      {open.value === 'queue' && <QueueDialog onClose={close} />}
    </section>
  )
}

/** Progress line above the bar on phones, where the seek bar is on the sheet. */
function Progress() {
  const { position, total } = player
  if (total.value === 0) return null
  return <progress class="progress player-line" max={total.value} value={position.value} aria-hidden="true" />
}

const NO_CHAPTERS: readonly Chapter[] = []

/** Returns the chapters of an episode; empty while they are loading or if that fails. */
function useChapters(episode: Playable | undefined): readonly Chapter[] {
  const { podcast, url } = episode ?? { podcast: '', url: '' }
  const query = useQuery(
    async (signal) => {
      if (url === '') return { url, chapters: NO_CHAPTERS }
      return { url, chapters: await loadChapters(podcast, url, signal) }
    },
    [podcast, url],
  )
  // While the chapters of the next episode load, the query still has those of the old one.
  return query.data.value?.url === url ? query.data.value.chapters : NO_CHAPTERS
}
