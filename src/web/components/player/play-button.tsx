import { useContext } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { followersOf } from '../../store/episodes/following.ts'
import { clock } from '../../store/playback/progress.ts'
import { type Playable, play, player, togglePlaying } from '../../store/player.ts'
import { Icon } from '../icon.tsx'
import { PlayList } from './play-list.ts'

interface PlayButtonProps {
  readonly episode: Playable
  /** `main` and `plain` show a text; `round` shows only the icon. */
  readonly kind?: 'main' | 'plain' | 'round'
  /** Label until the episode has been started. */
  readonly first?: string
  /** Second to play from; by default, the position where the user stopped. */
  readonly from?: number | undefined
}

/** Button that plays or pauses an episode. Requests nothing from the publisher until it is pressed. */
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
