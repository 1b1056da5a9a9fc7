import { href } from '../state/base.ts'
import { makeDevice } from '../state/subscriptions.ts'
import { toast } from '../state/toasts.ts'
import { t } from '../text/index.ts'
import { Button, ButtonLink } from './button.tsx'
import { closeDialog, Dialog, DialogActions } from './dialog.tsx'
import { errorText } from './notice.tsx'

interface FirstDeviceProps {
  readonly onClose: () => void
  /** Called when there is one. */
  readonly onMade: () => unknown
}

/** Asks before a device is made that no app stands behind. */
export function FirstDevice({ onClose, onMade }: FirstDeviceProps) {
  const texts = t().subscribe

  async function make(): Promise<void> {
    try {
      await makeDevice('web', 'web')
      await onMade()
    } catch (error) {
      toast(errorText(error), { kind: 'error' })
    }
  }

  return (
    <Dialog title={texts.noDevice} onClose={onClose}>
      <p>{texts.noDeviceLead}</p>
      <DialogActions>
        <Button kind="quiet" onClick={closeDialog}>
          {t().common.cancel}
        </Button>
        <ButtonLink href={href('/connect')}>{texts.connect}</ButtonLink>
        <Button
          kind="main"
          onClick={(event) => {
            closeDialog(event)
            void make()
          }}
        >
          {texts.makeDevice}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
