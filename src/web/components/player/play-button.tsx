import { useContext } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { followersOf } from '../../store/episodes/following.ts'
import { clock } from '../../store/playback/progress.ts'
import { type Playable, play, player, togglePlaying } from '../../store/player.ts'
import { Icon } from '../icon.tsx'
import { PlayList } from './play-list.ts'

interface PlayButtonProps {
  readonly episode: Playable
  /** `main` and `plain` are as wide as their text; `round` shows the icon only. */
  readonly kind?: 'main' | 'plain' | 'round'
  /** Label while nothing of the episode has been heard. */
  readonly first?: string
  /** The second to play from; unless given, where the user has stopped. */
  readonly from?: number | undefined
}

/** Plays an episode, and pauses it while it plays. Nothing is requested from its publisher before. */
export function PlayButton({ episode, kind = 'round', first = t('player.play'), from }: PlayButtonProps) {
  const list = useContext(PlayList)
  const playing = player.playing.value
  const isOwn = playing?.episode.url === episode.url && playing.status !== 'failed'
  const isRunning = isOwn && playing.status !== 'paused'
  const isBegun = episode.position !== undefined && episode.position > 0
  const isFrom = from !== undefined && !isOwn
  const start = isBegun || isOwn ? t('player.continue') : first
  const text = isRunning ? t('player.pause') : isFrom ? t('player.playFrom', { position: clock(from) }) : start
  return (
    <button
      type="button"
      class={kind === 'round' ? 'play-round' : `button button-${kind}`}
      aria-label={`${text}: ${episode.title}`}
      title={kind === 'round' ? text : undefined}
      onClick={() => (isOwn ? togglePlaying() : play(episode, from, followersOf(list(), episode.url)))}
    >
      <Icon name={isRunning ? 'pause' : 'play'} />
      {kind !== 'round' && <span>{text}</span>}
    </button>
  )
}
