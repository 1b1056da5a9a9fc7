import { useSignal } from '@preact/signals'
import { t } from '../../locales/index.ts'
import type { Chapter } from '../../store/playback/chapters.ts'
import { chapterAt, clock } from '../../store/playback/progress.ts'
import { player } from '../../store/player.ts'

/** Seconds to seek, by key. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -5,
  ArrowDown: -5,
  ArrowRight: 5,
  ArrowUp: 5,
  PageDown: -60,
  PageUp: 60,
}

interface SeekBarProps {
  readonly chapters: readonly Chapter[]
  readonly onSeek: (seconds: number) => void
}

/**
 * Seek bar with the buffered part and marks for chapters. Playback continues at the old position while the knob is
 * dragged.
 */
export function SeekBar({ chapters, onSeek }: SeekBarProps) {
  const dragged = useSignal<number | undefined>(undefined)
  /** Second of the episode under the pointer. */
  const pointed = useSignal<number | undefined>(undefined)
  const total = player.total.value
  const position = dragged.value ?? player.position.value
  const part = (seconds: number) => `${Math.min(100, (seconds / total) * 100).toFixed(2)}%`

  function press(event: KeyboardEvent): void {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    onSeek(player.position.value + step)
  }

  // Streams have no duration.
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
        aria-valuetext={valueText(position, total, chapterAt(chapters, position))}
        title={chapterAt(chapters, dragged.value ?? pointed.value ?? -1)?.title}
        style={{
          '--played': part(position),
          '--loaded': part(player.buffered.value),
          '--marks': marksOf(chapters, total),
        }}
        onPointerMove={({ offsetX, currentTarget }) => {
          pointed.value = Math.round((offsetX / currentTarget.clientWidth) * total)
        }}
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

/** Number of chapters from which the marks would merge into a grey line. */
const MARKS_MAX = 60

/** Returns the CSS backgrounds of the track: a line at the start of each chapter except one that starts at 0. */
function marksOf(chapters: readonly Chapter[], total: number): string {
  const starts = chapters.filter(({ start, end }) => end === undefined && start > 0 && start < total)
  if (starts.length === 0 || starts.length > MARKS_MAX) return 'none'
  const mark = 'linear-gradient(var(--surface), var(--surface))'
  return starts.map(({ start }) => `${mark} ${((start / total) * 100).toFixed(2)}% 0 / 2px 100% no-repeat`).join(', ')
}

function valueText(position: number, total: number, chapter: Chapter | undefined): string {
  const text = t('player.seekValue', { position: clock(position), total: clock(total) })
  return chapter ? t('common.pair', { what: text, value: chapter.title }) : text
}
