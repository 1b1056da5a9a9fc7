import { useSignal } from '@preact/signals'
import { t } from '../../locales/index.ts'
import { clock } from '../../store/playback/progress.ts'
import { player } from '../../store/player.ts'

/** Seconds that the arrow keys and the page keys go. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -60,
  PageUp: 60,
}

/** Where the episode is, with what has been loaded. While the knob is dragged, playing goes on at the old place. */
export function SeekBar({ onSeek }: { onSeek: (seconds: number) => void }) {
  const dragged = useSignal<number | undefined>(undefined)
  const total = player.total.value
  const position = dragged.value ?? player.position.value
  const part = (seconds: number) => `${Math.min(100, (seconds / total) * 100).toFixed(2)}%`

  function press(event: KeyboardEvent): void {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    onSeek(player.position.value + step)
  }

  // A stream has no places to show.
  if (total === 0)
    return (
      <div class="player-seek">
        <span class="player-time player-elapsed small">
          <span class="hidden-text">{t('player.seek')} </span>
          {clock(position)}
        </span>
      </div>
    )
  return (
    <div class="player-seek">
      <span class="player-time small" aria-hidden="true">
        {clock(position)}
      </span>
      <input
        type="range"
        min={0}
        max={Math.max(1, Math.floor(total))}
        step={1}
        value={Math.floor(position)}
        disabled={!player.isSeekable.value}
        aria-label={t('player.seek')}
        aria-valuetext={t('player.seekValue', { position: clock(position), total: clock(total) })}
        style={{ '--played': part(position), '--loaded': part(player.buffered.value) }}
        onInput={({ currentTarget }) => (dragged.value = Number(currentTarget.value))}
        onChange={({ currentTarget }) => {
          dragged.value = undefined
          onSeek(Number(currentTarget.value))
        }}
        onKeyDown={press}
      />
      <span class="player-time small" aria-hidden="true">
        {clock(total)}
      </span>
    </div>
  )
}
