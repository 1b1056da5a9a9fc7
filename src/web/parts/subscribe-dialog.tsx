import { useSignal } from '@preact/signals'
import { changesBetween, type DeviceChange, unitsOf } from '../state/subscription-changes.ts'
import { type Device, devices, groups } from '../state/subscriptions.ts'
import { fill, t } from '../text/index.ts'
import { Button } from './button.tsx'
import { DeviceName } from './device-name.tsx'
import { closeDialog, Dialog, DialogActions } from './dialog.tsx'
import { Checkbox } from './field.tsx'

interface SubscribeDialogProps {
  readonly url: string
  readonly title: string
  readonly has: ReadonlySet<string>
  readonly onClose: () => void
  readonly onSave: (changes: readonly DeviceChange[]) => void
  readonly onUnsubscribe: () => void
}

/** For which devices: all, unless some have the podcast already. Devices that are kept in step are chosen together. */
export function SubscribeDialog({ url, title, has, onClose, onSave, onUnsubscribe }: SubscribeDialogProps) {
  const texts = t().subscribe
  const all = (devices.value ?? []).map(({ id }) => id)
  const wanted = useSignal<ReadonlySet<string>>(has.size > 0 ? has : new Set(all))
  const changes = changesBetween(url, has, wanted.value)

  function choose(unit: readonly Device[], isWanted: boolean): void {
    const ids = new Set(unit.map(({ id }) => id))
    wanted.value = isWanted ? wanted.value.union(ids) : wanted.value.difference(ids)
  }

  return (
    <Dialog title={fill(texts.choose, { title })} onClose={onClose}>
      <p class="muted">{texts.chooseLead}</p>
      <form class="stack" method="dialog" onSubmit={() => onSave(changes)}>
        <ul class="device-choices">
          {unitsOf(devices.value ?? [], groups.value).map((unit) => (
            <li key={unit[0]?.id}>
              <Checkbox
                label={<Unit unit={unit} />}
                checked={unit.some(({ id }) => wanted.value.has(id))}
                onChange={(isWanted) => choose(unit, isWanted)}
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
              {texts.everywhere}
            </Button>
          )}
          <Button kind="quiet" onClick={closeDialog}>
            {t().common.cancel}
          </Button>
          <Button kind="main" type="submit" disabled={changes.length === 0}>
            {has.size > 0 ? t().common.save : texts.subscribe}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function Unit({ unit }: { unit: readonly Device[] }) {
  return (
    <span class="device-choice">
      <span class="row">
        {unit.map((device) => (
          <DeviceName key={device.id} device={device} />
        ))}
      </span>
      {unit.length > 1 && <span class="muted small">{t().subscribe.inStep}</span>}
    </span>
  )
}
