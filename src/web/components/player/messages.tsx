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

/** Whether the user knows that the audio comes from elsewhere. */
const privacyNote = persistedSignal('player-note', ['new', 'seen'], 'new')

/** Where another device had stopped, or why nothing can be heard. */
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
        {/* The bar has room for it on wide screens only. */}
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

/** The note that audio comes from the publisher's server. It is shown during the first episode only. */
export function PrivacyNote({ isHidden }: { readonly isHidden: boolean }) {
  const isOpen = useSignal(false)
  // A layout effect, since the cleanup of a passive one waits for the next paint.
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
