import { effect, type ReadonlySignal, signal } from '@preact/signals'
import { t } from '../../locales/index.ts'
import { persistedSignal } from '../../store/preferences.ts'
import { Button } from '../forms/button.tsx'

const KEY = 'podstep.volume'

/** Volume from 0 to 1, stored by this browser. */
const volume = signal(toVolume(localStorage.getItem(KEY)))
const sound = persistedSignal('sound', ['on', 'off'], 'on')

function toVolume(stored: string | null): number {
  const value = Number(stored ?? 1)
  return value >= 0 && value <= 1 ? value : 1
}

/** Applies the user's volume, multiplied by `fading`, to an audio element. Phones use only the system volume. */
export function followVolume(audio: HTMLAudioElement, fading: ReadonlySignal<number>): void {
  effect(() => {
    audio.volume = volume.value * fading.value
    audio.muted = sound.value === 'off'
  })
  effect(() => localStorage.setItem(KEY, String(volume.value)))
}

/** Mute button and volume slider in the bar of wide screens. */
export function Volume() {
  const isMuted = sound.value === 'off'
  return (
    <div class="player-volume">
      <Button
        kind="quiet"
        icon={isMuted ? 'muted' : 'volume'}
        label={t('player.mute')}
        aria-pressed={isMuted}
        onClick={() => {
          sound.value = isMuted ? 'on' : 'off'
        }}
      />
      <input
        type="range"
        class="volume-range"
        min={0}
        max={100}
        step={5}
        value={Math.round(volume.value * 100)}
        aria-label={t('player.volume')}
        aria-valuetext={`${Math.round(volume.value * 100)} %`}
        onInput={({ currentTarget }) => {
          volume.value = Number(currentTarget.value) / 100
          sound.value = 'on'
        }}
      />
    </div>
  )
}
