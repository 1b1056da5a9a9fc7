import { useSignal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { isNarrow } from '../../hooks/narrow.ts'
import { setTo } from '../../hooks/setters.ts'
import { t } from '../../locales/index.ts'
import { isOwnDevice } from '../../store/own-device.ts'
import type { Playing } from '../../store/playback/playable.ts'
import { clock } from '../../store/playback/progress.ts'
import { persistedSignal } from '../../store/preferences.ts'
import { useDeviceCaptions } from '../device.tsx'
import { Button } from '../forms/button.tsx'
import { Dialog } from '../forms/dialog.tsx'
import { browserEngine as engine } from './audio.tsx'
import { stopPlaying } from './controls.tsx'
import { MediaLink } from './media-link.tsx'

/** Whether the user has seen the note on where the audio comes from. */
const privacyNote = persistedSignal('player-note', ['new', 'seen'], 'new')

/** Playback error, note that the file plays only from its start, or position and device where playback resumed. */
export function Message({ playing: { episode, status, failure, resumed, unreached } }: { playing: Playing }) {
  const captionOf = useDeviceCaptions()
  if (status === 'failed' && failure)
    return (
      <div class="row player-note" role="alert">
        <span>{t(`player.failures.${failure}`)}</span>
        <Button kind="quiet" icon="refresh" onClick={() => engine.resume()}>
          {t('common.retry')}
        </Button>
        <MediaLink episode={episode} />
        {/* On wide screens the button is in the bar. */}
        {isNarrow.value && <Button kind="quiet" icon="cross" label={t('player.close')} onClick={stopPlaying} />}
      </div>
    )
  if (unreached !== undefined)
    return (
      <div class="row player-note" role="status">
        <span>{t('player.unreached', { position: clock(unreached) })}</span>
        <MediaLink episode={episode} />
      </div>
    )
  if (!resumed) return null
  const at = clock(resumed.position)
  const { device } = resumed
  return (
    <div class="row player-note" role="status">
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

/** Note that the audio comes from the publisher's server. Shown only during the first episode. */
export function PrivacyNote({ isHidden }: { readonly isHidden: boolean }) {
  const isOpen = useSignal(false)
  // A layout effect because the cleanup of `useEffect` waits for the next paint.
  useLayoutEffect(() => setTo(privacyNote, 'seen'), [])
  if (isHidden || privacyNote.value === 'seen') return null
  return (
    <div class="row player-note">
      <span>{t('player.privacy')}</span>
      <Button kind="quiet" onClick={setTo(isOpen, true)}>
        {t('player.privacyMore')}
      </Button>
      <Button kind="quiet" icon="cross" label={t('common.close')} onClick={setTo(privacyNote, 'seen')} />
      {isOpen.value && (
        <Dialog title={t('player.privacyTitle')} isText isLight onClose={setTo(isOpen, false)}>
          <p>{t('player.privacyText')}</p>
        </Dialog>
      )}
    </div>
  )
}
