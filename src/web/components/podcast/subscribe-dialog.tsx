import { useSignal } from '@preact/signals'
import { t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { changesBetween, type DeviceChange, deviceSets } from '../../store/subscription-changes.ts'
import { createDevice, type Device, devices, groups } from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { DeviceName } from '../device.tsx'
import { errorMessage } from '../feedback/error-message.ts'
import { Button, ButtonLink } from '../forms/button.tsx'
import { closeDialog, Dialog, DialogActions } from '../forms/dialog.tsx'
import { Checkbox } from '../forms/field.tsx'

interface SubscribeDialogProps {
  readonly url: string
  readonly title: string
  readonly has: ReadonlySet<string>
  readonly onClose: () => void
  readonly onSave: (changes: readonly DeviceChange[]) => void
  readonly onUnsubscribe: () => void
}

/**
 * Asks which devices are to have a podcast. All are chosen at first, unless some have it already. The devices of a sync group are chosen
 * together.
 */
export function SubscribeDialog({ url, title, has, onClose, onSave, onUnsubscribe }: SubscribeDialogProps) {
  const all = (devices.value ?? []).map(({ id }) => id)
  const wanted = useSignal<ReadonlySet<string>>(has.size > 0 ? has : new Set(all))
  const changes = changesBetween(url, has, wanted.value)

  function choose(set: readonly Device[], isWanted: boolean): void {
    const ids = new Set(set.map(({ id }) => id))
    wanted.value = isWanted ? wanted.value.union(ids) : wanted.value.difference(ids)
  }

  return (
    <Dialog title={t('subscribe.choose', { title })} onClose={onClose}>
      <p class="muted">{t('subscribe.chooseLead')}</p>
      <form class="stack" method="dialog" onSubmit={() => onSave(changes)}>
        <ul class="device-choices">
          {deviceSets(devices.value ?? [], groups.value).map((set) => (
            <li key={set[0]?.id}>
              <Checkbox
                label={<DeviceSet devices={set} />}
                checked={set.some(({ id }) => wanted.value.has(id))}
                onChange={(isWanted) => choose(set, isWanted)}
              />
            </li>
          ))}
        </ul>
        <DialogActions>
          {has.size > 0 && (
            <Button
              kind="danger"
              onClick={(event) => {
                closeDialog(event)
                onUnsubscribe()
              }}
            >
              {t('subscribe.everywhere')}
            </Button>
          )}
          <Button kind="quiet" onClick={closeDialog}>
            {t('common.cancel')}
          </Button>
          <Button kind="main" type="submit" disabled={changes.length === 0}>
            {has.size > 0 ? t('common.save') : t('subscribe.subscribe')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function DeviceSet({ devices: set }: { devices: readonly Device[] }) {
  return (
    <span class="device-choice">
      <span class="row">
        {set.map((device) => (
          <DeviceName key={device.id} device={device} />
        ))}
      </span>
      {set.length > 1 && <span class="muted small">{t('subscribe.inStep')}</span>}
    </span>
  )
}

interface FirstDeviceDialogProps {
  readonly onClose: () => void
  /** Called once the device exists. */
  readonly onCreated: () => unknown
}

/** Offers to create a device without an app, for users who have no device yet. */
export function FirstDeviceDialog({ onClose, onCreated }: FirstDeviceDialogProps) {
  async function create(): Promise<void> {
    try {
      await createDevice('web', 'web')
      await onCreated()
    } catch (error) {
      toast(errorMessage(error), { kind: 'error' })
    }
  }

  return (
    <Dialog title={t('subscribe.noDevice')} onClose={onClose}>
      <p>{t('subscribe.noDeviceLead')}</p>
      <DialogActions>
        <Button kind="quiet" onClick={closeDialog}>
          {t('common.cancel')}
        </Button>
        <ButtonLink href={href('/connect')}>{t('subscribe.connect')}</ButtonLink>
        <Button
          kind="main"
          onClick={(event) => {
            closeDialog(event)
            void create()
          }}
        >
          {t('subscribe.makeDevice')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
