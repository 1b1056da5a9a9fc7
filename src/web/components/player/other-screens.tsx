import { signal } from '@preact/signals'
import { t } from '../../locales/index.ts'
import { Button } from '../forms/button.tsx'

/** Audio element with WebKit's extension for AirPlay. */
interface AirPlayAudio extends HTMLAudioElement {
  webkitShowPlaybackTargetPicker?: () => void
}

/** Opens the browser's list of speakers and screens; `undefined` if none is available. */
const choose = signal<(() => unknown) | undefined>(undefined)

/** Watches whether the browser can play on other devices, by AirPlay or the Remote Playback API. */
export function watchScreens(audio: AirPlayAudio): void {
  if (audio.webkitShowPlaybackTargetPicker) {
    audio.addEventListener('webkitplaybacktargetavailabilitychanged', (event) => {
      const isAvailable = Object(event).availability === 'available'
      choose.value = isAvailable ? () => audio.webkitShowPlaybackTargetPicker?.() : undefined
    })
    return
  }
  const { remote } = audio
  if (!remote?.watchAvailability) return
  const prompt = () => remote.prompt().catch(() => undefined)
  remote
    .watchAvailability((isAvailable) => {
      choose.value = isAvailable ? prompt : undefined
    })
    // Browsers that cannot watch availability can still show the list.
    .catch(() => {
      choose.value = prompt
    })
}

export function OtherScreens() {
  const open = choose.value
  if (!open) return null
  return <Button kind="quiet" icon="screen" label={t('player.screens')} onClick={() => void open()} />
}
